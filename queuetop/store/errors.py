"""PostgreSQL's and libpq's errors in our words. No password, no traceback: one sentence, what to do."""

from __future__ import annotations

import re

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

#: libpq's own advice, after what happened.
_ADVICE = "Is the server running"
#: What stands before the reason and says again where the connection was to go.
_ADDRESS = re.compile(
    r"^(?:host: '.*?connection failed: )?connection to server at \"[^\"]*\"(?: \([^)]*\))?, port \S+ failed: "
)


#: How a server says at the login that it is full; a connection that fails has no SQLSTATE.
_FULL = ("too many connections", "too many clients", "connection slots are reserved")
#: How a refused login reads, and what to check then.
_LOGIN = (
    ("no password supplied|password authentication failed", "user and password"),
    (r'pg_hba\.conf|role ".*" does not exist', "user and pg_hba.conf"),
    ("permission denied for database|not permitted to log in", "the role's right to connect"),
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
    return (
        _cancelled(error)
        or _by_state(error, where)
        or _by_link(error, where)
        or _other(error, where)
    )


def _by_state(error: psycopg.Error, where: str) -> StoreError | None:
    """What the server's SQLSTATE says."""
    told = said(error)
    match error:
        case pg.InvalidPassword() | pg.InvalidAuthorizationSpecification():
            return StoreError(
                StoreFault.DENIED,
                f"{where} refused the login ({told}); check user, password and pg_hba.conf",
            )
        case pg.InvalidCatalogName():
            return StoreError(StoreFault.DENIED, f"{where}: {told}; check the database's name")
        case pg.TooManyConnections():
            return StoreError(StoreFault.UNREACHABLE, _full(where, told))
        case pg.InsufficientPrivilege():
            return StoreError(
                StoreFault.NO_PERMISSION, f"{told}; grant SELECT to the role that queuetop uses"
            )
        case (
            pg.UndefinedTable()
            | pg.UndefinedColumn()
            | pg.InvalidSchemaName()
            | pg.UndefinedObject()
        ):
            return StoreError(
                StoreFault.WRONG_SCHEMA,
                f"{told}; the table changed or the mapping is for another one, see queuetop init",
            )
        case pg.UntranslatableCharacter():
            return StoreError(
                StoreFault.REFUSED,
                f"{told}; this database can hold no such text, so nothing can match it",
            )
        case pg.ReadOnlySqlTransaction():
            return StoreError(StoreFault.REFUSED, f"{where} takes no writes here ({told})")
    return None


def _cancelled(error: psycopg.Error) -> StoreError | None:
    """What the server gave up for the sake of others."""
    match error:
        case pg.QueryCanceled():
            return StoreError(
                StoreFault.TIMED_OUT,
                "a statement took too long and was cancelled; it will run less often",
            )
        case pg.SerializationFailure() | pg.DeadlockDetected():
            return StoreError(
                StoreFault.CONFLICT,
                f"the server cancelled a statement ({said(error)}); a standby does so while it replays "
                "changes of what is read: try again, or set hot_standby_feedback there",
            )
        case pg.LockNotAvailable():
            return StoreError(
                StoreFault.LOCKED,
                "another session holds a lock on the table; the Database view shows which",
            )
    return None


def _by_link(error: psycopg.Error, where: str) -> StoreError | None:
    """What a connection that could not be made, or that broke, says."""
    told = said(error)
    if isinstance(error, _CONNECTION_LOST):
        return StoreError(StoreFault.LOST, f"{where} closed the connection ({told})")
    if not isinstance(error, psycopg.OperationalError):
        return None
    lowered = told.lower()
    if "consuming input failed" in lowered:
        return StoreError(
            StoreFault.LOST,
            f"{where} closed the connection in the middle of a statement; a restart, a timeout set for "
            "the role, or something on the way did it",
        )
    if any(full in lowered for full in _FULL):
        return StoreError(StoreFault.UNREACHABLE, _full(where, told))
    for pattern, check in _LOGIN:
        if re.search(pattern, lowered):
            return StoreError(
                StoreFault.DENIED, f"{where} refused the login ({told}); check {check}"
            )
    if 'database "' in lowered and "does not exist" in lowered:
        return StoreError(StoreFault.DENIED, f"{where}: {told}; check the database's name")
    if error.sqlstate is not None and not error.sqlstate.startswith(("08", "57P")):
        return None
    if isinstance(error, psycopg.errors.ConnectionTimeout) or "timeout" in lowered:
        return StoreError(
            StoreFault.UNREACHABLE, f"{where} did not answer in time; check host, port and network"
        )
    return StoreError(
        StoreFault.UNREACHABLE, f"cannot reach {where} ({told}); check that it runs and the address"
    )


def _full(where: str, told: str) -> str:
    return f"{where} has no connection left ({told}); free one, queuetop needs at most three"


def _other(error: psycopg.Error, where: str) -> StoreError:
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        return StoreError(StoreFault.REFUSED, f"{where}: {said(error)}")
    return StoreError(StoreFault.REFUSED, f"the server refused a statement: {said(error)}")


def said(error: BaseException | None) -> str:
    """The server's own first line; of a failed connection the last attempt's."""
    if not isinstance(error, psycopg.Error):
        return clean(error, 200)
    if error.diag.message_primary:  # which may quote a whole statement
        return clean(error.diag.message_primary.splitlines()[0], 200)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(_ADVICE)]
    if not lines:
        return type(error).__name__
    fatal_lines = [line for line in lines if "FATAL:" in line]
    line = fatal_lines[-1] if fatal_lines else lines[0]
    if not fatal_lines and lines[0].startswith(("connection failed", "Multiple connection")):
        line = lines[-1]
    for prefix in ("connection failed: ", "connection is bad: ", "- "):
        line = line.removeprefix(prefix)
    line = _ADDRESS.sub("", line)
    _, fatal, rest = line.partition("FATAL:")
    return clean(rest.strip() if fatal else line, 200)
