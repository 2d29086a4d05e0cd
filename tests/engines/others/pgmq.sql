create schema pgmq;
create table pgmq.meta (queue_name text);
create table pgmq."q_my-queue" (
    msg_id bigserial primary key,
    read_ct integer not null default 0,
    enqueued_at timestamptz not null default now(),
    vt timestamptz not null,
    message jsonb
);
create table pgmq."a_my-queue" (
    msg_id bigint primary key,
    read_ct integer not null default 0,
    enqueued_at timestamptz not null default now(),
    archived_at timestamptz not null default now(),
    vt timestamptz not null,
    message jsonb
);
insert into pgmq."q_my-queue" (read_ct, vt, message) values
    (0, now(), '{"task": "pending"}'), (4, now(), '{"task": "pending"}'),
    (0, now() + interval '1 h', '{"task": "scheduled"}'), (1, now() + interval '1 h', '{"task": "running"}');
insert into pgmq."a_my-queue" (msg_id, vt, message) values (99, now(), '{"task": "succeeded"}');
