"""The benched table: the demo's own ``payment_task`` with as many rows as are asked for.

Jobs arrive every 0.277 s, so that about 13 000 finish in an hour whatever the table's size is: a bigger
table has a longer past. The newest 5 000 are pending and wait 23 minutes, 100 are running, one in 200
failed, some are for later or retry.
"""

from __future__ import annotations

from time import perf_counter

import psycopg
from psycopg import sql

from queuetop.store.files import text

TABLE = "payment_task"
SMALL_ROWS = 100_000
PENDING, RUNNING, SCHEDULED, RETRYING = 5_000, 100, 300, 200
FINISHED_PER_HOUR = 13_000
#: Jobs that retry or wait for later are among so many that arrived before the pending ones.
_LATE = 60_000

#: The indexes that the README advises, by the demo's own files.
INDEXES = ("ready", "lease", "failed", "finished", "created", "queue")
#: What a viewer needs: the table, and everybody's statistics.
VIEWER = "bench_viewer"

_FILL = """
insert into payment_task (
    queue, kind, status, payload, idempotency_key, attempts, created_at, next_attempt_at, claimed_until,
    claimed_by, started_at, finished_at, failed_at, failure_kind, failure_detail, result_key
)
select
    (array['payments', 'payments', 'mail', 'reports'])[1 + n % 4],
    (array['charge card', 'payout', 'send receipt', 'settle day'])[1 + n % 4],
    status,
    jsonb_build_object(
        'payment', n, 'amount', 100 + n % 89900, 'currency', 'EUR', 'merchant', 'm-' || n % 4000
    ),
    'pay:' || n,
    case
        when status in ('DONE', 'CLAIMED') then 1 + (n % 10 = 3)::int
        when status = 'FAILED' then 1 + n % 5
        else (later and n / {later_every} % 5 < 2)::int
    end,
    created_at,
    case when later then now() + (10 + n % 900) * interval '1 minute' else created_at end,
    case when status = 'CLAIMED' then now() + (n % 300) * interval '1 second' + interval '1 hour' end,
    case when status <> 'PENDING' then 'worker-' || n % 16 end,
    case when status <> 'PENDING' then created_at + waited end,
    case when status = 'DONE' then created_at + waited + ran end,
    case when status = 'FAILED' then created_at + waited + ran end,
    case when status = 'FAILED' then failure_kind end,
    case when status = 'FAILED' then case failure_kind
        when 'EXTERNAL_5XX' then 'HTTP 503 from limits service for payment ' || n || ': connect error'
        when 'VALIDATION' then 'IBAN DE' || n || ' is not valid: checksum'
        when 'NOT_FOUND' then 'customer ' || n || ' is not there'
        else 'read timed out after 30 s; the transfer of payment ' || n || ' may have been made'
    end end,
    case when status = 'DONE' then 'res_' || to_hex(n) end
from (
    select
        n,
        now() - (%(rows)s - n) * interval '{gap} seconds' as created_at,
        n % {later_every} = 11 and n between %(rows)s - {late} and %(rows)s - {pending} - {running} as later,
        case
            when n > %(rows)s - {pending} then 'PENDING'
            when n > %(rows)s - {pending} - {running} then 'CLAIMED'
            when n % {later_every} = 11 and n > %(rows)s - {late} then 'PENDING'
            when n % 200 = 7 then 'FAILED'
            else 'DONE'
        end as status,
        {pending} * interval '{gap} seconds' as waited,
        (30 + hashint8(n) & 2047) * interval '1 millisecond' as ran,
        (array['EXTERNAL_5XX', 'EXTERNAL_5XX', 'EXTERNAL_5XX', 'VALIDATION', 'NOT_FOUND', 'UNKNOWN_OUTCOME'])
            [1 + (n / 200) % 6] as failure_kind
    from generate_series(1, %(rows)s) as n
) as job
"""


def make_viewer(dsn: str) -> None:
    """The role that queuetop reads as."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"create role {VIEWER} login in role pg_monitor, pg_read_all_data")


def build(dsn: str, rows: int) -> float:
    """Makes the table with ``rows`` rows and the advised indexes. Returns the seconds it took."""
    began = perf_counter()
    fill = _FILL.format(
        gap=3600 / FINISHED_PER_HOUR,
        pending=PENDING,
        running=RUNNING,
        late=_LATE + PENDING + RUNNING,
        later_every=_LATE // (SCHEDULED + RETRYING),
    )
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("set maintenance_work_mem = '512MB'")
        with connection.transaction():  # a table made in the same transaction needs no WAL
            connection.execute(text("demo/table").encode())
            connection.execute(_inlined(fill, rows))
        for name in INDEXES:
            connection.execute(text(f"demo/index_{name}").encode())
        connection.execute("vacuum (analyze) payment_task")
        connection.execute("checkpoint")
    return perf_counter() - began


def drop_indexes(dsn: str) -> None:
    """Leaves the table with its primary key alone."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for name in INDEXES:
            connection.execute(
                sql.SQL("drop index {}").format(sql.Identifier(f"payment_task_{name}"))
            )


def _inlined(statement: str, rows: int) -> bytes:
    """As literals, since a modulo sign would be read as a placeholder."""
    return statement.replace("%(rows)s", f"{rows}::bigint").encode()
