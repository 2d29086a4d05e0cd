"""Each diagnosis speaks when its situation is there, with its numbers, and is silent otherwise."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from queuetop.model.filters import parse
from queuetop.model.snapshot import Finding, Level, Snapshot
from queuetop.model.states import State
from queuetop.observe.rules import around
from tests.store.support import every_job, opened, polled, settled, snapshot_of
from tests.support.databases import execute
from tests.support.payment import insert_jobs, payment_table

Row = dict[str, Any]


def ago(**length: float) -> timedelta:
    return -timedelta(**length)


def pending(age: timedelta, **more: Any) -> Row:
    return {"created_at": age, "next_attempt_at": age, **more}


def running(**more: Any) -> Row:
    return {"status": "CLAIMED", "claimed_until": timedelta(minutes=5), "attempts": 1} | more


def stalled(**more: Any) -> Row:
    return running(claimed_until=ago(minutes=1)) | more


def done(age: timedelta, **more: Any) -> Row:
    return {
        "status": "DONE",
        "created_at": age,
        "next_attempt_at": age,
        "finished_at": age,
        "attempts": 1,
    } | more


def failed(age: timedelta, kind: str | None = "EXTERNAL_5XX", **more: Any) -> Row:
    return {
        "status": "FAILED",
        "created_at": age,
        "failed_at": age,
        "failure_kind": kind,
        "failure_detail": f"HTTP 503 from limits service, request {-age.total_seconds():.0f}",
        "attempts": 5,
    } | more


async def seen(dsn: str, rows: list[Row], mapping: str | None = None) -> Snapshot:
    payment_table(dsn, rows)
    async with opened(dsn, mapping=mapping) as table:
        snapshot = await snapshot_of(table)
        for finding in snapshot.findings:
            if finding.filter is not None:  # enter leads to the jobs behind it
                assert await every_job(table.browser, parse(finding.filter)), finding.filter
    return snapshot


def the(snapshot: Snapshot, name: str) -> Finding:
    return next(finding for finding in snapshot.findings if finding.name == name)


def names(snapshot: Snapshot) -> list[str]:
    return [finding.name for finding in snapshot.findings]


HEALTHY: list[Row] = [
    pending(ago(seconds=5)),
    pending(ago(seconds=2), queue="mail"),
    pending(timedelta(hours=3)),
    running(),
    *(done(ago(seconds=4 * n)) for n in range(1, 30)),
    failed(ago(minutes=40)),
]


async def test_a_healthy_table_is_well(database: str) -> None:
    snapshot = await seen(database, HEALTHY)
    assert names(snapshot) == ["well"]
    assert snapshot.verdict.level is Level.FINE
    assert snapshot.verdict.verdict.startswith("All is well: 2 pending, oldest 5")
    assert "1 running" in snapshot.verdict.verdict
    assert "gave up in the last hour: 1" in snapshot.verdict.evidence
    assert set(snapshot.levels.values()) <= {Level.FINE}


async def test_stalled_jobs(database: str) -> None:
    snapshot = await seen(database, [*HEALTHY, running(), stalled(queue="mail"), stalled()])
    finding = the(snapshot, "stalled")
    assert finding.level is Level.WARNING
    assert finding.verdict.startswith("2 jobs are stalled: claimed, but the lease ran out")
    assert "stalled 2, running 2" in finding.evidence
    assert "queue mail: 1 stalled" in finding.evidence
    assert snapshot.levels["stalled"] is Level.WARNING
    assert finding.filter == "state:stalled"


async def test_many_stalled_jobs_are_critical(database: str) -> None:
    snapshot = await seen(database, [*HEALTHY, *(stalled() for _ in range(10))])
    assert the(snapshot, "stalled").level is Level.CRITICAL
    assert snapshot.verdict.name == "stalled"


@pytest.mark.parametrize(
    ("age_s", "level", "says"),
    (
        (140, None, ""),
        (160, Level.WARNING, "near its alarm of 5m 00s"),
        (301, Level.CRITICAL, "alarm at 5m 00s"),
    ),
)
async def test_the_oldest_job_against_its_alarm(
    database: str, age_s: int, level: Level | None, says: str
) -> None:
    snapshot = await seen(database, [*HEALTHY, pending(ago(seconds=age_s), queue="slow")])
    if level is None:
        assert names(snapshot) == ["well"]
        return
    finding = the(snapshot, "oldest-pending")
    assert finding.level is level
    assert says in finding.verdict
    assert "The oldest job not done in slow is" in finding.verdict
    assert any(line.startswith("queue slow: ") for line in finding.evidence)
    assert snapshot.levels["oldest_pending"] is level
    (line,) = [line for line in snapshot.queues if line.queue == "slow"]
    assert (line.level, line.alarm_s) == (level, 300.0)


async def test_a_job_that_waits_for_its_retry_has_an_age_too(database: str) -> None:
    waiting = pending(ago(minutes=20), next_attempt_at=timedelta(minutes=5), attempts=3)
    snapshot = await seen(database, [*HEALTHY, waiting])
    assert the(snapshot, "oldest-pending").level is Level.CRITICAL
    assert snapshot.longest_wait.age_s.value == pytest.approx(5, abs=60)
    later = pending(ago(minutes=20), next_attempt_at=timedelta(minutes=5))
    execute(database, "drop table payment_task")
    assert names(await seen(database, [*HEALTHY, later])) == ["well"]


ALARMS = """
schema = 1
name = "alarms"
table = "payment_task"
[columns]
id = "id"
status = "status"
queue = "queue"
created_at = "created_at"
ready_at = "next_attempt_at"
lease_until = "claimed_until"
attempts = "attempts"
finished_at = "finished_at"
[status]
waiting = ["PENDING"]
claimed = ["CLAIMED"]
succeeded = ["DONE"]
[alarms]
oldest_pending = "1h"
[alarms.queues.quick]
oldest_pending = "10s"
[alarms.queues."hos\\u001btile"]
oldest_pending = "20s"
[queues]
from = "public.pauses as p"
name = "p.queue"
paused = "p.since is not null"
"""


def pauses(dsn: str, *queues: str) -> None:
    execute(
        dsn,
        "create table pauses (queue text, since timestamptz)",
        *(f"insert into pauses values ('{queue}', now())" for queue in queues),
    )


async def test_a_queue_has_its_own_alarm(database: str) -> None:
    pauses(database)
    rows = [
        pending(ago(minutes=20)),
        pending(ago(seconds=15), queue="quick"),
        pending(ago(seconds=15), queue="hos\x1btile"),
        *(done(ago(seconds=n)) for n in range(30)),
    ]
    snapshot = await seen(database, rows, ALARMS)
    finding = the(snapshot, "oldest-pending")
    assert finding.level is Level.CRITICAL
    assert "in quick is" in finding.verdict
    assert "alarm at 10s" in finding.verdict
    levels = {line.queue: line.level for line in snapshot.queues}
    assert levels == {"default": Level.FINE, "quick": Level.CRITICAL, "hos␛tile": Level.WARNING}


async def test_a_paused_queue_raises_no_alarm_but_is_counted(database: str) -> None:
    pauses(database, "quick", "empty")
    rows = [
        pending(ago(minutes=30), queue="quick"),
        pending(ago(minutes=90), queue="quick", next_attempt_at=timedelta(hours=1), attempts=1),
        pending(ago(seconds=3)),
        *(done(ago(seconds=n)) for n in range(30)),
    ]
    snapshot = await seen(database, rows, ALARMS)
    assert names(snapshot) == ["well"]
    assert snapshot.paused_queues == ("empty", "quick")
    assert snapshot.states[State.PENDING].value == 2
    assert snapshot.oldest_pending.age_s.value == pytest.approx(3, abs=60)
    assert snapshot.longest_wait.queue == "default"
    lines = {line.queue: line for line in snapshot.queues}
    assert set(lines) == {"default", "quick", "empty"}
    quick = lines["quick"]
    assert (quick.paused, quick.level, quick.pending.value, quick.retrying.value) == (
        True,
        Level.FINE,
        1,
        1,
    )
    assert quick.oldest_s.why == "the queue is paused"
    assert lines["empty"].paused
    assert not lines["default"].paused


async def test_a_backlog_that_is_all_paused_is_nobodys_fault(database: str) -> None:
    pauses(database, "quick")
    rows = [pending(ago(minutes=30), queue="quick"), done(ago(minutes=50))]
    assert names(await seen(database, rows, ALARMS)) == ["well"]


NOTHING_CLAIMED = [pending(ago(minutes=4)), pending(ago(minutes=3)), done(ago(minutes=10))]


async def test_nothing_is_claimed_while_work_is_due(database: str) -> None:
    snapshot = await seen(database, NOTHING_CLAIMED)
    finding = snapshot.verdict
    assert (finding.name, finding.level) == ("nothing-claimed", Level.CRITICAL)
    assert finding.verdict.startswith("No job was claimed for 10m")
    assert "while 2 are due: no worker takes them" in finding.verdict
    assert "pending 2, running 0" in finding.evidence
    assert snapshot.levels["pending"] is snapshot.levels["running"] is Level.CRITICAL


@pytest.mark.parametrize(
    "sign",
    (running(), done(ago(seconds=20)), {"status": "DONE"}),
    ids=("a job runs", "one finished just now", "no end is known"),
)
async def test_a_sign_of_a_worker_silences_it(database: str, sign: Row) -> None:
    snapshot = await seen(database, [*NOTHING_CLAIMED, sign])
    assert ("nothing-claimed" in names(snapshot)) is (sign == {"status": "DONE"})


async def test_work_that_is_due_only_now_is_no_sign(database: str) -> None:
    rows = [pending(ago(minutes=4), next_attempt_at=ago(seconds=30)), done(ago(minutes=10))]
    assert "nothing-claimed" not in names(await seen(database, rows))


async def test_without_any_sign_nothing_is_claimed_about_workers(database: str) -> None:
    """Neither claims nor ends leave a trace here: only a watch over minutes can tell."""
    mapping = """
