"""The user's DSN, completed with what queuetop needs and shown without its secrets."""

from __future__ import annotations

import os

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from queuetop.model.errors import UsageError
from queuetop.model.text import clean

#: Only what the user did not set. Keepalives find a dead peer in 25 s; the client watchdog is faster.
_DEFAULTS: dict[str, str] = {
    "application_name": "queuetop",
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}


_SECRETS = {
    "password",
    "sslpassword",
    "oauth_client_secret",
    "scram_client_key",
    "scram_server_key",
}


class Conninfo:
    """A connection string that never shows its password."""

    def __init__(self, dsn: str) -> None:
        """Takes a URI, ``key=value`` pairs, or an empty string for libpq's own settings.

        Raises ``UsageError`` with a sentence where it is neither; the text itself, which may hold
        a password, is not repeated.
        """
        try:
            given = conninfo_to_dict(dsn)
            self._dsn = make_conninfo(
                dsn, **{key: value for key, value in _DEFAULTS.items() if key not in given}
            )
        except psycopg.Error as error:
            hint = _unknown(dsn) or _without(str(error).strip().splitlines()[0], dsn)
            raise UsageError(
                f"the DSN cannot be read ({hint}); write postgresql://user@host:port/database"
            ) from None
        self._given = {key: str(value) for key, value in given.items()}
        if dsn.lstrip().startswith(("postgresql://", "postgres://")) and self._is_torn():
            raise UsageError(
                "the DSN cannot be read: a character of the user or the password ends it early; "
                "write such characters percent-encoded (@ as %40, / as %2F, : as %3A)",
            )

    def _is_torn(self) -> bool:
        """Whether a part of the password was taken for another part, where it would be shown."""
        ports = self._given.get("port", "").split(",")
        database = self._given.get("dbname", "")
        return (
            not all(port.strip().isdigit() or not port for port in ports)
            or "@" in self._given.get("host", "")
            or ("@" in database and "/" in database)
        )

    @property
    def secret(self) -> str:
        """The whole string, for libpq alone."""
        return self._dsn

    @property
    def shown(self) -> str:
        """What was given as ``key=value`` pairs, secrets masked."""
        masked = {k: "***" if k in _SECRETS else v for k, v in self._given.items()}
        return make_conninfo("", **masked)

    @property
    def where(self) -> str:
        """``host:port/database`` without user or password, for headers and errors."""
        host = self._part("host", "PGHOST") or self._part("hostaddr", "PGHOSTADDR")
        service = self._part("service", "PGSERVICE")
        if not host and service:
            return clean(f"service {service}")
        port = self._part("port", "PGPORT") or "5432"
        database = self._part("dbname", "PGDATABASE") or self._part("user", "PGUSER")
        place = "local socket" if not host or host.startswith("/") else _places(host, port)
        return clean(f"{place}/{database}" if database else place)

    def _part(self, key: str, env: str) -> str:
        return self._given.get(key) or os.environ.get(env, "")

    def __repr__(self) -> str:
        return f"Conninfo({self.where})"


def _places(host: str, port: str) -> str:
    """``db1:5432``, and of several hosts each with its own port: ``db1:5432,db2:5433``."""
    hosts, ports = host.split(","), port.split(",")
    ports = ports * len(hosts) if len(ports) == 1 else ports
    return ",".join(
        f"{name}:{number or '5432'}" for name, number in zip(hosts, ports, strict=False)
    )


def _unknown(dsn: str) -> str:
    """The parameters of a URI that are an application's own (``?pgbouncer=true``), which libpq refuses.

    Names only, and none where an ``@`` behind them says that they may be a piece of the password.
    """
    _, _, query = dsn.partition("?")
    if "://" not in dsn or "@" in query:
        return ""
    known = {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()}
    names = [pair.partition("=")[0] for pair in query.split("&")]
    odd = [name for name in names if name.isidentifier() and len(name) < 30 and name not in known]
    return f"PostgreSQL knows no parameter {', '.join(odd)}: take it out" if odd else ""


def _without(message: str, dsn: str) -> str:
    """libpq quotes parts of a malformed DSN, password included: keep its words, drop its quotes."""
    words, inside = [], False
    for piece in message.split('"'):
        words.append("…" if inside else piece)
        inside = not inside
    text = "".join(words)
    return "it is malformed" if dsn and dsn in text else text
