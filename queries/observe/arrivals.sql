-- Jobs created in the last minute, by the index on their creation time.
select
    count(*) filter (where created_at > now() - interval '1 minute') as arrived,
    extract(epoch from now() - min(created_at))::float8 as span_s
from (
    select {created_at} as created_at
    from {source}
    where {created_raw} > {minute_ago} and {created_raw} <= {now}
    order by {created_raw} desc
    limit %(cap)s + 1
) as newest
