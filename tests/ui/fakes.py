"""A watch without a server: scripted snapshots, churning jobs, and every fault on demand."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import structs

from queuetop.model.columns import Columns
from queuetop.model.errors import StoreError
from queuetop.model.jobs import Cursor, Field, Job, JobDetail, Page, Sort
from queuetop.model.mapping import Alarms, Mapping, QueueAlarms
from queuetop.model.measure import Measure
from queuetop.model.selection import Selection
from queuetop.model.snapshot import (
    Cost,
    DatabaseHealth,
    Durations,
    FailureKind,
    Failures,
    Finding,
    Flow,
    Holder,
    IndexUse,
    Level,
    Link,
    LinkState,
    MappingRef,
    Oldest,
    PanelCost,
    QueueLine,
    RetryRatio,
    Server,
    Snapshot,
)
from queuetop.model.states import FailureClass, State

NOW = datetime(2026, 1, 31, 14, 3, 22, tzinfo=UTC)
SERVER = Server(where="db1:5432/app", version="16.4", database="app", role="viewer", standby=False)
REF = MappingRef(name="payment_task", table="public.payment_task", source="preset")
MAPPING = Mapping(
    schema=1,
    name="payment_task",
    table="public.payment_task",
    columns=Columns(
        id="id",
        status="status",
        queue="queue",
        kind="kind",
        created_at="created_at",
        ready_at="next_attempt_at",
        lease_until="claimed_until",
        started_at="claimed_at",
        finished_at="finished_at",
        failed_at="failed_at",
        attempts="attempts",
        failure_kind="failure_kind",
        failure_detail="failure_detail",
        payload="payload",
        worker="worker",
    ),
    alarms=Alarms(oldest_pending="5m", queues={"reports": QueueAlarms(oldest_pending="1h")}),
)

exact = Measure.exact

KINDS = (
    FailureKind(
        kind="EXTERNAL_5XX",
        failure_class=FailureClass.THEIRS,
        count=exact(3312, taken_at=NOW, cost_ms=1.2),
        share=0.71,
        first_failed_at=NOW - timedelta(minutes=9),
        last_failed_at=NOW - timedelta(seconds=12),
        recent=2940,
        new=True,
        trend=(0, 0, 1, 0, 2, 1, 4, 9, 40, 180, 320, 410),
        example="HTTP 503 from limits service: upstream connect error or disconnect/reset before headers",
        example_id="81231",
    ),
    FailureKind(
        kind="UNKNOWN_OUTCOME",
        failure_class=FailureClass.UNKNOWN_OUTCOME,
        count=exact(840, taken_at=NOW),
        share=0.18,
        first_failed_at=NOW - timedelta(days=3),
        last_failed_at=NOW - timedelta(minutes=2),
        recent=75,
        new=False,
        trend=(3, 5, 4, 6, 5, 8, 7, 6, 5, 9, 8, 9),
        example="read timed out after 30 s; the transfer may have been made",
        example_id="80977",
    ),
    FailureKind(
        kind="VALIDATION",
        failure_class=FailureClass.OURS,
        count=exact(402, taken_at=NOW),
        share=0.086,
        first_failed_at=NOW - timedelta(days=21),
        last_failed_at=NOW - timedelta(minutes=6),
        recent=12,
        new=False,
        trend=(1, 0, 2, 1, 1, 0, 1, 2, 1, 1, 1, 1),
        example="IBAN 'DE44…' is not valid: checksum",
        example_id="80012",
    ),
    FailureKind(
        kind="NOT_FOUND",
        failure_class=FailureClass.OURS,
        count=exact(97, taken_at=NOW),
        share=0.021,
        first_failed_at=NOW - timedelta(days=12),
        last_failed_at=NOW - timedelta(hours=1, minutes=4),
        recent=0,
        new=False,
        trend=(0,) * 12,
        example="customer 8231 is not there",
        example_id="71200",
    ),
    FailureKind(
        kind="TypeError",
        failure_class=FailureClass.UNCLASSIFIED,
        count=exact(14, taken_at=NOW),
        share=0.003,
        first_failed_at=NOW - timedelta(days=2),
        last_failed_at=NOW - timedelta(hours=5),
        recent=0,
        new=False,
        trend=(0,) * 12,
        example="unsupported operand type(s) for +: 'int' and 'NoneType'",
        example_id="70011",
    ),
)

FINDINGS = (
    Finding(
        name="backlog",
        level=Level.CRITICAL,
        verdict="Workers cannot keep up: 38 jobs/s arrive over what finishes; oldest is 23m 20s",
        evidence=(
            "158 jobs/s arrived and 120 jobs/s finished over the last minute",
            "5 012 jobs are pending, 2 280 more than a minute ago",
            "the oldest pending job, 42 of queue default, was created 23m 20s ago; the alarm is 5m 00s",
        ),
        cause="More work arrives than the workers that are there can finish.",
        check="Are all workers alive (view 4), and did the time per job grow (run p95)?",
        action="Add workers, or slow the producer down.",
        filter="state:pending,retrying",
    ),
    Finding(
        name="failures",
        level=Level.WARNING,
        verdict="EXTERNAL_5XX is new: 2 940 failures in the last hour, the newest 12s ago",
        evidence=("first seen 9m 00s ago", "newest: HTTP 503 from limits service"),
        cause="The outside system that these jobs call answers with errors.",
        check="Is the limits service up?",
        action="Requeue them once it is repaired, spread over time.",
        filter="failure:EXTERNAL_5XX",
    ),
    Finding(
        name="stalled",
        level=Level.WARNING,
        verdict="3 jobs are stalled: their leases ran out and nobody took them over",
        evidence=("the oldest lease ran out 4m 10s ago, worker w-7",),
        cause="A worker died or lost its connection while it held them.",
        check="Is worker w-7 alive?",
        action="They will be claimed again; make sure that is safe.",
        filter="state:stalled",
    ),
)

HEALTHY = Finding(
    name="healthy",
    level=Level.FINE,
    verdict="Nothing is wrong: 12 jobs wait, the oldest for 0.8 s; 120 jobs/s finish",
    evidence=("every signal is within its limits",),
)


def queue_line(queue: str, **changes: Any) -> QueueLine:
    line = QueueLine(
        queue=queue,
        pending=exact(4100),
        scheduled=exact(320),
        retrying=exact(180),
        running=exact(80),
        stalled=exact(3),
        failed=exact(3900),
        oldest_s=exact(1400.3),
        wait_s=exact(242.0),
        finished_per_s=exact(96.0),
        paused=False,
        alarm_s=300.0,
        level=Level.CRITICAL,
    )
    return structs.replace(line, **changes)


QUEUES = (
    queue_line("default"),
    queue_line(
        "reports",
        pending=exact(890),
        running=exact(20),
        stalled=exact(0),
        failed=exact(700),
        oldest_s=exact(1210.0),
        wait_s=exact(60.0),
        finished_per_s=exact(24.0),
        alarm_s=3600.0,
        level=Level.FINE,
    ),
    queue_line(
        "mail",
        pending=exact(22),
        running=exact(0),
        stalled=exact(0),
        failed=exact(65),
        oldest_s=Measure.unavailable("the queue is paused"),
        wait_s=Measure.unavailable("the queue is paused"),
        finished_per_s=exact(0.0),
        paused=True,
        level=Level.FINE,
    ),
)

DATABASE = DatabaseHealth(
    table_bytes=exact(4.1e9),
    index_bytes=exact(1.7e9),
    live_rows=Measure.estimated(9_974_842, "the planner's statistics"),
    dead_rows=Measure.estimated(812_400, "the statistics collector"),
    last_autovacuum=NOW - timedelta(hours=3),
    last_autoanalyze=NOW - timedelta(minutes=42),
    autovacuum_running=True,
    modified_since_analyze=90_120,
    oldest_snapshot=Holder(
        pid=4711,
        application="psql",
        user="ann",
        state="idle in transaction",
        age_s=5400.0,
        query="select * from payment_task where status = 'FAILED'",
    ),
    blockers=(
        Holder(
            pid=4712,
            application="migrate",
            user="deploy",
            state="active",
            age_s=31.0,
            query="alter table payment_task add column note text",
            blocks=4,
        ),
    ),
    indexes=(
        IndexUse(
            name="payment_task_pkey",
            size_bytes=310_000_000,
            scans=99_120,
            valid=True,
            columns="id",
            predicate="",
        ),
        IndexUse(
            name="payment_task_due",
            size_bytes=2_100_000,
            scans=1_204_881,
            valid=True,
            columns="next_attempt_at, id",
            predicate="status = 'PENDING'",
        ),
        IndexUse(
            name="payment_task_old",
            size_bytes=880_000_000,
            scans=0,
            valid=False,
            columns="created_at",
            predicate="",
        ),
    ),
    connections=61,
    max_connections=100,
    taken_at=NOW,
)


def states(**counts: Measure) -> dict[State, Measure]:
    """Every state; those not given are as in a queue in trouble."""
    found = {
        State.PENDING: exact(5012, taken_at=NOW, cost_ms=0.9),
        State.SCHEDULED: exact(320, taken_at=NOW),
        State.RETRYING: exact(180, taken_at=NOW),
        State.BLOCKED: Measure.unavailable("this mapping has no such state"),
        State.RUNNING: exact(100, taken_at=NOW),
        State.STALLED: exact(3, taken_at=NOW),
        State.SUCCEEDED: Measure.estimated(9_974_842, "the planner's estimate", taken_at=NOW),
        State.FAILED: exact(4665, taken_at=NOW),
        State.QUARANTINED: Measure.unavailable("this mapping has no such state"),
        State.CANCELLED: Measure.unavailable("this mapping has no such state"),
    }
    return found | {State(name): measure for name, measure in counts.items()}


def make_snapshot(**overrides: Any) -> Snapshot:
    """A queue in trouble, with believable numbers; any field can be another."""
    given: dict[str, Any] = {
        "seq": 1,
        "taken_at": NOW,
        "server": SERVER,
        "mapping": REF,
        "findings": FINDINGS,
        "oldest_pending": Oldest(
            age_s=exact(1400.3, taken_at=NOW, cost_ms=0.4), job_id="42", queue="default"
        ),
        "longest_wait": Oldest(age_s=exact(242.0, taken_at=NOW), job_id="42", queue="default"),
        "states": states(),
        "states_per_min": {State.PENDING: 2280.0, State.RUNNING: 0.0, State.FAILED: 41.0},
        "unmapped": exact(0),
        "retry_ratio": RetryRatio(share=exact(0.097, taken_at=NOW), retried=1298, finished=13400),
        "failures": Failures(
            kinds=KINDS,
            total=exact(4665, taken_at=NOW),
            last_hour=exact(3027),
            window="all that gave up",
        ),
        "durations": Durations(
            run_p50=exact(0.2),
            run_p95=exact(1.3),
            run_p99=exact(2.9),
            wait_p50=exact(31.0),
            wait_p95=exact(220.0),
            wait_p99=exact(239.0),
            sample=10_000,
            window="the last hour",
        ),
        "flow": Flow(
            arrived=exact(158.0),
            finished=exact(120.0),
            failed=exact(0.4),
            window_s=60.0,
            drain_s=None,
            drain="grows by 38/s",
        ),
        "queues": QUEUES,
        "paused_queues": ("mail",),
        "database": None,
        "clock_skew_s": 0.04,
        "cost": Cost(
            round_trips=1,
            db_ms=4.1,
            poll_ms=4.4,
            budget_share=0.002,
            panels=(PanelCost(panel="state:pending", ms=0.9, every_s=2.0),),
        ),
        "levels": {
            "oldest_pending": Level.CRITICAL,
            "longest_wait": Level.WARNING,
            "pending": Level.WARNING,
            "failed": Level.WARNING,
            "stalled": Level.WARNING,
            "flow": Level.CRITICAL,
        },
    }
    return Snapshot(**(given | overrides))


def healthy_snapshot(**overrides: Any) -> Snapshot:
    """A queue that is fine."""
    given: dict[str, Any] = {
        "findings": (HEALTHY,),
        "oldest_pending": Oldest(age_s=exact(0.8), job_id="9", queue="default"),
        "longest_wait": Oldest(age_s=exact(0.8), job_id="9", queue="default"),
        "states": states(pending=exact(12), stalled=exact(0), failed=exact(41)),
        "levels": {},
    }
    return make_snapshot(**(given | overrides))


class FakeHistory:
    """A quarter of an hour of a backlog that grows."""

    def __init__(self, **series: tuple[tuple[float, float], ...]) -> None:
        end = NOW.timestamp()
        moments = [end - 900 + 2 * step for step in range(451)]

        def curve(shape: Any) -> tuple[tuple[float, float], ...]:
            return tuple((moment, float(shape(i / 450, i))) for i, moment in enumerate(moments))

        self.all = {
            "oldest_pending": curve(lambda x, i: 8 + 1392 * max(0.0, x - 0.1) ** 1.2),
            "longest_wait": curve(lambda x, i: 2 + 240 * x**2),
            "pending": curve(lambda x, i: 120 + 4890 * x**2 + 60 * math.sin(i / 9)),
            "running": curve(lambda x, i: 92 + 8 * math.sin(i / 15)),
            "failed": curve(lambda x, i: 1600 + 3065 * x),
            "failures": curve(lambda x, i: 0.1 + 0.4 * x),
            "retry_ratio": curve(lambda x, i: 0.04 + 0.057 * x),
            "arrived": curve(lambda x, i: 118 + 40 * x),
            "finished": curve(lambda x, i: 120 + 4 * math.sin(i / 7)),
            "p95": curve(lambda x, i: 1.2 + 0.1 * math.sin(i / 20)),
        } | series

    def series(self, name: str) -> tuple[tuple[float, float], ...]:
        return self.all.get(name, ())


def make_jobs(count: int = 40, *, seed: int = 0) -> tuple[Job, ...]:
    """Jobs of all sorts, newest first; ``seed`` changes what they look like, not who they are."""
    return tuple(make_job(number, seed=seed) for number in range(count, 0, -1))


def make_job(number: int, *, seed: int = 0) -> Job:
    state = (State.PENDING, State.RUNNING, State.SUCCEEDED, State.FAILED, State.RETRYING)[
        (number * 7 + seed) % 5
    ]
    created = NOW - timedelta(seconds=1400 - number % 1400)
    failed = state is State.FAILED
    kind = KINDS[number % 3] if failed else None
    return Job(
        id=str(number),
        state=state,
        queue=("default", "reports", "mail")[number % 3],
        kind=("send mail", "charge card", "build report")[number % 3],
        priority=number % 4,
        created_at=created,
        ready_at=created + timedelta(seconds=1),
        lease_until=NOW + timedelta(minutes=4) if state is State.RUNNING else None,
        started_at=NOW - timedelta(seconds=number % 60) if state is State.RUNNING else None,
        finished_at=NOW if state is State.SUCCEEDED else None,
        failed_at=NOW - timedelta(seconds=number % 900) if failed else None,
        attempts=(number + seed) % 6,
        max_attempts=5,
        worker=f"w-{number % 8}" if state is State.RUNNING else None,
        failure_kind=kind.kind if kind else None,
        failure_class=kind.failure_class if kind else None,
        failure_detail=kind.example if kind else None,
        payload=f'{{"amount": {number * 13 % 997}, "to": "DE{number:08d}"}}',
    )


class FakeBrowse:
    """Jobs held in memory, filtered, sorted and paged as the store would.

    ``fault`` is raised by every call; ``delay_s`` comes before every answer, ``math.inf`` hangs and
    takes no cancel for ``stubborn_s`` seconds.
    """

    def __init__(self, jobs: Sequence[Job] = ()) -> None:
        self.all: tuple[Job, ...] = tuple(jobs)
        self.fault: StoreError | None = None
        self.delay_s = 0.0
        self.stubborn_s = 0.0
        self.calls: list[tuple[str, object]] = []
        self.details: dict[str, JobDetail] = {}

    def churn(self, seed: int) -> None:
        """Every job keeps its id and becomes something else."""
        self.all = tuple(make_job(int(job.id), seed=seed) for job in self.all)

    async def jobs(
        self,
        selection: Selection,
        sort: Sort,
        *,
        after: Cursor | None = None,
        limit: int = 200,
        count: bool = True,
    ) -> Page:
        self.calls.append(("jobs", (selection, sort, after, limit)))
        await self._answer()
        found = [job for job in self.all if _matches(job, selection)]
        known = [job for job in found if getattr(job, sort.column, None) is not None]
        known.sort(key=lambda job: (getattr(job, sort.column), job.id), reverse=sort.descending)
        found = known + [job for job in found if getattr(job, sort.column, None) is None]
        start = 0
        if after is not None:
            start = next((i + 1 for i, job in enumerate(found) if job.id == after.id), len(found))
        page = found[start : start + limit]
        more = start + limit < len(found)
        return Page(
            jobs=tuple(page),
            next=Cursor(str(getattr(page[-1], sort.column, None)), page[-1].id) if more else None,
            window="all jobs",
            taken_at=NOW,
            cost_ms=3.1,
            matched=Measure.counted(len(found), cap=10_000),
        )

    async def job(self, job_id: str) -> JobDetail | None:
        self.calls.append(("job", job_id))
        await self._answer()
        if job_id in self.details:
            return self.details[job_id]
        found = next((job for job in self.all if job.id == job_id), None)
        return make_detail(found) if found else None

    async def values(self, column: str) -> tuple[str, ...]:
        self.calls.append(("values", column))
        await self._answer()
        found = {getattr(job, column, None) for job in self.all}
        return tuple(sorted(value for value in found if value))

    async def export(self, selection: Selection, sort: Sort) -> AsyncIterator[Page]:
        after: Cursor | None = None
        while True:
            page = await self.jobs(selection, sort, after=after)
            yield page
            if page.next is None:
                return
            after = page.next

    async def close(self) -> None:
        self.calls.append(("close", None))

    async def _answer(self) -> None:
        if self.delay_s:
            await stubborn(self.delay_s, self.stubborn_s)
        if self.fault is not None:
            raise self.fault


def _matches(job: Job, selection: Selection) -> bool:
    terms: tuple[tuple[Sequence[object], object], ...] = (
        (selection.states, job.state),
        (selection.queues, job.queue),
        (selection.kinds, job.kind),
        (selection.failures, job.failure_kind),
        (selection.classes, job.failure_class),
        (selection.ids, job.id),
        (selection.workers, job.worker),
    )
    if any(wanted and value not in wanted for wanted, value in terms):
        return False
    tried = job.attempts or 0
    compare = {"=": "__eq__", ">": "__gt__", "<": "__lt__", ">=": "__ge__", "<=": "__le__"}
    if not all(getattr(tried, compare[c.op])(c.value) for c in selection.attempts):
        return False
    return all(word in f"{job.payload} {job.failure_detail}" for word in selection.words)


def make_detail(job: Job, **overrides: Any) -> JobDetail:
    given: dict[str, Any] = {
        "job": job,
        "fields": (
            Field("id", "bigint", job.id),
            Field("status", "text", str(job.state).upper()),
            Field("queue", "text", job.queue),
            Field("payload", "jsonb", job.payload),
            Field("note", "text", None),
        ),
        "failure_text": f"{job.failure_detail}\n  at call()\n  at main()"
        if job.failure_detail
        else None,
        "payload_text": '{\n  "amount": 12,\n  "to": "DE00000001"\n}',
        "why_waiting": ("4 100 jobs of its queue are due before it", "all 8 workers are busy"),
        "taken_at": NOW,
    }
    return JobDetail(**(given | overrides))


async def stubborn(seconds: float, ignores_cancel_s: float = 0.0) -> None:
    """Sleeps, ``math.inf`` for good; goes on for a while when it is cancelled, as a frozen link does."""
    try:
        await (asyncio.Event().wait() if math.isinf(seconds) else asyncio.sleep(seconds))
    except asyncio.CancelledError:
        if ignores_cancel_s:
            await asyncio.sleep(ignores_cancel_s)
        raise


Event = Snapshot | LinkState | Exception


class FakeWatch:
    """Plays its script, then whatever is pushed. Can be iterated again, as after a switch.

    An exception in the script is raised, which a real watch never does.
    """

    def __init__(
        self,
        script: Iterable[Event] | None = None,
        *,
        jobs: Sequence[Job] = (),
        ref: MappingRef = REF,
        mapping: Mapping = MAPPING,
        history: FakeHistory | None = None,
        hangs_s: float = 0.0,
    ) -> None:
        events = [make_snapshot()] if script is None else list(script)
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        for event in events:
            self.events.put_nowait(event)
        self.ref = ref
        self.mapping = mapping
        self.history = history or FakeHistory()
        self.browse = FakeBrowse(jobs)
        self.interval_s = 2.0
        self.hangs_s = hangs_s
        self.server: Server | None = None
        self.polls_asked = 0
        self.database_wanted = False
        self.iterations = 0
        self.closed = False

    def push(self, event: Event) -> None:
        self.events.put_nowait(event)

    def lose(
        self, sentence: str = "The server closed the connection", retry_in_s: float = 4.0
    ) -> None:
        """The link goes stale."""
        self.push(
            LinkState(link=Link.STALE, sentence=sentence, since=monotonic(), retry_in_s=retry_in_s)
        )

    def set_interval(self, seconds: float) -> None:
        self.interval_s = seconds

    def poll_now(self) -> None:
        self.polls_asked += 1

    def want_database(self, wanted: bool) -> None:  # as the protocol says
        self.database_wanted = wanted

    async def __aiter__(self) -> AsyncIterator[Snapshot | LinkState]:
        self.iterations += 1
        while True:
            try:
                event = await self.events.get()
            except asyncio.CancelledError:
                if self.hangs_s:
                    await asyncio.sleep(self.hangs_s)
                raise
            if isinstance(event, Exception):
                raise event
            if isinstance(event, Snapshot):
                self.server = event.server
            yield event

    async def close(self) -> None:
        if self.hangs_s:
            await asyncio.sleep(self.hangs_s)
        self.closed = True


def monotonic() -> float:
    return asyncio.get_running_loop().time()


class LiveWatch(FakeWatch):
    """Makes a new snapshot every interval, and changes every job: for looking and for load."""

    async def __aiter__(self) -> AsyncIterator[Snapshot | LinkState]:
        seq = 0
        while True:
            seq += 1
            now = NOW + timedelta(seconds=seq * self.interval_s)
            if self.browse.all:
                self.browse.churn(seq)
            yield make_snapshot(
                seq=seq,
                taken_at=now,
                states=states(pending=exact(5012 + 76 * seq)),
                database=DATABASE if self.database_wanted else None,
            )
            await asyncio.sleep(self.interval_s)
