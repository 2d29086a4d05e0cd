-- Settings of this transaction alone, so that nothing leaks through a pooler. Dates, intervals and bytes
-- in the one form that the client can read, and literals in the one form that statements are written in;
-- parallel workers stay with the application; JIT would cost more than these statements do.
select
    set_config('statement_timeout', %(statement_timeout)s, true) as statement_timeout,
    set_config('lock_timeout', %(lock_timeout)s, true) as lock_timeout,
    set_config('idle_in_transaction_session_timeout', '10000', true) as idle_timeout,
    set_config('TimeZone', 'UTC', true) as time_zone,
    set_config('DateStyle', 'ISO, YMD', true) as date_style,
    set_config('IntervalStyle', 'postgres', true) as interval_style,
    set_config('bytea_output', 'hex', true) as bytea_output,
    set_config('standard_conforming_strings', 'on', true) as standard_conforming_strings,
    set_config('max_parallel_workers_per_gather', '0', true) as parallel_workers,
    set_config('jit', 'off', true) as jit
