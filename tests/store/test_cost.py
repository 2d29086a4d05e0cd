"""What observing costs: one round trip a tick, nothing that scans a big table in it, a budget that holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from queuetop.model.facts import WINDOW, Panel, PlanCost, Signal
from queuetop.model.jobs import Sort
from queuetop.model.measure import Exactness
from queuetop.model.selection import Selection
from queuetop.model.states import LIVE, State
from queuetop.observe.cadence import is_heavy
from queuetop.store.opener import Table
from tests.store.support import every_job, opened, polled, settled, snapshot_of
from tests.support.databases import execute, fresh_database, query
from tests.support.payment import fill, payment_table
from tests.support.proxy import Proxy

BIG = 400_000
ROWS = """
insert into {table} (status, queue, created_at, next_attempt_at, claimed_until, attempts, finished_at,
                     failed_at, failure_kind)
select
    case when n % 100 < 95 then 'DONE' when n % 100 < 97 then 'FAILED' when n % 100 < 99 then 'PENDING'
        else 'CLAIMED' end,
    'q' || n % 3,
    now() - n * interval '0.1 second',
    now() - n * interval '0.1 second',
    case when n % 100 = 99 then now() + (n % 3 - 1) * interval '1 hour' end,
    n % 3,
    case when n % 100 < 95 then now() - n * interval '0.1 second' end,
    case when n % 100 in (95, 96) then now() - n * interval '0.1 second' end,
    'KIND_' || n % 4
from generate_series({count}, 1, -1) as n
"""
PLAIN = """
select
    count(*) filter (where status = 'PENDING') as pending,
    count(*) filter (where status = 'CLAIMED' and claimed_until >= now()) as running,
    count(*) filter (where status = 'CLAIMED' and claimed_until < now()) as stalled,
    count(*) filter (where status = 'FAILED') as failed,
    count(*) filter (where status = 'DONE') as succeeded
