"""Every number of a snapshot equals what plain SQL counts, whatever the table looks like."""

from __future__ import annotations

from collections import Counter

import pytest

from queuetop.model.jobs import Sort
from queuetop.model.measure import Exactness, Measure
from queuetop.model.selection import Selection
from queuetop.model.snapshot import NO_KIND, NO_QUEUE, Snapshot
from queuetop.model.states import GAVE_UP, State
from tests.store.conftest import Route
from tests.store.staging import STATES, Form, Plain, make, mapping
from tests.store.support import BY_ID, assert_clean, every_job, opened, snapshot_of
from tests.support.databases import query

GAVE = "(status = 'failed' or status = 'quarantined')"
HOUR = "{now} - interval '1 hour'"
MINUTE = "{now} - interval '1 minute'"
AWKWARD = {
    "id": "a%s",
    "status": "b{status}",
    "queue": "C C",
    "kind": "größe 🐘",
    "priority": "select",
    "created_at": 'we"ird',
    "ready_at": "x" * 63,
    "lease_until": "it's",
    "finished_at": "back\\slash",
    "failed_at": "{}",
    "failure_kind": "%",
    "failure_detail": "]]>",
    "payload": "-- no comment",
}
NAIVE = dict.fromkeys(
    ("created_at", "ready_at", "lease_until", "started_at", "finished_at", "failed_at"),
    "timestamp without time zone",
)

FORMS = {
    "plain": Form(),
    "indexed": Form(
        after=(
            "create index on jobs (ready_at, id) where status = 'waiting'",
            "create index on jobs (created_at)",
            "create index on jobs (lease_until) where status = 'claimed'",
            "create index on jobs (finished_at) where status = 'succeeded'",
            "create index on jobs (failed_at) where status = 'failed'",
            "create index on jobs (queue)",
            "create index on jobs (status)",
        )
    ),
    "naive times, int status": Form(
        types={**NAIVE, "status": "smallint"},
        statuses={
            "waiting": 0,
            "claimed": 1,
            "succeeded": 2,
            "failed": 3,
            "quarantined": -4,
            "cancelled": 5,
            "blocked": 6,
            "other": 99,
        },
        zone="Asia/Kolkata",
    ),
    "enum, domains, uuid": Form(
        before=(
            ("create type state as enum ('waiting', 'claimed', 'succeeded', 'failed', 'quarantined',"
            " 'cancelled', 'blocked', 'other')"),
            "create domain queue_name as varchar(20) check (value <> '')",
            "create domain counter as int check (value >= 0)",
            "create domain moment as timestamptz",
        ),
        types={
            "id": "uuid",
            "status": "state",
            "queue": "queue_name",
            "attempts": "counter",
            "created_at": "moment",
            "finished_at": "moment",
        },
        values={"id": "lpad(to_hex(s.id), 32, '0')::uuid"},
        after=("create index on jobs (queue)",),
    ),
    "domain over the status, generated columns": Form(
        before=("create domain word as text collate \"C\"",),
        types={
            "status": "word",
            "queue": 'varchar(30) collate "C"',
            "max_attempts": "int generated always as (5) stored",
            "kind": "char(20)",
            "failure_kind": "text generated always as ("
            "nullif(split_part(failure_detail, ':', 1), '')) stored",
        },
        generated=("max_attempts", "failure_kind"),
        adjust=(
            "update staging set failure_kind = nullif(split_part(failure_detail, ':', 1), '')",
        ),
        after=("create index on jobs (queue)",),
    ),
    "partitioned": Form(
        end=", primary key ({id}, priority)) partition by list (priority)",
    ),
    "view": Form(table="public.jobs_table", name="public.jobs", after=(
        "create view jobs as select * from jobs_table",
    )),
    "awkward names": Form(
        table='"Sch""ema.x"."we""ird %s {x}"',
        before=('create schema "Sch""ema.x"',),
        names=AWKWARD,
    ),
    "upper case, text id": Form(
        table='"APP"."JOBS"',
        before=('create schema "APP"',),
        names={"id": "ID", "status": "STATUS", "queue": "Queue"},
        types={"id": "text"},
        values={"id": "'job/' || s.id"},
    ),
    "63 bytes": Form(table=f'"{"é" * 31}z"', name=f"{'é' * 31}z", names={"id": "ü" * 31}),
    "odd numbers": Form(
        types={"attempts": "double precision", "priority": "numeric", "max_attempts": "real"},
    ),
    "short times": Form(
        types={"finished_at": "timestamptz(0)", "created_at": "date", "failed_at": "timestamp(3)"},
        values={
            "created_at": "(s.created_at at time zone 'UTC')::date",
            "failed_at": "s.failed_at at time zone 'UTC'",
        },
        adjust=(
            ("update staging set finished_at = finished_at::timestamptz(0),"
            " created_at = date_trunc('day', created_at at time zone 'UTC') at time zone 'UTC',"
            " failed_at = (failed_at at time zone 'UTC')::timestamp(3) at time zone 'UTC'"),
        ),
    ),
}  # fmt: skip


