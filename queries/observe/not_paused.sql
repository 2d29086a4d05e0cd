-- Whether a job's queue is not paused: paused work is not waiting for a worker.
not exists (select 1 from {source} where ({paused}) and ({name})::text = {queue})
