-- Jobs created in the last minute among the newest by id, where no index gives the creation time.
select
    count(*) filter (where created_at > now() - interval '1 minute') as arrived,
    extract(epoch from now() - min(created_at) filter (where created_at > now() - interval '1 minute'))::float8
        as span_s
from (
    select {created_at} as created_at
    from {source}
    order by {raw_id} desc
    limit %(cap)s + 1
) as newest
