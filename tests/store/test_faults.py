"""Faults of the table while the link is fine: last values stay and are marked, the reason is said,
and all of it ends by itself."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.jobs import Sort
from queuetop.model.measure import Measure
from queuetop.model.selection import Selection
from queuetop.model.snapshot import Level, Snapshot
from queuetop.model.states import State
from tests.store.listening import Listener, listening
from tests.store.support import assert_clean, opened, polled, settled, texts
from tests.support.databases import execute, query
from tests.support.payment import payment_table

JOBS: list[dict[str, object]] = [
    {"created_at": timedelta(minutes=-2), "next_attempt_at": timedelta(minutes=-2)},
    {"queue": "mail"},
    {"status": "FAILED", "failed_at": timedelta(0), "failure_kind": "VALIDATION"},
    {"status": "DONE", "finished_at": timedelta(seconds=-3), "attempts": 2},
]


def blind(snapshot: Snapshot) -> bool:
    """Whether it says that the jobs cannot be counted."""
    return snapshot.verdict.name == "not-measured" and snapshot.verdict.level is Level.CRITICAL


def well(snapshot: Snapshot) -> bool:
    return "not-measured" not in {finding.name for finding in snapshot.findings} and not any(
        measure.stale for measure in measures(snapshot)
    )


def measures(snapshot: Snapshot) -> list[Measure]:
    """Those that need the status and are taken at every tick."""
    return [
        *snapshot.states.values(),
        snapshot.oldest_pending.age_s,
        snapshot.longest_wait.age_s,
        snapshot.retry_ratio.share,
        snapshot.failures.total,
        snapshot.failures.last_hour,
        snapshot.flow.finished,
        snapshot.flow.failed,
        *(kind.count for kind in snapshot.failures.kinds),
        *(line.pending for line in snapshot.queues),
        *(line.failed for line in snapshot.queues),
        *(line.oldest_s for line in snapshot.queues),
        *(line.finished_per_s for line in snapshot.queues),
    ]


async def goes_and_comes_back(said: Listener, reason: str, mend: str, dsn: str) -> Snapshot:
    """The last values stay, marked, until what broke is mended."""
    before = said.watcher.server
    snapshot = await said.snapshot(blind)
    assert said.watcher.server == before
    assert reason in snapshot.verdict.verdict
    assert any(reason in line for line in snapshot.verdict.evidence)
    assert_clean(snapshot)
    assert snapshot.states[State.PENDING].value == 2
    assert snapshot.states[State.FAILED].value == 1
    known = [measure for measure in measures(snapshot) if measure.known]
    assert known
    assert [measure for measure in known if not measure.stale] == []
    assert {line.queue for line in snapshot.queues} == {"default", "mail"}
    execute(dsn, mend)
    healthy = await said.snapshot(well)
    assert healthy.states[State.PENDING].value == 2
    return snapshot


@pytest.mark.parametrize(
    ("hurt", "mend", "reason"),
    (
        ("alter table payment_task rename to gone", "alter table gone rename to payment_task",
         'relation "public.payment_task" does not exist'),
        ("alter table payment_task rename status to state",
         "alter table payment_task rename state to status", "column j.status does not exist"),
        ("alter schema public rename to other", "alter schema other rename to public",
         'relation "public.payment_task" does not exist'),
    ),
)  # fmt: skip
async def test_a_table_that_changes_meanwhile(
    database: str, hurt: str, mend: str, reason: str
) -> None:
    payment_table(database, JOBS)
    async with opened(database) as table, listening(table) as said:
        await said.snapshot(well)
        execute(database, hurt)
        await goes_and_comes_back(said, reason, mend, database)


async def test_a_dropped_table_that_is_made_anew(database: str) -> None:
    payment_table(database, JOBS)
    async with opened(database) as table, listening(table) as said:
        await said.snapshot(well)
        execute(database, "drop table payment_task")
        snapshot = await said.snapshot(blind)
        assert "see queuetop init" in snapshot.verdict.verdict
        with pytest.raises(StoreError) as error:
            await table.browser.jobs(Selection(), Sort("id"))
        assert error.value.fault is StoreFault.WRONG_SCHEMA
        payment_table(database, JOBS)
        assert (await said.snapshot(well)).states[State.PENDING].value == 2


async def test_a_revoked_right(database: str) -> None:
    payment_table(database, JOBS)
    ((name,),) = query(database, "select current_database()")
    role = f"revoked_{name[-8:]}"
    execute(database, f"create role {role} login", f"grant select on payment_task to {role}")
    try:
        async with (
            opened(make_conninfo(database, user=role)) as table,
            listening(table) as said,
        ):
            await said.snapshot(well)
            execute(database, f"revoke select on payment_task from {role}")
            mend = f"grant select on payment_task to {role}"
            reason = "permission denied for table payment_task; grant SELECT"
            await goes_and_comes_back(said, reason, mend, database)
            execute(database, f"revoke select on payment_task from {role}")
            execute(database, f"grant select (id, queue) on payment_task to {role}")
            await said.snapshot(blind)
            with pytest.raises(StoreError) as error:
                await table.browser.job("1")
            assert error.value.fault is StoreFault.NO_PERMISSION
    finally:
        execute(database, f"drop owned by {role}", f"drop role {role}")


async def test_a_locked_table(database: str) -> None:
    """The table rests under somebody's lock for longer than a statement waits."""
    payment_table(database, JOBS)
    async with opened(database) as table, listening(table) as said:
        await said.snapshot(well)
        with psycopg.connect(database) as other:
            other.execute("lock table payment_task in access exclusive mode")
            snapshot = await said.snapshot(blind)
            assert "another session holds a lock" in snapshot.verdict.verdict
            assert snapshot.states[State.PENDING].value == 2
            assert snapshot.states[State.PENDING].stale
        healthy = await said.snapshot(well)
        # A lock that was waited for is no cost: the pace is what it was.
        assert [cost.panel for cost in healthy.cost.panels if cost.every_s > 60.0] == []


