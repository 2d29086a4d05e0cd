-- Leases that ran out.
create index payment_task_lease on payment_task (claimed_until) where status = 'CLAIMED'
