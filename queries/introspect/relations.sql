-- Every relation that could hold jobs, with its columns: tables, partitioned tables (not their
-- partitions), views, materialized views, foreign tables. A type under a domain is followed down.
with recursive wanted as (
    select
        c.oid,
        n.nspname,
        c.relname,
        c.relkind,
        c.reltuples,
        c.relrowsecurity,
        c.relowner
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    where
        c.relkind in ('r', 'p', 'v', 'm', 'f')
        and not c.relispartition
        and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast', 'queuetop')
        and n.nspname not like 'pg\_temp\_%%'
        and n.nspname not like 'pg\_toast\_temp\_%%'
        and (%(table)s::text is null or c.relname = %(table)s)
        and (%(schema)s::text is null or n.nspname = %(schema)s)
    order by c.oid
    limit 20000
),
under as (
    select t.oid as type, t.oid as base, t.typtype, t.typbasetype, t.typtypmod
    from pg_type as t
    where t.oid in (select a.atttypid from pg_attribute as a join wanted on wanted.oid = a.attrelid)
    union all
    select under.type, t.oid, t.typtype, t.typbasetype, under.typtypmod
    from under
    join pg_type as t on t.oid = under.typbasetype
    where under.typtype = 'd'
),
base as (
    select type, base, typtype, typtypmod from under where typtype <> 'd'
)
select
    wanted.nspname as schema,
    wanted.relname as name,
    wanted.relkind::text as kind,
    case
        when wanted.relkind = 'p' then (
            select sum(greatest(leaf.reltuples, 0))
            from pg_partition_tree(wanted.oid) as tree
            join pg_class as leaf on leaf.oid = tree.relid
            where tree.isleaf
        )
        else wanted.reltuples
    end::float8 as rows,
    has_table_privilege(wanted.oid, 'select') or has_any_column_privilege(wanted.oid, 'select') as readable,
    wanted.relrowsecurity
        and not pg_has_role(wanted.relowner, 'usage')
        and not (select r.rolbypassrls or r.rolsuper from pg_roles as r where r.rolname = current_user)
        as row_security,
    coalesce(
        (
            select jsonb_agg(
                jsonb_build_object(
                    'name', a.attname,
                    'type', format_type(a.atttypid, a.atttypmod),
                    'base_type', format_type(base.base, null),
                    'not_null', a.attnotnull,
                    'generated', a.attgenerated <> '',
                    'default', case when a.attgenerated = '' then coalesce(
                        (
                            select left(pg_get_expr(d.adbin, d.adrelid), 200)
                            from pg_attrdef as d
                            where d.adrelid = a.attrelid and d.adnum = a.attnum
                        ),
                        ''
                    ) else '' end,
                    'enum_labels', case when base.typtype = 'e' then (
                        select jsonb_agg(e.enumlabel order by e.enumsortorder)
                        from pg_enum as e
                        where e.enumtypid = base.base
                    ) else '[]'::jsonb end
                )
                order by a.attnum
            )
            from pg_attribute as a
            join base on base.type = a.atttypid
            where a.attrelid = wanted.oid and a.attnum > 0 and not a.attisdropped
        ),
        '[]'::jsonb
    ) as columns
from wanted
where has_schema_privilege(wanted.nspname, 'usage')
order by wanted.nspname, wanted.relname
