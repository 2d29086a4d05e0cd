"""Rules: each looks at one thing and gives a finding with numbers, or nothing."""
