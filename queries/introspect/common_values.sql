-- The commonest stored values of a column as the statistics know them, most common first.
select most_common_vals::text::text[] as common
from pg_stats
where schemaname = %(schema)s and tablename = %(table)s and attname = %(column)s
order by inherited desc
limit 1