from payment_task
"""


@pytest.fixture(scope="module")
def big(server: str) -> Iterator[str]:
    """A database with a big table that has a primary key and no other index."""
    with fresh_database(server) as dsn:
        payment_table(dsn, indexes=False)
        execute(dsn, ROWS.format(table="payment_task", count=BIG), "vacuum analyze payment_task")
        yield dsn


@pytest.mark.parametrize("delay_s", (0.0, 0.04))
async def test_one_round_trip_a_tick(
    database: str, proxy: Callable[..., Proxy], delay_s: float
) -> None:
    payment_table(database, [{}])
    fill(database, 20, "DONE")
    link = proxy(database, delay_s=delay_s)
    async with opened(link.dsn) as table, polled(table) as (poller, clock):
        first = await poller.poll()
        assert first.cost.round_trips == 2
        for _ in range(5):
            clock.now += 30.0
            before = link.flights
            snapshot = await poller.poll()
            assert link.flights == before + 1
            assert snapshot.cost.round_trips == 1
        assert snapshot.states[State.SUCCEEDED].value == 20


async def test_one_round_trip_a_page(database: str, proxy: Callable[..., Proxy]) -> None:
    payment_table(database)
    fill(database, 500, "DONE")
    link = proxy(database)
    async with opened(link.dsn) as table:
        sort = Sort("finished_at")
        page = await table.browser.jobs(Selection(), sort)  # the plan is asked for once a minute
        for _ in range(2):
            before = link.flights
            page = await table.browser.jobs(Selection(), sort, after=page.next)
            assert link.flights == before + 1 + (page.next is None)
        before = link.flights
        await table.browser.job(page.jobs[0].id)
        assert link.flights == before + 1


def chosen(table: Table, costs: dict[Panel, PlanCost]) -> set[str]:
    return {str(panel) for panel, cost in costs.items() if is_heavy(cost)}


async def test_a_big_table_without_indexes_is_asked_by_its_newest_jobs(big: str) -> None:
    ((plain),) = query(big, PLAIN)
    pending, running, stalled, failed, succeeded = plain
    async with opened(big) as table, polled(table) as (poller, clock):
        first = await poller.poll()
        panels = {str(panel) for panel in poller.cadence.paces}
        for state in (*LIVE[:3], State.RUNNING, State.STALLED):
            assert f"state:{state} (newest {WINDOW})" in panels
            assert f"state:{state}" not in panels
        assert f"failures:failed (newest {WINDOW})" in panels
        assert "sweep" in panels
        assert any(
            note.startswith("sweep: would scan a big table; runs beside the ticks")
            for note in first.cost.skipped
        )
        for state in (State.PENDING, State.RUNNING, State.STALLED, State.FAILED):
            measure = first.states[state]
            assert measure.exactness is Exactness.CAPPED
            assert measure.why == "among the newest 20 000 jobs"
            assert 0 < (measure.value or 0) <= WINDOW
        snapshot = await settled(poller, clock)
        for state, jobs in (
            (State.PENDING, pending),
            (State.RUNNING, running),
            (State.STALLED, stalled),
            (State.FAILED, failed),
        ):
            assert snapshot.states[state].value == jobs
            assert snapshot.states[state].exactness is Exactness.EXACT
        history = snapshot.states[State.SUCCEEDED]
        assert history.exactness is Exactness.ESTIMATED
        assert history.value == pytest.approx(succeeded, rel=0.05)
        oldest = query(
            big, "select extract(epoch from now() - min(created_at)) from payment_task"
            " where status = 'PENDING'"
        )[0][0]  # fmt: skip
        assert snapshot.oldest_pending.age_s.value == pytest.approx(float(oldest), abs=60)
        by_queue = dict(
            query(
                big, "select queue, count(*) from payment_task where status = 'PENDING' group by 1"
            )
        )
        assert {line.queue: line.pending.value for line in snapshot.queues} == by_queue


async def test_the_budget_holds_over_five_minutes(big: str) -> None:
    """Whatever a statement costs, the wait after it pays for it."""
    async with opened(big) as table, polled(table, budget=0.01) as (poller, clock):
        costs: dict[str, list[float]] = {}
        ran = poller.cadence.ran

        def recording(panel: Panel, cost_ms: float | None, now: float, failure: str = "") -> None:
            costs.setdefault(str(panel), []).append(cost_ms or 0.0)
            ran(panel, cost_ms, now, failure)

        poller.cadence.ran = recording  # type: ignore[method-assign]
        for _ in range(150):
            snapshot = await poller.poll()
            await poller.settle()
            assert poller.cadence.planned_share <= 0.01 + 1e-9
            clock.now += 2.0
        spent = sum(map(sum, costs.values()))
        unpaid = sum(max(each) for each in costs.values())
        assert spent <= 0.01 * 300_000 + unpaid
        assert all(costs.values())
        assert len(costs["activity"]) > 10
        assert snapshot.cost.budget_share <= 0.05


async def test_lists_of_a_big_table_without_indexes_say_their_window(big: str) -> None:
    async with opened(big) as table:
        failed = Selection(states=(State.FAILED,))
        page = await table.browser.jobs(failed, Sort("failed_at"), limit=50)
        assert page.window == "newest 100 000 jobs by id: no index serves this filter"
        assert page.matched.exactness is Exactness.CAPPED
        assert page.matched.value == 2000
        assert page.matched.why == "among the newest 100 000 jobs"
        wanted = query(
            big, "select id::text from (select * from payment_task order by id desc limit 100000) as j"
            " where status = 'FAILED' order by failed_at desc, j.id desc limit 50"
        )  # fmt: skip
        assert [job.id for job in page.jobs] == [job_id for (job_id,) in wanted]
        jobs = await every_job(table.browser, failed, Sort("failed_at"), limit=500)
        assert len({job.id for job in jobs}) == len(jobs) == 2000
        # The primary key serves these.
        newest = await table.browser.jobs(Selection(), Sort("id"), limit=50)
        assert newest.window == "all jobs"
        assert newest.matched.exactness is Exactness.ESTIMATED
        assert newest.matched.value == pytest.approx(BIG, rel=0.05)
        one = await table.browser.jobs(Selection(ids=("7",)), Sort("created_at"))
        assert (one.window, one.matched.value) == ("all jobs", 1)
        word = await table.browser.jobs(Selection(words=("KIND_1",)), Sort("id"), limit=50)
        assert word.window.startswith("newest 100 000 jobs")


async def test_an_unknown_size_is_no_small_one(database: str) -> None:
    """A table that was never analyzed, and one whose rows are in partitions."""
    payment_table(database, indexes=False)
    execute(
        database,
        "alter table payment_task set (autovacuum_enabled = off)",
        ROWS.format(table="payment_task", count=200_000),
    )
    async with opened(database) as table:
        assert table.relation.rows <= 0
        heavy = chosen(table, await table.reader.plan(table.reader.panels()))
    assert {"state:pending", "state:running", "failures:failed"} <= heavy


async def test_partitions_add_up(database: str) -> None:
    payment_table(database, indexes=False)
    execute(
        database,
        "alter table payment_task rename to whole",
        "create table payment_task (like whole including defaults including identity,"
        " primary key (id, status)) partition by list (status)",
        "create table open_ones partition of payment_task for values in ('PENDING', 'CLAIMED')",
        "create table ended partition of payment_task for values in ('DONE', 'FAILED')",
        "drop table whole",
        ROWS.format(table="payment_task", count=150_000),
        "vacuum analyze payment_task",
    )
    async with opened(database) as table:
        heavy = chosen(table, await table.reader.plan(table.reader.panels()))
        snapshot = await snapshot_of(table)
    assert "failures:failed" in heavy
    assert "state:pending" not in heavy
    assert snapshot.states[State.PENDING].value == 3000
    assert snapshot.states[State.FAILED].value == 3000


INDEXED = (
    "create index on payment_task (next_attempt_at, id) where status = 'PENDING'",
    "create index on payment_task (claimed_until, id) where status = 'CLAIMED'",
    "create index on payment_task (finished_at, id) where status = 'DONE'",
    "create index on payment_task (failed_at, id) where status = 'FAILED'",
    "create index on payment_task (created_at)",
    "create index on payment_task (queue)",
)


async def test_with_indexes_nothing_is_windowed_and_the_cost_stays_flat(database: str) -> None:
    units = []
    for history in (30_000, 300_000):
        payment_table(database, indexes=False)
        execute(database, ROWS.format(table="payment_task", count=4_000), *INDEXED)
        execute(
            database,
            "insert into payment_task (status, created_at, finished_at, queue) select 'DONE', t, t, 'q1'"
            f" from generate_series(1, {history}) as n, lateral (select now() - n * interval '1 s') as x (t)",
            "vacuum analyze payment_task",
        )
        async with opened(database) as table, polled(table) as (poller, clock):
            snapshot = await settled(poller, clock)
            costs = await table.reader.plan(list(poller.cadence.paces))
            units.append(
                sum(
                    cost.units
                    for panel, cost in costs.items()
                    if panel.signal is not Signal.UNMAPPED
                )
            )
            panels = list(poller.cadence.paces)
        assert not [
            panel for panel in panels if panel.window and panel.signal is not Signal.UNMAPPED
        ]
        assert Panel(Signal.SWEEP) not in panels
        assert snapshot.states[State.PENDING].value == 80
        assert {line.queue for line in snapshot.queues} == {"q0", "q1", "q2"}
        arrived = query(
            database,
            "select count(*) from payment_task where created_at > %(now)s::timestamptz - interval '1 min'"
            " and created_at <= %(now)s",
            {"now": snapshot.taken_at},
        )
        assert snapshot.flow.arrived.value == arrived[0][0] / 60
        execute(database, "drop table payment_task")
    assert units[1] < 4 * units[0]  # of ten times the rows; the planner is wary of the bigger heap


async def test_history_is_counted_only_while_it_is_small(database: str) -> None:
    payment_table(database)
    fill(database, 3000, "DONE")
    async with opened(database) as table:
        small = (await snapshot_of(table)).states[State.SUCCEEDED]
    assert (small.value, small.exactness) == (3000, Exactness.EXACT)
    fill(database, 27_000, "DONE")
    async with opened(database) as table:
        big = (await snapshot_of(table)).states[State.SUCCEEDED]
    assert big.exactness is Exactness.ESTIMATED
    assert big.value == pytest.approx(30_000, rel=0.05)


async def test_counts_stop_at_the_cap(database: str) -> None:
    payment_table(database)
    fill(database, 10_100, "PENDING")
    fill(database, 10_050, "FAILED")
    async with opened(database) as table:
        snapshot = await snapshot_of(table)
    for state in (State.PENDING, State.FAILED):
        measure = snapshot.states[state]
        assert (measure.value, measure.exactness) == (10_000, Exactness.CAPPED)
        assert measure.why == "counted up to 10 000"
    assert snapshot.failures.window == "the newest 10 000 jobs that gave up"
    # The index gives the longest waiting ones, so the age is right although the count is not.
    oldest = query(
        database, "select extract(epoch from now() - min(next_attempt_at)) from payment_task"
    )
    assert snapshot.longest_wait.age_s.value == pytest.approx(float(oldest[0][0]), abs=60)


async def test_an_index_for_other_jobs_gives_no_order(database: str) -> None:
    """An order that only another state's index has would sort the whole backlog at every tick."""
    payment_table(database, indexes=False)
    fill(database, 2000, "PENDING")
    execute(
        database,
        "create index on payment_task (next_attempt_at) where status = 'FAILED'",
        "create index on payment_task (created_at) where status <> 'DONE'",
    )
    async with opened(database) as table:
        statement = table.reader._panels.bind(Panel(Signal.STATE, State.PENDING)).statement
    assert 'order by j."created_at"' in statement.as_string(None)
    assert 'order by j."next_attempt_at"' not in statement.as_string(None)
