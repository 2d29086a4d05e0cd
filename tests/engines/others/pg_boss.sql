create schema pgboss;
create type pgboss.job_state as enum ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
create table pgboss.version (version int);
create table pgboss.queue (name text);
create table pgboss.job (
    id uuid not null default gen_random_uuid(),
    name text not null,
    priority integer not null default 0,
    data jsonb,
    state pgboss.job_state not null default 'created',
    retry_limit integer not null default 2,
    retry_count integer not null default 0,
    expire_seconds integer not null default 900,
    singleton_key text,
    start_after timestamptz not null default now(),
    created_on timestamptz not null default now(),
    started_on timestamptz,
    completed_on timestamptz,
    keep_until timestamptz not null default now() + interval '336 hours',
    output jsonb,
    policy text,
    blocked boolean not null default false,
    primary key (name, id)
) partition by list (name);
create table pgboss.job_common partition of pgboss.job default;
create table pgboss.jmail partition of pgboss.job for values in ('mail');
insert into pgboss.job (name, state, data, start_after, started_on, blocked)
select
    q.name, r.state::pgboss.job_state, jsonb_build_object('kind', r.kind),
    now() + r.start_after::interval, now() + r.started::interval, r.blocked
from
    (values ('mail'), ('other')) as q (name),
    (values
        ('created', 'pending', '0', null, false), ('retry', 'pending', '-1 min', '-2 min', false),
        ('created', 'scheduled', '1 h', null, false), ('retry', 'retrying', '1 h', '-2 min', false),
        ('created', 'blocked', '0', null, true), ('retry', 'blocked', '1 h', null, true),
        ('active', 'running', '0', '-1 min', false), ('active', 'stalled', '0', '-20 min', false),
        ('active', 'stalled', '0', null, false), ('completed', 'succeeded', '0', '-1 min', false),
        ('failed', 'failed', '0', '-1 min', false), ('cancelled', 'cancelled', '0', null, false)
    ) as r (state, kind, start_after, started, blocked);
