"""Solid Queue: a table for each state, errors and arguments as JSON in text, retries as new rows."""

# ruff: noqa: E501 - one statement a line
from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from queuetop.model.jobs import Sort
from queuetop.model.selection import Selection
from queuetop.model.states import State
from tests.engines.support import by_state, look, plain
from tests.support.databases import execute

_SCHEMA = Path(__file__).with_name("solid_queue.sql").read_text(encoding="utf-8")
_UTC = "create function utc(shift interval default '0') returns timestamp language sql stable return (now() + shift) at time zone 'utc'"  # fmt: skip

_PROCESSES = """
insert into solid_queue_processes (id, kind, last_heartbeat_at, pid, hostname, created_at, name) values
    (1, 'Worker', utc('-1 minute'), 7, 'web1', utc(), 'worker-a'),
    (2, 'Worker', utc('-6 minutes'), 8, null, utc(), 'worker-b')
"""

#: Name → state, the job's columns, and the statements that put it in its table (``%(id)s``).
_JOBS: dict[str, tuple[State | None, dict[str, Any], str]] = {
    "ready": (
        State.PENDING,
        {},
        "insert into solid_queue_ready_executions (job_id, queue_name, created_at) values (%(id)s, 'mail', utc('-3 minutes'))",
    ),
    "overdue": (
        State.PENDING,
        {},
        "insert into solid_queue_scheduled_executions (job_id, queue_name, scheduled_at, created_at) values (%(id)s, 'mail', utc('-4 minutes'), utc())",
    ),
    "scheduled": (
        State.SCHEDULED,
        {"executions": 0, "user": '{"executions":5}'},
        "insert into solid_queue_scheduled_executions (job_id, queue_name, scheduled_at, created_at) values (%(id)s, 'mail', utc('1 hour'), utc())",
    ),
    "retrying": (
        State.RETRYING,
        {"executions": 1},
        "insert into solid_queue_scheduled_executions (job_id, queue_name, scheduled_at, created_at) values (%(id)s, 'mail', utc('1 hour'), utc())",
    ),
    "blocked": (
        State.BLOCKED,
        {},
        "insert into solid_queue_blocked_executions (job_id, queue_name, concurrency_key, expires_at, created_at) values (%(id)s, 'mail', 'k', utc(), utc())",
    ),
    "running": (
        State.RUNNING,
        {},
        "insert into solid_queue_claimed_executions (job_id, process_id, created_at) values (%(id)s, 1, utc('-2 minutes'))",
    ),
    "silent": (
        State.STALLED,
        {},
        "insert into solid_queue_claimed_executions (job_id, process_id, created_at) values (%(id)s, 2, utc('-9 minutes'))",
    ),
    "orphan": (
        State.STALLED,
        {},
        "insert into solid_queue_claimed_executions (job_id, process_id, created_at) values (%(id)s, null, utc('-9 minutes'))",
    ),
    "done": (State.SUCCEEDED, {"finished": "-1 minute"}, ""),
    "done at once": (State.SUCCEEDED, {"finished": "-1 minute", "executions": 2}, ""),
    "failed": (
        State.FAILED,
        {"executions": 2},
        r"""insert into solid_queue_failed_executions (job_id, error, created_at) values (%(id)s, '{"exception_class":"Net::ReadTimeout","message":"said \"no\"\nand hung up","backtrace":["a","b"]}', utc('-2 minutes'))""",
    ),
    "failed oddly": (
        State.FAILED,
        {"raw": 'no JSON \\u0000 "executions": nonsense'},
        r"""insert into solid_queue_failed_executions (job_id, error, created_at) values (%(id)s, '{"exception_class": "A", "message": "cut off \u0000', utc('-2 minutes'))""",
    ),
    "failed and finished": (
        State.FAILED,
        {"finished": "-1 minute"},
        "insert into solid_queue_failed_executions (job_id, error, created_at) values (%(id)s, null, utc('-2 minutes'))",
    ),
    "lost": (None, {}, ""),
}


@pytest.fixture
def ids(database: str) -> dict[str, str]:
    """The jobs by name, one of each sort, and the attempts before ``done at once``."""
    execute(database, _SCHEMA, _UTC, _PROCESSES)
    made: dict[str, str] = {}
    with psycopg.connect(database, autocommit=True) as connection:
        for name, (_, job, statement) in _JOBS.items():
            tries = job.get("executions", 0)
            for attempt in range(tries + 1) if name == "done at once" else (tries,):
                arguments = f'{{"job_id":"{name}","arguments":[{job.get("user", 1)}],"executions":{attempt},"locale":"en"}}'
                ((job_id,),) = connection.execute(
                    "insert into solid_queue_jobs (queue_name, class_name, arguments, active_job_id, "
                    "created_at, updated_at, scheduled_at, finished_at) values ('mail', 'SendJob', %s, %s, "
                    "utc('-10 minutes'), utc(), utc('-10 minutes'), utc(%s::interval)) returning id",
                    [job.get("raw", arguments), name, job.get("finished")],
                )
            made[name] = str(job_id)
            if statement:
                connection.execute(statement.encode(), {"id": job_id})
    return made


