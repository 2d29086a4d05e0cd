-- Jobs that gave up, newest first up to the cap, by kind and queue, with five-minute buckets of the
-- last hour for the trend. The example is looked up afterwards by id, so that long messages are read
-- once a kind and not once a job. Older failures share one bucket, since a group for each would be dear.
with counted as materialized (
    select
        {raw_id} as raw_id,
        {failure_kind} as kind,
        {queue} as queue,
        {attempts} as attempts,
        case when isfinite({failed_at}) then {failed_at} end as failed_at
    from {source}
    where {state}
    {order}
    limit %(cap)s + 1
),
bucketed as (
    select
        kind,
        queue,
        case
            when failed_at > now() - interval '1 hour'
                then floor(date_part('epoch', now() - failed_at) / 300)::bigint
        end as bucket,
        count(*) as jobs,
        count(*) filter (where attempts > 1) as retried,
        min(failed_at) as first_failed_at,
        max(failed_at) as last_failed_at,
        count(*) filter (where failed_at > now() - interval '1 minute' and failed_at <= now()) as last_minute
    from counted
    group by kind, queue, bucket
),
grouped as (
    select
        kind,
        queue,
        sum(jobs)::bigint as jobs,
        coalesce(sum(jobs) filter (where bucket between 0 and 11), 0)::bigint as recent,
        coalesce(sum(retried) filter (where bucket between 0 and 11), 0)::bigint as recent_retried,
        sum(last_minute)::bigint as last_minute,
        min(first_failed_at) as first_failed_at,
        max(last_failed_at) as last_failed_at,
        jsonb_object_agg(bucket, jobs) filter (where bucket between 0 and 11) as trend
    from bucketed
    group by kind, queue
    order by jobs desc
    limit 500
),
newest as (
    select distinct on (kind) kind, raw_id
    from counted
    order by kind, failed_at desc nulls last
)
select
    grouped.*,
    example.id as example_id,
    example.detail as example
from grouped
left join newest on newest.kind is not distinct from grouped.kind
left join lateral (
    select {id} as id, {message} as detail
    from {source}
    where {raw_id} = newest.raw_id
    limit 1
) as example on true
