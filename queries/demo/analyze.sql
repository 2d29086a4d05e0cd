-- Statistics for the planner, without the wide columns, whose samples take longest and help no plan;
-- autovacuum sees to the rest within its minute.
analyze payment_task (
    id, queue, kind, status, attempts, created_at, next_attempt_at, claimed_until, started_at, finished_at,
    failed_at, failure_kind
)
