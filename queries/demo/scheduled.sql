-- Jobs for later: tonight's reports, and reminders over the next hours. None is due within ten minutes.
insert into payment_task (queue, kind, payload, idempotency_key, max_attempts, created_at, next_attempt_at)
select
    case when n %% 3 = 0 then 'notifications' else 'reports' end,
    case when n %% 3 = 0 then 'reminder.email' else 'report.settlement' end,
    jsonb_build_object('merchant', 'shop-' || (n %% 4 + 1), 'day', current_date),
    'scheduled:' || n,
    3,
    now() - make_interval(mins => (random() * 150)::int),
    now() + make_interval(mins => 10 + (random() * random() * 900)::int)
from generate_series(1, %(jobs)s) as n
