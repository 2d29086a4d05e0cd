"""All measures of one moment. Immutable; built by ``observe``, drawn by ``ui``, written by ``cli``."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from queuetop.model.measure import Measure
from queuetop.model.states import FailureClass, State

#: What stands for the queue of jobs that have none, and for failures that tell no kind.
NO_QUEUE = "(none)"
NO_KIND = "(no kind)"


class Level(StrEnum):
    """How bad a finding is. ``unknown``: nothing can be said yet."""

    FINE = "fine"
    WARNING = "warning"
    CRITICAL = "critical"
    UNKNOWN = "unknown"


class Server(Struct, frozen=True, kw_only=True):
    """Who answered. ``where`` is ``host:port/database`` without secrets."""

    where: str
    version: str
    database: str
    role: str
    standby: bool


class MappingRef(Struct, frozen=True, kw_only=True):
    """Which mapping is shown: ``source`` is ``preset``, ``file`` or ``guess``."""

    name: str
    table: str
    source: str


class Oldest(Struct, frozen=True, kw_only=True):
    """An age in seconds and the job that has it."""

    age_s: Measure
    job_id: str | None = None
    queue: str | None = None


class RetryRatio(Struct, frozen=True, kw_only=True):
    """Among jobs finished in the window, the share that needed more than one attempt."""

    share: Measure
    retried: int | None = None
    finished: int | None = None
    window_s: float = 3600.0


class FailureKind(Struct, frozen=True, kw_only=True):
    """One sort of failure among the jobs that gave up."""

    kind: str
    failure_class: FailureClass
    count: Measure
    #: Of all jobs that gave up and were counted, 0–1.
    share: float
    first_failed_at: datetime | None
    last_failed_at: datetime | None
    #: Failures in the last hour.
    recent: int
    #: First seen within the last quarter of an hour.
    new: bool
    #: Failures per five minutes, oldest first, the last hour.
    trend: tuple[int, ...]
    #: One message, cleaned and cut, and the job it came from.
    example: str
    example_id: str | None


class Failures(Struct, frozen=True, kw_only=True):
    """The jobs that gave up, by kind, most frequent first. ``window`` says what was looked at."""

    kinds: tuple[FailureKind, ...]
    total: Measure
    #: Gave up in the last hour.
    last_hour: Measure
    window: str


class Durations(Struct, frozen=True, kw_only=True):
    """Percentiles in seconds over a stated sample: start→finish and ready→start."""

    run_p50: Measure
    run_p95: Measure
    run_p99: Measure
    wait_p50: Measure
    wait_p95: Measure
    wait_p99: Measure
    sample: int
    window: str


class Flow(Struct, frozen=True, kw_only=True):
    """Jobs per second over ``window_s``, and when the backlog will be gone."""

    arrived: Measure
    finished: Measure
    failed: Measure
    window_s: float
    #: Seconds until nothing is pending, as a range; None where it grows or nothing is known.
    drain_s: tuple[float, float] | None
    #: The forecast in words: "drains in 4m to 6m", "grows by 38/s", "nothing waits".
    drain: str


class QueueLine(Struct, frozen=True, kw_only=True):
    """One queue. ``level`` compares the oldest age with this queue's alarm."""

    queue: str
    pending: Measure
    scheduled: Measure
    retrying: Measure
    running: Measure
    stalled: Measure
    failed: Measure
    oldest_s: Measure
    wait_s: Measure
    finished_per_s: Measure
    paused: bool
    #: Seconds, what ``oldest_s`` is compared with.
    alarm_s: float | None
    level: Level


class Holder(Struct, frozen=True, kw_only=True):
    """A session that holds a snapshot or blocks others."""

    pid: int
    application: str
    user: str
    state: str
    age_s: float
    query: str
    #: For a blocker, how many sessions wait for it.
    blocks: int = 0


class IndexUse(Struct, frozen=True, kw_only=True):
    name: str
    size_bytes: int
    scans: int
    valid: bool
    columns: str
    predicate: str


class DatabaseHealth(Struct, frozen=True, kw_only=True):
    """What the table costs the server and what holds it back. Sizes in bytes."""

    table_bytes: Measure
    index_bytes: Measure
    live_rows: Measure
    dead_rows: Measure
    last_autovacuum: datetime | None
    last_autoanalyze: datetime | None
    autovacuum_running: bool
    modified_since_analyze: int | None
    oldest_snapshot: Holder | None
    blockers: tuple[Holder, ...]
    indexes: tuple[IndexUse, ...]
    connections: int | None
    max_connections: int | None
    taken_at: datetime


class Finding(Struct, frozen=True, kw_only=True):
    """A diagnosis. ``verdict`` is one sentence with numbers; ``evidence`` are lines to prove it."""

    name: str
    level: Level
    verdict: str
    evidence: tuple[str, ...] = ()
    cause: str = ""
    check: str = ""
    action: str = ""
    #: A filter (DESIGN.md §6) that lists the jobs behind it, where there are such.
    filter: str | None = None


class PanelCost(Struct, frozen=True, kw_only=True):
    """One of queuetop's own statements: how dear, how often, and what happened to it last."""

    panel: str
    ms: float | None
    every_s: float
    note: str = ""


class Cost(Struct, frozen=True, kw_only=True):
    """What observing costs: of this poll, and as a share of one backend's time."""

    round_trips: int
    db_ms: float
    poll_ms: float
    budget_share: float
    #: Panels that did not run in this poll, with the reason.
    skipped: tuple[str, ...] = ()
    panels: tuple[PanelCost, ...] = ()


class Snapshot(Struct, frozen=True, kw_only=True, eq=False):
    """All measures of one moment."""

    seq: int
    #: The server's ``now()``.
    taken_at: datetime
    server: Server
    mapping: MappingRef
    #: Worst first; the first one is the verdict. Never empty.
    findings: tuple[Finding, ...]
    oldest_pending: Oldest
    longest_wait: Oldest
    #: Every state of the mapping; the others are ``unavailable``.
    states: dict[State, Measure]
    #: Change per minute of each count, where history allows.
    states_per_min: dict[State, float]
    unmapped: Measure
    retry_ratio: RetryRatio
    failures: Failures
    durations: Durations
    flow: Flow
    queues: tuple[QueueLine, ...]
    paused_queues: tuple[str, ...]
    database: DatabaseHealth | None
    clock_skew_s: float | None
    cost: Cost
    #: Level per signal name ("oldest_pending", "pending", "failed" …) for colour, glyph and word.
    levels: dict[str, Level]

    @property
    def verdict(self) -> Finding:
        return self.findings[0]


class Link(StrEnum):
    """How the connection is."""

    CONNECTING = "connecting"
    LIVE = "live"
    STALE = "stale"


class LinkState(Struct, frozen=True, kw_only=True):
    """The header's truth about the connection. ``since`` is the client's monotonic seconds."""

    link: Link
    sentence: str = ""
    since: float = 0.0
    retry_in_s: float | None = None
