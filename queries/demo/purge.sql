-- Jobs that finished long ago, a bounded number at a time, so that the demo can run for days.
delete from payment_task
where id in (
    select id
    from payment_task
    where status = 'DONE' and finished_at < now() - make_interval(secs => %(kept_s)s)
    order by finished_at
    limit 2000
)
