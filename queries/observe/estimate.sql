-- How many jobs there are as the planner believes: costs its planning, reads no row.
explain (format json)
select 1
from {source}
where {state}
