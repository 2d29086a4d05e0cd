"""GoodJob: states in timestamps without a zone, and liveness in advisory locks."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from queuetop.model.facts import Panel, Signal
from queuetop.model.jobs import Sort
from queuetop.model.selection import Selection
from queuetop.model.states import State
from tests.engines.support import by_state, look, plain
from tests.support.databases import execute

_SCHEMA = Path(__file__).with_name("good_job.sql").read_text(encoding="utf-8")
_LOCK = "select pg_advisory_lock(('x' || substr(md5('good_jobs-' || %s), 1, 16))::bit(64)::bigint)"
_INSERT = """
insert into good_jobs (
    id, queue_name, job_class, priority, serialized_params, created_at, updated_at,
    scheduled_at, performed_at, finished_at, error, executions_count, lock_type, locked_by_id
) values (
    %(id)s, 'mail', 'SendJob', 0, '{"arguments": [1]}', utc() - interval '2 hours', utc(),
    utc() + %(scheduled)s::interval, utc() + %(performed)s::interval, utc() + %(finished)s::interval,
    %(error)s, %(attempts)s, %(lock_type)s, %(locked_by)s
)
"""
_LIVE, _DEAD = uuid.UUID(int=1), uuid.UUID(int=2)
_DISCARDED = "GoodJob::Job::DiscardJobError: by an operator"
_CRASHED = "Net::ReadTimeout: no answer: 10 s"


@dataclass(frozen=True)
class Row:
    """One way a row can be. Times are intervals from now."""

    id: uuid.UUID
    scheduled: str | None
    performed: str | None
    finished: str | None
    error: str | None
    #: ``advisory``, ``row`` of a live process, ``stale`` of a dead one, or not locked.
    lock: str | None

    @property
    def state(self) -> State:
        """What GoodJob's own scopes say."""
        if self.finished:
            if self.error is None:
                return State.SUCCEEDED
            return State.CANCELLED if self.error == _DISCARDED else State.FAILED
        if self.performed:
            return State.RUNNING if self.lock in {"advisory", "row"} else State.STALLED
        if self.scheduled is None or self.scheduled.startswith("-"):
            return State.PENDING
        return State.RETRYING if self.error else State.SCHEDULED


ROWS = [
    Row(uuid.UUID(int=100 + number), *parts)
    for number, parts in enumerate(
        itertools.product(
            ("-10 minutes", "1 hour", None),
            (None, "-5 minutes"),
            (None, "-1 minute"),
            (None, _CRASHED, _DISCARDED),
            (None, "advisory", "row", "stale"),
        )
    )
]


@pytest.fixture
def jobs(database: str) -> Iterator[str]:
    """Every combination of timestamps, errors and locks; the advisory locks are really held."""
    execute(
        database,
        _SCHEMA,
        "create function utc() returns timestamp language sql stable return now() at time zone 'utc'",
        "insert into good_job_processes (id, created_at, updated_at, state, lock_type) values "
        f'(\'{_LIVE}\', utc(), utc(), \'{{"hostname": "web1", "pid": 7}}\', 1), '
        f"('{_DEAD}', utc(), utc() - interval '6 minutes', null, 1)",
    )
    with psycopg.connect(database, autocommit=True) as worker:
        for row in ROWS:
            worker.execute(
                _INSERT,
                {
                    "id": row.id,
                    "scheduled": row.scheduled,
                    "performed": row.performed,
                    "finished": row.finished,
                    "error": row.error,
                    "attempts": 2 if row.error else 1,
                    "lock_type": {"advisory": 0, "row": 1, "stale": 1}.get(row.lock or ""),
                    "locked_by": {"row": _LIVE, "stale": _DEAD}.get(row.lock or ""),
                },
            )
            if row.lock == "advisory":
                worker.execute(_LOCK, [str(row.id)])
        yield database


def expected() -> dict[State, list[str]]:
    states: dict[State, list[str]] = {}
    for row in ROWS:
        states.setdefault(row.state, []).append(str(row.id))
    return states


async def test_every_row_is_in_the_state_that_the_library_gives_it(jobs: str) -> None:
    async with AsyncExitStack() as stack:
        seen = await look(jobs, "good_job", stack)
        found = {state: ids for state, ids in by_state(jobs, seen.shape).items() if ids}
        assert found == expected()
        assert seen.unmapped() == 0
        states = seen.states()
        for state, ids in expected().items():
            if state not in {State.SUCCEEDED, State.CANCELLED}:
                assert states[state] == len(ids)


