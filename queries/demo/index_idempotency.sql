-- One job for one effect.
create unique index payment_task_idempotency on payment_task (idempotency_key)
