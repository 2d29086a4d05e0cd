"""A standby: the same jobs, and no number where a standby counts nothing."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from queuetop.demo.server import EmbeddedServer
from queuetop.model.states import State
from tests.store.support import opened, snapshot_of
from tests.support.databases import query
from tests.support.payment import payment_table

_PRIMARY = {"wal_level": "replica", "max_wal_senders": "4"}
_MAPPING = """
schema = 1
name = "bare"
table = "payment_task"
[columns]
id = "id"
status = "status"
[status]
waiting = ["PENDING"]
"""


@pytest.fixture
def standby() -> Iterator[str]:
    """The DSN of a standby that has replayed a small queue."""
    with EmbeddedServer(tcp=True, settings=_PRIMARY) as primary:
        payment_table(primary.dsn, [{}, {}, {"status": "CLAIMED"}])
        with _standby_of(primary) as dsn:
            yield dsn


@contextlib.contextmanager
def _standby_of(primary: EmbeddedServer) -> Iterator[str]:
    place = primary._at  # its binaries, its account, and a folder that goes with it
    account: dict[str, Any] = {}
    if place.account:
        account = {"user": place.account.uid, "group": place.account.gid, "extra_groups": ()}
    data, port = str(place.sockets / "standby"), _free_port()
    copy = [str(place.bin / "pg_basebackup"), "-d", primary.dsn, "-D", data, "-R", "-c", "fast"]
    subprocess.run(copy, check=True, capture_output=True, timeout=60, cwd="/", **account)
    options = [f"port={port}", "listen_addresses=127.0.0.1", "unix_socket_directories="]
    options += ["fsync=off", "dynamic_shared_memory_type=mmap", "wal_receiver_status_interval=1s"]
    command = [str(place.bin / "postgres"), "-D", data]
    command += [word for option in options for word in ("-c", option)]
    server = subprocess.Popen(
        command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **account
    )
    try:
        dsn = make_conninfo(primary.dsn, port=port)
        _await(dsn, primary.dsn)
        yield dsn
    finally:
        server.terminate()
        server.wait(20)


def _free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def _await(standby: str, primary: str) -> None:
    ((written,),) = query(primary, "select pg_current_wal_lsn()")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(psycopg.OperationalError):
            there = query(
                standby, "select pg_last_wal_replay_lsn() >= %(lsn)s::pg_lsn", {"lsn": written}
            )
            if there == [(True,)]:
                return
        time.sleep(0.1)
    raise AssertionError("the standby does not come up")


async def test_the_same_jobs_and_no_statistics(standby: str) -> None:
    async with opened(standby) as table:
        health = await table.reader.database()
        snapshot = await snapshot_of(table)
        assert snapshot.server.standby
        assert snapshot.states[State.PENDING].value == 2
        assert health.table_bytes.value
        assert health.live_rows.value is None
        assert health.modified_since_analyze is None


async def test_no_rate_from_a_counter_that_stands_still(standby: str) -> None:
    async with opened(standby, mapping=_MAPPING) as table:
        snapshot = await snapshot_of(table)
        arrived = snapshot.flow.arrived
        assert (arrived.value, "two readings" in (arrived.why or "")) == (None, False)
