create table que_lockers (pid integer, ruby_pid integer, ruby_hostname text);
create table que_jobs (
    priority smallint not null default 100,
    run_at timestamptz not null default now(),
    id bigserial primary key,
    job_class text not null,
    error_count integer not null default 0,
    last_error_message text,
    queue text not null default 'default',
    finished_at timestamptz,
    expired_at timestamptz,
    args jsonb not null default '[]'
);
insert into que_jobs (job_class, run_at, error_count, finished_at, expired_at) values
    ('pending', now(), 0, null, null), ('pending', now(), 2, null, null), ('scheduled', now() + interval '1 h', 0, null, null),
    ('retrying', now() + interval '1 h', 1, null, null), ('running', now(), 0, null, null),
    ('succeeded', now(), 0, now(), null), ('failed', now(), 15, null, now());
-- held by a session:
select pg_advisory_lock(id) from que_jobs where job_class = 'running';
