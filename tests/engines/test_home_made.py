"""The home-made tables: every combination of status, due time, lease and attempts, on a real server."""

from __future__ import annotations

import itertools
from contextlib import AsyncExitStack

import psycopg
import pytest
from psycopg import sql

from queuetop.model.jobs import Sort
from queuetop.model.selection import Selection
from queuetop.model.states import State
from queuetop.store.conninfo import Conninfo
from queuetop.store.opener import Opener
from tests.engines.support import by_state, look, plain
from tests.support.databases import execute

#: Preset → stored value → family, as DESIGN.md §3 has them.
PRESETS: dict[str, dict[str, str]] = {
    "payment_task": {
        "PENDING": "waiting",
        "CLAIMED": "claimed",
        "DONE": "succeeded",
        "FAILED": "failed",
    },
    "payment": {"NEW": "waiting", "PROCESSING": "claimed", "DONE": "succeeded", "FAILED": "failed"},
    "job": {
        "queued": "waiting",
        "retry_wait": "waiting",
        "running": "claimed",
        "succeeded": "succeeded",
        "quarantined": "quarantined",
    },
}
MOMENTS = (None, "-1 minute", "1 hour")
ATTEMPTS = (None, 0, 3)

_TABLE = """
create table work (
    id bigint generated always as identity primary key,
    status {status} not null,
    created_at {time},
    next_attempt_at {time},
    claimed_until {time},
    attempts int
)
"""
_INSERT = """
insert into work (status, created_at, next_attempt_at, claimed_until, attempts)
values (%s, now(), now() + %s::interval, now() + %s::interval, %s) returning id::text
"""


def state_of(family: str, ready: str | None, lease: str | None, attempts: int | None) -> State:
    """The table of DESIGN.md §1."""
    if family == "waiting":
        if ready != "1 hour":
            return State.PENDING
        return State.RETRYING if attempts else State.SCHEDULED
    if family == "claimed":
        return State.STALLED if lease == "-1 minute" else State.RUNNING
    return State(family)


def make(
    database: str, preset: str, *, status: str = "text", time: str = "timestamptz"
) -> dict[State, list[str]]:
    """The table with all combinations; which ids are in which state."""
    values = PRESETS[preset]
    expected: dict[State, list[str]] = {}
    with psycopg.connect(database, autocommit=True, options="-c timezone=UTC") as connection:
        if status == "enum":
            labels = sql.SQL(", ").join(map(sql.Literal, values))
            connection.execute(sql.SQL("create type work_status as enum ({})").format(labels))
            status = "work_status"
        if status == "domain":
            connection.execute("create domain short_text as text check (length(value) < 20)")
            status = "short_text"
        connection.execute(_TABLE.format(status=status, time=time).encode())
        for parts in itertools.product(values, MOMENTS, MOMENTS, ATTEMPTS):
            ((job_id,),) = connection.execute(_INSERT, parts)
            stored, ready, lease, attempts = parts
            expected.setdefault(state_of(values[stored], ready, lease, attempts), []).append(job_id)
    return expected


@pytest.mark.parametrize("status", ("text", "varchar(20)", "enum", "domain"))
@pytest.mark.parametrize("preset", sorted(PRESETS))
async def test_every_row_is_in_one_state(database: str, preset: str, status: str) -> None:
    expected = make(database, preset, status=status)
    async with AsyncExitStack() as stack:
        seen = await look(database, preset, stack)
        assert {s: jobs for s, jobs in by_state(database, seen.shape).items() if jobs} == expected
        assert seen.unmapped() == 0
        hot = {s: len(jobs) for s, jobs in expected.items() if s is not State.SUCCEEDED}
        assert seen.states() == hot
        page = await seen.table.browser.jobs(Selection(), Sort(), limit=500)
        states = {job.id: job.state for job in page.jobs}
        assert states == {job: state for state, jobs in expected.items() for job in jobs}


async def test_times_without_a_zone_are_read_as_utc(database: str) -> None:
    expected = make(database, "payment", time="timestamp without time zone")
    async with AsyncExitStack() as stack:
        seen = await look(database, "payment", stack)
        assert {s: jobs for s, jobs in by_state(database, seen.shape).items() if jobs} == expected
        ((created,),) = plain(database, "select min(created_at) at time zone 'utc' from work")
        (pending,) = seen.lines(State.PENDING)
        assert pending.oldest_created_at == created


async def test_columns_that_the_table_has_are_used(database: str) -> None:
    make(database, "job")
    extra = {"queue": "text", "worker": "text", "max_attempts": "int", "finished_at": "timestamptz"}
    for name, kind in extra.items():
        execute(database, f"alter table work add {name} {kind}")
    execute(
        database, "update work set queue = 'mail', finished_at = now() where status = 'succeeded'"
    )
    async with AsyncExitStack() as stack:
        seen = await look(database, "job", stack)
        assert set(extra) <= set(seen.mapping.columns.named())
        assert seen.mapping.columns.priority is None
        ((done,),) = plain(database, "select count(*) from work where status = 'succeeded'")
        assert seen.finished().finished == done


async def test_a_value_that_nobody_named_is_counted_as_such(database: str) -> None:
    make(database, "payment")
    async with AsyncExitStack() as stack:
        seen = await look(database, "payment", stack)
        execute(database, "update work set status = 'LIMBO' where status = 'NEW'")
        ((limbo,),) = plain(database, "select count(*) from work where status = 'LIMBO'")
        again = await seen.table.reader.ask(seen.table.reader.panels())
        seen.facts = again
        assert seen.unmapped() == limbo


@pytest.mark.parametrize(
    "told",
    (
        "alter table work alter status set default 'PENDING'",
        "create index on work (next_attempt_at) where status = 'PENDING'",
        "create index on work (claimed_until) where status in ('CLAIMED', 'PENDING')",
    ),
)
async def test_an_empty_table_is_known_by_what_the_catalogue_tells(
    database: str, told: str
) -> None:
    execute(database, _TABLE.format(status="text", time="timestamptz"), told)
    async with Opener(Conninfo(database)) as opener:
        assert [match.mapping.name for match in await opener.detect()] == ["payment_task"]
