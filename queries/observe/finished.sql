-- The last hour's successes, newest first up to the cap: how many needed a second attempt, how long they
-- ran, how long they had waited for a worker, and how many ended in the last minute. date_part, since the
-- numeric that extract makes of each interval would take a third of the statement's time.
with ended as materialized (
    select
        {queue} as queue,
        {attempts} as attempts,
        {created_at} as created_at,
        {ready_at} as ready_at,
        {started_at} as started_at,
        {finished_at} as finished_at
    from {source}
    where {state} and {finished_raw} >= {hour_ago} and {finished_raw} <= {now}
    order by {finished_raw} desc
    limit %(cap)s + 1
),
timed as (
    select
        case when started_at <= finished_at then date_part('epoch', finished_at - started_at) end as run_s,
        case
            when started_at >= coalesce(ready_at, created_at)
                then date_part('epoch', started_at - coalesce(ready_at, created_at))
        end as wait_s
    from ended
    where isfinite(started_at) and isfinite(coalesce(ready_at, created_at, started_at))
),
by_queue as (
    select queue, count(*) as jobs
    from ended
    where finished_at > now() - interval '1 minute'
    group by queue
    order by jobs desc
    limit 500
)
select
    (select count(*) from ended) as finished,
    (select count(*) from ended where attempts > 1) as retried,
    (select count(*) from ended where finished_at > now() - interval '1 minute') as last_minute,
    (select extract(epoch from now() - min(finished_at)) from ended)::float8 as span_s,
    (select greatest(max(case when isfinite(started_at) then started_at end), max(finished_at)) from ended)
        as last_sign_at,
    (select jsonb_object_agg(coalesce(queue, ''), jobs) from by_queue) as by_queue,
    percentile_cont(array[0.5, 0.95, 0.99]) within group (order by run_s::float8) as run,
    percentile_cont(array[0.5, 0.95, 0.99]) within group (order by wait_s::float8) as wait,
    count(run_s) as sample
from timed
