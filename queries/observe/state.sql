-- Jobs of one state by queue, with the oldest, counted no further than the cap.
-- The inner LIMIT bounds the cost whatever the backlog is; with an index in the order of {order} the
-- jobs it keeps are the ones that wait longest.
with counted as materialized (
    (
        select
            1 as jobs,
            {id} as id,
            {queue} as queue,
            case when isfinite({created_at}) then {created_at} end as created_at,
            case when isfinite({ready_at}) then {ready_at} end as ready_at,
            case when isfinite({started_at}) then {started_at} end as started_at
        from {source}
        where {state}
        {order}
        limit %(cap)s + 1
    )
    {waiting}
)
select
    counted.queue,
    sum(counted.jobs)::bigint as jobs,
    min(counted.created_at) as oldest_created_at,
    min(coalesce(counted.ready_at, counted.created_at)) as oldest_ready_at,
    max(counted.started_at) as newest_started_at,
    (select c.id from counted as c order by c.created_at limit 1) as oldest_created_id,
    (select c.id from counted as c order by coalesce(c.ready_at, c.created_at) limit 1) as oldest_ready_id
from counted
group by counted.queue
order by jobs desc
limit 2000
