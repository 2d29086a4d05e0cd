-- Settings of this transaction alone, so that nothing leaks through a pooler. Dates and intervals
-- in the one form that the client can read; parallel workers stay with the application; JIT would cost
-- more than these statements do.
select
    set_config('statement_timeout', %(statement_timeout)s, true),
    set_config('lock_timeout', %(lock_timeout)s, true),
    set_config('idle_in_transaction_session_timeout', '10000', true),
    set_config('TimeZone', 'UTC', true),
    set_config('DateStyle', 'ISO, YMD', true),
    set_config('IntervalStyle', 'postgres', true),
    set_config('max_parallel_workers_per_gather', '0', true),
    set_config('jit', 'off', true)
