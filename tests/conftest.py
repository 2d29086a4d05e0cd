"""Fixtures of every test: a real server, databases of their own, a pooler, a bad link, a clean environment.

``QUEUETOP_TEST_DSN`` names a server (superuser, password inside) in place of the embedded PostgreSQL 18.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import psycopg
import pytest

from tests.support import isolation
from tests.support.databases import fresh_database
from tests.support.pooler import pgbouncer as start_pgbouncer
from tests.support.proxy import Proxy, proxied
from tests.support.requirements import unavailable

# A busy machine is no failure.
hypothesis.settings.register_profile("house", deadline=None, print_blob=True)
hypothesis.settings.load_profile("house")

_ROOT = pytest.StashKey[Path]()
_LEFT = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    isolation.scrub()
    isolation.heed_ctrl_c()
    if not hasattr(config, "workerinput"):  # xdist's workers inherit the folder of their controller
        config.stash[_ROOT] = isolation.open_root()


@pytest.hookimpl(wrapper=True, trylast=True)  # after xdist, before the summary
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Fails a run that leaves a process or a file behind, once every worker has ended."""
    yield
    root = session.config.stash.get(_ROOT, None)
    if root is not None:
        session.config.stash[_LEFT] = isolation.close_root(root)
        if session.config.stash[_LEFT] and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for line in config.stash.get(_LEFT, []):
        terminalreporter.write_line(f"LEFT BEHIND {line}", red=True)


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own for each test: no configuration, no password file, nothing kept."""
    home = tmp_path_factory.mktemp("home", numbered=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PGPASSFILE", str(home / "none"))
    for name in ("QUEUETOP_DSN", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A superuser's DSN of the server, one for each xdist worker. Databases are made per test."""
    given = os.environ.get("QUEUETOP_TEST_DSN")
    if given:
        yield given
        return
    from queuetop.demo.server import EmbeddedServer

    # TCP, since a pooler or a client under another account may not enter the socket's directory.
    with EmbeddedServer(tcp=True) as embedded:
        yield embedded.dsn


@pytest.fixture
def make_database(server: str) -> Iterator[Callable[..., str]]:
    """``make_database(encoding="SQL_ASCII")``: the DSN of one more empty database."""
    with contextlib.ExitStack() as stack:
        yield lambda **options: stack.enter_context(fresh_database(server, **options))


@pytest.fixture
def database(make_database: Callable[..., str]) -> str:
    """The DSN of an empty database that is this test's own."""
    return make_database()


@pytest.fixture
def pg15_dsn() -> Iterator[str]:
    """An empty database on the PostgreSQL that listens on 127.0.0.1:5432, where there is one."""
    for user in ("postgres", "root"):
        dsn = f"host=127.0.0.1 port=5432 dbname=postgres user={user} connect_timeout=5"
        try:
            psycopg.connect(dsn).close()
        except psycopg.OperationalError as error:
            reason = f"no PostgreSQL on 127.0.0.1:5432 lets us in ({error})"
            continue
        with fresh_database(dsn) as made:
            yield made
        return
    unavailable("pg15", reason)


@pytest.fixture
def pgbouncer() -> Iterator[Callable[..., str]]:
    """``pgbouncer(dsn, pool_size=2)``: the DSN by way of a PgBouncer in transaction mode."""
    with contextlib.ExitStack() as stack:
        yield lambda dsn, **options: stack.enter_context(start_pgbouncer(dsn, **options))


@pytest.fixture
def proxy() -> Iterator[Callable[..., Proxy]]:
    """``proxy(dsn, delay_s=0.04)``: a link to the server that can be slowed, frozen, cut and counted."""
    with contextlib.ExitStack() as stack:
        yield lambda dsn, **options: stack.enter_context(proxied(dsn, **options))
