-- What a claim looks for, in its order.
create index payment_task_ready on payment_task (next_attempt_at) where status = 'PENDING'
