"""The queues, each with its numbers and whether it is over its own alarm."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from queuetop.model.facts import CAP, QueueName, Signal, StateLine
from queuetop.model.mapping import Mapping
from queuetop.model.measure import Exactness, Measure
from queuetop.model.snapshot import NO_QUEUE, Level, QueueLine
from queuetop.model.states import GAVE_UP, State
from queuetop.observe import failing
from queuetop.observe.counts import AT_CAP, IN_WINDOW, NOT_YET, missing
from queuetop.observe.flowing import RATE_S, finished
from queuetop.observe.ledger import Ledger
from queuetop.observe.levels import age_level, alarm_s

_COUNTED = (State.PENDING, State.SCHEDULED, State.RETRYING, State.RUNNING, State.STALLED)


def paused(ledger: Ledger) -> tuple[str, ...]:
    reading = ledger.get(Signal.PAUSES)
    return tuple(sorted(line.queue for line in reading.of(QueueName))) if reading else ()


def queues(ledger: Ledger, mapping: Mapping) -> tuple[QueueLine, ...]:
    """Every queue that is known of, the one with the oldest work first."""
    gathered = _gather(ledger)
    build = _Builder(ledger, mapping, gathered)
    lines = [build.line(name) for name in gathered.names]
    lines.sort(key=lambda q: (-(q.oldest_s.value or 0), -(q.pending.value or 0), q.queue))
    return tuple(lines)


@dataclass
class _Gathered:
    """What the readings say, by queue."""

    names: dict[str, None] = field(default_factory=dict)
    jobs: dict[State, Counter[str]] = field(
        default_factory=lambda: {state: Counter() for state in _COUNTED}
    )
    failed: Counter[str] = field(default_factory=Counter)
    finished: dict[str, int] = field(default_factory=dict)
    created: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    ready: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    paused: tuple[str, ...] = ()


def _gather(ledger: Ledger) -> _Gathered:
    found = _Gathered(paused=paused(ledger))
    for state in _COUNTED:
        for line in _lines(ledger, state):
            queue = line.queue or NO_QUEUE
            found.names[queue] = None
            found.jobs[state][queue] += line.jobs
            if state in {State.PENDING, State.RETRYING} and line.oldest_created_at:
                found.created[queue].append(line.oldest_created_at)
            if state is State.PENDING and line.oldest_ready_at:
                found.ready[queue].append(line.oldest_ready_at)
    for failure in failing.lines(ledger):
        found.failed[failure.queue or NO_QUEUE] += failure.jobs
    rates = finished(ledger)
    if rates is not None:
        found.finished = {name or NO_QUEUE: n for name, n in rates[0].by_queue.items()}
    known = ledger.get(Signal.QUEUES)
    extra = [line.queue for line in known.of(QueueName)] if known else []
    for name in (*found.failed, *extra, *found.paused, *found.finished):
        found.names.setdefault(name)
    return found


def _lines(ledger: Ledger, state: State) -> list[StateLine]:
    reading = ledger.get(Signal.STATE, state)
    if reading is None:
        reading = ledger.swept(state)
    return reading.of(StateLine) if reading else []


class _Builder:
    """One queue's line out of what was gathered."""

    def __init__(self, ledger: Ledger, mapping: Mapping, gathered: _Gathered) -> None:
        self._ledger, self._mapping = ledger, mapping
        self._gathered = gathered
        self._bounds = {state: self._bound(Signal.STATE, state) for state in _COUNTED}
        self._failed_bound = next(
            (b for state in GAVE_UP if (b := self._bound(Signal.FAILURES, state))), None
        )

    def line(self, queue: str) -> QueueLine:
        alarm = alarm_s(self._mapping, "oldest_pending", queue)
        oldest = self._age(self._gathered.created.get(queue), "created_at")
        is_paused = queue in self._gathered.paused
        return QueueLine(
            queue=queue,
            pending=self._count(State.PENDING, queue),
            scheduled=self._count(State.SCHEDULED, queue),
            retrying=self._count(State.RETRYING, queue),
            running=self._count(State.RUNNING, queue),
            stalled=self._count(State.STALLED, queue),
            failed=self._measure(
                self._gathered.failed[queue], self._failed_bound, Signal.FAILURES, None
            ),
            oldest_s=oldest,
            wait_s=self._age(self._gathered.ready.get(queue), "ready_at"),
            finished_per_s=self._rate(queue),
            paused=is_paused,
            alarm_s=alarm,
            level=Level.FINE if is_paused else age_level(oldest.value, alarm),
        )

    def _bound(self, signal: Signal, state: State) -> str | None:
        if self._ledger.is_windowed(signal, state):
            return IN_WINDOW
        reading = self._ledger.get(signal, state)
        total = sum(getattr(line, "jobs", 0) for line in reading.lines) if reading else 0
        return AT_CAP if total > CAP else None

    def _count(self, state: State, queue: str) -> Measure:
        return self._measure(
            self._gathered.jobs[state][queue], self._bounds[state], Signal.STATE, state
        )

    def _measure(
        self, jobs: int, bound: str | None, signal: Signal, state: State | None
    ) -> Measure:
        states = (state,) if state else GAVE_UP
        readings = [r for s in states if (r := self._ledger.get(signal, s))]
        if not readings:
            errors = [e for s in states if (e := self._ledger.error(signal, s))]
            return Measure.unavailable(errors[0] if errors else NOT_YET)
        exactness = Exactness.CAPPED if bound else Exactness.EXACT
        return Measure(value=jobs, exactness=exactness, why=bound, taken_at=readings[0].taken_at)

    def _age(self, moments: list[datetime] | None, column: str) -> Measure:
        if self._ledger.server is None:
            return Measure.unavailable(NOT_YET)
        if not moments:
            if not self._mapping.has("created_at") and not self._mapping.has(column):
                return Measure.unavailable(missing(self._mapping, column))
            return Measure.exact(0.0)
        now = self._ledger.server.now
        bound = self._bounds[State.PENDING]
        return Measure(
            value=max(0.0, (now - min(moments)).total_seconds()),
            exactness=Exactness.CAPPED if bound else Exactness.EXACT,
            why=bound,
            taken_at=now,
        )

    def _rate(self, queue: str) -> Measure:
        found = finished(self._ledger)
        if found is None:
            return Measure.unavailable(missing(self._mapping, "finished_at"))
        return Measure.exact(
            self._gathered.finished.get(queue, 0) / RATE_S, taken_at=found[1].taken_at
        )
