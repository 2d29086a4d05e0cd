-- One job of one FROM item, with its texts whole up to a stated length.
select
    {id} as id,
    {state} as state,
    left({queue}, 301) as queue,
    {queue} as whole_queue,
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
    left({failure_detail}, %(limit)s) as failure_detail,
    left({payload}, %(limit)s) as payload,
    left({idempotency_key}, 301) as idempotency_key,
    left({result_key}, 301) as result_key,
    {stored} as stored
from {source}
where {where} and {is_it}
limit 1
