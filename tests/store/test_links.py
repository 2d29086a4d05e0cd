"""Lost links: told in a sentence, mended without a key, and never in the way of quitting."""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from queuetop.demo.server import EmbeddedServer
from queuetop.model.errors import StoreError, StoreFault, UsageError
from queuetop.model.jobs import Sort
from queuetop.model.selection import Selection
from queuetop.model.states import State
from queuetop.store.conninfo import Conninfo
from queuetop.store.opener import Opener
from queuetop.store.session import Limits, Session
from tests.store.listening import Listener, eventually, listening
from tests.store.support import opened
from tests.support.databases import execute, query
from tests.support.payment import insert_jobs, payment_table
from tests.support.proxy import Proxy

SECRET = "hunter2-geheim"
#: Far below what a frozen link takes when somebody waits for it, far above what closing takes.
SOON_S = 3.0

SLOW = """
schema = 1
name = "slow"
table = "payment_task"
[columns]
id = "id"
status = "status"
created_at = "created_at"
[expressions]
queue = "(select pg_sleep({seconds})::text || j.queue)"
[status]
waiting = ["PENDING"]
claimed = ["CLAIMED"]
"""


def kill(dsn: str) -> int:
    """Ends queuetop's backends in this database."""
    rows = query(
        dsn,
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where application_name = 'queuetop' and datname = current_database()",
    )
    return len(rows)


def sleeping(dsn: str) -> bool:
    """Whether a statement of this database sleeps."""
    return bool(
        query(
            dsn,
            "select 1 from pg_stat_activity"
            " where wait_event = 'PgSleep' and datname = current_database()",
        )
    )


async def recovers(said: Listener, dsn: str) -> None:
    """The next snapshots know of a job that came meanwhile."""
    before = await said.snapshot()
    insert_jobs(dsn, [{}])
    wanted = (before.states[State.PENDING].value or 0) + 1
    await said.snapshot(lambda s: (s.states[State.PENDING].value or 0) >= wanted)


async def test_a_killed_backend_is_replaced(database: str) -> None:
    payment_table(database, [{}])
    async with opened(database) as table, listening(table) as said:
        await said.snapshot()
        assert kill(database) >= 1
        lost = await said.stale()
        assert "closed the connection" in lost.sentence or "cannot reach" in lost.sentence
        assert lost.retry_in_s is not None
        await recovers(said, database)


async def test_a_backend_killed_behind_a_pooler_is_replaced(
    database: str, pgbouncer: Callable[..., str]
) -> None:
    payment_table(database, [{}])
    through = pgbouncer(database)
    async with opened(through) as table, listening(table) as said:
        await said.snapshot()
        for _ in range(2):
            assert kill(database) >= 1
            await recovers(said, database)


async def test_a_backend_killed_in_the_middle_of_a_statement(database: str) -> None:
    payment_table(database, [{}])
    mapping = SLOW.replace("{seconds}", "0.7")
    async with opened(database, mapping=mapping) as table, listening(table) as said:
        await said.snapshot()
        said.forget()
        await eventually(lambda: sleeping(database))
        kill(database)
        await said.stale()
        await recovers(said, database)


async def test_a_restarted_server_is_found_again() -> None:
    with EmbeddedServer(tcp=True) as server:
        payment_table(server.dsn, [{}])
        async with opened(server.dsn) as table, listening(table) as said:
            snapshot = await said.snapshot()
            await asyncio.to_thread(server.stop)
            lost = await said.stale()
            assert lost.sentence
            again = await said.stale()
            assert "cannot reach" in again.sentence
            assert said.watcher.server == snapshot.server
            await asyncio.to_thread(server.start)
            await recovers(said, server.dsn)
            # A crash, which the server repairs while it already refuses connections.
            await asyncio.to_thread(server.stop, immediate=True)
            await said.stale()
            await asyncio.to_thread(server.start)
            await recovers(said, server.dsn)


async def test_a_frozen_link_is_given_up_and_found_again(
    database: str, proxy: Callable[..., Proxy]
) -> None:
    payment_table(database, [{}])
    link = proxy(database)
    async with opened(link.dsn) as table, listening(table) as said:
        await said.snapshot()
        link.freeze()
        lost = await said.stale()
        assert "does not answer" in lost.sentence or "did not answer" in lost.sentence
        link.thaw()
        await recovers(said, database)
        link.cut()
        await said.stale()
        await recovers(said, database)


