-- How many rows are before a job: pending ones of its queue, running ones, its queue's pause. Up to a thousand.
select count(*) as jobs
from (
    select 1
    from {source}
    where ({where}) and {same_queue} and {earlier}
    limit 1000
) as before
