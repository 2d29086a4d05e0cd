-- Finished jobs in one statement, each only while it is still this claim's.
update payment_task
set status = 'DONE',
    finished_at = now() - make_interval(secs => done.ago_s),
    claimed_until = null,
    failure_kind = null,
    failure_detail = null,
    result_key = 'res_' || payment_task.id
from unnest(%(ids)s::bigint[], %(attempts)s::int[], %(agos)s::float8[]) as done (id, attempts, ago_s)
where payment_task.id = done.id
    and payment_task.attempts = done.attempts
    and payment_task.status = 'CLAIMED'
