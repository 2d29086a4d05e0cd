-- The names of the queues, one index descent each.
create index payment_task_queue on payment_task (queue)
