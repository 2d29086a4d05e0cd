"""What the store found out, before ``observe`` makes measures of it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from queuetop.model.states import State

#: How far jobs are counted before a count becomes "at least".
CAP = 10_000
#: How many of the newest jobs are looked at where no index serves the whole question.
WINDOW = 20_000


class Signal(StrEnum):
    """The questions that a poll can put."""

    STATE = "state"
    SWEEP = "sweep"
    FAILURES = "failures"
    FINISHED = "finished"
    ARRIVALS = "arrivals"
    ESTIMATE = "estimate"
    UNMAPPED = "unmapped"
    QUEUES = "queues"
    PAUSES = "pauses"
    ACTIVITY = "activity"


class Panel(Struct, frozen=True):
    """One question: a signal, for some of them about one state."""

    signal: Signal
    state: State | None = None
    #: Looks at the newest ``WINDOW`` jobs by id only, where no index serves the whole question.
    window: bool = False

    def __str__(self) -> str:
        name = f"{self.signal}:{self.state}" if self.state else str(self.signal)
        return f"{name} (newest {WINDOW})" if self.window else name


class PlanCost(Struct, frozen=True, kw_only=True):
    """The planner's opinion: its cost units, the rows that it would scan without an index, and those
    that it expects to match, were there no LIMIT."""

    units: float
    scanned_rows: float
    rows: float = 0.0


class StateLine(Struct, frozen=True, kw_only=True):
    """Jobs of one state in one queue. Times are None where no column gives them."""

    state: State
    queue: str | None
    jobs: int
    oldest_created_at: datetime | None
    oldest_created_id: str | None
    oldest_ready_at: datetime | None
    oldest_ready_id: str | None
    newest_started_at: datetime | None


class FailureLine(Struct, frozen=True, kw_only=True):
    """Jobs that gave up, of one kind in one queue. ``recent`` ones did so in the last hour."""

    state: State
    kind: str | None
    queue: str | None
    jobs: int
    recent: int
    recent_retried: int
    last_minute: int
    first_failed_at: datetime | None
    last_failed_at: datetime | None
    example: str | None
    example_id: str | None
    trend: tuple[int, ...]


class FinishedLine(Struct, frozen=True, kw_only=True):
    """The last hour's ended jobs, newest first up to the cap."""

    finished: int
    retried: int | None
    #: In the last minute, or in what the cap leaves of it: ``span_s`` reaches back to the oldest one.
    last_minute: int
    span_s: float | None
    #: The newest start or end of them: the last sign of a worker.
    last_sign_at: datetime | None
    run: tuple[float, float, float] | None
    wait: tuple[float, float, float] | None
    sample: int
    by_queue: dict[str, int]


class ArrivalLine(Struct, frozen=True, kw_only=True):
    """Jobs created in the last minute (or what the cap leaves of it)."""

    arrived: int
    span_s: float | None


class CountLine(Struct, frozen=True, kw_only=True):
    """A number of rows, the planner's or the statistics'."""

    rows: float


class QueueName(Struct, frozen=True, kw_only=True):
    """A queue that exists, or one that is paused."""

    queue: str


class ActivityLine(Struct, frozen=True, kw_only=True):
    """What the server's statistics say without reading the table."""

    inserted: int | None
    #: Seconds that the oldest snapshot of this database has been held, and by whom.
    snapshot_age_s: float | None
    snapshot_pid: int | None
    snapshot_holder: str | None


Line = StateLine | FailureLine | FinishedLine | ArrivalLine | CountLine | QueueName | ActivityLine


class ServerFact(Struct, frozen=True, kw_only=True):
    """Who answered, and its clock. ``sent_at`` and ``received_at`` are the client's, UTC."""

    now: datetime
    version: str
    database: str
    role: str
    standby: bool
    sent_at: datetime
    received_at: datetime


class Facts(Struct, frozen=True, kw_only=True, eq=False):
    """The answers of one batch."""

    server: ServerFact
    lines: dict[Panel, tuple[Line, ...]]
    #: Server milliseconds per panel.
    costs: dict[Panel, float]
    #: Panels that could not be answered, with a sentence.
    failed: dict[Panel, str]
    round_trips: int
    poll_ms: float
