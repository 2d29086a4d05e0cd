-- The tables of GoodJob 4.19 as its own migrations make them.

create table good_job_batches (
    id uuid not null default gen_random_uuid(),
    created_at timestamp(6) without time zone not null,
    updated_at timestamp(6) without time zone not null,
    description text,
    serialized_properties jsonb,
    on_finish text,
    on_success text,
    on_discard text,
    callback_queue_name text,
    callback_priority integer,
    enqueued_at timestamp without time zone,
    discarded_at timestamp without time zone,
    finished_at timestamp without time zone,
    jobs_finished_at timestamp without time zone,
    constraint good_job_batches_pkey primary key (id)
);

create table good_job_executions (
    id uuid not null default gen_random_uuid(),
    created_at timestamp(6) without time zone not null,
    updated_at timestamp(6) without time zone not null,
    active_job_id uuid not null,
    job_class text,
    queue_name text,
    serialized_params jsonb,
    scheduled_at timestamp without time zone,
    finished_at timestamp without time zone,
    error text,
    error_event smallint,
    error_backtrace text[],
    process_id uuid,
    duration interval,
    constraint good_job_executions_pkey primary key (id)
);
create index index_good_job_executions_on_active_job_id_and_created_at on good_job_executions (active_job_id, created_at);
create index index_good_job_executions_on_process_id_and_created_at on good_job_executions (process_id, created_at);

create table good_job_processes (
    id uuid not null default gen_random_uuid(),
    created_at timestamp(6) without time zone not null,
    updated_at timestamp(6) without time zone not null,
    state jsonb,
    lock_type smallint,
    constraint good_job_processes_pkey primary key (id)
);

create table good_job_settings (
    id uuid not null default gen_random_uuid(),
    created_at timestamp(6) without time zone not null,
    updated_at timestamp(6) without time zone not null,
    key text,
    value jsonb,
    constraint good_job_settings_pkey primary key (id)
);
create unique index index_good_job_settings_on_key on good_job_settings (key);

create table good_jobs (
    id uuid not null default gen_random_uuid(),
    queue_name text,
    priority integer,
    serialized_params jsonb,
    scheduled_at timestamp without time zone,
    performed_at timestamp without time zone,
    finished_at timestamp without time zone,
    error text,
    created_at timestamp(6) without time zone not null,
    updated_at timestamp(6) without time zone not null,
    active_job_id uuid,
    concurrency_key text,
    cron_key text,
    retried_good_job_id uuid,
    cron_at timestamp without time zone,
    batch_id uuid,
    batch_callback_id uuid,
    is_discrete boolean,
    executions_count integer,
    job_class text,
    error_event smallint,
    labels text[],
    locked_by_id uuid,
    locked_at timestamp without time zone,
    lock_type smallint,
    constraint good_jobs_pkey primary key (id)
);
create index index_good_job_jobs_for_candidate_lookup on good_jobs (priority, created_at) where (finished_at is null);
create index index_good_jobs_for_candidate_dequeue_unlocked on good_jobs (priority, scheduled_at, id) where ((finished_at is null) and (locked_by_id is null));
create index index_good_jobs_jobs_on_finished_at_only on good_jobs (finished_at) where (finished_at is not null);
create index index_good_jobs_jobs_on_priority_created_at_when_unfinished on good_jobs (priority desc nulls last, created_at) where (finished_at is null);
create index index_good_jobs_on_active_job_id_and_created_at on good_jobs (active_job_id, created_at);
create index index_good_jobs_on_batch_callback_id on good_jobs (batch_callback_id) where (batch_callback_id is not null);
create index index_good_jobs_on_batch_id on good_jobs (batch_id) where (batch_id is not null);
create index index_good_jobs_on_concurrency_key_and_created_at on good_jobs (concurrency_key, created_at);
create index index_good_jobs_on_concurrency_key_when_unfinished on good_jobs (concurrency_key) where (finished_at is null);
create index index_good_jobs_on_created_at on good_jobs (created_at);
create index index_good_jobs_on_cron_key_and_created_at_cond on good_jobs (cron_key, created_at) where (cron_key is not null);
create unique index index_good_jobs_on_cron_key_and_cron_at_cond on good_jobs (cron_key, cron_at) where (cron_key is not null);
create index index_good_jobs_on_discarded on good_jobs (finished_at desc) where ((finished_at is not null) and (error is not null));
create index index_good_jobs_on_job_class on good_jobs (job_class);
create index index_good_jobs_on_labels on good_jobs using gin (labels) where (labels is not null);
create index index_good_jobs_on_locked_by_id on good_jobs (locked_by_id) where (locked_by_id is not null);
create index index_good_jobs_on_priority_scheduled_at_unfinished on good_jobs (priority, scheduled_at, id) where (finished_at is null);
create index index_good_jobs_on_priority_scheduled_at_unfinished_unlocked on good_jobs (priority, scheduled_at) where ((finished_at is null) and (locked_by_id is null));
create index index_good_jobs_on_queue_name on good_jobs (queue_name);
create index index_good_jobs_on_queue_name_and_scheduled_at on good_jobs (queue_name, scheduled_at) where (finished_at is null);
create index index_good_jobs_on_queue_name_priority_scheduled_at_unfinished on good_jobs (queue_name, scheduled_at, id) where (finished_at is null);
create index index_good_jobs_on_scheduled_at on good_jobs (scheduled_at) where (finished_at is null);
create index index_good_jobs_on_scheduled_at_and_queue_name on good_jobs (scheduled_at, queue_name);
create index index_good_jobs_on_unfinished_or_errored on good_jobs (id) where ((finished_at is null) or (error is not null));
