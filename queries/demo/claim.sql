-- The jobs that are due longest, each to one worker. The materialized part is evaluated once, so that
-- no more than `slots` jobs are claimed; locked ones are another worker's.
with due as materialized (
    select id
    from payment_task
    where status = 'PENDING' and next_attempt_at <= now()
    order by next_attempt_at
    limit %(slots)s
    for update skip locked
)
update payment_task
set status = 'CLAIMED',
    attempts = payment_task.attempts + 1,
    claimed_by = %(worker)s,
    claimed_until = now() + make_interval(secs => %(lease_s)s),
    started_at = now()
from due
where payment_task.id = due.id
returning
    payment_task.id,
    payment_task.kind,
    payment_task.attempts,
    payment_task.max_attempts,
    payment_task.payload,
    payment_task.idempotency_key
