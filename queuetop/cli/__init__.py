"""Commands: put the parts together."""
