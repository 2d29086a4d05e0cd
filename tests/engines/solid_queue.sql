-- The tables of Solid Queue 1.5 as its own migrations make them.

create table solid_queue_blocked_executions (
    id bigserial,
    job_id bigint not null,
    queue_name character varying not null,
    priority integer not null default 0,
    concurrency_key character varying not null,
    expires_at timestamp(6) without time zone not null,
    created_at timestamp(6) without time zone not null,
    constraint solid_queue_blocked_executions_pkey primary key (id)
);
create index index_solid_queue_blocked_executions_for_maintenance on solid_queue_blocked_executions (expires_at, concurrency_key);
create index index_solid_queue_blocked_executions_for_release on solid_queue_blocked_executions (concurrency_key, priority, job_id);
create unique index index_solid_queue_blocked_executions_on_job_id on solid_queue_blocked_executions (job_id);

create table solid_queue_claimed_executions (
    id bigserial,
    job_id bigint not null,
    process_id bigint,
    created_at timestamp(6) without time zone not null,
    constraint solid_queue_claimed_executions_pkey primary key (id)
);
create unique index index_solid_queue_claimed_executions_on_job_id on solid_queue_claimed_executions (job_id);
create index index_solid_queue_claimed_executions_on_process_id_and_job_id on solid_queue_claimed_executions (process_id, job_id);

create table solid_queue_failed_executions (
    id bigserial,
    job_id bigint not null,
    error text,
    created_at timestamp(6) without time zone not null,
    constraint solid_queue_failed_executions_pkey primary key (id)
);
create unique index index_solid_queue_failed_executions_on_job_id on solid_queue_failed_executions (job_id);

create table solid_queue_jobs (
    id bigserial,
    queue_name character varying not null,
    class_name character varying not null,
    arguments text,
    priority integer not null default 0,
    active_job_id character varying,
    scheduled_at timestamp(6) without time zone,
    finished_at timestamp(6) without time zone,
    concurrency_key character varying,
    created_at timestamp(6) without time zone not null,
    updated_at timestamp(6) without time zone not null,
    constraint solid_queue_jobs_pkey primary key (id)
);
create index index_solid_queue_jobs_for_alerting on solid_queue_jobs (scheduled_at, finished_at);
create index index_solid_queue_jobs_for_filtering on solid_queue_jobs (queue_name, finished_at);
create index index_solid_queue_jobs_on_active_job_id on solid_queue_jobs (active_job_id);
create index index_solid_queue_jobs_on_class_name on solid_queue_jobs (class_name);
create index index_solid_queue_jobs_on_finished_at on solid_queue_jobs (finished_at);

create table solid_queue_pauses (
    id bigserial,
    queue_name character varying not null,
    created_at timestamp(6) without time zone not null,
    constraint solid_queue_pauses_pkey primary key (id)
);
create unique index index_solid_queue_pauses_on_queue_name on solid_queue_pauses (queue_name);

create table solid_queue_processes (
    id bigserial,
    kind character varying not null,
    last_heartbeat_at timestamp(6) without time zone not null,
    supervisor_id bigint,
    pid integer not null,
    hostname character varying,
    metadata text,
    created_at timestamp(6) without time zone not null,
    name character varying not null,
    constraint solid_queue_processes_pkey primary key (id)
);
create index index_solid_queue_processes_on_last_heartbeat_at on solid_queue_processes (last_heartbeat_at);
create unique index index_solid_queue_processes_on_name_and_supervisor_id on solid_queue_processes (name, supervisor_id);
create index index_solid_queue_processes_on_supervisor_id on solid_queue_processes (supervisor_id);

create table solid_queue_ready_executions (
    id bigserial,
    job_id bigint not null,
    queue_name character varying not null,
    priority integer not null default 0,
    created_at timestamp(6) without time zone not null,
    constraint solid_queue_ready_executions_pkey primary key (id)
);
create index index_solid_queue_poll_all on solid_queue_ready_executions (priority, job_id);
create index index_solid_queue_poll_by_queue on solid_queue_ready_executions (queue_name, priority, job_id);
create unique index index_solid_queue_ready_executions_on_job_id on solid_queue_ready_executions (job_id);

create table solid_queue_recurring_executions (
    id bigserial,
    job_id bigint not null,
    task_key character varying not null,
    run_at timestamp(6) without time zone not null,
    created_at timestamp(6) without time zone not null,
    constraint solid_queue_recurring_executions_pkey primary key (id)
);
create unique index index_solid_queue_recurring_executions_on_job_id on solid_queue_recurring_executions (job_id);
create unique index index_solid_queue_recurring_executions_on_task_key_and_run_at on solid_queue_recurring_executions (task_key, run_at);

create table solid_queue_recurring_tasks (
    id bigserial,
    key character varying not null,
    schedule character varying not null,
    command character varying(2048),
    class_name character varying,
    arguments text,
    queue_name character varying,
    priority integer default 0,
    static boolean not null default true,
    description text,
    created_at timestamp(6) without time zone not null,
    updated_at timestamp(6) without time zone not null,
    constraint solid_queue_recurring_tasks_pkey primary key (id)
);
create unique index index_solid_queue_recurring_tasks_on_key on solid_queue_recurring_tasks (key);
create index index_solid_queue_recurring_tasks_on_static on solid_queue_recurring_tasks (static);

create table solid_queue_scheduled_executions (
    id bigserial,
    job_id bigint not null,
    queue_name character varying not null,
    priority integer not null default 0,
    scheduled_at timestamp(6) without time zone not null,
    created_at timestamp(6) without time zone not null,
    constraint solid_queue_scheduled_executions_pkey primary key (id)
);
create index index_solid_queue_dispatch_all on solid_queue_scheduled_executions (scheduled_at, priority, job_id);
create unique index index_solid_queue_scheduled_executions_on_job_id on solid_queue_scheduled_executions (job_id);

create table solid_queue_semaphores (
    id bigserial,
    key character varying not null,
    value integer not null default 1,
    expires_at timestamp(6) without time zone not null,
    created_at timestamp(6) without time zone not null,
    updated_at timestamp(6) without time zone not null,
    constraint solid_queue_semaphores_pkey primary key (id)
);
create index index_solid_queue_semaphores_on_expires_at on solid_queue_semaphores (expires_at);
create unique index index_solid_queue_semaphores_on_key on solid_queue_semaphores (key);
create index index_solid_queue_semaphores_on_key_and_value on solid_queue_semaphores (key, value);

alter table solid_queue_blocked_executions add foreign key (job_id) references solid_queue_jobs(id) on delete cascade;
alter table solid_queue_claimed_executions add foreign key (job_id) references solid_queue_jobs(id) on delete cascade;
alter table solid_queue_failed_executions add foreign key (job_id) references solid_queue_jobs(id) on delete cascade;
alter table solid_queue_ready_executions add foreign key (job_id) references solid_queue_jobs(id) on delete cascade;
alter table solid_queue_recurring_executions add foreign key (job_id) references solid_queue_jobs(id) on delete cascade;
alter table solid_queue_scheduled_executions add foreign key (job_id) references solid_queue_jobs(id) on delete cascade;
