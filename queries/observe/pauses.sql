-- Queues that are paused.
select {name} as queue
from {source}
where {paused}
limit 2000
