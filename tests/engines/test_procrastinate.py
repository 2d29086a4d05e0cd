"""procrastinate's own schema and its own workers, seen without a mapping."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import procrastinate
import pytest
from procrastinate import RetryStrategy
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.types import TimeDeltaParams

from queuetop.model.jobs import Sort
from queuetop.model.selection import Selection
from queuetop.model.states import State
from tests.engines.support import by_state, look, plain
from tests.support.databases import execute


@pytest.fixture
async def app(database: str) -> AsyncIterator[procrastinate.App]:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=database))

    @app.task(name="good")
    async def good(n: int = 0) -> int:
        return n

    @app.task(name="bad")
    async def bad() -> None:
        raise ValueError("always")

    runs: list[int] = []

    @app.task(name="flaky", retry=RetryStrategy(max_attempts=3, wait=0))
    async def flaky() -> None:
        runs.append(1)
        if len(runs) < 2:
            raise RuntimeError("once")

    @app.task(name="later", retry=RetryStrategy(max_attempts=5, wait=3600))
    async def later() -> None:
        raise ConnectionError("try in an hour")

    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        yield app


async def work(app: procrastinate.App) -> None:
    """The library's own worker, until nothing is left to do."""
    await asyncio.wait_for(
        app.run_worker_async(wait=False, concurrency=4, install_signal_handlers=False), 60
    )


async def test_its_own_workers_are_seen(database: str, app: procrastinate.App) -> None:
    for number in range(5):
        await app.tasks["good"].configure(queue="mail").defer_async(n=number)
    for name in ("bad", "bad", "flaky", "later"):
        await app.tasks[name].configure(queue="reports").defer_async()
    await app.tasks["good"].configure(queue="mail", schedule_in={"hours": 1}).defer_async()
    await work(app)
    await app.tasks["good"].configure(queue="mail").defer_async()
    await app.tasks["good"].configure(queue="idle", lock="a").defer_async()
    await app.tasks["good"].configure(queue="idle", lock="a").defer_async()
    cancelled = await app.tasks["good"].configure(queue="idle").defer_async()
    await app.job_manager.cancel_job_by_id_async(cancelled)

    async with AsyncExitStack() as stack:
        seen = await look(database, "procrastinate", stack)
        counted = dict(
            plain(database, "select status::text, count(*) from procrastinate_jobs group by 1")
        )
        states = seen.states()
        assert states == {
            State.PENDING: 2,
            State.BLOCKED: 1,
            State.SCHEDULED: 1,
            State.RETRYING: 1,
            State.FAILED: 2,
        }
        assert states[State.FAILED] == counted["failed"]
        assert (
            sum(states[s] for s in (State.PENDING, State.BLOCKED, State.SCHEDULED, State.RETRYING))
            == counted["todo"]
        )
        assert seen.unmapped() == 0

        finished = seen.finished()
        assert finished.finished == counted["succeeded"] == 6
        assert finished.retried == 1
        assert finished.run is not None

        (failed,) = seen.failures().values()
        ((first, last),) = plain(
            database,
            "select min(at), max(at) from procrastinate_events where type = 'failed'",
        )
        assert (failed.first_failed_at, failed.last_failed_at) == (first, last)
        assert failed.recent == 2

        ((oldest, job_id),) = plain(
            database,
            "select e.at, j.id::text "
            "from procrastinate_jobs j join procrastinate_events e on e.job_id = j.id "
            "where j.status = 'todo' and j.scheduled_at is null and e.type = 'deferred' order by 1 limit 1",
        )
        mail = next(line for line in seen.lines(State.PENDING) if line.queue == "mail")
        assert (mail.oldest_created_at, mail.oldest_created_id) == (oldest, job_id)

        page = await seen.table.browser.jobs(Selection(), Sort())
        assert len(page.jobs) == 14
        detail = await seen.table.browser.job(str(cancelled))
        assert detail is not None
        assert detail.job.state is State.CANCELLED
        assert (
            seen.mapping.unavailable["failure_kind"]
            == "procrastinate does not store why a job failed"
        )


async def test_a_worker_that_fell_silent_leaves_stalled_jobs(
    database: str, app: procrastinate.App
) -> None:
    for _ in range(3):
        await app.tasks["good"].configure(queue="mail").defer_async()
    execute(
        database,
        "insert into procrastinate_workers (last_heartbeat) values (now()), (now() - interval '1 minute')",
        "select procrastinate_fetch_job_v2(null, id) from procrastinate_workers order by last_heartbeat desc",
        "select procrastinate_fetch_job_v2(null, null)",
    )
    async with AsyncExitStack() as stack:
        seen = await look(database, "procrastinate", stack)
        assert seen.states() == {State.RUNNING: 1, State.STALLED: 2}
        workers = by_state(database, seen.shape, "worker")
        ((alive,),) = plain(
            database,
            "select id::text from procrastinate_workers order by last_heartbeat desc limit 1",
        )
        assert workers[State.RUNNING] == [alive]
        leases = by_state(database, seen.shape, "lease_until")
        assert leases[State.RUNNING] != [None]


async def test_a_locked_job_is_blocked_exactly_when_its_worker_would_pass_it_over(
    database: str, app: procrastinate.App
) -> None:
    """Locks, priorities and dates in every combination, against the library's own fetch function."""
    waits: tuple[TimeDeltaParams | None, ...] = (None, {"hours": 1})
    for lock in (None, "a", "b"):
        for priority in (0, 5):
            for wait in waits:
                job = app.tasks["good"].configure(lock=lock, priority=priority, schedule_in=wait)
                await job.defer_async()
    execute(
        database,
        "insert into procrastinate_jobs (queue_name, task_name, lock, status) "
        "values ('q', 'good', 'b', 'doing')",
    )
    async with AsyncExitStack() as stack:
        seen = await look(database, "procrastinate", stack)
        ids = by_state(database, seen.shape)
    fetched: list[str] = []  # a fetched job keeps its lock, so that none is freed by it
    while taken := fetch(database):
        fetched.append(taken)
    assert sorted(fetched, key=int) == ids[State.PENDING]
    everything = [job for jobs in ids.values() for job in jobs]
    assert len(everything) == len(set(everything)) == 13
    assert len(ids[State.BLOCKED]) == 3


def fetch(database: str) -> str | None:
    """What the library's worker would take next."""
    found: list[tuple[str | None]] = plain(
        database, "select (procrastinate_fetch_job_v2(null, null)).id::text"
    )
    return found[0][0]


async def test_a_queueing_lock_is_no_lock(database: str, app: procrastinate.App) -> None:
    await app.tasks["good"].configure(queueing_lock="one").defer_async()
    with pytest.raises(AlreadyEnqueued):
        await app.tasks["good"].configure(queueing_lock="one").defer_async()
    async with AsyncExitStack() as stack:
        seen = await look(database, "procrastinate", stack)
        assert seen.states() == {State.PENDING: 1}


async def test_older_schemas_have_no_workers(database: str, app: procrastinate.App) -> None:
    execute(
        database,
        "alter table procrastinate_jobs drop column worker_id",
        "drop table procrastinate_workers cascade",
        "insert into procrastinate_jobs (queue_name, task_name, status) "
        "values ('q', 'good', 'doing'), ('q', 'good', 'aborting')",
    )
    async with AsyncExitStack() as stack:
        seen = await look(database, "procrastinate", stack)
        assert seen.states() == {State.RUNNING: 2}
        assert State.STALLED not in seen.shape.states
