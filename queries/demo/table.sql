-- The table that many teams write themselves. `attempts` grows at the claim; a row's identity never changes.
create table payment_task (
    id bigint generated always as identity primary key,
    queue text not null,
    kind text not null,
    status text not null default 'PENDING' check (status in ('PENDING', 'CLAIMED', 'DONE', 'FAILED')),
    payload jsonb not null,
    idempotency_key text not null,
    attempts integer not null default 0,
    max_attempts integer not null default 5,
    created_at timestamptz not null default now(),
    next_attempt_at timestamptz not null default now(),
    claimed_until timestamptz,
    claimed_by text,
    started_at timestamptz,
    finished_at timestamptz,
    failed_at timestamptz,
    failure_kind text,
    failure_detail text,
    result_key text
)
