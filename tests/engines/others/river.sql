create type river_job_state as enum (
    'available', 'cancelled', 'completed', 'discarded', 'pending', 'retryable', 'running', 'scheduled'
);
create table river_leader (name text);
create table river_queue (name text, paused_at timestamptz);
create table river_job (
    id bigserial primary key,
    state river_job_state not null default 'available',
    attempt smallint not null default 0,
    max_attempts smallint not null default 25,
    attempted_at timestamptz,
    created_at timestamptz not null default now(),
    finalized_at timestamptz,
    scheduled_at timestamptz not null default now(),
    priority smallint not null default 1,
    args jsonb not null default '{}',
    attempted_by text[],
    errors jsonb[],
    kind text not null,
    metadata jsonb not null default '{}',
    queue text not null default 'default'
);
insert into river_job (state, kind, attempt, scheduled_at, finalized_at) values
    ('available', 'pending', 0, now(), null), ('available', 'scheduled', 0, now() + interval '5 s', null),
    ('available', 'retrying', 1, now() + interval '5 s', null), ('scheduled', 'scheduled', 0, now(), null),
    ('retryable', 'retrying', 1, now() + interval '1 h', null), ('pending', 'blocked', 0, now(), null),
    ('running', 'running', 1, now(), null), ('completed', 'succeeded', 1, now(), now()),
    ('discarded', 'failed', 25, now(), now()), ('cancelled', 'cancelled', 1, now(), now());
