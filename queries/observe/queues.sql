-- The names of all queues by a loose index scan: one index descent a queue, however long the table is.
with recursive names as (
    (
        select {raw} as queue
        from {source}
        where {raw} is not null
        order by {raw}
        limit 1
    )
    union all
    select (
        select {raw}
        from {source}
        where {raw} > names.queue
        order by {raw}
        limit 1
    )
    from names
    where names.queue is not null
)
select queue::text as queue
from names
where queue is not null
limit 2000
