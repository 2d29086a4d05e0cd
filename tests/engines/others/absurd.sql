create schema absurd;
create table absurd.queues (queue_name text);
create table absurd."t_My Mail" (
    task_id uuid primary key default gen_random_uuid(),
    task_name text not null,
    params jsonb not null default '{}',
    max_attempts integer,
    cancellation jsonb,
    enqueue_at timestamptz not null default now(),
    state text not null,
    attempts integer not null default 0,
    last_attempt_run uuid default gen_random_uuid(),
    completed_payload jsonb,
    idempotency_key text
);
create table absurd."r_My Mail" (
    run_id uuid primary key default gen_random_uuid(),
    task_id uuid not null,
    attempt integer not null,
    state text not null,
    claimed_by text,
    claim_expires_at timestamptz,
    available_at timestamptz not null,
    started_at timestamptz,
    completed_at timestamptz,
    failed_at timestamptz,
    failure_reason jsonb
);
insert into absurd."t_My Mail" (task_name, state, attempts, idempotency_key) values
    ('pending', 'pending', 1, 'pending now'), ('pending', 'sleeping', 2, 'woken'),
    ('scheduled', 'pending', 1, 'later'), ('scheduled', 'sleeping', 1, 'waits for an event'),
    ('scheduled', 'sleeping', 2, 'sleeps after a retry'), ('retrying', 'sleeping', 2, 'backs off'),
    ('running', 'running', 1, 'runs'), ('stalled', 'running', 1, 'lost'),
    ('succeeded', 'completed', 1, 'done'), ('failed', 'failed', 5, 'gave up'), ('cancelled', 'cancelled', 1, 'off');
insert into absurd."r_My Mail" (run_id, task_id, attempt, state, available_at, claim_expires_at, started_at)
select
    last_attempt_run, task_id, attempts, state,
    case idempotency_key
        when 'later' then now() + interval '1 h' when 'waits for an event' then 'infinity'
        when 'sleeps after a retry' then now() + interval '1 h' when 'backs off' then now() + interval '1 h'
        else now() - interval '1 min'
    end,
    case idempotency_key when 'runs' then now() + interval '1 min' when 'lost' then now() - interval '1 min' end,
    case when idempotency_key like 'waits%' or idempotency_key like 'sleeps%' then now() end
from absurd."t_My Mail";
