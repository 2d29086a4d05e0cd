-- What the statistics say without reading the table: rows inserted and deleted so far, and the session
-- that has held a snapshot of this database longest, which keeps vacuum from its work. A standby counts
-- no rows.
select
    (
        select sum(s.n_tup_ins)::bigint
        from pg_stat_user_tables as s
        where not pg_is_in_recovery() and s.relid in (
            {parts}
        )
    ) as inserted,
    holder.pid,
    holder.age_s,
    holder.holder
from (select 1) as one
left join lateral (
    select
        a.pid,
        extract(epoch from now() - a.xact_start)::float8 as age_s,
        concat_ws(' ', nullif(a.application_name, ''), a.usename, a.state) as holder
    from pg_stat_activity as a
    where
        a.datname = current_database()
        and a.pid <> pg_backend_pid()
        and (a.backend_xmin is not null or a.backend_xid is not null)
        and a.xact_start is not null
        and a.backend_type = 'client backend'
    order by a.xact_start
    limit 1
) as holder on true
