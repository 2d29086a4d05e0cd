create schema graphile_worker;
create table graphile_worker._private_tasks (id serial primary key, identifier text not null);
create table graphile_worker._private_job_queues (
    id serial primary key, queue_name text not null, locked_at timestamptz
);
create table graphile_worker._private_jobs (
    id bigserial primary key,
    job_queue_id integer,
    task_id integer not null,
    payload json not null default '{}',
    priority smallint not null default 0,
    run_at timestamptz not null default now(),
    attempts smallint not null default 0,
    max_attempts smallint not null default 25,
    last_error text,
    created_at timestamptz not null default now(),
    key text,
    locked_at timestamptz,
    locked_by text,
    revision integer not null default 0,
    is_available boolean generated always as (locked_at is null and attempts < max_attempts) stored not null
);
insert into graphile_worker._private_tasks (identifier)
values ('pending'), ('blocked'), ('scheduled'), ('retrying'), ('running'), ('stalled'), ('failed');
insert into graphile_worker._private_job_queues (queue_name, locked_at) values ('free', null), ('taken', now());
insert into graphile_worker._private_jobs (task_id, job_queue_id, run_at, attempts, locked_at) values
    (1, null, now(), 0, null), (1, 1, now(), 0, null), (2, 2, now(), 0, null), (3, 2, now() + interval '1 h', 0, null),
    (4, null, now() + interval '1 h', 3, null), (5, 2, now(), 1, now()), (6, null, now(), 1, now() - interval '5 h'),
    (7, null, now(), 25, null), (5, null, now(), 25, now());
