-- Jobs created in the last minute among the newest by id, where no index gives the creation time.
select
    count(*) as arrived,
    extract(epoch from now() - min(created_at))::float8 as span_s
from (
    select {created_at} as created_at
    from {source}
    order by {raw_id} desc
    limit %(cap)s + 1
) as newest
where created_at > now() - interval '1 minute' and created_at <= now()
