-- The last hours: jobs that finished or gave up, arriving ever faster until now, with an outage of the
-- limits service between `outage_from_s` and `outage_to_s` seconds ago. Kinds, and the faults of a kind,
-- are parts of the line from 0 to 1 between `low` and `high`, so that one throw of the dice picks each.
with kind as materialized (
    select *
    from jsonb_to_recordset(%(kinds)s::jsonb) as k (
        queue text, name text, typical_s float8, max_attempts int, payload text, limited boolean,
        low float8, high float8
    )
),
fault as materialized (
    select *
    from jsonb_to_recordset(%(faults)s::jsonb) as f (
        name text, failure_kind text, detail text, final boolean, outage boolean, low float8, high float8
    )
),
arrival as materialized (
    select
        n,
        -- The density falls from 1 now to 1/4 at the far end: u = (a - 0.375 a²) / 0.625, solved for a.
        now() - make_interval(
            secs => %(span_s)s * (1 - sqrt(1 - 0.9375 * (%(jobs)s - n + random()) / %(jobs)s)) / 0.75
        ) as created_at,
        random() as kind_dice,
        random() as fault_dice,
        random() as fate,
        random() as retry_dice,
        0.02 + 0.2 * random() as wait_s,
        exp(random_normal(0, 0.4)) as slowness,
        round((5 + 895 * random())::numeric, 2)::text as amount,
        lpad((random() * 9999)::int::text, 4, '0') as digits,
        lpad(to_hex((random() * 4294967295)::bigint), 8, '0') as hex,
        (1 + floor(random() * 4))::int::text as host
    from generate_series(1, %(jobs)s) as n
),
job as (
    select
        arrival.*,
        kind.*,
        limited and created_at between now() - make_interval(secs => %(outage_from_s)s)
            and now() - make_interval(secs => %(outage_to_s)s) as in_outage
    from arrival
    join kind on kind_dice >= kind.low and kind_dice < kind.high
),
fated as (
    select
        job.*,
        fault.failure_kind,
        fault.detail,
        case
            when fault.final then 1
            when fault.name is not null then job.max_attempts
            when retry_dice > case when in_outage then 0.45 else 0.03 end then 1
            when retry_dice > case when in_outage then 0.15 else 0.004 end then 2
            else least(3, job.max_attempts)
        end as attempts
    from job
    left join fault
        on fate < case when in_outage then 0.06 else 0.0035 end
        and fault.name = job.name
        and case when in_outage then fault.outage else fault_dice >= fault.low and fault_dice < fault.high end
),
ended as (
    select
        *,
        due_at + make_interval(secs => wait_s) as started_at,
        due_at + make_interval(secs => wait_s + typical_s * slowness) as ended_at
    from fated
    -- Two seconds, doubled with each attempt: as the workers wait.
    cross join lateral (
        select created_at + make_interval(secs => 2 * (2 ^ (attempts - 1) - 1) * (1 + wait_s)) as due_at
    ) as wait
)
insert into payment_task (
    queue, kind, status, payload, idempotency_key, attempts, max_attempts, created_at, next_attempt_at,
    claimed_by, started_at, finished_at, failed_at, failure_kind, failure_detail, result_key
)
select
    queue,
    name,
    case when failure_kind is null then 'DONE' else 'FAILED' end,
    replace(replace(replace(replace(replace(
        payload, '{{n}}', n::text), '{{amount}}', amount), '{{digits}}', digits), '{{hex}}', hex), '{{host}}', host
    )::jsonb,
    name || ':' || n,
    attempts,
    max_attempts,
    created_at,
    due_at,
    'app-' || host || '/worker-' || 100 * host::int + 7,
    started_at,
    case when failure_kind is null then ended_at end,
    case when failure_kind is not null then ended_at end,
    failure_kind,
    replace(replace(replace(replace(replace(
        detail, '{{n}}', n::text), '{{amount}}', amount), '{{digits}}', digits), '{{hex}}', hex), '{{host}}', host
    ),
    case when failure_kind is null then 'res_' || hex end
from ended
where ended_at < now() - interval '1 second'
order by n
