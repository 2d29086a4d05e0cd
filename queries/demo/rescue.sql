-- Jobs whose lease ran out, back to be claimed again.
update payment_task
set status = 'PENDING', next_attempt_at = now(), claimed_until = null
where status = 'CLAIMED' and claimed_until < now()
