-- Jobs that an outage cost in its first seconds: their attempts used up, `age_s` seconds after they came.
insert into payment_task (
    queue, kind, status, payload, idempotency_key, max_attempts, attempts, created_at, next_attempt_at,
    started_at, failed_at, claimed_by, failure_kind, failure_detail
)
select
    queue,
    kind,
    'FAILED',
    payload::jsonb,
    idempotency_key,
    max_attempts,
    max_attempts,
    now() - make_interval(secs => age_s),
    now() - make_interval(secs => age_s / 2),
    now() - make_interval(secs => age_s / 2),
    now() - make_interval(secs => age_s / 4),
    %(worker)s,
    %(failure_kind)s,
    detail
from unnest(
    %(queues)s::text[], %(kinds)s::text[], %(payloads)s::text[], %(keys)s::text[], %(max_attempts)s::int[],
    %(ages)s::float8[], %(details)s::text[]
) as job (queue, kind, payload, idempotency_key, max_attempts, age_s, detail)
