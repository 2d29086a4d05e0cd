"""PgQueuer's own schema and its own workers, seen without a mapping."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta

import psycopg
import pytest
from pgqueuer import QueueManager
from pgqueuer.db import PsycopgDriver
from pgqueuer.errors import RetryRequested
from pgqueuer.models import Job
from pgqueuer.queries import Queries

from queuetop.model.jobs import Sort
from queuetop.model.selection import Selection
from queuetop.model.states import State
from tests.engines.support import by_state, look, plain
from tests.support.databases import execute

_LEFT_TO_DO = """
select count(*) from pgqueuer
where entrypoint <> 'nobody' and (status = 'picked' or (status = 'queued' and execute_after <= now()))
"""


@contextlib.asynccontextmanager
async def connected(database: str) -> AsyncIterator[Queries]:
    async with (
        await psycopg.AsyncConnection.connect(database, autocommit=True) as connection,
        PsycopgDriver(connection) as driver,
    ):
        yield Queries(driver)


@pytest.fixture
async def queries(database: str) -> AsyncIterator[Queries]:
    async with connected(database) as queries:
        await queries.install()
        yield queries


async def work(database: str) -> None:
    """The library's own worker, until the queue holds nothing due."""
    async with connected(database) as queries:
        manager = QueueManager(queries)

        @manager.entrypoint("good")
        async def good(job: Job) -> None:
            return

        @manager.entrypoint("bad")
        async def bad(job: Job) -> None:
            raise ValueError("gone for good")

        @manager.entrypoint("held", on_failure="hold")
        async def held(job: Job) -> None:
            raise LookupError("kept for a person")

        @manager.entrypoint("flaky")
        async def flaky(job: Job) -> None:
            if job.attempts == 0:
                raise RetryRequested(timedelta(0), "once")

        @manager.entrypoint("later")
        async def later(job: Job) -> None:
            raise RetryRequested(timedelta(hours=1), "in an hour")

        async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
            tasks.create_task(
                manager.run(dequeue_timeout=timedelta(milliseconds=100), batch_size=5)
            )
            while plain(database, _LEFT_TO_DO) != [(0,)]:  # noqa: ASYNC110 - only the table knows
                await asyncio.sleep(0.05)
            manager.shutdown.set()


async def test_its_own_workers_are_seen(database: str, queries: Queries) -> None:
    await queries.enqueue(["good"] * 4, [b'{"n": 1}', None, b"\xff\x00", b"x"], [0, 1, 2, 3])
    for name in ("bad", "bad", "held", "flaky", "later"):
        await queries.enqueue(name, b"x")
    await queries.enqueue("good", None, execute_after=timedelta(hours=1))
    (cancelled,) = await queries.enqueue("nobody", b"x")
    await queries.mark_job_as_cancelled([cancelled])
    await work(database)
    await queries.enqueue(["nobody"] * 3, ['{"a": "é"}'.encode()] * 3, [0, 0, 0])

    async with AsyncExitStack() as stack:
        seen = await look(database, "pgqueuer", stack)
        table = dict(plain(database, "select status::text, count(*) from pgqueuer group by 1"))
        log = dict(
            plain(
                database, "select status::text, count(distinct job_id) from pgqueuer_log group by 1"
            )
        )
        states = seen.states()
        assert states == {State.PENDING: 3, State.SCHEDULED: 1, State.RETRYING: 1, State.FAILED: 3}
        assert states[State.FAILED] == table["failed"] + log["exception"]
        assert (
            states[State.PENDING] + states[State.SCHEDULED] + states[State.RETRYING]
            == table["queued"]
        )
        assert seen.unmapped() == 0

        finished = seen.finished()
        assert finished.finished == log["successful"] == 5
        assert finished.retried == 1
        assert finished.sample == 5

        failures = seen.failures()
        assert {kind: line.jobs for kind, line in failures.items()} == {
            "ValueError": 2,
            "LookupError": 1,
        }
        assert failures["LookupError"].example is not None
        assert failures["LookupError"].example.startswith("kept for a person")
        ((held_at,),) = plain(database, "select updated from pgqueuer where status = 'failed'")
        assert failures["LookupError"].last_failed_at == held_at

        ids = by_state(database, seen.shape)
        assert ids[State.CANCELLED] == [str(cancelled)]
        everything = [job for jobs in ids.values() for job in jobs]
        assert len(everything) == len(set(everything)) == 14

        page = await seen.table.browser.jobs(Selection(), Sort())
        assert sorted(job.id for job in page.jobs) == sorted(everything)
        for state in seen.shape.states:
            listed = await seen.table.browser.jobs(Selection(states=(state,)), Sort("id"))
            assert sorted(job.id for job in listed.jobs) == sorted(ids[state])
        for job_id in everything:
            detail = await seen.table.browser.job(job_id)
            assert detail is not None
            assert detail.job.state is not None
            assert job_id in ids[detail.job.state]


async def test_a_worker_that_fell_silent_leaves_stalled_jobs(
    database: str, queries: Queries
) -> None:
    await queries.enqueue(["good"] * 3, [None] * 3, [0] * 3)
    execute(
        database,
        "update pgqueuer set status = 'picked', queue_manager_id = gen_random_uuid()",
        "update pgqueuer set heartbeat = now() - interval '31 seconds' where id = 1",
    )
    async with AsyncExitStack() as stack:
        seen = await look(database, "pgqueuer", stack)
        assert seen.states() == {State.RUNNING: 2, State.STALLED: 1}
        assert by_state(database, seen.shape)[State.STALLED] == ["1"]


async def test_a_log_of_its_own_name_and_schema(database: str, queries: Queries) -> None:
    await queries.enqueue("good", None)
    execute(
        database,
        "create schema app",
        "alter table pgqueuer rename to mail",
        "alter table pgqueuer_log rename to mail_log",
        "alter table mail set schema app",
        "alter table mail_log set schema app",
    )
    async with AsyncExitStack() as stack:
        seen = await look(database, "pgqueuer", stack)
        assert seen.mapping.table == "app.mail"
        assert seen.states() == {State.PENDING: 1}


async def test_older_schemas_keep_no_failures(database: str, queries: Queries) -> None:
    await queries.enqueue("good", None)
    await queries.enqueue("good", None, execute_after=timedelta(hours=1))
    execute(database, "alter table pgqueuer drop column attempts")
    async with AsyncExitStack() as stack:
        seen = await look(database, "pgqueuer", stack)
        assert seen.states() == {State.PENDING: 1, State.SCHEDULED: 1}
        assert State.RETRYING not in seen.shape.states