def _partitions() -> tuple[str, ...]:
    return tuple(f"create table jobs_{n} partition of jobs for values in ({n})" for n in range(4))


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Form:
    return FORMS[str(request.param)]


def _made(dsn: str, form: Form) -> None:
    if "partition by" in form.end:
        # Partitions must be there before the rows.
        form = Form(**{**form.__dict__, "end": form.end + "; " + "; ".join(_partitions())})
    make(dsn, form)


async def test_numbers_equal_plain_sql(database: str, form: Form) -> None:
    await _same_numbers(Route(database, database), form)


@pytest.mark.parametrize("name", ("indexed", "naive times, int status", "awkward names"))
async def test_numbers_are_the_same_by_every_way(route: Route, name: str) -> None:
    await _same_numbers(route, FORMS[name])


async def _same_numbers(route: Route, form: Form) -> None:
    _made(route.dsn, form)
    async with opened(route.seen, mapping=mapping(form)) as table:
        snapshot = await snapshot_of(table)
        jobs = await every_job(table.browser, sort=Sort("created_at"), limit=99)
        assert len({job.id for job in jobs}) == len(jobs) == 400
        detail = await table.browser.job(jobs[0].id)
        assert detail is not None
        assert_clean(detail)
    plain = Plain(route.dsn, snapshot.taken_at)
    assert not [cost for cost in snapshot.cost.panels if cost.note]
    assert_clean(snapshot)
    assert_counts(snapshot, plain)
    assert_ages(snapshot, plain)
    assert_failures(snapshot, plain)
    assert_flow(snapshot, plain)
    assert_queues(snapshot, plain)


async def test_lists_hold_the_jobs_that_plain_sql_finds(database: str, form: Form) -> None:
    _made(database, form)
    async with opened(database, mapping=mapping(form)) as table:
        page = await table.browser.jobs(Selection(), BY_ID, limit=1)
        plain = Plain(database, page.taken_at)
        seen: Counter[str] = Counter()
        for state in State:
            if state is State.BLOCKED:
                continue
            jobs = await every_job(table.browser, Selection(states=(state,)))
            assert {job.state for job in jobs} <= {state}
            seen.update(job.id for job in jobs)
            numbers = [str(n) for (n,) in plain.rows("id", state)]
            assert sorted(_number(job.id) for job in jobs) == sorted(map(int, numbers))
        everything = await every_job(table.browser)
        assert len(everything) == 400
        assert max(seen.values()) == 1
        unmapped = [job for job in everything if job.state is None]
        assert len(unmapped) == plain.one("count(*)", "unmapped")


def _number(shown: str) -> int:
    if "-" in shown:
        return int(shown.replace("-", ""), 16)
    return int(shown.rpartition("/")[2])


def exact(measure: Measure) -> float:
    assert measure.exactness is Exactness.EXACT, measure
    assert not measure.stale
    assert measure.value is not None
    return measure.value


def assert_counts(snapshot: Snapshot, plain: Plain) -> None:
    counted = {state: exact(snapshot.states[state]) for state in State}
    assert counted == {state: plain.one("count(*)", state) for state in State}
    unmapped = exact(snapshot.unmapped)
    assert unmapped == plain.one("count(*)", "unmapped") > 0
    assert sum(counted.values()) + unmapped == 400


