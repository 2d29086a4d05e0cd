"""Jobs in a plain table of canonical columns, and the same jobs in whatever table a test wants.

The plain table, ``staging``, is what plain SQL counts; the other one is what queuetop looks at.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import psycopg

from queuetop.model.columns import TIMES
from tests.support.databases import execute

COLUMNS: dict[str, str] = {
    "id": "bigint",
    "status": "text",
    "queue": "text",
    "kind": "text",
    "priority": "int",
    "created_at": "timestamptz",
    "ready_at": "timestamptz",
    "lease_until": "timestamptz",
    "started_at": "timestamptz",
    "finished_at": "timestamptz",
    "failed_at": "timestamptz",
    "attempts": "int",
    "max_attempts": "int",
    "worker": "text",
    "failure_kind": "text",
    "failure_detail": "text",
    "payload": "jsonb",
}
FAMILIES = ("waiting", "claimed", "succeeded", "failed", "quarantined", "cancelled", "blocked")

#: Jobs of every family, with and without each time, some of them in no state at all.
_FILL = """
insert into staging
select
    n,
    case when n % 23 = 0 then 'other' when n % 29 = 0 then null else
        (array['waiting', 'claimed', 'succeeded', 'failed', 'quarantined', 'cancelled', 'blocked',
               'waiting', 'succeeded', 'failed'])[1 + n % 10]
    end,
    case when n % 7 <> 3 then (array['default', 'mail', 'Mail', 'a [/] b', 'größe'])[1 + n % 5] end,
    case when n % 6 <> 1 then (array['invoice', 'refund', 'report'])[1 + n % 3] end,
    n % 4,
    case when n % 41 <> 0 then now() - (n * 37 % 5000) * interval '1.003 seconds' - interval '9 seconds' end,
    case when n % 5 <> 2 then now() + ((n * 53 % 2000) - 1400) * interval '1.7 seconds' end,
    case when n % 9 <> 4 then now() + ((n * 31 % 900) - 300) * interval '1.1 seconds' end,
    case when n % 8 <> 5 then now() - (n * 71 % 4000) * interval '1.002 seconds' - interval '5 seconds' end,
    case when n % 11 <> 6 then now() - (n * 13 % 4000) * interval '1.001 seconds' end,
    case when n % 12 <> 7 then now() - (n * 17 % 4000) * interval '1.001 seconds' end,
    case when n % 13 <> 8 then n % 4 end,
    5,
    'worker-' || n % 3,
    case when n % 14 <> 9 then (array['EXTERNAL_5XX', 'VALIDATION', 'TIMEOUT'])[1 + n % 3] end,
    case when n % 15 <> 10 then 'ValueError: case ' || n % 4 || E'\\nat line ' || n end,
    jsonb_build_object('n', n, 'amount', 100.00)
from generate_series(1, %(count)s::int) as n
"""


@dataclass(frozen=True)
class Form:
    """How a table holds the jobs: its name as SQL, its columns' types, and how values become them."""

    table: str = "public.jobs"
    #: The name for the mapping, where it differs.
    name: str | None = None
    types: dict[str, str] = field(default_factory=dict)
    #: Expressions over ``s``, the staging row.
    values: dict[str, str] = field(default_factory=dict)
    #: Physical names of canonical columns, unquoted.
    names: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, str | int] = field(default_factory=dict)
    zone: str = "UTC"
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    #: What follows the column list, in place of a plain primary key.
    end: str = ", primary key ({id}))"
    #: Columns that the table fills by itself.
    generated: tuple[str, ...] = ()
    #: Changes of staging, so that it says what the table can hold.
    adjust: tuple[str, ...] = ()

    def column(self, canonical: str) -> str:
        return '"' + self.names.get(canonical, canonical).replace('"', '""') + '"'

    def stored(self, family: str) -> str | int:
        return self.statuses.get(family, family)


def make(dsn: str, form: Form, count: int = 400) -> None:
    """Makes staging and the table, and fills both alike."""
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    execute(dsn, f"create table staging ({columns})")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            _FILL.replace("%", "%%").replace("%%(count)s", "%(count)s").encode(), {"count": count}
        )
    execute(dsn, *form.adjust, *form.before, _create(form), _copy(form), *form.after)
    execute(dsn, f"analyze {form.table}")


def _create(form: Form) -> str:
    columns = ", ".join(
        f"{form.column(name)} {form.types.get(name, kind)}" for name, kind in COLUMNS.items()
    )
    return f"create table {form.table} ({columns}" + form.end.format(id=form.column("id"))


def _copy(form: Form) -> str:
    names = [name for name in COLUMNS if name not in form.generated]
    values = ", ".join(form.values.get(name) or _value(form, name) for name in names)
    columns = ", ".join(form.column(name) for name in names)
    return f"insert into {form.table} ({columns}) select {values} from staging as s"


def _value(form: Form, name: str) -> str:
    if name == "status":
        branches = " ".join(f"when '{family}' then '{form.stored(family)}'" for family in FAMILIES)
        return f"(case s.status {branches} else '{form.stored('other')}' end)::{form.types.get(name, 'text')}"
    if name in TIMES and "without time zone" in form.types.get(name, ""):
        return f"s.{name} at time zone '{form.zone}'"
    return f"s.{name}::{form.types.get(name, COLUMNS[name])}"


def mapping(form: Form, extra: str = "") -> str:
    """The mapping of the table as TOML."""
    lines = ["schema = 1", 'name = "jobs"', f'time_zone = "{form.zone}"']
    lines.append(f"table = {_toml(form.name or form.table)}")
    lines += ["[columns]", *(f"{n} = {_toml(form.names.get(n, n))}" for n in COLUMNS)]
    lines += ["[status]", *(f"{f} = [{_toml(form.stored(f))}]" for f in FAMILIES)]
    return "\n".join([*lines, extra])


def _toml(value: str | int) -> str:
    return json.dumps(value, ensure_ascii=False)


#: The ten states over staging, by the words of the design.
STATES = {
    "pending": "status = 'waiting' and (ready_at is null or ready_at <= {now})",
    "scheduled": "status = 'waiting' and ready_at > {now} and coalesce(attempts, 0) = 0",
    "retrying": "status = 'waiting' and ready_at > {now} and attempts > 0",
    "blocked": "status = 'blocked'",
    "running": "status = 'claimed' and (lease_until is null or lease_until >= {now})",
    "stalled": "status = 'claimed' and lease_until < {now}",
    "succeeded": "status = 'succeeded'",
    "failed": "status = 'failed'",
    "quarantined": "status = 'quarantined'",
    "cancelled": "status = 'cancelled'",
    "unmapped": "status is null or status = 'other'",
}


class Plain:
    """What plain SQL says of staging at one moment of the server."""

    def __init__(self, dsn: str, now: datetime) -> None:
        self.dsn = dsn
        self.now = f"'{now.isoformat()}'::timestamptz"

    def rows(self, what: str, state: str | None = None, more: str = "") -> list[tuple[Any, ...]]:
        """``what`` over the jobs in ``state``. ``{now}`` is the moment."""
        where = f"where ({STATES[state]})" if state else "where true"
        with psycopg.connect(self.dsn, autocommit=True, options="-c timezone=UTC") as connection:
            statement = f"select {what} from staging {where} {more}".replace("{now}", self.now)
            return connection.execute(statement.encode()).fetchall()

    def one(self, what: str, state: str | None = None, more: str = "") -> Any:
        ((value,),) = self.rows(what, state, more)
        return value
