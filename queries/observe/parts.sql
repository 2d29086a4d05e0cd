-- The table and its partitions: statistics and sizes are kept by partition.
select c.oid
from pg_class as c
join pg_namespace as n on n.oid = c.relnamespace
where n.nspname = %(schema)s and c.relname = %(table)s
union
select p.relid
from pg_class as c
join pg_namespace as n on n.oid = c.relnamespace
cross join lateral pg_partition_tree(c.oid) as p
where n.nspname = %(schema)s and c.relname = %(table)s and c.relkind = 'p'
