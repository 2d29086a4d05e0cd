"""The JSON that other programs read (DESIGN.md §8), and its schema.

Every key is always there. What a mapping cannot give is an ``Unavailable`` with its reason, never a 0.
A change that breaks a reader raises ``SCHEMA_VERSION``; a new key does not. The structs have no defaults,
so that the schema requires every key.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from queuetop.model.measure import Exactness, Measure
from queuetop.model.snapshot import (
    Durations,
    FailureKind,
    Failures,
    Finding,
    Flow,
    Level,
    MappingRef,
    Oldest,
    QueueLine,
    Snapshot,
)
from queuetop.model.states import FailureClass, State

SCHEMA_VERSION: Literal[1] = 1
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


#: ISO 8601 with its zone, UTC.
Moment = Annotated[datetime, Meta(tz=True)]


class Unavailable(Struct):
    """Stands where a number cannot be given."""

    value: None
    exactness: Literal["unavailable"]
    why: str


class Number(Struct):
    """A measure. ``age_s``: seconds before the snapshot that it was taken."""

    value: int | float | None
    exactness: Exactness
    why: str | None
    age_s: float
    stale: bool


class Age(Number):
    """Seconds, and the job that waits so long."""

    job_id: str | None
    queue: str | None


class Ratio(Number):
    retried: int | None
    finished: int | None
    window_s: float


class Percentiles(Struct):
    """Seconds from ready to start."""

    p50: float | Unavailable
    p95: float | Unavailable
    p99: float | Unavailable


class Times(Percentiles):
    """Seconds from start to finish; ``wait`` from ready to start."""

    exactness: Exactness
    sample: int
    window: str
    wait: Percentiles


class FlowPart(Struct):
    """Jobs per second over ``window_s``; ``drain_s`` from–to seconds until nothing is pending."""

    arrived: float | Unavailable
    finished: float | Unavailable
    failed: float | Unavailable
    window_s: float
    drain_s: tuple[float, float] | None
    drain: str


class FailureKindPart(Struct):
    kind: str
    class_: FailureClass = msgspec.field(name="class")
    count: Number
    share: float
    last_hour: int
    new: bool
    first_failed_at: Moment | None
    last_failed_at: Moment | None
    example: str
    example_job_id: str | None


class GaveUp(Struct):
    """Jobs that gave up. ``window`` says which of them were looked at for ``failure_kinds``."""

    total: Number
    last_hour: Number
    window: str


class Signals(Struct):
    oldest_pending_age_s: Age
    longest_wait_s: Age
    states: dict[State, Number]
    states_per_min: dict[State, float]
    unmapped: Number
    retry_ratio: Ratio
    failure_kinds: tuple[FailureKindPart, ...] | Unavailable
    gave_up: GaveUp
    durations_s: Times
    flow_per_s: FlowPart


class QueuePart(Struct):
    queue: str
    paused: bool
    level: Level
    pending: Number
    scheduled: Number
    retrying: Number
    running: Number
    stalled: Number
    failed: Number
    oldest_pending_age_s: Number
    longest_wait_s: Number
    finished_per_s: Number
    alarm_s: float | None


class ServerPart(Struct):
    version: str
    standby: bool
    database: str
    where: str
    role: str


class MappingPart(Struct):
    name: str
    table: str
    source: str


class VerdictPart(Struct):
    name: str
    level: Level
    sentence: str
    evidence: tuple[str, ...]
    cause: str
    check: str
    action: str
    filter: str | None


class CostPart(Struct):
    round_trips: int
    db_ms: float
    poll_ms: float
    budget_share: float
    skipped: tuple[str, ...]


class SnapshotDocument(Struct):
    """``queuetop snapshot --json``: one line for each poll of each mapped table."""

    schema_version: Literal[1]
    taken_at: Moment
    server: ServerPart
    mapping: MappingPart
    verdict: VerdictPart
    findings: tuple[VerdictPart, ...]
    signals: Signals
    queues: tuple[QueuePart, ...]
    clock_skew_s: float | None
    cost: CostPart


def encode(document: Struct) -> bytes:
    """One line of JSON without its end, valid for every value."""
    return msgspec.json.encode(document)


def schema(document: type[Struct]) -> dict[str, Any]:
    """The JSON Schema of a document."""
    (root,), parts = msgspec.json.schema_components((document,), ref_template="#/$defs/{name}")
    return {"$schema": _DIALECT, "title": document.__name__, **root, "$defs": parts}


def snapshot_document(snapshot: Snapshot) -> SnapshotDocument:
    """The snapshot as other programs read it."""
    now = snapshot.taken_at
    findings = tuple(_finding(finding) for finding in snapshot.findings)
    return SnapshotDocument(
        schema_version=SCHEMA_VERSION,
        taken_at=now,
        server=ServerPart(
            version=snapshot.server.version,
            standby=snapshot.server.standby,
            database=snapshot.server.database,
            where=snapshot.server.where,
            role=snapshot.server.role,
        ),
        mapping=mapping_part(snapshot.mapping),
        verdict=findings[0],
        findings=findings,
        signals=_signals(snapshot),
        queues=tuple(_queue(line, now) for line in snapshot.queues),
        clock_skew_s=_maybe(snapshot.clock_skew_s),
        cost=CostPart(
            round_trips=snapshot.cost.round_trips,
            db_ms=_plain(snapshot.cost.db_ms),
            poll_ms=_plain(snapshot.cost.poll_ms),
            budget_share=_plain(snapshot.cost.budget_share, 6),
            skipped=snapshot.cost.skipped,
        ),
    )


def _signals(snapshot: Snapshot) -> Signals:
    now = snapshot.taken_at
    ratio = snapshot.retry_ratio
    return Signals(
        oldest_pending_age_s=_age(snapshot.oldest_pending, now),
        longest_wait_s=_age(snapshot.longest_wait, now),
        states={state: _number(_state(snapshot, state), now) for state in State},
        states_per_min={
            state: _plain(change) for state, change in sorted(snapshot.states_per_min.items())
        },
        unmapped=_number(snapshot.unmapped, now),
        retry_ratio=Ratio(
            **_parts(ratio.share, now, 6),
            retried=ratio.retried,
            finished=ratio.finished,
            window_s=_plain(ratio.window_s),
        ),
        failure_kinds=_failure_kinds(snapshot.failures, now),
        gave_up=GaveUp(
            total=_number(snapshot.failures.total, now),
            last_hour=_number(snapshot.failures.last_hour, now),
            window=snapshot.failures.window,
        ),
        durations_s=_times(snapshot.durations),
        flow_per_s=_flow(snapshot.flow),
    )


def _state(snapshot: Snapshot, state: State) -> Measure:
    return snapshot.states.get(state) or Measure.unavailable(f"the mapping has no state {state}")


def _failure_kinds(failures: Failures, now: datetime) -> tuple[FailureKindPart, ...] | Unavailable:
    if not failures.kinds and not failures.total.known:
        return _unavailable(failures.total)
    return tuple(_failure_kind(kind, now) for kind in failures.kinds)


def _failure_kind(kind: FailureKind, now: datetime) -> FailureKindPart:
    return FailureKindPart(
        kind=kind.kind,
        class_=kind.failure_class,
        count=_number(kind.count, now),
        share=_plain(kind.share, 6),
        last_hour=kind.recent,
        new=kind.new,
        first_failed_at=kind.first_failed_at,
        last_failed_at=kind.last_failed_at,
        example=kind.example,
        example_job_id=kind.example_id,
    )


def _times(durations: Durations) -> Times:
    return Times(
        p50=_bare(durations.run_p50),
        p95=_bare(durations.run_p95),
        p99=_bare(durations.run_p99),
        exactness=durations.run_p50.exactness,
        sample=durations.sample,
        window=durations.window,
        wait=Percentiles(
            p50=_bare(durations.wait_p50),
            p95=_bare(durations.wait_p95),
            p99=_bare(durations.wait_p99),
        ),
    )


def _flow(flow: Flow) -> FlowPart:
    return FlowPart(
        arrived=_bare(flow.arrived),
        finished=_bare(flow.finished),
        failed=_bare(flow.failed),
        window_s=_plain(flow.window_s),
        drain_s=(_plain(flow.drain_s[0]), _plain(flow.drain_s[1])) if flow.drain_s else None,
        drain=flow.drain,
    )


def _queue(line: QueueLine, now: datetime) -> QueuePart:
    counts = ("pending", "scheduled", "retrying", "running", "stalled", "failed")
    return QueuePart(
        queue=line.queue,
        paused=line.paused,
        level=line.level,
        **{name: _number(getattr(line, name), now) for name in counts},
        oldest_pending_age_s=_number(line.oldest_s, now),
        longest_wait_s=_number(line.wait_s, now),
        finished_per_s=_number(line.finished_per_s, now),
        alarm_s=_maybe(line.alarm_s),
    )


def _finding(finding: Finding) -> VerdictPart:
    return VerdictPart(
        name=finding.name,
        level=finding.level,
        sentence=finding.verdict,
        evidence=finding.evidence,
        cause=finding.cause,
        check=finding.check,
        action=finding.action,
        filter=finding.filter,
    )


def mapping_part(ref: MappingRef) -> MappingPart:
    return MappingPart(name=ref.name, table=ref.table, source=ref.source)


def _age(oldest: Oldest, now: datetime) -> Age:
    return Age(**_parts(oldest.age_s, now), job_id=oldest.job_id, queue=oldest.queue)


def _number(measure: Measure, now: datetime) -> Number:
    return Number(**_parts(measure, now))


def _parts(measure: Measure, now: datetime, digits: int = 3) -> dict[str, Any]:
    value = _rounded(measure.value, digits)
    unknown = _unavailable(measure)
    return {
        "value": value,
        "exactness": measure.exactness if value is not None else Exactness.UNAVAILABLE,
        "why": measure.why if value is not None else unknown.why,
        "age_s": _plain(measure.age_s(now)),
        "stale": measure.stale,
    }


def _bare(measure: Measure) -> float | Unavailable:
    value = _rounded(measure.value, 6)
    return _unavailable(measure) if value is None else value


def _unavailable(measure: Measure) -> Unavailable:
    return Unavailable(
        value=None, exactness="unavailable", why=measure.why or "nothing to measure it by"
    )


def _rounded(value: float | None, digits: int) -> int | float | None:
    """Whole numbers as such; None for what JSON cannot write."""
    if value is None or not math.isfinite(value):
        return None
    return int(value) if value == int(value) else round(value, digits)


def _plain(value: float, digits: int = 3) -> float:
    return round(value, digits) if math.isfinite(value) else 0.0


def _maybe(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else _plain(value)
