-- The table's indexes, of all partitions too: size, scans so far, and whether each is usable.
with parts as (
    {parts}
)
select
    index_class.relname as name,
    pg_relation_size(i.indexrelid) as size_bytes,
    coalesce(s.idx_scan, 0) as scans,
    i.indisvalid and i.indisready as valid,
    (
        select string_agg(pg_get_indexdef(i.indexrelid, place, true), ', ' order by place)
        from generate_series(1, i.indnkeyatts) as place
    ) as columns,
    coalesce(pg_get_expr(i.indpred, i.indrelid, true), '') as predicate
from parts
join pg_index as i on i.indrelid = parts.oid
join pg_class as index_class on index_class.oid = i.indexrelid
left join pg_stat_user_indexes as s on s.indexrelid = i.indexrelid
order by scans desc, name
limit 200
