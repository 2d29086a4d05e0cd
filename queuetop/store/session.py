"""One connection to the server, opened when it is first needed and again after it was lost."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import namedtuple_row

from queuetop.model.errors import StoreError, StoreFault
from queuetop.store import files, loaders
from queuetop.store.conninfo import Conninfo
from queuetop.store.errors import explain

# psycopg warns about pipelines that an error ended; the error itself is what we report.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

OLDEST_VERSION = 130000

#: Before a batch that a standby cancelled is sent again.
_PAUSES_S = (0.02, 0.1, 0.3, 0.8)

Row = Any


class Bound(NamedTuple):
    """A statement with its values, ready to send."""

    statement: sql.SQL | sql.Composed
    params: Dict[str, Any]


class Answer(NamedTuple):
    """What one statement returned, and the server's milliseconds for it."""

    rows: list[Row]
    ms: float


@dataclass(frozen=True)
class Limits:
    """How long the server may spend on a whole batch, or wait for one lock, in seconds."""

    statement_s: float = 2.0
    lock_s: float = 0.25

    @property
    def watchdog_s(self) -> float:
        """When the client gives up on a batch whose answer never comes."""
        return self.statement_s + 2.0


@dataclass
class Meter:
    """What the statements of one table have cost the server so far, in its milliseconds: polls, dear
    panels, lists and details alike."""

    spent_ms: float = 0.0


class Session:
    """A connection used by one task at a time; others wait.

    After a failure the connection is dropped and a later call opens a new one, until ``close``. How
    long to wait before that call is the caller's to decide.
    """

    def __init__(self, conninfo: Conninfo, meter: Meter | None = None) -> None:
        self.conninfo = conninfo
        self._connection: psycopg.AsyncConnection[Any] | None = None
        self._opening: asyncio.Task[psycopg.AsyncConnection[Any]] | None = None
        self._encoding: str | None = None
        self._closed = False
        self._lock = asyncio.Lock()
        self.round_trips = 0
        self._meter = meter or Meter()

    async def ready(self) -> None:
        """Connects, so that what follows is timed without it. Raises ``StoreError``."""
        async with self._lock:
            await self.connection()

    async def connection(self) -> psycopg.AsyncConnection[Any]:
        """The open connection. Raises ``StoreError`` where none can be had."""
        if self._closed:
            raise self._gone()
        if self._connection is None or self._connection.closed:
            self._connection = await self._open()
        return self._connection

    async def _open(self) -> psycopg.AsyncConnection[Any]:
        """In a task of its own, which ``close`` can end while nobody answers."""
        self._opening = asyncio.create_task(self._connect())
        try:
            connection = await self._opening
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._closed or (task is not None and task.cancelling()):
                raise
            raise self._gone() from None
        finally:
            self._opening = None
        if self._closed:  # just when it was there
            _finish(connection)
            raise self._gone()
        return connection

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        connection = await self._attempt()
        encoding = _encoding(connection)
        if encoding != connection.info.parameter_status("client_encoding"):
            await connection.close()
            self._encoding = encoding
            connection = await self._attempt()
        version = connection.info.server_version
        if version < OLDEST_VERSION:
            await connection.close()
            raise StoreError(
                StoreFault.TOO_OLD,
                f"{self.conninfo.where} runs PostgreSQL {version // 10000}; queuetop needs 13 or newer",
            )
        loaders.register(connection)
        return connection

    async def _attempt(self) -> psycopg.AsyncConnection[Any]:
        secret = self.conninfo.secret
        if self._encoding is not None:
            secret = make_conninfo(secret, client_encoding=self._encoding)
        try:
            # libpq's own timeout counts per address and not while a server is silent after TLS.
            async with asyncio.timeout(15):
                return await psycopg.AsyncConnection.connect(
                    secret,
                    autocommit=True,
                    prepare_threshold=None,  # PgBouncer in transaction mode knows no prepared ones
                    row_factory=namedtuple_row,
                )
        except (psycopg.Error, TimeoutError, OSError) as error:
            raise explain(error, self.conninfo.where) from error

    async def read(self, statements: Sequence[Bound], limits: Limits) -> list[Answer]:
        """Runs ``statements`` in one read-only transaction and one round trip.

        All or nothing: the first error is raised as ``StoreError`` and nothing of the batch counts.
        What a standby cancels, because replay needs a row away, is asked again a few times.
        The clock is asked between the statements: each one's cost is the server's own, and what the
        ones before it took is not there for it any more.
        """
        for pause_s in _PAUSES_S:
            try:
                return await self._read(statements, limits)
            except StoreError as error:
                if error.fault is not StoreFault.CONFLICT:
                    raise
            await asyncio.sleep(pause_s)
        return await self._read(statements, limits)

    async def _read(self, statements: Sequence[Bound], limits: Limits) -> list[Answer]:
        clock = files.load("observe/clock")
        allowed = {
            "statement_timeout": str(round(limits.statement_s * 1000)),
            "lock_timeout": str(round(limits.lock_s * 1000)),
        }
        async with self._lock:
            connection = await self.connection()
            async with self._guarded(connection, limits.watchdog_s):
                self.round_trips += 1
                async with connection.pipeline():
                    await connection.execute(files.load("observe/begin"))
                    await connection.execute(files.load("observe/settings"), allowed)
                    cursors = [await connection.execute(clock, allowed)]
                    for statement, params in statements:
                        # As bytes, because a connection without an encoding refuses odd names.
                        sent = statement.as_bytes(None)
                        cursors.append(await connection.execute(sent, dict(params)))
                        cursors.append(await connection.execute(clock, allowed))
                    await connection.execute(files.load("observe/commit"))
                fetched = [await cursor.fetchall() for cursor in cursors]
        times = [rows[0][0] for rows in fetched[::2]]
        self._meter.spent_ms += (times[-1] - times[0]).total_seconds() * 1000
        return [
            Answer(rows, (after - before).total_seconds() * 1000)
            for rows, before, after in zip(fetched[1::2], times, times[1:], strict=False)
        ]

    async def run(
        self, statement: sql.SQL | sql.Composed, params: Dict[str, Any] | None = None
    ) -> list[Row]:
        """Runs one statement in a transaction of its own and returns its rows, if it has any."""
        async with self._lock:
            connection = await self.connection()
            async with self._guarded(connection, None):
                cursor = await connection.execute(statement, dict(params or {}))
                return await cursor.fetchall() if cursor.description else []

    @contextlib.asynccontextmanager
    async def _guarded(
        self, connection: psycopg.AsyncConnection[Any], seconds: float | None
    ) -> AsyncIterator[None]:
        """Turns errors into ours and leaves the connection usable, or closed."""
        started = monotonic()
        try:
            with _watchdog(connection, seconds):
                yield
        except (psycopg.Error, TimeoutError, OSError, UnicodeError) as error:
            overdue = seconds is not None and monotonic() - started >= seconds
            if _worked(error):
                self._meter.spent_ms += (monotonic() - started) * 1000
            await self._settle(connection)
            if self._closed:
                raise self._gone() from error
            cause: BaseException = TimeoutError() if overdue else error
            raise explain(cause, self.conninfo.where) from error
        except BaseException:
            await self._settle(connection)
            raise

    async def _settle(self, connection: psycopg.AsyncConnection[Any]) -> None:
        """After an error: roll back, or drop the connection where even that fails."""
        if not connection.closed and not self._closed:
            with contextlib.suppress(psycopg.Error, OSError), _watchdog(connection, 1.0):
                await connection.rollback()
                return
        _finish(connection)
        if self._connection is connection:
            self._connection = None

    async def close(self) -> None:
        """Closes for good, within half a second, also a connection that hangs or is being opened."""
        self._closed = True
        if self._opening is not None:
            self._opening.cancel()
        connection, self._connection = self._connection, None
        if connection is None or connection.closed:
            return
        if not self._lock.locked():
            _finish(connection)
            return
        # A statement is under way: the server need not finish it, and its task ends by itself.
        with contextlib.suppress(psycopg.Error, OSError, TimeoutError):
            await connection.cancel_safe(timeout=0.4)
        _hang_up(connection)

    def _gone(self) -> StoreError:
        return StoreError(
            StoreFault.LOST, f"the connection to {self.conninfo.where} was closed on this side"
        )