def assert_ages(snapshot: Snapshot, plain: Plain) -> None:
    waiting = f"({STATES['pending']} or {STATES['retrying']})"
    oldest = f"extract(epoch from {{now}} - min(created_at) filter (where {waiting}))::float8"
    assert exact(snapshot.oldest_pending.age_s) == pytest.approx(plain.one(oldest), abs=1e-5)
    longest = "extract(epoch from {now} - min(coalesce(ready_at, created_at)))::float8"
    assert exact(snapshot.longest_wait.age_s) == pytest.approx(
        plain.one(longest, "pending"), abs=1e-5
    )
    shown = snapshot.longest_wait.job_id
    assert shown is not None
    moment = "min(coalesce(ready_at, created_at))"
    assert plain.one(f"coalesce(ready_at, created_at) = (select {moment} from staging where "
                     f"{STATES['pending']})", None, f"and id = {_number(shown)}")  # fmt: skip


def assert_failures(snapshot: Snapshot, plain: Plain) -> None:
    failures = snapshot.failures
    assert exact(failures.total) == plain.one("count(*)", None, f"and {GAVE}")
    recent = f"count(*) filter (where failed_at > {HOUR} and failed_at <= {{now}})"
    assert exact(failures.last_hour) == plain.one(recent, None, f"and {GAVE}")
    rows = plain.rows(
        f"{_kind()}, count(*), {recent}, min(failed_at), max(failed_at)",
        None,
        f"and {GAVE} group by 1",
    )
    kinds = {
        k.kind: (exact(k.count), k.recent, k.first_failed_at, k.last_failed_at)
        for k in failures.kinds
    }
    assert kinds == {kind or NO_KIND: tuple(numbers) for kind, *numbers in rows}
    assert sum(kind.share for kind in failures.kinds) == pytest.approx(1.0)
    for kind in failures.kinds:
        assert sum(kind.trend) == kind.recent
        assert kind.example_id is not None
        newest = f"and {GAVE} and {_kind()} is not distinct from {_literal(kind.kind)}"
        assert plain.one(f"max(failed_at) = max(failed_at) filter (where id = {_number(kind.example_id)})",
                         None, newest)  # fmt: skip


def _kind() -> str:
    """The stored kind, else what the failure text names."""
    return "coalesce(failure_kind, substring(failure_detail from '^\\w+Error'))"


def _literal(kind: str) -> str:
    return "null" if kind == NO_KIND else f"'{kind}'"


def assert_flow(snapshot: Snapshot, plain: Plain) -> None:
    hour = f"and finished_at >= {HOUR} and finished_at <= {{now}}"
    minute = f"and {{t}} > {MINUTE} and {{t}} <= {{now}}"
    flow = snapshot.flow
    for measure, column, state in (
        (flow.arrived, "created_at", None),
        (flow.finished, "finished_at", "succeeded"),
    ):
        jobs = plain.one("count(*)", state, minute.replace("{t}", column))
        assert exact(measure) == pytest.approx(jobs / 60)
    gave = plain.one("count(*)", None, f"and {GAVE} " + minute.replace("{t}", "failed_at"))
    assert exact(flow.failed) == pytest.approx(gave / 60)
    ended, retried = plain.rows(
        "count(*), count(*) filter (where attempts > 1)", "succeeded", hour
    )[0]
    gave_up = f"and {GAVE} and failed_at > {HOUR} and failed_at <= {{now}}"
    lost, tried = plain.rows("count(*), count(*) filter (where attempts > 1)", None, gave_up)[0]
    ratio = snapshot.retry_ratio
    assert (ratio.finished, ratio.retried) == (ended + lost, retried + tried)
    assert exact(ratio.share) == pytest.approx((retried + tried) / (ended + lost))
    run = "extract(epoch from finished_at - started_at)"
    wait = "extract(epoch from started_at - coalesce(ready_at, created_at))"
    for measures, seconds in (
        ((snapshot.durations.run_p50, snapshot.durations.run_p95, snapshot.durations.run_p99), run),
        (
            (snapshot.durations.wait_p50, snapshot.durations.wait_p95, snapshot.durations.wait_p99),
            wait,
        ),
    ):
        percentiles = (
            f"percentile_cont(array[0.5, 0.95, 0.99]) within group (order by ({seconds})::float8)"
        )
        wanted = plain.one(percentiles, "succeeded", f"{hour} and {seconds} >= 0")
        assert [exact(measure) for measure in measures] == pytest.approx(wanted, abs=1e-5)
    sample = plain.one("count(*)", "succeeded", f"{hour} and {run} >= 0")
    assert snapshot.durations.sample == sample


