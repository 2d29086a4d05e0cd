"""What is true of a queue: states, jobs, measures, snapshots, mappings, selections. No I/O."""
