create type oban_job_state as enum (
    'available', 'suspended', 'scheduled', 'executing', 'retryable', 'completed', 'discarded', 'cancelled'
);
create table oban_jobs (
    id bigserial primary key,
    state oban_job_state not null default 'available',
    queue text not null default 'default',
    worker text not null,
    args jsonb not null default '{}',
    errors jsonb not null default '[]',
    attempt smallint not null default 0,
    max_attempts smallint not null default 20,
    inserted_at timestamp not null default timezone('UTC', now()),
    scheduled_at timestamp not null default timezone('UTC', now()),
    attempted_at timestamp,
    completed_at timestamp,
    attempted_by text[],
    discarded_at timestamp,
    priority integer not null default 0,
    cancelled_at timestamp
);
insert into oban_jobs (state, worker, errors) values
    ('available', 'pending', '[]'), ('scheduled', 'scheduled', '[]'), ('suspended', 'scheduled', '[]'),
    ('retryable', 'retrying', '[]'), ('executing', 'running', '[]'), ('completed', 'succeeded', '[]'),
    ('cancelled', 'cancelled', '[]'),
    ('discarded', 'failed', '[{"error": "old"}, {"error": "Traceback\n  x\nMail.Timeout: no answer"}]');
