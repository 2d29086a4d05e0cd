-- What arrived when.
create index payment_task_created on payment_task (created_at)