def assert_queues(snapshot: Snapshot, plain: Plain) -> None:
    lines = {line.queue: line for line in snapshot.queues}
    names = {name or NO_QUEUE for (name,) in plain.rows("distinct queue")}
    assert set(lines) == names
    for state in (State.PENDING, State.SCHEDULED, State.RETRYING, State.RUNNING, State.STALLED):
        counted = {name: exact(getattr(line, state.value)) for name, line in lines.items()}
        by_queue = Counter(
            {q or NO_QUEUE: n for q, n in plain.rows("queue, count(*)", state, "group by 1")}
        )
        assert counted == {name: by_queue[name] for name in lines}
    gave = Counter(
        {q or NO_QUEUE: n for q, n in plain.rows("queue, count(*)", None, f"and {GAVE} group by 1")}
    )
    assert {name: exact(line.failed) for name, line in lines.items()} == {n: gave[n] for n in lines}
    waiting = f"({STATES['pending']} or {STATES['retrying']})"
    ages = dict(plain.rows(
        "coalesce(queue, '(none)'), extract(epoch from {now} - min(created_at))::float8", None,
        f"and {waiting} group by 1",
    ))  # fmt: skip
    for name, line in lines.items():
        assert exact(line.oldest_s) == pytest.approx(ages.get(name, 0.0), abs=1e-5)
    minute = f"and finished_at > {MINUTE} and finished_at <= {{now}} group by 1"
    done = dict(plain.rows("coalesce(queue, '(none)'), count(*)", "succeeded", minute))
    for name, line in lines.items():
        assert exact(line.finished_per_s) == pytest.approx(done.get(name, 0) / 60)


async def test_an_empty_table_is_well(database: str) -> None:
    make(database, Form(), count=0)
    async with opened(database, mapping=mapping(Form())) as table:
        snapshot = await snapshot_of(table)
        assert await every_job(table.browser) == []
    assert {state: exact(snapshot.states[state]) for state in State} == dict.fromkeys(State, 0)
    assert exact(snapshot.oldest_pending.age_s) == 0
    assert exact(snapshot.longest_wait.age_s) == 0
    assert snapshot.failures.kinds == ()
    assert snapshot.durations.run_p50.value is None
    assert snapshot.verdict.name == "well"
    assert snapshot.queues == ()


async def test_one_row_of_nulls_is_unmapped(database: str) -> None:
    form = Form(end=")", types={"id": "bigint"})
    make(database, form, count=0)
    query(database, "insert into jobs default values returning 1")
    async with opened(database, mapping=mapping(form)) as table:
        snapshot = await snapshot_of(table)
        (job,) = await every_job(table.browser)
        assert (job.id, job.state) == ("", None)
        assert await table.browser.job("1") is None
    assert exact(snapshot.unmapped) == 1
    assert {state: exact(snapshot.states[state]) for state in State} == dict.fromkeys(State, 0)
    assert snapshot.verdict.name == "unmapped"
    assert snapshot.verdict.filter is None


@pytest.mark.parametrize("column", ("id", "priority", "created_at", "ready_at", "attempts"))
async def test_a_pending_row_of_nulls_is_listed(database: str, column: str) -> None:
    form = Form(end=")", types={"id": "bigint"})
    make(database, form, count=0)
    query(database, "insert into jobs (status) values ('waiting') returning 1")
    async with opened(database, mapping=mapping(form)) as table:
        snapshot = await snapshot_of(table)
        page = await table.browser.jobs(Selection(), Sort(column))
        assert [job.state for job in page.jobs] == [State.PENDING]
    assert exact(snapshot.states[State.PENDING]) == 1
    assert snapshot.oldest_pending.age_s.value is None
    assert snapshot.oldest_pending.age_s.why == "no waiting job has its created_at"
    (line,) = snapshot.queues
    assert (line.queue, exact(line.pending)) == (NO_QUEUE, 1)


def test_the_states_that_gave_up_are_those_of_the_design() -> None:
    assert GAVE_UP == (State.FAILED, State.QUARANTINED)
