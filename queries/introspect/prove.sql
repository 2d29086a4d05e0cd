-- Asked of the planner alone: whether the server takes a piece of SQL, in a place where it cannot
-- be an aggregate or return several rows. A line for each piece, so that a refusal quotes no other.
explain (format json) select
from {source}
where {where}
order by {order}