def expected(ids: dict[str, str]) -> dict[State, list[str]]:
    states: dict[State, list[str]] = {}
    for name, (state, _, _) in _JOBS.items():
        if state is not None:
            states.setdefault(state, []).append(ids[name])
    return states


async def test_every_job_is_in_the_state_of_its_table(database: str, ids: dict[str, str]) -> None:
    async with AsyncExitStack() as stack:
        seen = await look(database, "solid_queue", stack)
        found = {state: jobs for state, jobs in by_state(database, seen.shape).items() if jobs}
        assert found == expected(ids)
        counted = {s: len(jobs) for s, jobs in expected(ids).items() if s is not State.SUCCEEDED}
        assert seen.states() == counted
        assert seen.unmapped() == 1


async def test_a_row_that_was_retried_is_no_job(database: str, ids: dict[str, str]) -> None:
    async with AsyncExitStack() as stack:
        finished = (await look(database, "solid_queue", stack)).finished()
    ((rows,),) = plain(
        database, "select count(*) from solid_queue_jobs where finished_at is not null"
    )
    assert rows == 5
    assert (finished.finished, finished.retried) == (2, 1)


async def test_attempts_times_and_workers(database: str, ids: dict[str, str]) -> None:
    async with AsyncExitStack() as stack:
        seen = await look(database, "solid_queue", stack)
        page = await seen.table.browser.jobs(Selection(), Sort())
        jobs = {job.id: job for job in page.jobs}
        assert len(page.jobs) == len(jobs)
        named = {name: jobs.get(job_id) for name, job_id in ids.items()}
    now = page.taken_at
    attempts = {name: job.attempts for name, job in named.items() if job}
    assert attempts["scheduled"] == 0
    assert attempts["retrying"] == 1
    assert attempts["running"] == 1
    assert attempts["done at once"] == 3
    assert attempts["failed"] == 3
    assert attempts["failed oddly"] is None
    waited = {
        name: round((now - job.ready_at).total_seconds() / 60)
        for name, job in named.items()
        if job and job.ready_at
    }
    assert waited["ready"] == 3
    assert waited["overdue"] == 4
    assert waited["scheduled"] == -60
    running = named["running"]
    assert running is not None
    assert running.worker == "worker-a web1 7"
    assert running.started_at is not None
    assert round((now - running.started_at).total_seconds()) in range(118, 130)
    assert running.lease_until is not None
    assert running.lease_until > now


async def test_errors_are_read_whatever_they_hold(database: str, ids: dict[str, str]) -> None:
    async with AsyncExitStack() as stack:
        seen = await look(database, "solid_queue", stack)
        failures = seen.failures()
        assert failures["Net::ReadTimeout"].jobs == 1
        assert failures["A"].jobs == 1
        detail = await seen.table.browser.job(ids["failed"])
        assert detail is not None
        assert detail.failure_text == 'said "no"\nand hung up'
        odd = await seen.table.browser.job(ids["failed oddly"])
        assert odd is not None
        assert odd.failure_text is not None
        assert odd.failure_text.startswith('{"exception_class": "A"')


async def test_paused_queues_raise_no_age(database: str, ids: dict[str, str]) -> None:
    execute(
        database, "insert into solid_queue_pauses (queue_name, created_at) values ('mail', utc())"
    )
    async with AsyncExitStack() as stack:
        seen = await look(database, "solid_queue", stack)
        assert seen.paused() == {"mail"}
        (pending,) = seen.lines(State.PENDING)
        assert pending.jobs == 2
        assert pending.oldest_created_at is None
        assert pending.oldest_ready_at is None
        (running,) = seen.lines(State.RUNNING)
        assert running.oldest_created_at is not None


async def test_a_job_that_is_lost_can_still_be_looked_at(
    database: str, ids: dict[str, str]
) -> None:
    async with AsyncExitStack() as stack:
        seen = await look(database, "solid_queue", stack)
        lost = await seen.table.browser.job(ids["lost"])
        assert lost is not None
        assert lost.job.state is None


async def test_times_with_a_zone_are_the_same_moments(database: str, ids: dict[str, str]) -> None:
    """Rails can be told to make ``timestamptz`` columns."""
    tables = plain(
        database,
        "select table_name, column_name from information_schema.columns "
        "where table_schema = 'public' and data_type = 'timestamp without time zone'",
    )
    for name, column in tables:
        execute(
            database,
            f"alter table {name} alter {column} type timestamptz using {column} at time zone 'utc'",
        )
    async with AsyncExitStack() as stack:
        seen = await look(database, "solid_queue", stack)
        found = {state: jobs for state, jobs in by_state(database, seen.shape).items() if jobs}
        assert found == expected(ids)
        assert seen.finished().finished == 2
