-- Size, dead rows and the last vacuum of the table with its partitions. A standby counts none of it: its
-- zeros are no numbers.
with parts as (
    {parts}
)
select
    sum(pg_table_size(parts.oid))::bigint as table_bytes,
    sum(pg_indexes_size(parts.oid))::bigint as index_bytes,
    sum(s.n_live_tup)::bigint as live_rows,
    sum(s.n_dead_tup)::bigint as dead_rows,
    max(s.last_autovacuum) as last_autovacuum,
    max(s.last_autoanalyze) as last_autoanalyze,
    sum(s.n_mod_since_analyze)::bigint as modified_since_analyze,
    exists (
        select 1 from pg_stat_progress_vacuum as v join parts as p on p.oid = v.relid
    ) as autovacuum_running
from parts
left join pg_stat_user_tables as s on s.relid = parts.oid and not pg_is_in_recovery()
