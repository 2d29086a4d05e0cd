-- The ages of work that no pause holds back, beside the count of all of it: paused work waits for nobody.
union all
(
    select
        0 as jobs,
        {id} as id,
        {queue} as queue,
        case when isfinite({created_at}) then {created_at} end as created_at,
        case when isfinite({ready_at}) then {ready_at} end as ready_at,
        null as started_at
    from {source}
    where {state} and {not_paused}
    {order}
    limit %(cap)s + 1
)
