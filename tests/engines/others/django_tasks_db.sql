create table django_tasks_database_dbtaskresult (
    id uuid primary key default gen_random_uuid(),
    status varchar(10) not null,
    args_kwargs jsonb not null default '{}',
    priority integer not null default 0,
    task_path text not null,
    queue_name varchar(32) not null default 'default',
    backend_name varchar(32) not null default 'default',
    run_after timestamptz not null default '9999-01-01',
    enqueued_at timestamptz not null default now(),
    finished_at timestamptz,
    started_at timestamptz,
    exception_class_path text not null default '',
    traceback text not null default '',
    worker_ids jsonb not null default '[]'
);
insert into django_tasks_database_dbtaskresult (status, task_path, run_after) values
    ('READY', 'pending', '9999-01-01'), ('READY', 'pending', now()), ('READY', 'scheduled', now() + interval '1 h'),
    ('RUNNING', 'running', '9999-01-01'), ('SUCCESSFUL', 'succeeded', '9999-01-01'), ('FAILED', 'failed', now());
