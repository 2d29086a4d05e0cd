-- New jobs, some of them for a little later, some as if they had arrived a while ago.
insert into payment_task (queue, kind, payload, idempotency_key, max_attempts, created_at, next_attempt_at)
select
    queue,
    kind,
    payload::jsonb,
    idempotency_key,
    max_attempts,
    now() - make_interval(secs => age_s),
    now() - make_interval(secs => age_s - delay_s)
from unnest(
    %(queues)s::text[], %(kinds)s::text[], %(payloads)s::text[], %(keys)s::text[], %(max_attempts)s::int[],
    %(ages)s::float8[], %(delays)s::float8[]
) as job (queue, kind, payload, idempotency_key, max_attempts, age_s, delay_s)