schema = 1
name = "bare"
table = "payment_task"
[columns]
id = "id"
status = "status"
created_at = "created_at"
[status]
waiting = ["PENDING"]
claimed = ["CLAIMED"]
"""
    payment_table(database, NOTHING_CLAIMED[:2])
    async with opened(database, mapping=mapping) as table, polled(table) as (poller, _):
        assert "nothing-claimed" not in names(await poller.poll())
        async with opened(database, mapping=mapping) as again, polled(again) as (later, _):
            for second in range(118, 0, -2):  # two minutes of polls that saw the same
                later.history.add(time.time() - second, {"pending": 2.0, "running": 0.0})
            assert "nothing-claimed" in names(await later.poll())


async def test_failures_that_grow(database: str) -> None:
    snapshot = await seen(
        database,
        [
            *HEALTHY,
            *(failed(ago(minutes=9 + n)) for n in range(11)),
            *(failed(ago(seconds=3 + n)) for n in range(25)),
            *(failed(ago(seconds=60 + n), "VALIDATION") for n in range(4)),
        ],
    )
    finding = the(snapshot, "failures-grow")
    assert finding.level is Level.CRITICAL
    assert "29 jobs gave up in 5 minutes, usual is 1" in finding.verdict
    assert "mostly EXTERNAL_5XX" in finding.verdict
    assert "EXTERNAL_5XX (theirs): 25 in 5 minutes, 37 in the hour" in finding.evidence
    assert "VALIDATION (ours): 4 in 5 minutes, 4 in the hour" in finding.evidence
    assert any("HTTP 503 from limits service, request 3" in line for line in finding.evidence)
    assert finding.cause == "An outside system fails."
    assert (finding.filter or "").startswith("state:failed failure:EXTERNAL_5XX")
    (new,) = [kind for kind in snapshot.failures.kinds if kind.new]
    assert new.kind == "VALIDATION"
    assert snapshot.levels["failed"] is Level.CRITICAL


async def test_failures_without_a_kind_lead_to_their_jobs(database: str) -> None:
    rows = [failed(ago(seconds=n), None, failure_detail=None) for n in range(8)]
    snapshot = await seen(database, [*HEALTHY, *rows])
    finding = the(snapshot, "failures-grow")
    assert (finding.filter or "").startswith('state:failed failure:""')


@pytest.mark.parametrize(
    "rows",
    (
        [failed(ago(seconds=n)) for n in range(4)],
        [failed(ago(seconds=20 * n)) for n in range(180)],
        [failed(ago(minutes=6, seconds=n)) for n in range(50)],
    ),
    ids=("a few", "as many as ever", "it is over"),
)
async def test_failures_as_usual_say_nothing(database: str, rows: list[Row]) -> None:
    assert "failures-grow" not in names(await seen(database, [*HEALTHY, *rows]))


async def test_many_retries(database: str) -> None:
    rows = [done(ago(minutes=n), attempts=1 + (n % 5 == 0)) for n in range(1, 50)]
    snapshot = await seen(database, [*HEALTHY, *rows])
    finding = the(snapshot, "retries")
    assert finding.level is Level.WARNING
    # 9 of 49, and of the healthy table's 30 only the one that gave up
    assert finding.verdict.startswith("12.7 % of the jobs that ended in the last hour needed more")
    assert "10 of 79 ended jobs" in finding.evidence
    assert snapshot.levels["retry_ratio"] is Level.WARNING


async def test_a_few_jobs_make_no_ratio(database: str) -> None:
    rows = [done(ago(minutes=n), attempts=2) for n in range(1, 10)]
    assert names(await seen(database, rows)) == ["well"]


async def test_a_backlog_that_grows(database: str) -> None:
    rows = [pending(ago(seconds=n % 58 + 1)) for n in range(150)]
    rows += [done(ago(seconds=n % 55 + 1), created_at=ago(minutes=2)) for n in range(30)]
    snapshot = await seen(database, [running(), *rows])
    finding = the(snapshot, "backlog-grows")
    assert finding.level is Level.WARNING
    assert (
        finding.verdict == "The backlog grows by 2.0 jobs/s: 2.5 arrive, 0.50 finish; 150 pending"
    )
    assert snapshot.levels["pending"] is Level.WARNING
    assert snapshot.flow.drain_s is None
    assert snapshot.flow.drain == "grows by 2.0/s"


async def test_a_backlog_beyond_the_cap_still_grows(database: str) -> None:
    """A count that stopped stands still, and yet more comes than goes."""
    payment_table(database)
    execute(
        database,
        "insert into payment_task (created_at, next_attempt_at) select t, t from generate_series(1, 11000) n,"
        " lateral (select now() - n * interval '0.03 second') x (t)",
        "insert into payment_task (status, finished_at, created_at) select 'DONE',"
        " now() - n * interval '1 s', now() - interval '1 h' from generate_series(1, 60) as n",
        "create index on payment_task (created_at)",
        "analyze payment_task",
    )
    insert_jobs(database, [running()])
    async with opened(database) as table, polled(table) as (poller, clock):
        for second in range(120, 0, -2):
            poller.history.add(time.time() - second, {"pending": 10_000.0})
        snapshot = await settled(poller, clock)
    assert snapshot.verdict.name == "oldest-pending"
    assert re.search(r"Workers cannot keep up: \+3\d", snapshot.verdict.verdict)
    assert State.PENDING not in snapshot.states_per_min


async def test_a_backlog_that_shrinks_says_nothing(database: str) -> None:
    rows = [pending(ago(seconds=90)) for _ in range(30)]
    rows += [done(ago(seconds=n % 55 + 1), created_at=ago(minutes=3)) for n in range(60)]
    snapshot = await seen(database, [running(), *rows])
    assert names(snapshot) == ["well"]
    assert snapshot.flow.drain_s is not None
    assert snapshot.flow.drain_s[0] == pytest.approx(30, abs=3)
    assert snapshot.flow.drain.startswith("drains in 3")


async def test_a_long_transaction(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    payment_table(database, HEALTHY)
    with psycopg.connect(database, application_name="pg_dump") as other:
        other.execute("begin isolation level repeatable read")
        other.execute("select 1 from payment_task")
        async with opened(database) as table:
            assert names(await snapshot_of(table)) == ["well"]
        monkeypatch.setattr(around, "LONG_TRANSACTION_S", 0.0)  # nobody waits ten minutes
        async with opened(database) as table:
            snapshot = await snapshot_of(table)
        finding = the(snapshot, "long-transaction")
        assert finding.level is Level.WARNING
        assert finding.verdict.startswith(
            f"Session {other.info.backend_pid} has held a snapshot for "
        )
        assert finding.evidence == ("held by pg_dump postgres idle in transaction",)
        assert snapshot.levels["snapshot"] is Level.WARNING


@pytest.mark.parametrize(("count", "says"), ((1, "1 job has"), (3, "3 jobs have")))
async def test_statuses_that_no_rule_names(database: str, count: int, says: str) -> None:
    snapshot = await seen(database, [*HEALTHY, *({"status": f"S{n}"} for n in range(count))])
    finding = snapshot.verdict
    assert (finding.name, finding.level) == ("unmapped", Level.WARNING)
    assert finding.verdict == f"{says} a status that no rule of the mapping names"
    assert snapshot.levels["unmapped"] is Level.WARNING


async def test_the_worst_comes_first(database: str) -> None:
    rows = [
        *NOTHING_CLAIMED,
        stalled(),
        {"status": "?"},
        pending(ago(minutes=20)),
    ]
    snapshot = await seen(database, rows)
    assert names(snapshot) == ["nothing-claimed", "oldest-pending", "stalled", "unmapped"]
    assert [f.level for f in snapshot.findings] == [Level.CRITICAL] * 2 + [Level.WARNING] * 2
