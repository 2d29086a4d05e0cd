-- What a catalogue needs beside its relations: the search path and the functions that presets look for.
select
    current_schemas(false)::text[] as search_path,
    array(
        select distinct n.nspname || '.' || p.proname
        from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        where n.nspname not in ('pg_catalog', 'information_schema')
        limit 20000
    ) as functions