async def test_who_locks_the_table_is_shown_while_it_is_locked(database: str) -> None:
    payment_table(database, JOBS)
    async with opened(database) as table:
        before = await table.reader.database()
        assert before.table_bytes.value
        with psycopg.connect(database, application_name="the locker") as other:
            other.execute("lock table payment_task in access exclusive mode")
            waiting = asyncio.create_task(
                asyncio.to_thread(query, database, "select count(*) from payment_task")
            )
            while not (health := await table.reader.database()).blockers:
                pass
            assert [blocker.application for blocker in health.blockers] == ["the locker"]
            assert health.blockers[0].blocks == 1
            assert "lock table payment_task" in health.blockers[0].query
            assert health.table_bytes.value is None
            assert "another session holds a lock" in (health.table_bytes.why or "")
            assert health.connections
        assert await waiting == [(4,)]


async def test_the_size_of_a_table_that_is_gone(database: str) -> None:
    payment_table(database, JOBS)
    async with opened(database) as table:
        execute(database, "drop table payment_task")
        health = await table.reader.database()
        assert health.table_bytes.why == "the table is not there any more"
        assert health.indexes == ()


ONE_FAILS = """
schema = 1
name = "one"
table = "payment_task"
[columns]
id = "id"
status = "status"
queue = "queue"
created_at = "created_at"
ready_at = "next_attempt_at"
finished_at = "finished_at"
attempts = "attempts"
failed_at = "failed_at"
[expressions]
failure_kind = "{kind}"
[status]
waiting = ["PENDING"]
claimed = ["CLAIMED"]
succeeded = ["DONE"]
failed = ["FAILED"]
"""


