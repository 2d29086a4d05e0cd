-- Jobs as a worker left them that was killed a while ago: claimed, with a lease that ran out.
insert into payment_task (
    queue, kind, status, payload, idempotency_key, max_attempts, attempts, created_at, next_attempt_at,
    started_at, claimed_by, claimed_until
)
select
    queue,
    kind,
    'CLAIMED',
    payload::jsonb,
    idempotency_key,
    max_attempts,
    1,
    now() - make_interval(secs => age_s),
    now() - make_interval(secs => age_s),
    now() - make_interval(secs => age_s - 0.2),
    %(worker)s,
    now() - make_interval(secs => age_s - 0.2 - %(lease_s)s)
from unnest(
    %(queues)s::text[], %(kinds)s::text[], %(payloads)s::text[], %(keys)s::text[], %(max_attempts)s::int[],
    %(ages)s::float8[]
) as job (queue, kind, payload, idempotency_key, max_attempts, age_s)