async def test_naive_times_are_utc_whatever_the_zone_of_the_server(jobs: str) -> None:
    name = conninfo_to_dict(jobs)["dbname"]
    execute(jobs, f"alter database {name} set timezone = 'Asia/Tokyo'")
    async with AsyncExitStack() as stack:
        seen = await look(jobs, "good_job", stack)
        assert seen.finished().finished == len(expected()[State.SUCCEEDED])
        failed = seen.failures()["Net::ReadTimeout"]
        assert failed.recent == failed.jobs == len(expected()[State.FAILED])
        assert failed.recent_retried == failed.jobs
        ((newest,),) = plain(
            jobs,
            "select max(finished_at) at time zone 'utc' from good_jobs where error like 'Net%'",
        )
        assert failed.last_failed_at == newest
        ((created,),) = plain(jobs, "select min(created_at) at time zone 'utc' from good_jobs")
        (pending,) = seen.lines(State.PENDING)
        assert pending.oldest_created_at == created


async def test_a_lock_that_goes_leaves_a_stalled_job(database: str) -> None:
    execute(
        database,
        _SCHEMA,
        "insert into good_jobs (id, created_at, updated_at, performed_at) "
        f"values ('{_LIVE}', now(), now(), now() at time zone 'utc')",
    )
    async with AsyncExitStack() as stack:
        with psycopg.connect(database, autocommit=True) as worker:
            worker.execute(_LOCK, [str(_LIVE)])
            seen = await look(database, "good_job", stack)
            assert seen.states() == {State.RUNNING: 1}
            # A closed connection's backend may hold on a moment longer.
            worker.execute("select pg_advisory_unlock_all()")
        panels = [Panel(Signal.STATE, state) for state in (State.RUNNING, State.STALLED)]
        facts = await seen.table.reader.ask(panels)
        assert not facts.lines[panels[0]]
        assert len(facts.lines[panels[1]]) == 1


async def test_a_lock_in_another_database_is_none(
    database: str, make_database: Callable[..., str]
) -> None:
    execute(
        database,
        _SCHEMA,
        "insert into good_jobs (id, created_at, updated_at, performed_at) "
        f"values ('{_LIVE}', now(), now(), now() at time zone 'utc')",
    )
    with psycopg.connect(make_database(), autocommit=True) as other:
        other.execute(_LOCK, [str(_LIVE)])
        async with AsyncExitStack() as stack:
            assert (await look(database, "good_job", stack)).states() == {State.STALLED: 1}


async def test_rows_of_attempts_before_version_4_are_no_jobs(database: str) -> None:
    execute(
        database,
        _SCHEMA,
        "insert into good_jobs (id, created_at, updated_at, finished_at, error, retried_good_job_id) values "
        f"('{_LIVE}', now(), now(), now(), 'E: first try', '{_DEAD}'), "
        f"('{_DEAD}', now(), now(), null, null, null)",
    )
    async with AsyncExitStack() as stack:
        seen = await look(database, "good_job", stack)
        assert seen.states() == {State.PENDING: 1}
        assert seen.unmapped() == 0


async def test_paused_queues(database: str) -> None:
    settings = {"queues": ["mail", "a [/] b"], "job_classes": ["X"], "labels": []}
    execute(
        database,
        _SCHEMA,
        "insert into good_job_settings (created_at, updated_at, key, value) values "
        f"(now(), now(), 'pauses', '{json.dumps(settings)}'), "
        "(now(), now(), 'cron_keys_disabled', '[\"reports\"]'), (now(), now(), 'odd', '{\"queues\": {}}')",
    )
    async with AsyncExitStack() as stack:
        assert (await look(database, "good_job", stack)).paused() == {"mail", "a [/] b"}


async def test_installs_without_the_newer_columns_and_tables(database: str) -> None:
    execute(
        database,
        _SCHEMA,
        "alter table good_jobs "
        "drop column lock_type, drop column locked_by_id, drop column executions_count",
        "drop table good_job_settings",
        "insert into good_jobs (id, created_at, updated_at, performed_at) "
        f"values ('{_LIVE}', now(), now(), now() at time zone 'utc')",
    )
    async with AsyncExitStack() as stack:
        seen = await look(database, "good_job", stack)
        assert seen.states() == {State.STALLED: 1}
        assert seen.mapping.queues is None
        assert not seen.mapping.has("worker")


async def test_lists_and_details(jobs: str) -> None:
    async with AsyncExitStack() as stack:
        seen = await look(jobs, "good_job", stack)
        page = await seen.table.browser.jobs(Selection(), Sort(), limit=len(ROWS) + 10)
        assert sorted(job.id for job in page.jobs) == sorted(str(row.id) for row in ROWS)
        running = await seen.table.browser.jobs(Selection(states=(State.RUNNING,)), Sort())
        assert {job.worker for job in running.jobs} == {None, "web1 7"}
        (failed, *_) = expected()[State.FAILED]
        detail = await seen.table.browser.job(failed)
        assert detail is not None
        assert (detail.job.state, detail.job.failure_kind) == (State.FAILED, "Net::ReadTimeout")
