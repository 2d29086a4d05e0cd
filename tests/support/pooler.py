"""PgBouncer in transaction mode in front of a server."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.support.requirements import unavailable

_CONFIG = """
[databases]
* = {upstream}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {pool_size}
logfile = {folder}/log
"""


@contextlib.contextmanager
def pgbouncer(dsn: str, *, pool_size: int = 2) -> Iterator[str]:
    """Starts PgBouncer on a free port. Yields the DSN by way of it.

    Nothing is added to ``ignore_startup_parameters``: a client that sends what a pooler refuses fails.
    """
    binary = shutil.which(
        "pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    )
    if binary is None:
        unavailable("pgbouncer", "pgbouncer is not installed")
    with tempfile.TemporaryDirectory(prefix="pgb-") as name:
        folder, port = Path(name), _free_port()
        config = folder / "pgbouncer.ini"
        config.write_text(
            _CONFIG.format(upstream=_upstream(dsn), port=port, folder=folder, pool_size=pool_size),
            encoding="utf-8",
        )
        process = _start([binary, "--quiet", str(config)], folder)
        try:
            through = make_conninfo(dsn, host="127.0.0.1", hostaddr="127.0.0.1", port=str(port))
            _await(process, through, folder)
            yield through
        finally:
            process.terminate()
            process.wait(10)


def _start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """As an unprivileged user where we are root, which PgBouncer refuses to be."""
    if os.geteuid() != 0:
        return subprocess.Popen(command, cwd=folder)
    shutil.chown(folder, "nobody")
    shutil.chown(folder / "pgbouncer.ini", "nobody")
    return subprocess.Popen(command, cwd=folder, user="nobody", extra_groups=())


def _await(process: subprocess.Popen[bytes], dsn: str, folder: Path) -> None:
    deadline = time.monotonic() + 15
    while True:
        try:
            psycopg.connect(dsn, connect_timeout=5).close()
        except psycopg.OperationalError:
            if process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            log = folder / "log"
            print(log.read_text(encoding="utf-8") if log.exists() else "pgbouncer wrote no log")
            raise
        return


def _upstream(dsn: str) -> str:
    """Where PgBouncer connects to: it takes the client's word for the database, not for the user."""
    given = conninfo_to_dict(dsn)
    kept = {key: given[key] for key in ("host", "port", "user", "password") if given.get(key)}
    return " ".join(f"{key}='{value}'" for key, value in kept.items())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
