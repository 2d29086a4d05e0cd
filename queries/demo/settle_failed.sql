-- Attempts that failed: again after `delay_s`, or given up where there is none. Each only while it is
-- still this claim's.
update payment_task
set status = case when failed.delay_s is null then 'FAILED' else 'PENDING' end,
    next_attempt_at = coalesce(now() + make_interval(secs => failed.delay_s), payment_task.next_attempt_at),
    failed_at = case when failed.delay_s is null then now() end,
    claimed_until = null,
    failure_kind = failed.kind,
    failure_detail = failed.detail
from unnest(
    %(ids)s::bigint[], %(attempts)s::int[], %(delays)s::float8[], %(kinds)s::text[], %(details)s::text[]
) as failed (id, attempts, delay_s, kind, detail)
where payment_task.id = failed.id
    and payment_task.attempts = failed.attempts
    and payment_task.status = 'CLAIMED'
