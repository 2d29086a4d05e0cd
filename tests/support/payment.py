"""The home-made queue table of the documentation, ``payment_task``, filled as a test needs it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

_TABLE = """
create table {table} (
    id              bigint generated always as identity primary key,
    queue           text not null default 'default',
    status          text not null default 'PENDING',
    created_at      timestamptz not null default now(),
    next_attempt_at timestamptz not null default now(),
    claimed_until   timestamptz,
    attempts        int not null default 0,
    max_attempts    int not null default 5,
    finished_at     timestamptz,
    failed_at       timestamptz,
    failure_kind    text,
    failure_detail  text,
    payload         jsonb
)
"""

_INDEXES = (
    "create index on {table} (next_attempt_at, id) where status = 'PENDING'",
    "create index on {table} (created_at, id) where status = 'PENDING'",
    "create index on {table} (claimed_until, id) where status = 'CLAIMED'",
    "create index on {table} (finished_at, id) where status = 'DONE'",
    "create index on {table} (failed_at, id) where status = 'FAILED'",
)

_FILL = """
insert into {table} (
    queue, status, created_at, next_attempt_at, claimed_until, attempts, finished_at, failed_at, failure_kind
)
select
    (array['default', 'payments', 'reports'])[1 + n %% 3],
    %(status)s::text,
    now() - n * interval '1 second',
    now() - n * interval '1 second',
    case when %(status)s::text = 'CLAIMED' then now() + interval '5 minutes' end,
    case when %(status)s::text = 'PENDING' then 0 else 1 + (n %% 10 = 0)::int end,
    case when %(status)s::text = 'DONE' then now() - n * interval '1 second' end,
    case when %(status)s::text = 'FAILED' then now() - n * interval '1 second' end,
    case when %(status)s::text = 'FAILED' then (array['EXTERNAL_5XX', 'VALIDATION'])[1 + n %% 2] end
from generate_series(1, %(count)s::int) as n
"""


def payment_table(
    dsn: str,
    rows: Iterable[dict[str, Any]] = (),
    *,
    table: str = "payment_task",
    schema: str = "public",
    indexes: bool = True,
) -> list[int]:
    """Makes the table, inserts ``rows`` and returns their ids in that order.

    A row is a dict of columns; what it leaves out takes its default. A ``timedelta`` stands for the
    server's ``now()`` plus it, a dict or a list for ``jsonb``.
    """
    name = sql.Identifier(schema, table)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("create schema if not exists {}").format(sql.Identifier(schema)))
        connection.execute(sql.SQL(_TABLE).format(table=name))
        for statement in _INDEXES if indexes else ():
            connection.execute(sql.SQL(statement).format(table=name))
    return insert_jobs(dsn, rows, table=table, schema=schema)


def insert_jobs(
    dsn: str, rows: Iterable[dict[str, Any]], *, table: str = "payment_task", schema: str = "public"
) -> list[int]:
    """Inserts ``rows`` as ``payment_table`` does, at one ``now()``, and returns their ids."""
    name = sql.Identifier(schema, table)
    ids: list[int] = []
    with psycopg.connect(dsn) as connection:
        for row in rows:
            statement = sql.SQL("insert into {} ({}) values ({}) returning id").format(
                name,
                sql.SQL(", ").join(map(sql.Identifier, row)),
                sql.SQL(", ").join(map(_value, row.values())),
            )
            if not row:
                statement = sql.SQL("insert into {} default values returning id").format(name)
            values = [Jsonb(v) if isinstance(v, dict | list) else v for v in row.values()]
            ids += [found for (found,) in connection.execute(statement, values)]
        connection.commit()
        connection.autocommit = True
        connection.execute(sql.SQL("analyze {}").format(name))
    return ids


def fill(
    dsn: str, count: int, status: str, *, table: str = "payment_task", schema: str = "public"
) -> None:
    """``count`` jobs of one status, one second apart, over three queues; every tenth one retried."""
    name = sql.Identifier(schema, table)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(sql.SQL(_FILL).format(table=name), {"status": status, "count": count})
        connection.execute(sql.SQL("vacuum analyze {}").format(name))


def _value(value: Any) -> sql.SQL:
    return sql.SQL("now() + %s") if isinstance(value, timedelta) else sql.SQL("%s")