async def closes_soon(said: Listener) -> None:
    async with asyncio.timeout(SOON_S):
        await said.watcher.close()
        await said.task


async def test_a_frozen_link_does_not_hold_up_the_end(
    database: str, proxy: Callable[..., Proxy]
) -> None:
    payment_table(database, [{}])
    link = proxy(database)
    async with opened(link.dsn) as table, listening(table) as said:
        await said.snapshot()
        link.freeze()
        browsing = asyncio.create_task(table.browser.jobs(Selection(), Sort("id")))
        said.watcher.poll_now()
        await asyncio.sleep(0.2)
        await closes_soon(said)
        async with asyncio.timeout(SOON_S):
            with pytest.raises(StoreError) as closed:
                await browsing
        assert closed.value.fault is StoreFault.LOST


async def test_a_link_that_is_frozen_from_the_start_does_not_hold_up_the_end(
    database: str, proxy: Callable[..., Proxy]
) -> None:
    payment_table(database, [{}])
    link = proxy(database)
    async with opened(link.dsn) as table:
        link.freeze()
        async with listening(table) as said:
            await asyncio.sleep(0.3)
            await closes_soon(said)


async def test_a_dear_statement_does_not_hold_up_the_end(database: str) -> None:
    """It is cancelled on the server as well."""
    payment_table(database, [{}])
    mapping = SLOW.replace("{seconds}", "20")
    async with opened(database, mapping=mapping) as table:
        async with listening(table) as said:
            asking = asyncio.create_task(table.reader.ask_dear(table.reader.panels()[0]))
            await eventually(lambda: sleeping(database))
            await closes_soon(said)
            with pytest.raises(StoreError):
                await asking
        await eventually(lambda: not sleeping(database), SOON_S)


async def test_a_cancelled_list_leaves_the_connection_usable(database: str) -> None:
    payment_table(database, [{}])
    mapping = SLOW.replace("{seconds}", "2")
    async with opened(database, mapping=mapping) as table:
        browsing = asyncio.create_task(table.browser.jobs(Selection(), Sort("id")))
        await asyncio.sleep(0.3)
        browsing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await browsing
        assert await table.browser.job("999") is None
        assert len(query(database, "select 1 from pg_stat_activity where application_name = 'queuetop'"
                         " and datname = current_database() and state = 'idle'")) == 1  # fmt: skip


async def test_what_is_closed_stays_closed(database: str) -> None:
    session = Session(Conninfo(database))
    await session.ready()
    await session.close()
    await session.close()
    with pytest.raises(StoreError) as closed:
        await session.read([], Limits())
    assert closed.value.fault is StoreFault.LOST
    assert closed.value.breaks_link


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    """A server that asks the role ``guarded`` for its password."""
    with EmbeddedServer(tcp=True) as server:
        execute(server.dsn, f"create role guarded login password '{SECRET}'")
        ((hba,),) = query(server.dsn, "show hba_file")
        path = Path(hba)
        if not os.access(path, os.W_OK):
            pytest.skip("the server's pg_hba.conf belongs to somebody else")
        path.write_text(f"host all guarded 127.0.0.1/32 scram-sha-256\n{path.read_text()}")
        query(server.dsn, "select pg_reload_conf()")
        payment_table(server.dsn, [{}])
        execute(server.dsn, "grant select on payment_task to guarded")
        yield server.dsn


async def refused(dsn: str) -> StoreError:
    """The error that opening leads to; it shows no password anywhere."""
    conninfo = Conninfo(dsn)
    with pytest.raises(StoreError) as error:
        await opens(conninfo)
    assert SECRET not in "".join(traceback.format_exception(error.value))
    assert SECRET not in repr(conninfo) + conninfo.shown + conninfo.where
    return error.value


async def test_a_wrong_password_is_refused_in_a_sentence(guarded: str) -> None:
    for password in (f"x{SECRET}", ""):
        error = await refused(make_conninfo(guarded, user="guarded", password=password))
        assert error.fault is StoreFault.DENIED
        assert "refused the login" in error.sentence
        assert "check user" in error.sentence
    async with opened(make_conninfo(guarded, user="guarded", password=SECRET)) as table:
        assert (await table.browser.jobs(Selection(), Sort("id"))).jobs


