"""The terminal: draws snapshots, sends intents, keeps no truth."""
