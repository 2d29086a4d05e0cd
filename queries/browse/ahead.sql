-- How many pending jobs of the same queue were ready before this one, up to a thousand.
select count(*) as jobs
from (
    select 1
    from {source}
    where {where} and {same_queue} and {earlier}
    limit 1000
) as before
