create type oban_job_state as enum (
    'available', 'suspended', 'scheduled', 'executing', 'retryable', 'completed', 'discarded', 'cancelled'
);
create table oban_jobs (
    id bigserial primary key,
    state oban_job_state not null default 'available',
    queue text not null default 'default',
    worker text not null,
    args jsonb not null default '{}',
    errors jsonb[] not null default array[]::jsonb[],
    attempt integer not null default 0,
    max_attempts integer not null default 20,
    inserted_at timestamp(6) not null default timezone('UTC', now()),
    scheduled_at timestamp(6) not null default timezone('UTC', now()),
    attempted_at timestamp(6),
    completed_at timestamp(6),
    attempted_by text[],
    discarded_at timestamp(6),
    priority integer not null default 0,
    cancelled_at timestamp(6)
);
insert into oban_jobs (state, worker, errors) values
    ('available', 'pending', '{}'), ('scheduled', 'scheduled', '{}'), ('suspended', 'scheduled', '{}'),
    ('retryable', 'retrying', '{}'), ('executing', 'running', '{}'), ('completed', 'succeeded', '{}'),
    ('cancelled', 'cancelled', '{}'),
    ('discarded', 'failed', array['{"error": "old"}', '{"error": "** (Mail.Timeout) no answer"}']::jsonb[]);
