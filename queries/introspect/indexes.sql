-- The indexes of one relation: their columns in order (empty for an expression) and their predicate.
select
    index_class.relname as name,
    i.indisunique as is_unique,
    i.indisvalid and i.indisready as is_valid,
    coalesce(pg_get_expr(i.indpred, i.indrelid), '') as predicate,
    (
        select jsonb_agg(coalesce(a.attname, '') order by k.place)
        from unnest(i.indkey[0:i.indnkeyatts - 1]) with ordinality as k (number, place)
        left join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number and k.number > 0
    ) as columns
from pg_index as i
join pg_class as index_class on index_class.oid = i.indexrelid
join pg_am as am on am.oid = index_class.relam
join pg_class as c on c.oid = i.indrelid
join pg_namespace as n on n.oid = c.relnamespace
where n.nspname = %(schema)s and c.relname = %(table)s and am.amname = 'btree'
order by index_class.relname
