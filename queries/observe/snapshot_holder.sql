-- The session that has held a snapshot of this database longest: vacuum cannot remove what it may see.
select
    a.pid,
    a.application_name as application,
    a.usename as "user",
    coalesce(a.state, 'hidden from this role') as state,
    extract(epoch from now() - a.xact_start)::float8 as age_s,
    left(coalesce(a.query, ''), 500) as query
from pg_stat_activity as a
where
    a.datname = current_database()
    and a.pid <> pg_backend_pid()
    and (a.backend_xmin is not null or a.backend_xid is not null)
    and a.xact_start is not null
order by a.xact_start
limit 1
