"""PostgreSQL's and libpq's errors in our words. No password, no traceback: one sentence, what to do."""

from __future__ import annotations

import psycopg
from psycopg import errors as pg

from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.text import clean

_CONNECTION_LOST = (
    pg.AdminShutdown,
    pg.CrashShutdown,
    pg.CannotConnectNow,
    pg.IdleSessionTimeout,
    pg.ConnectionException,
    pg.ConnectionFailure,
)


def explain(error: BaseException, where: str) -> StoreError:
    """The error as a ``StoreError``. ``where`` names the server without secrets: ``db1:5432/app``."""
    if isinstance(error, StoreError):
        return error
    if isinstance(error, TimeoutError):
        return StoreError(
            StoreFault.LOST, f"{where} does not answer; check the network, queuetop keeps trying"
        )
    if not isinstance(error, psycopg.Error):
        return StoreError(StoreFault.REFUSED, f"{where}: {clean(error)}")
    return _by_state(error, where) or _by_link(error, where) or _other(error, where)


def _by_state(error: psycopg.Error, where: str) -> StoreError | None:
    """What the server's SQLSTATE says."""
    said = _said(error)
    match error:
        case pg.InvalidPassword() | pg.InvalidAuthorizationSpecification():
            return StoreError(
                StoreFault.DENIED,
                f"{where} refused the login ({said}); check user, password and pg_hba.conf",
            )
        case pg.InvalidCatalogName():
            return StoreError(StoreFault.DENIED, f"{where}: {said}; check the database's name")
        case pg.TooManyConnections():
            return StoreError(
                StoreFault.UNREACHABLE,
                f"{where} has no connection left ({said}); free one, queuetop needs at most three",
            )
        case pg.QueryCanceled():
            return StoreError(
                StoreFault.TIMED_OUT,
                "a statement took too long and was cancelled; it will run less often",
            )
        case pg.LockNotAvailable():
            return StoreError(
                StoreFault.LOCKED,
                "another session holds a lock on the table; the Database view shows which",
            )
        case pg.InsufficientPrivilege():
            return StoreError(
                StoreFault.NO_PERMISSION, f"{said}; grant SELECT to the role that queuetop uses"
            )
        case (
            pg.UndefinedTable()
            | pg.UndefinedColumn()
            | pg.InvalidSchemaName()
            | pg.UndefinedObject()
        ):
            return StoreError(
                StoreFault.WRONG_SCHEMA,
                f"{said}; the table changed or the mapping is for another one, see queuetop init",
            )
        case pg.UntranslatableCharacter():
            return StoreError(
                StoreFault.REFUSED,
                f"{said}; this database can hold no such text, so nothing can match it",
            )
        case pg.ReadOnlySqlTransaction():
            return StoreError(StoreFault.REFUSED, f"{where} takes no writes here ({said})")
    return None


def _by_link(error: psycopg.Error, where: str) -> StoreError | None:
    """What a connection that could not be made, or that broke, says."""
    said = _said(error)
    if isinstance(error, _CONNECTION_LOST):
        return StoreError(StoreFault.LOST, f"{where} closed the connection ({said})")
    if not isinstance(error, psycopg.OperationalError):
        return None
    lowered = said.lower()
    if "no password supplied" in lowered or "password authentication failed" in lowered:
        return StoreError(
            StoreFault.DENIED, f"{where} refused the login ({said}); check user and password"
        )
    if 'database "' in lowered and "does not exist" in lowered:
        return StoreError(StoreFault.DENIED, f"{where}: {said}; check the database's name")
    if error.sqlstate is not None and not error.sqlstate.startswith(("08", "57P")):
        return None
    if isinstance(error, psycopg.errors.ConnectionTimeout) or "timeout" in lowered:
        return StoreError(
            StoreFault.UNREACHABLE, f"{where} did not answer in time; check host, port and network"
        )
    return StoreError(
        StoreFault.UNREACHABLE, f"cannot reach {where} ({said}); check that it runs and the address"
    )


def _other(error: psycopg.Error, where: str) -> StoreError:
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        return StoreError(StoreFault.REFUSED, f"{where}: {_said(error)}")
    return StoreError(StoreFault.REFUSED, f"the server refused a statement: {_said(error)}")


def _said(error: psycopg.Error) -> str:
    """The server's own first line; of a failed connection the last attempt's."""
    if error.diag.message_primary:
        return clean(error.diag.message_primary, 200)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    line = lines[-1] if lines[0].startswith("connection failed") and len(lines) > 1 else lines[0]
    for prefix in ("connection failed: ", "connection is bad: ", "- "):
        line = line.removeprefix(prefix)
    _, fatal, rest = line.partition("FATAL:")
    return clean(rest.strip() if fatal else line, 200)