def _worked(error: BaseException) -> bool:
    """Whether the time until this error was the server's work: it answered, and did not wait for a lock.
    Of a silent link, or of a pooler that has no connection, nobody knows."""
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return False
    return isinstance(error, psycopg.Error) and error.sqlstate is not None


def _encoding(connection: psycopg.AsyncConnection[Any]) -> str:
    """What every text can be sent and read in: a database without an encoding refuses to translate."""
    server = connection.info.parameter_status("server_encoding")
    return "SQL_ASCII" if server == "SQL_ASCII" else "UTF8"


@contextlib.contextmanager
def _watchdog(connection: psycopg.AsyncConnection[Any], seconds: float | None) -> Iterator[None]:
    """Ends a batch on a link that went silent.

    Cancelling a task on a frozen link takes psycopg ten seconds (it asks the server to cancel).
    """
    if seconds is None:
        yield
        return
    handle = asyncio.get_running_loop().call_later(seconds, _hang_up, connection)
    try:
        yield
    finally:
        handle.cancel()


def _hang_up(connection: psycopg.AsyncConnection[Any]) -> None:
    """Whoever waits on the connection's socket sees its end at once.

    The descriptor stays open until that one has let go of it: closed under him it could already be
    another connection's.
    """
    with (
        contextlib.suppress(psycopg.Error, OSError, ValueError),
        socket.socket(fileno=os.dup(connection.fileno())) as line,
    ):
        line.shutdown(socket.SHUT_RDWR)


def _finish(connection: psycopg.AsyncConnection[Any]) -> None:
    with contextlib.suppress(psycopg.Error, OSError, ValueError):
        connection.pgconn.finish()
