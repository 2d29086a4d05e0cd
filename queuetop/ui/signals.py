"""The eight numbers of the strip: what each one is, shows, and can say for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct

from queuetop.model.durations import show_age, show_duration
from queuetop.model.measure import Exactness, Measure
from queuetop.model.numbers import show_measure, show_rate, show_share
from queuetop.model.snapshot import Level, Oldest, Snapshot
from queuetop.model.states import State

#: Seconds between the two values that a trend compares, and the share that is no change.
TREND_S = 60.0
TREND_SHARE = 0.02

Line = tuple[str, Measure, str]


class Signal(Struct, frozen=True, kw_only=True):
    """One number. ``lines`` are its parts: name, measure, text."""

    name: str
    label: str
    short: str
    value: str
    level: Level
    lines: tuple[Line, ...]
    #: The name of its series in the history.
    series: str
    meaning: str
    #: A filter that lists the jobs behind it.
    filter: str | None = None
    #: Words on where it comes from: the job, the sample, the window.
    notes: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        return any(measure.known for _, measure, _ in self.lines)

    @property
    def stale(self) -> bool:
        return any(measure.stale for _, measure, _ in self.lines)


def signals(snapshot: Snapshot) -> tuple[Signal, ...]:
    """The strip of one snapshot, left to right."""
    return tuple(build(snapshot) for build in _BUILDERS)


def trend(series: Sequence[tuple[float, float]]) -> str:
    """``↑`` or ``↓`` for the change over the last minute, empty for none."""
    if len(series) < 2:
        return ""
    end, now = series[-1]
    before = next((value for moment, value in reversed(series) if moment <= end - TREND_S), None)
    if before is None:
        return ""
    change = now - before
    if abs(change) <= TREND_SHARE * max(abs(now), abs(before)):
        return ""
    return "↑" if change > 0 else "↓"


def show_exactness(measure: Measure, now: datetime) -> str:
    """How far a measure can be trusted, in words."""
    if not measure.known:
        return measure.why or "unavailable"
    words = {
        Exactness.EXACT: "exact",
        Exactness.CAPPED: "at least this much: counting stopped at the cap",
        Exactness.ESTIMATED: "an estimate",
    }[measure.exactness]
    parts = [words]
    if measure.why:
        parts.append(measure.why)
    if measure.taken_at is not None:
        parts.append(f"{show_duration(measure.age_s(now))} old")
    if measure.cost_ms is not None:
        parts.append(f"cost {show_duration(measure.cost_ms / 1000)}")
    if measure.stale:
        parts.append("the last refresh failed or is overdue")
    return " · ".join(parts)


def _measured(measure: Measure, show: Callable[[float | None], str]) -> str:
    if measure.exactness is Exactness.ESTIMATED:
        return f"~{show(measure.value)}"
    return f"{show(measure.value)}{'+' if measure.exactness is Exactness.CAPPED else ''}"


def _oldest_notes(oldest: Oldest) -> tuple[str, ...]:
    if oldest.job_id is None:
        return ()
    where = f" of queue {oldest.queue}" if oldest.queue is not None else ""
    return (f"job {oldest.job_id}{where}",)


def _oldest_pending(snapshot: Snapshot) -> Signal:
    measure = snapshot.oldest_pending.age_s
    return Signal(
        name="oldest_pending",
        label="OLDEST PENDING",
        short="OLDEST",
        value=_measured(measure, show_age),
        level=_level(snapshot, "oldest_pending"),
        lines=(("oldest pending age", measure, _measured(measure, show_age)),),
        series="oldest_pending",
        meaning="How old the oldest work not done is: now − min(created_at) over pending and retrying jobs. "
        "Scheduled and paused work never counts.",
        filter="state:pending,retrying",
        notes=_oldest_notes(snapshot.oldest_pending),
    )


def _longest_wait(snapshot: Snapshot) -> Signal:
    measure = snapshot.longest_wait.age_s
    return Signal(
        name="longest_wait",
        label="LONGEST WAIT",
        short="WAIT",
        value=_measured(measure, show_age),
        level=_level(snapshot, "longest_wait"),
        lines=(("longest wait", measure, _measured(measure, show_age)),),
        series="longest_wait",
        meaning="How long claimable work has waited for a worker: now − min(ready_at) over pending jobs.",
        filter="state:pending",
        notes=_oldest_notes(snapshot.longest_wait),
    )


def _pending(snapshot: Snapshot) -> Signal:
    states = (State.PENDING, State.RETRYING, State.SCHEDULED, State.BLOCKED)
    return Signal(
        name="pending",
        label="PENDING",
        short="PENDING",
        value=show_measure(snapshot.states[State.PENDING]),
        level=_level(snapshot, "pending"),
        lines=tuple(_count(snapshot, state) for state in states),
        series="pending",
        meaning="Jobs that a worker may claim now. Below it, other work that is not done.",
        filter="state:pending",
        notes=_per_minute(snapshot, State.PENDING),
    )


def _running(snapshot: Snapshot) -> Signal:
    running, stalled = snapshot.states[State.RUNNING], snapshot.states[State.STALLED]
    extra = f" +{show_measure(stalled)} st." if stalled.value else ""
    return Signal(
        name="running",
        label="RUNNING",
        short="RUNNING",
        value=show_measure(running) + extra,
        level=_worse(_level(snapshot, "running"), _level(snapshot, "stalled")),
        lines=(_count(snapshot, State.RUNNING), _count(snapshot, State.STALLED)),
        series="running",
        meaning="Jobs that a worker holds with a valid lease; stalled (st.): claimed, but the lease ran out.",
        filter="state:running,stalled",
        notes=_per_minute(snapshot, State.RUNNING),
    )


def _failed(snapshot: Snapshot) -> Signal:
    failures = snapshot.failures
    hour = failures.last_hour
    value = show_measure(hour)
    states = (State.FAILED, State.QUARANTINED, State.SUCCEEDED, State.CANCELLED)
    return Signal(
        name="failed",
        label="FAILED 1h",
        short="FAILED 1h",
        value=f"+{value}" if hour.value and hour.exactness is Exactness.EXACT else value,
        level=_level(snapshot, "failed"),
        lines=(
            ("gave up in the last hour", hour, show_measure(hour)),
            ("gave up in all", failures.total, show_measure(failures.total)),
            *(_count(snapshot, state) for state in states),
        ),
        series="failures",
        meaning="Jobs that gave up: a person must look. The line shows failures per second.",
        filter="state:failed,quarantined since:1h",
        notes=(failures.window,) if failures.window else (),
    )


def _retry_ratio(snapshot: Snapshot) -> Signal:
    ratio = snapshot.retry_ratio
    notes: tuple[str, ...] = ()
    if ratio.retried is not None and ratio.finished is not None:
        notes = (
            f"{ratio.retried:,} of {ratio.finished:,} needed more than one attempt".replace(
                ",", " "
            ),
        )
    return Signal(
        name="retry_ratio",
        label="RETRY RATIO",
        short="RETRIED",
        value=_measured(ratio.share, show_share),
        level=_level(snapshot, "retry_ratio"),
        lines=(("retry ratio", ratio.share, _measured(ratio.share, show_share)),),
        series="retry_ratio",
        meaning=f"Among jobs finished in the last {show_duration(ratio.window_s)}, "
        "the share that needed more than one attempt.",
        filter="attempts>1",
        notes=notes,
    )


def _flow(snapshot: Snapshot) -> Signal:
    flow = snapshot.flow
    known = flow.arrived.known or flow.finished.known
    return Signal(
        name="flow",
        label="FLOW in/out/s",
        short="IN/OUT /s",
        value=f"{show_rate(flow.arrived.value)}/{show_rate(flow.finished.value)}" if known else "–",
        level=_level(snapshot, "flow"),
        lines=tuple(
            (name, measure, f"{_measured(measure, show_rate)}/s")
            for name, measure in (
                ("arrived", flow.arrived),
                ("finished", flow.finished),
                ("failed", flow.failed),
            )
        ),
        series="finished",
        meaning=f"Jobs per second over the last {show_duration(flow.window_s)}. "
        "The line shows what finishes.",
        notes=(flow.drain,) if flow.drain else (),
    )


def _p95(snapshot: Snapshot) -> Signal:
    durations = snapshot.durations
    rows = (
        ("run p50", durations.run_p50),
        ("run p95", durations.run_p95),
        ("run p99", durations.run_p99),
        ("wait p50", durations.wait_p50),
        ("wait p95", durations.wait_p95),
        ("wait p99", durations.wait_p99),
    )
    sample = f"{durations.sample:,} jobs".replace(",", " ")
    return Signal(
        name="p95",
        label="RUN p95",
        short="RUN p95",
        value=_measured(durations.run_p95, show_duration),
        level=_level(snapshot, "p95"),
        lines=tuple((name, measure, _measured(measure, show_duration)) for name, measure in rows),
        series="p95",
        meaning="How long jobs take: run is start→finish, wait is ready→start; 95 % are faster than p95.",
        notes=(f"{sample}, {durations.window}" if durations.window else sample,),
    )


_BUILDERS: tuple[Callable[[Snapshot], Signal], ...] = (
    _oldest_pending,
    _longest_wait,
    _pending,
    _running,
    _failed,
    _retry_ratio,
    _flow,
    _p95,
)


def _count(snapshot: Snapshot, state: State) -> Line:
    measure = snapshot.states[state]
    return (str(state), measure, show_measure(measure))


def _per_minute(snapshot: Snapshot, state: State) -> tuple[str, ...]:
    change = snapshot.states_per_min.get(state)
    return () if change is None else (f"{change:+,.0f} a minute".replace(",", " "),)


def _level(snapshot: Snapshot, name: str) -> Level:
    return snapshot.levels.get(name, Level.FINE)


_ORDER = (Level.FINE, Level.UNKNOWN, Level.WARNING, Level.CRITICAL)


def _worse(one: Level, other: Level) -> Level:
    return max(one, other, key=_ORDER.index)
