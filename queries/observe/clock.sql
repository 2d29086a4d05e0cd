-- Between the statements of a batch: what each of them cost on the server. What is left of the batch's
-- time is all that the next one may take, so that many slow ones do not add up.
select
    clock_timestamp() as at,
    set_config(
        'statement_timeout',
        greatest(
            1, %(statement_timeout)s::int - round(extract(epoch from clock_timestamp() - now()) * 1000)::int
        )::text,
        true
    ) as statement_timeout
