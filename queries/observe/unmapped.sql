-- Rows that are in none of the states, up to the cap.
select count(*) as jobs
from (
    select 1
    from {source}
    where {unmapped}
    limit %(cap)s + 1
) as seen
