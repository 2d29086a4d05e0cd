-- What ended when, and what may be purged.
create index payment_task_finished on payment_task (finished_at) where status = 'DONE'
