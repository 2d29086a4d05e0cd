"""Each incident shows in the numbers that it is about, within seconds; health shows in none."""

from __future__ import annotations

import time
from typing import Any

import psycopg
import pytest

from queuetop.demo.catalogue import OUTAGE
from queuetop.demo.run import Demo
from queuetop.demo.scenarios import EFFECTS, SCHEDULE, Scenario
from queuetop.model.errors import QueuetopError
from tests.demo.support import eventually

NUMBERS = """
select
    count(*) filter (where status = 'PENDING' and next_attempt_at <= now()) as pending,
    count(*) filter (where status = 'PENDING' and next_attempt_at > now() and attempts > 0) as retrying,
    count(*) filter (where status = 'CLAIMED' and claimed_until >= now()) as running,
    count(*) filter (where status = 'CLAIMED' and claimed_until < now()) as stalled,
    count(*) filter (where status = 'DONE') as succeeded,
    count(*) filter (where status = 'DONE' and attempts > 1) as retried,
    count(*) filter (where status = 'FAILED' and failure_kind = 'EXTERNAL_5XX') as outages,
    count(*) filter (where status = 'FAILED' and failure_kind = 'VALIDATION') as invalid,
    coalesce(extract(epoch from now() - min(created_at) filter (
        where status = 'PENDING' and (next_attempt_at <= now() or attempts > 0)
    )), 0)::float8 as oldest_s
from payment_task
"""


class Queue:
    """The numbers of a demo's queue, by plain SQL."""

    def __init__(self, demo: Demo) -> None:
        self._dsn = demo.dsn
        self.first = self.numbers()

    def numbers(self) -> dict[str, float]:
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            cursor = connection.execute(NUMBERS)
            row = cursor.fetchone()
            assert row is not None
            assert cursor.description is not None
            return {
                column.name: value for column, value in zip(cursor.description, row, strict=True)
            }

    def grows(self, name: str, by: float, seconds: float = 20.0) -> None:
        eventually(lambda: self.numbers()[name] >= self.first[name] + by, seconds)


def test_healthy(tmpdir_of_demo: object) -> None:
    with Demo(Scenario.HEALTHY) as demo:
        queue = Queue(demo)
        queue.grows("succeeded", 60)
        numbers = queue.numbers()
        assert numbers["stalled"] == 0
        assert numbers["running"] > 0
        assert numbers["pending"] < 100
        assert numbers["oldest_s"] < 60
        assert numbers["outages"] - queue.first["outages"] <= 2
        assert numbers["invalid"] - queue.first["invalid"] <= 5


def test_outage(tmpdir_of_demo: object) -> None:
    with Demo(Scenario.OUTAGE) as demo:
        queue = Queue(demo)
        queue.grows("retrying", 10)
        queue.grows("outages", 5)
        begun = queue.numbers()["outages"]
        eventually(lambda: queue.numbers()["outages"] > begun, 30)  # and it goes on
        queue.grows("retried", 5, 40)
        with psycopg.connect(demo.dsn) as connection:
            row = connection.execute(
                "select failure_detail from payment_task where failure_kind = 'EXTERNAL_5XX'"
                " and failed_at is not null order by failed_at desc limit 1"
            ).fetchone()
        assert row is not None
        assert row[0].startswith(OUTAGE.detail.partition(":")[0])


@pytest.mark.slow  # a lease is 20 s
def test_dead_worker(tmpdir_of_demo: object) -> None:
    with Demo(Scenario.DEAD_WORKER) as demo:
        queue = Queue(demo)
        eventually(lambda: queue.numbers()["stalled"] >= 5)
        begun = queue.numbers()["stalled"]
        eventually(lambda: queue.numbers()["stalled"] > begun, 60)  # what it held itself
        queue.grows("succeeded", 20)  # the others go on

        demo.play(Scenario.HEALTHY)
        eventually(lambda: queue.numbers()["stalled"] == 0, 40)


def test_overload(tmpdir_of_demo: object) -> None:
    with Demo(Scenario.OVERLOAD) as demo:
        queue = Queue(demo)
        eventually(lambda: queue.numbers()["pending"] > 5000)
        begun = queue.numbers()
        assert begun["oldest_s"] > 300
        eventually(lambda: queue.numbers()["pending"] > begun["pending"] + 50, 30)
        eventually(lambda: queue.numbers()["oldest_s"] > begun["oldest_s"] + 1, 30)
        assert queue.numbers()["running"] <= 4 * EFFECTS[Scenario.OVERLOAD].slots


def test_poison(tmpdir_of_demo: object) -> None:
    with Demo(Scenario.POISON) as demo:
        queue = Queue(demo)
        queue.grows("invalid", 15)
        with psycopg.connect(demo.dsn) as connection:
            rows = connection.execute(
                "select distinct kind, attempts, idempotency_key is not null from payment_task"
                " where failure_detail like '%creditor.iban%' and failed_at > now() - interval '10 s'"
            ).fetchall()
        assert rows == [("payout.create", 1, True)]


def test_scenarios_follow_each_other_and_survive_a_restart_of_the_server(
    tmpdir_of_demo: object,
) -> None:
    with Demo(Scenario.HEALTHY) as demo:
        queue = Queue(demo)
        demo.play(Scenario.POISON)
        queue.grows("invalid", 5)
        demo._server.stop(immediate=True)
        time.sleep(1.0)
        demo._server.start()
        queue.first = queue.numbers()
        queue.grows("succeeded", 20)
        queue.grows("invalid", 5)


def test_the_schedule_shows_every_incident_with_health_between() -> None:
    scenarios = [scenario for scenario, _ in SCHEDULE]
    assert set(scenarios) == set(Scenario)
    assert scenarios[::2] == [Scenario.HEALTHY] * (len(SCHEDULE) // 2)
    assert len(scenarios) % 2 == 0


def test_two_demos_at_once(tmpdir_of_demo: object) -> None:
    with Demo(Scenario.HEALTHY) as first:
        with Demo(Scenario.POISON) as second:
            assert first.dsn != second.dsn
            Queue(second).grows("succeeded", 5)
        Queue(first).grows("succeeded", 5)


def test_a_simulation_that_ended_early_is_an_error(tmpdir_of_demo: object) -> None:
    demo = Demo(Scenario.HEALTHY)

    def run() -> Any:
        with demo:
            process = demo._simulation._process
            assert process is not None
            process.kill()
            process.wait()

    with pytest.raises(QueuetopError, match="simulation ended early"):
        run()
