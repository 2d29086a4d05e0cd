"""The harness itself: what other tests rely on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from tests.support import isolation
from tests.support.databases import execute, query
from tests.support.payment import fill, payment_table
from tests.support.proxy import Proxy


def test_databases_are_fresh_and_of_the_encoding_asked_for(
    make_database: Callable[..., str],
) -> None:
    ascii_dsn = make_database(encoding="SQL_ASCII")
    assert query(ascii_dsn, "show server_encoding") == [
        (b"SQL_ASCII",)
    ]  # bytes: psycopg cannot know
    assert query(ascii_dsn, "select count(*) from pg_tables where schemaname = 'public'") == [(0,)]


def test_payment_table_keeps_order_and_times(database: str) -> None:
    ids = payment_table(
        database,
        [
            {"status": "PENDING", "created_at": timedelta(minutes=-5), "payload": {"a": [1]}},
            {},
            {
                "status": "FAILED",
                "failed_at": timedelta(0),
                "failure_kind": "VALIDATION",
                "attempts": 2,
            },
        ],
    )
    assert ids == [1, 2, 3]
    assert query(
        database,
        "select payload->'a'->0 = '1', round(extract(epoch from max(created_at) over () - created_at))::int"
        " from payment_task where id = 1 or id = 2 order by id",
    ) == [(True, 300), (None, 0)]
    fill(database, 30, "DONE")
    assert query(
        database,
        "select queue, count(*) from payment_task where status = 'DONE' group by 1 order by 1",
    ) == [("default", 10), ("payments", 10), ("reports", 10)]


def test_proxy_counts_round_trips_and_delays_them(
    database: str, proxy: Callable[..., Proxy]
) -> None:
    link = proxy(database, delay_s=0.04)
    with psycopg.connect(link.dsn, autocommit=True) as connection:
        before, started = link.flights, time.monotonic()
        connection.execute("select 1")
        assert link.flights == before + 1
        assert time.monotonic() - started >= 0.04
        with connection.pipeline():
            for _ in range(50):
                connection.execute("select repeat('x', 1000)")
        assert link.flights == before + 2


def test_proxy_freezes_thaws_and_cuts(database: str, proxy: Callable[..., Proxy]) -> None:
    link = proxy(database)
    with psycopg.connect(link.dsn, autocommit=True, connect_timeout=2) as connection:
        link.freeze()
        with pytest.raises(psycopg.errors.ConnectionTimeout):
            psycopg.connect(link.dsn, connect_timeout=2)
        link.thaw()
        assert connection.execute("select 1").fetchone() == (1,)
        link.cut()
        with pytest.raises(psycopg.OperationalError):
            connection.execute("select 1")
    with psycopg.connect(link.dsn) as connection:
        assert connection.execute("select 2").fetchone() == (2,)


def test_proxy_passes_large_answers_whole(database: str, proxy: Callable[..., Proxy]) -> None:
    link = proxy(database)
    assert query(link.dsn, "select length(repeat('x', 20000000))") == [(20_000_000,)]
    [(text,)] = query(link.dsn, "select repeat('x', 20000000)")
    assert text == "x" * 20_000_000


def test_pgbouncer_pools_transactions(database: str, pgbouncer: Callable[..., str]) -> None:
    through = pgbouncer(database, pool_size=1)
    with (
        psycopg.connect(through, autocommit=True) as one,
        psycopg.connect(through, autocommit=True) as two,
    ):
        backends = {c.execute("select pg_backend_pid()").fetchone() for c in (one, two, one)}
    assert len(backends) == 1


def test_pgbouncer_in_front_of_postgresql_15(pg15_dsn: str, pgbouncer: Callable[..., str]) -> None:
    execute(pg15_dsn, "create table here (id int)")
    assert query(pgbouncer(pg15_dsn), "select count(*) from here") == [(0,)]
    [(version,)] = query(pg15_dsn, "show server_version_num")
    assert int(version) >= 130000


def test_nothing_of_the_developers_own_is_seen() -> None:
    assert not [
        name for name in os.environ if name in {"PGHOST", "PGUSER", "QUEUETOP_DSN", "DATABASE_URL"}
    ]
    home = Path(os.environ["HOME"])
    assert home.is_relative_to(os.environ["TMPDIR"])
    assert list(home.iterdir()) == []


def test_what_is_left_behind_is_found(tmp_path: Path) -> None:
    (tmp_path / "forgotten").touch()
    (tmp_path / "pytest-of-me").mkdir()
    assert isolation.close_root(tmp_path, patience_s=0) == [f"file {tmp_path / 'forgotten'}"]
    assert not tmp_path.exists()
