"""The reader cannot write, needs no more than SELECT, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.states import State
from queuetop.store.conninfo import Conninfo
from queuetop.store.session import Bound, Limits, Session
from tests.store.conftest import Route
from tests.store.everything import build, run_everything, statement_files, watched
from tests.store.support import every_job, opened, polled, snapshot_of
from tests.support.databases import execute, query
from tests.support.payment import fill, payment_table


@pytest.fixture
def reader_role(database: str) -> Iterator[str]:
    """A role that may log in, and nothing else."""
    name = f"reader_{secrets.token_hex(4)}"
    execute(database, f"create role {name} login")
    yield name
    execute(database, f"drop owned by {name}", f"drop role {name}")


async def test_every_statement_runs_where_nothing_can_be_written(
    route: Route, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(route.dsn)
    with watched(monkeypatch) as names:
        await run_everything(route.seen)
    assert statement_files() - names == set()


async def test_a_role_that_may_only_select(
    database: str, reader_role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(database)
    execute(database, f"grant select on jobs, bare, pauses to {reader_role}")
    with watched(monkeypatch) as names:
        await run_everything(make_conninfo(database, user=reader_role))
    assert statement_files() - names == set()


async def test_what_a_plain_role_may_not_see_is_not_there(database: str, reader_role: str) -> None:
    """Without pg_read_all_stats other sessions are hidden: no measure fails for it."""
    payment_table(database, [{}])
    execute(database, f"grant select on payment_task to {reader_role}")
    with psycopg.connect(database) as other:
        other.execute("begin isolation level repeatable read")
        other.execute("select 1 from payment_task")
        async with opened(make_conninfo(database, user=reader_role)) as table:
            snapshot = await snapshot_of(table)
        assert snapshot.verdict.name == "well"
        assert not [cost.note for cost in snapshot.cost.panels if cost.note]


@pytest.mark.parametrize(
    "statement",
    (
        "insert into payment_task default values returning 1",
        "select id from payment_task for update",
        "create table other (id int)",
        "select nextval('payment_task_id_seq')",
        "select write()",
        "with gone as (delete from payment_task returning 1) select * from gone",
    ),
)
async def test_the_reader_refuses_to_write(database: str, statement: str) -> None:
    payment_table(database, [{}])
    execute(
        database,
        "create function write() returns int language sql as"
        " 'insert into payment_task default values returning 1'",
    )
    session = Session(Conninfo(database))
    try:
        with pytest.raises(StoreError) as refused:
            await session.read([Bound(sql.SQL(statement), {})], Limits())
        assert refused.value.fault is StoreFault.REFUSED
        assert "read-only" in refused.value.sentence
        (answer,) = await session.read([Bound(sql.SQL("select 1 as one"), {})], Limits())
        assert answer.rows[0].one == 1
    finally:
        await session.close()
    assert query(database, "select count(*) from payment_task") == [(1,)]


async def test_a_mapping_that_writes_fails_alone(database: str) -> None:
    payment_table(database, [{}])
    execute(
        database,
        "create function write() returns text language sql as"
        " 'insert into payment_task default values returning queue'",
    )
    mapping = """
schema = 1
name = "writes"
table = "payment_task"
[columns]
id = "id"
status = "status"
created_at = "created_at"
[expressions]
failure_kind = "write()"
[status]
waiting = ["PENDING"]
failed = ["FAILED"]
"""
    execute(database, "insert into payment_task (status) values ('FAILED')")
    async with opened(database, mapping=mapping) as table:
        snapshot = await snapshot_of(table)
    assert snapshot.states[State.PENDING].value == 1
    assert "takes no writes" in (snapshot.failures.total.why or "")
    assert query(database, "select count(*) from payment_task") == [(2,)]


def _settings(dsn: str) -> tuple[int, dict[str, Any]]:
    """The backend behind the pooler, and every setting of it."""
    with psycopg.connect(dsn, autocommit=True, application_name="looking") as connection:
        rows = connection.execute("select name, setting from pg_settings").fetchall()
        return connection.info.backend_pid, dict(rows)


async def test_nothing_leaks_through_a_pooler(
    database: str, pgbouncer: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One server connection, used by us and then by somebody else."""
    build(database)
    through = pgbouncer(database, pool_size=1)

    def backend() -> int:
        with psycopg.connect(through, autocommit=True) as connection:
            row = connection.execute("select pg_backend_pid()").fetchone()
            assert row is not None
            return int(row[0])

    pid, before = backend(), _settings(through)[1]
    await run_everything(through)
    await _fails(through)
    assert backend() == pid
    after = _settings(through)[1]
    assert after == before
    assert query(through, "select count(*) from pg_prepared_statements") == [(0,)]
    assert query(through, "select count(*) from pg_locks where locktype = 'advisory'") == [(0,)]


async def _fails(dsn: str) -> None:
    """Batches that end in every sort of error."""
    session = Session(Conninfo(dsn))
    try:
        for statement, fault in (
            ("select 1 / 0", StoreFault.REFUSED),
            ("select * from nowhere", StoreFault.WRONG_SCHEMA),
            ("select pg_sleep(1)", StoreFault.TIMED_OUT),
            ("create table x ()", StoreFault.REFUSED),
        ):
            with pytest.raises(StoreError) as failed:
                await session.read([Bound(sql.SQL(statement), {})], Limits(statement_s=0.2))
            assert failed.value.fault is fault
    finally:
        await session.close()


async def test_no_transaction_is_left_open_between_polls(database: str) -> None:
    payment_table(database, [{}])
    async with opened(database) as table, polled(table) as (poller, _):
        await poller.poll()
        await every_job(table.browser)
        states = query(
            database,
            "select state, backend_xmin is null from pg_stat_activity"
            " where application_name = 'queuetop' and datname = current_database()",
        )
        assert len(states) == 2
        assert set(states) == {("idle", True)}


async def test_a_batch_sees_one_moment(database: str) -> None:
    """Numbers of one snapshot are of one snapshot, however the table changes meanwhile."""
    payment_table(database)
    fill(database, 50, "PENDING")
    async with opened(database) as table:
        answers = await table.reader.ask(table.reader.panels())
        assert answers.round_trips == 1
    session = Session(Conninfo(database))
    count = Bound(sql.SQL("select count(*) as n, pg_sleep(0.2)::text from payment_task"), {})
    try:
        await session.ready()
        reading = asyncio.create_task(session.read([count, count, count], Limits(statement_s=5)))
        await asyncio.sleep(0.3)
        await asyncio.to_thread(fill, database, 50, "PENDING")
        first, second, third = await reading
        assert first.rows[0].n == second.rows[0].n == third.rows[0].n == 50
    finally:
        await session.close()
