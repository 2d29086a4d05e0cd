"""From polls to snapshots: cadence, history, rates, findings."""
