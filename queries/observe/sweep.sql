-- Every state that is not history, by queue, in one pass over a table without an index that serves.
-- Dear: it runs seldom, on a connection of its own.
select
    seen.state,
    seen.queue,
    count(*) as jobs,
    min(seen.created_at) as oldest_created_at,
    min(coalesce(seen.ready_at, seen.created_at)) as oldest_ready_at,
    max(seen.started_at) as newest_started_at,
    null::text as oldest_created_id,
    null::text as oldest_ready_id
from (
    select
        {state_case} as state,
        {queue} as queue,
        case when isfinite({created_at}) then {created_at} end as created_at,
        case when isfinite({ready_at}) then {ready_at} end as ready_at,
        case when isfinite({started_at}) then {started_at} end as started_at
    from {source}
    where {not_history}
) as seen
group by seen.state, seen.queue
order by jobs desc
limit 2000
