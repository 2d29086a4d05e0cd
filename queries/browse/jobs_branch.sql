-- Jobs of one FROM item for a page: keyset on ({sort_key}, {id_key}) at the column's own precision.
(
    select
        {id_key} as id_key,
        {sort_key} as sort_key,
        {id} as id,
        {state} as state,
        left({queue}, 301) as queue,
        left({kind}, 301) as kind,
        {priority} as priority,
        {created_at} as created_at,
        {ready_at} as ready_at,
        {lease_until} as lease_until,
        {started_at} as started_at,
        {finished_at} as finished_at,
        {failed_at} as failed_at,
        {attempts} as attempts,
        {max_attempts} as max_attempts,
        {requeues} as requeues,
        left({worker}, 301) as worker,
        left({failure_kind}, 301) as failure_kind,
        {message} as failure_detail,
        left({payload}, 1000) as payload,
        left({idempotency_key}, 301) as idempotency_key,
        left({result_key}, 301) as result_key
    from {source}
    where {where}
    order by {sort_key} {direction}, {id_key} {direction}
    limit %(limit)s
)
