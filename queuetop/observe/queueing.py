"""The queues, each with its numbers and whether it is over its own alarm."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from queuetop.model.facts import FailureLine, QueueName, Signal, StateLine
from queuetop.model.mapping import Mapping
from queuetop.model.measure import Measure
from queuetop.model.snapshot import NO_QUEUE, Level, QueueLine
from queuetop.model.states import GAVE_UP, State
from queuetop.observe.counts import (
    NOT_YET,
    Counted,
    age_at,
    bounded,
    counted,
    knows,
    missing,
    paused,
    signal_of,
    told,
)
from queuetop.observe.flowing import finished, finished_rate, why_unfinished
from queuetop.observe.ledger import Ledger, Reading
from queuetop.observe.levels import age_level, alarm_s

_COUNTED = (State.PENDING, State.SCHEDULED, State.RETRYING, State.RUNNING, State.STALLED)
_AGED = (State.PENDING, State.RETRYING)


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
    finished: Counter[str] = field(default_factory=Counter)
    created: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    ready: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    paused: frozenset[str] = frozenset()


def _gather(ledger: Ledger) -> _Gathered:
    found = _Gathered(paused=paused(ledger))
    for state in _COUNTED:
        for line in _lines(ledger, state):
            found.names[line.queue or NO_QUEUE] = None
            found.jobs[state][line.queue or NO_QUEUE] += line.jobs
    for state in _AGED:
        for reading in told(ledger, state):
            _gather_ages(found, state, reading)
    for state in GAVE_UP:
        for line in _lines(ledger, state):
            found.failed[line.queue or NO_QUEUE] += line.jobs
    rates = finished(ledger)
    for name, jobs in rates[0].by_queue.items() if rates else ():
        found.finished[name or NO_QUEUE] += jobs
    known = ledger.get(Signal.QUEUES)
    extra = [line.queue for line in known.of(QueueName)] if known else []
    for name in (*found.failed, *extra, *sorted(found.paused), *found.finished):
        found.names.setdefault(name or NO_QUEUE)
    return found


def _lines(ledger: Ledger, state: State) -> list[StateLine | FailureLine]:
    best = counted(ledger, state)
    return [*best.reading.of(StateLine), *best.reading.of(FailureLine)] if best else []


def _gather_ages(found: _Gathered, state: State, reading: Reading) -> None:
    for line in reading.of(StateLine):
        queue = line.queue or NO_QUEUE
        found.names.setdefault(queue)
        if line.oldest_created_at:
            found.created[queue].append(line.oldest_created_at)
        if state is State.PENDING and line.oldest_ready_at:
            found.ready[queue].append(line.oldest_ready_at)


class _Builder:
    """One queue's line out of what was gathered."""

    def __init__(self, ledger: Ledger, mapping: Mapping, gathered: _Gathered) -> None:
        self._ledger, self._mapping = ledger, mapping
        self._gathered = gathered
        self._counted = {state: counted(ledger, state) for state in _COUNTED}
        self._failures = [best for state in GAVE_UP if (best := counted(ledger, state))]
        self._aged = [reading for state in _AGED for reading in told(ledger, state)]
        self._age_bound = bounded(ledger, _AGED)

    def line(self, queue: str) -> QueueLine:
        alarm = alarm_s(self._mapping, "oldest_pending", queue)
        is_paused = queue in self._gathered.paused
        oldest = self._age(queue, "created_at", self._gathered.created)
        return QueueLine(
            queue=queue,
            pending=self._count(State.PENDING, queue),
            scheduled=self._count(State.SCHEDULED, queue),
            retrying=self._count(State.RETRYING, queue),
            running=self._count(State.RUNNING, queue),
            stalled=self._count(State.STALLED, queue),
            failed=self._failed(queue),
            oldest_s=oldest,
            wait_s=self._age(queue, "ready_at", self._gathered.ready),
            finished_per_s=self._rate(queue),
            paused=is_paused,
            alarm_s=alarm,
            level=Level.FINE if is_paused else age_level(oldest.value, alarm),
        )

    def _count(self, state: State, queue: str) -> Measure:
        best = self._counted[state]
        if best is None:
            return Measure.unavailable(self._why(state))
        return best.reading.measure(self._gathered.jobs[state][queue], best.bound)

    def _failed(self, queue: str) -> Measure:
        if not self._failures:
            reasons = [self._why(state) for state in GAVE_UP if knows(self._mapping, state)]
            return Measure.unavailable(reasons[0] if reasons else self._why(State.FAILED))
        worst: Counted = min(self._failures, key=lambda best: best.reading.taken_at)
        bound = next((best.bound for best in self._failures if best.bound), None)
        return worst.reading.measure(self._gathered.failed[queue], bound)

    def _why(self, state: State) -> str:
        error = self._ledger.error(signal_of(state), state)
        known = knows(self._mapping, state)
        return error or (NOT_YET if known else f"the mapping knows no {state} jobs")

    def _age(self, queue: str, column: str, known: dict[str, list[datetime]]) -> Measure:
        if queue in self._gathered.paused:
            return Measure.unavailable("the queue is paused")
        if self._ledger.server is None or not self._aged:
            return Measure.unavailable(self._why(State.PENDING))
        moments = known.get(queue)
        reading = min(self._aged, key=lambda reading: reading.taken_at)
        if moments:
            age_s = age_at(reading, self._ledger.server.now, min(moments))
            return reading.measure(age_s, self._age_bound)
        if not self._mapping.has("created_at") and not self._mapping.has(column):
            return Measure.unavailable(missing(self._mapping, column))
        waiting = sum(self._gathered.jobs[state][queue] for state in _AGED)
        if waiting and column == "created_at":
            return Measure.unavailable(f"no waiting job has its {column}")
        return reading.measure(0.0, self._age_bound)

    def _rate(self, queue: str) -> Measure:
        found = finished(self._ledger)
        if found is None:
            return Measure.unavailable(why_unfinished(self._ledger, self._mapping))
        return finished_rate(self._ledger, self._gathered.finished[queue])
