"""The demo's past: believable, and the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from queuetop.demo.catalogue import KINDS
from queuetop.demo.server import EmbeddedServer
from queuetop.demo.table import prepare
from queuetop.store.conninfo import Conninfo
from queuetop.store.session import Session

Connection = psycopg.Connection[tuple[Any, ...]]


async def _prepare(dsn: str, seed: int) -> None:
    session = Session(Conninfo(dsn))
    try:
        await prepare(session, seed)
    finally:
        await session.close()


@pytest.fixture(scope="module")
def past_server() -> Iterator[str]:
    with EmbeddedServer() as server:
        yield server.dsn


@pytest.fixture
async def past(past_server: str) -> Any:
    with psycopg.connect(past_server, autocommit=True) as connection:
        connection.execute("drop table if exists payment_task")
        await _prepare(past_server, 7)
        yield connection


def _rows(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return connection.execute(query).fetchall()


async def test_hours_of_jobs_in_the_states_of_a_healthy_queue(past: Connection) -> None:
    [(span_s,)] = _rows(
        past, "select extract(epoch from max(created_at) - min(created_at)) from payment_task"
    )
    assert span_s > 1.9 * 3600
    states = dict(_rows(past, "select status, count(*) from payment_task group by 1"))
    assert states.keys() == {"DONE", "FAILED", "PENDING"}
    assert 50_000 < states["DONE"] < 70_000
    assert 200 < states["FAILED"] < 600
    [(due,)] = _rows(
        past,
        "select count(*) from payment_task where status = 'PENDING' and next_attempt_at <= now()",
    )
    assert due == 0
    queues = [
        queue for (queue,) in _rows(past, "select distinct queue from payment_task order by 1")
    ]
    assert queues == ["notifications", "payments", "reports"]


async def test_every_row_agrees_with_itself(past: Connection) -> None:
    rules = {
        "done": "status = 'DONE' and (finished_at is null or failed_at is not null "
        "or failure_kind is not null or result_key is null)",
        "failed": "status = 'FAILED' and (failed_at is null or failure_kind is null "
        "or failure_detail is null or finished_at is not null)",
        "order": "not created_at <= next_attempt_at or started_at < next_attempt_at "
        "or coalesce(finished_at, failed_at) < started_at or coalesce(finished_at, failed_at) > now()",
        "attempts": "status <> 'PENDING' and not attempts between 1 and max_attempts",
        "lease": "claimed_until is not null",
        "unfilled": r"payload::text ~ '\{(n|amount|digits|hex|host)\}' "
        r"or failure_detail ~ '\{(n|amount|digits|hex|host)\}'",
    }
    broken = {
        name: _rows(past, f"select id from payment_task where {rule} limit 3")
        for name, rule in rules.items()
    }
    assert broken == {name: [] for name in rules}


async def test_kinds_run_as_long_as_they_take(past: Connection) -> None:
    medians = dict(
        _rows(
            past,
            "select kind, percentile_cont(0.5) within group"
            " (order by extract(epoch from finished_at - started_at)::float8)"
            " from payment_task where status = 'DONE' group by 1",
        )
    )
    assert medians.keys() == {kind.name for kind in KINDS}
    for kind in KINDS:
        assert medians[kind.name] == pytest.approx(kind.typical_s, rel=0.25)


async def test_failures_of_several_kinds_with_an_outage_in_the_past(past: Connection) -> None:
    failures = dict(
        _rows(
            past,
            "select failure_kind, count(*) from payment_task where status = 'FAILED' group by 1",
        )
    )
    assert failures.keys() >= {
        "EXTERNAL_5XX",
        "VALIDATION",
        "NOT_FOUND",
        "UNKNOWN_OUTCOME",
        "TIMEOUT",
    }
    [(before, since)] = _rows(
        past,
        "select count(*) filter (where failed_at < now() - interval '1 hour'),"
        " count(*) filter (where failed_at >= now() - interval '1 hour')"
        " from payment_task where failure_kind = 'EXTERNAL_5XX'",
    )
    assert before > 5 * since
    [(share,)] = _rows(
        past,
        "select avg((attempts > 1)::int) from payment_task"
        " where status = 'DONE' and finished_at > now() - interval '1 hour'",
    )
    assert 0.02 < share < 0.04
    [(example,)] = _rows(
        past,
        "select failure_detail from payment_task"
        " where failure_detail like 'HTTP 503 from limits service%' limit 1",
    )
    assert "\n" not in example
    assert _rows(
        past, "select 1 from payment_task where failure_detail like '%Traceback (most%' limit 1"
    )
    assert _rows(
        past, "select 1 from payment_task where payload -> 'card' ->> 'number' is not null limit 1"
    )


async def test_the_same_seed_makes_the_same_past(past: Connection, past_server: str) -> None:
    digest = (
        "select md5(string_agg(concat_ws('|', kind, payload, attempts, failure_detail), ' ' order by id))"
        " from payment_task where id <= 20000"
    )
    digests = [_rows(past, digest)]
    for seed in (7, 8):
        past.execute("drop table payment_task")
        await _prepare(past_server, seed)
        digests.append(_rows(past, digest))
    assert digests[0] == digests[1] != digests[2]


async def test_hot_questions_use_the_partial_indexes(past: Connection) -> None:
    def plan(query: str) -> str:
        return "\n".join(line for (line,) in _rows(past, f"explain {query}"))

    assert "payment_task_failed" in plan(
        "select 1 from payment_task where status = 'FAILED' order by failed_at desc limit 10"
    )
    assert "payment_task_ready" in plan(
        "select 1 from payment_task where status = 'PENDING' and next_attempt_at <= now()"
    )
    assert "payment_task_lease" in plan(
        "select 1 from payment_task where status = 'CLAIMED' and claimed_until < now()"
    )