async def test_a_password_that_changes_meanwhile(guarded: str) -> None:
    dsn = make_conninfo(guarded, user="guarded", password=SECRET)
    async with opened(dsn) as table, listening(table) as said:
        await said.snapshot()
        execute(guarded, "alter role guarded password 'another'")
        kill(guarded)
        lost = await said.stale()
        while "refused the login" not in lost.sentence:
            lost = await said.stale()
        assert SECRET not in repr(lost)
        execute(guarded, f"alter role guarded password '{SECRET}'")
        await recovers(said, guarded)


@pytest.mark.parametrize(
    ("change", "fault", "says"),
    (
        ({"dbname": "nowhere"}, StoreFault.DENIED, "check the database's name"),
        ({"user": "nobody_at_all"}, StoreFault.DENIED, "check user"),
        ({"port": "1"}, StoreFault.UNREACHABLE, "check that it runs"),
        ({"host": "no-such-host.invalid"}, StoreFault.UNREACHABLE, "cannot reach"),
        ({"host": "/nowhere/at/all"}, StoreFault.UNREACHABLE, "cannot reach"),
        ({"sslmode": "require"}, StoreFault.UNREACHABLE, "SSL"),
    ),
)
async def test_faults_of_the_address_say_what_to_do(
    database: str, change: dict[str, str], fault: StoreFault, says: str
) -> None:
    error = await refused(make_conninfo(database, **change, password=SECRET))
    assert error.fault is fault, error.sentence
    assert says in error.sentence


async def test_a_role_that_may_not_connect(database: str, server: str) -> None:
    ((name,),) = query(database, "select current_database()")
    execute(database, f"revoke connect on database {name} from public")
    role = f"lone_{name[-8:]}"
    execute(database, f"create role {role} login")
    try:
        error = await refused(make_conninfo(database, user=role))
    finally:
        execute(database, f"drop role {role}")
    assert error.fault is StoreFault.DENIED
    assert "check the role's right to connect" in error.sentence


async def test_a_server_that_is_full(database: str) -> None:
    ((name,),) = query(database, "select current_database()")
    role = f"few_{name[-8:]}"
    execute(database, f"create role {role} login connection limit 0")
    try:
        error = await refused(make_conninfo(database, user=role))
    finally:
        execute(database, f"drop role {role}")
    assert error.fault is StoreFault.UNREACHABLE
    assert "no connection left" in error.sentence


@pytest.mark.parametrize(
    "dsn",
    (
        f"postgresql://me:{SECRET}@h1:port/db",
        f"postgresql://me:x@{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}/x@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}?x@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}%zz@127.0.0.1:1/db",
        f"host=127.0.0.1 port=1 password={SECRET} nonsense",
        f"host=127.0.0.1 port=1 password='{SECRET}",
        f"host=127.0.0.1 port=1 password='a{SECRET}' user='{SECRET[:3]}",
        f"mysql://me:{SECRET}@127.0.0.1/db",
        f"postgresql://127.0.0.1:1/db?user=me&password={SECRET}&nonsense=1",
        f"postgresql://127.0.0.1:1/db?password={SECRET}&sslpassword={SECRET}",
        f"host=127.0.0.1 port=1 sslpassword={SECRET} password={SECRET}",
    ),
)
async def test_no_error_shows_a_password_wherever_it_stood(dsn: str) -> None:
    with pytest.raises((StoreError, UsageError)) as error:
        await opens_quietly(dsn)
    assert SECRET not in "".join(traceback.format_exception(error.value))
    assert getattr(error.value, "fault", StoreFault.UNREACHABLE) is StoreFault.UNREACHABLE


async def opens_quietly(dsn: str) -> None:
    conninfo = Conninfo(dsn)
    assert SECRET not in conninfo.shown + conninfo.where + repr(conninfo)
    await opens(conninfo)


async def opens(conninfo: Conninfo) -> None:
    async with Opener(conninfo) as opener:
        await opener.open()


async def test_an_old_server_is_told_plainly(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        psycopg.ConnectionInfo, "server_version", property(lambda self: 120015)
    )  # none that old can be installed here
    error = await refused(database)
    assert error.fault is StoreFault.TOO_OLD
    assert "runs PostgreSQL 12; queuetop needs 13 or newer" in error.sentence