async def test_a_panel_that_fails_fails_alone(database: str) -> None:
    payment_table(database, JOBS)
    mapping = ONE_FAILS.replace("{kind}", "(1 / (j.attempts - j.attempts))::text")
    async with opened(database, mapping=mapping) as table, polled(table) as (poller, clock):
        snapshot = await settled(poller, clock)
        assert snapshot.states[State.PENDING].value == 2
        assert not snapshot.states[State.PENDING].stale
        assert snapshot.retry_ratio.share.known
        assert snapshot.failures.total.value is None
        assert "division by zero" in (snapshot.failures.total.why or "")
        assert snapshot.states[State.FAILED].value is None
        assert snapshot.verdict.name == "not-measured"
        assert snapshot.verdict.level is Level.WARNING
        assert any("division by zero" in text for text, _ in texts(snapshot.cost))
        # It is tried again now and then; the others go on in one round trip.
        trips = []
        for _ in range(60):
            clock.now += 2.0
            trips.append((await poller.poll()).cost.round_trips)
        assert sorted(trips)[:50] == [1] * 50
        assert 2 <= sum(trip > 1 for trip in trips) <= 10
        execute(database, "update payment_task set status = 'PENDING' where status = 'FAILED'")
        for _ in range(16):
            clock.now += 2.0
            snapshot = await poller.poll()
        assert snapshot.verdict.name == "well"
        assert snapshot.states[State.PENDING].value == 3
        assert snapshot.states[State.FAILED].value == 0


async def test_a_statement_that_takes_too_long_leaves_the_tick(database: str) -> None:
    payment_table(database, JOBS)
    mapping = ONE_FAILS.replace("{kind}", "pg_sleep(3)::text")
    async with opened(database, mapping=mapping) as table, polled(table) as (poller, clock):
        snapshot = await poller.poll()
        assert snapshot.states[State.PENDING].value == 2
        assert "took too long" in (snapshot.failures.total.why or "")
        (cost,) = [cost for cost in snapshot.cost.panels if cost.panel == "failures:failed"]
        assert cost.ms is not None
        assert cost.ms > 1000
        assert cost.every_s > 60
        clock.now += 2.0
        again = await poller.poll()
        assert again.cost.round_trips == 1
        assert "failures:failed: a statement took too long" in " ".join(again.cost.skipped)
        # By itself, beside the ticks, it may take longer, and then it succeeds.
        clock.now += 20 * cost.every_s
        await poller.poll()
        await poller.settle()
        clock.now += 2.0
        late = await poller.poll()
        assert late.failures.total.value == 1
        assert late.verdict.name == "well"


async def test_many_slow_statements_do_not_add_up(database: str) -> None:
    """Each is within the limit, together they are not: the batch ends, and each is asked alone."""
    payment_table(database, JOBS)
    slow = "(j.queue || coalesce((select pg_sleep(0.6) where j.id > 0)::text, ''))"
    mapping = ONE_FAILS.replace('queue = "queue"\n', "").replace(
        'failure_kind = "{kind}"', f'queue = "{slow}"'
    )
    async with opened(database, mapping=mapping) as table, polled(table) as (poller, clock):
        snapshot = await poller.poll()
        assert snapshot.states[State.PENDING].value == 2
        clock.now += 2.0
        again = await poller.poll()
        assert again.cost.db_ms < 1000
        assert not again.states[State.PENDING].stale


async def test_what_is_long_overdue_is_marked(database: str) -> None:
    payment_table(database, JOBS)
    async with opened(database) as table, polled(table) as (poller, clock):
        snapshot = await settled(poller, clock)
        assert well(snapshot)
        pace = next(p for p in poller.cadence.paces.values() if "pending" in str(p.panel))
        pace.cost_ms = 200.0  # dear, and its connection hangs
        poller._start_dear = lambda now: None  # type: ignore[method-assign]
        clock.now += 900.0
        snapshot = await poller.poll()
        assert snapshot.states[State.PENDING].stale
        assert snapshot.oldest_pending.age_s.stale
        assert not snapshot.states[State.FAILED].stale


async def test_a_full_list_says_when_it_takes_too_long(database: str) -> None:
    payment_table(database, JOBS)
    mapping = ONE_FAILS.replace("{kind}", "pg_sleep(9)::text")
    async with opened(database, mapping=mapping) as table:
        with pytest.raises(StoreError) as error:
            await table.browser.jobs(Selection(), Sort("id"))
        assert error.value.fault is StoreFault.TIMED_OUT
        assert (await table.browser.values("queue")) == ("default", "mail")
