-- What a person must look at, newest first.
create index payment_task_failed on payment_task (failed_at) where status = 'FAILED'
