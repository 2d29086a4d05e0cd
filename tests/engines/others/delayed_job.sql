create table delayed_jobs (
    id bigserial primary key,
    priority integer not null default 0,
    attempts integer not null default 0,
    handler text not null,
    last_error text,
    run_at timestamp,
    locked_at timestamp,
    failed_at timestamp,
    locked_by varchar,
    queue varchar,
    created_at timestamp(6),
    updated_at timestamp(6)
);
insert into delayed_jobs (handler, attempts, run_at, locked_at, failed_at)
select
    '--- !ruby/object:' || kind || E'\nx: {}', attempts,
    (now() + run_at::interval) at time zone 'utc', (now() + locked_at::interval) at time zone 'utc',
    (now() + failed_at::interval) at time zone 'utc'
from (values
    ('pending', 0, '-1 min', null, null), ('pending', 3, '-1 min', null, null),
    ('scheduled', 0, '1 h', null, null), ('retrying', 3, '1 h', null, null),
    ('running', 0, '-1 min', '-1 min', null), ('stalled', 0, '-6 h', '-5 h', null),
    ('failed', 25, '-1 min', '-1 min', '-1 min'), ('failed', 25, '-1 min', null, '-1 min')
) as r (kind, attempts, run_at, locked_at, failed_at);
