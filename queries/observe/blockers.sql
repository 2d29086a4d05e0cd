-- Sessions that others wait for, and how many do. Only waiting sessions are asked who blocks them.
with waiting as (
    select unnest(pg_blocking_pids(a.pid)) as pid
    from pg_stat_activity as a
    where a.datname = current_database() and a.wait_event_type = 'Lock'
    limit 200
)
select
    a.pid,
    a.application_name as application,
    a.usename as "user",
    coalesce(a.state, 'hidden from this role') as state,
    coalesce(extract(epoch from now() - a.xact_start), 0)::float8 as age_s,
    left(coalesce(a.query, ''), 500) as query,
    count(*) as blocks
from waiting
join pg_stat_activity as a on a.pid = waiting.pid
group by a.pid, a.application_name, a.usename, a.state, a.xact_start, a.query
order by blocks desc, age_s desc
limit 10
