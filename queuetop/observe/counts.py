"""Counts by state and the two ages, from whichever readings answer them best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from queuetop.model.facts import CAP, WINDOW, CountLine, FailureLine, QueueName, Signal, StateLine
from queuetop.model.mapping import Mapping
from queuetop.model.measure import Exactness, Measure
from queuetop.model.numbers import show_count
from queuetop.model.snapshot import Oldest
from queuetop.model.states import GAVE_UP, State
from queuetop.observe.ledger import Ledger, Reading

IN_WINDOW = f"among the newest {show_count(WINDOW)} jobs"
AT_CAP = f"counted up to {show_count(CAP)}"
NOT_YET = "not measured yet"


def states(ledger: Ledger, mapping: Mapping) -> dict[State, Measure]:
    """Every state's count."""
    return {state: count(ledger, mapping, state) for state in State}


def count(ledger: Ledger, mapping: Mapping, state: State) -> Measure:
    """Jobs in one state: counted where that is cheap, swept where it is not, else estimated."""
    kept = {State.SUCCEEDED: mapping.keeps.succeeded, State.CANCELLED: mapping.keeps.cancelled}
    if kept.get(state) == "no":
        return Measure.unavailable(f"{mapping.name} deletes {state} jobs")
    found = counted(ledger, state)
    if found is None:
        return _estimated(ledger, mapping, state)
    return found.reading.measure(min(found.jobs, CAP) if found.bound else found.jobs, found.bound)


@dataclass(frozen=True)
class Counted:
    """The reading that tells most about one state, and why it is only "at least", or None."""

    reading: Reading
    bound: str | None

    @property
    def jobs(self) -> int:
        return jobs_in(self.reading)


def counted(ledger: Ledger, state: State) -> Counted | None:
    """What is known of one state: by its own panel, or by the last whole pass where that one only
    looks at the newest jobs."""
    signal = signal_of(state)
    own, swept = ledger.get(signal, state), ledger.swept(state)
    windowed = ledger.is_windowed(signal, state)
    if own is not None and not windowed:
        return Counted(own, AT_CAP if jobs_in(own) > CAP else None)
    # "At least so many among the newest" may by now say more than an old whole pass.
    if swept is not None and (own is None or jobs_in(own) <= jobs_in(swept)):
        return Counted(swept, None)
    return Counted(own, IN_WINDOW) if own is not None else None


def signal_of(state: State) -> Signal:
    """The panel that counts a state."""
    return Signal.FAILURES if state in GAVE_UP else Signal.STATE


def jobs_in(reading: Reading) -> int:
    return sum(line.jobs for line in reading.lines if isinstance(line, StateLine | FailureLine))


def _estimated(ledger: Ledger, mapping: Mapping, state: State) -> Measure:
    found = ledger.estimate(state)
    if found is not None:
        rows, reading = found
        return reading.measure(max(0.0, rows), "the planner's estimate", Exactness.ESTIMATED)
    error = ledger.error(signal_of(state), state) or ledger.error(Signal.ESTIMATE, state)
    known = NOT_YET if knows(mapping, state) else f"the mapping knows no {state} jobs"
    return Measure.unavailable(error or known)


def knows(mapping: Mapping, state: State) -> bool:
    """Whether the mapping can tell jobs in this state."""
    if state in mapping.states:
        return True
    match state:
        case State.PENDING:
            return bool(mapping.status.waiting)
        case State.SCHEDULED | State.RETRYING:
            return bool(mapping.status.waiting) and mapping.has("ready_at")
        case State.RUNNING:
            return bool(mapping.status.claimed)
        case State.STALLED:
            return bool(mapping.status.claimed) and mapping.has("lease_until")
        case _:
            return bool(getattr(mapping.status, state.value))


def unmapped(ledger: Ledger, mapping: Mapping) -> Measure:
    """Rows that no rule names."""
    reading = ledger.get(Signal.UNMAPPED)
    lines = reading.of(CountLine) if reading else []
    if reading is None or not lines:
        own_places = any(rule.from_ for rule in mapping.states.values())
        why = "its states have tables of their own" if own_places else NOT_YET
        return Measure.unavailable(ledger.error(Signal.UNMAPPED) or why)
    rows = lines[0].rows
    if ledger.is_windowed(Signal.UNMAPPED):
        return reading.measure(rows, IN_WINDOW)
    return reading.measure(min(rows, CAP), AT_CAP if rows > CAP else None)


@dataclass(frozen=True)
class _Age:
    """One of the two ages: what it is about, and which time it looks at."""

    states: tuple[State, ...]
    column: str
    moment: Callable[[StateLine], tuple[datetime | None, str | None]]


_OLDEST = _Age(
    (State.PENDING, State.RETRYING),
    "created_at",
    lambda line: (line.oldest_created_at, line.oldest_created_id),
)
_WAIT = _Age(
    (State.PENDING,),
    "ready_at",
    lambda line: (line.oldest_ready_at, line.oldest_ready_id),
)


def oldest_pending(ledger: Ledger, mapping: Mapping) -> Oldest:
    """The oldest work not done: pending and retrying, by creation."""
    return _oldest(ledger, mapping, _OLDEST)


def longest_wait(ledger: Ledger, mapping: Mapping) -> Oldest:
    """How long claimable work has waited for a worker: pending, by ready time."""
    return _oldest(ledger, mapping, _WAIT)


def _oldest(ledger: Ledger, mapping: Mapping, age: _Age) -> Oldest:
    if not (mapping.has(age.column) or mapping.has("created_at")) and not mapping.states:
        return Oldest(age_s=Measure.unavailable(missing(mapping, age.column)))
    readings = [reading for state in age.states for reading in told(ledger, state)]
    if not readings or ledger.server is None:
        return Oldest(age_s=Measure.unavailable(_why_not(ledger, age)))
    idle = paused(ledger)
    lines = [
        line for reading in readings for line in reading.of(StateLine) if line.queue not in idle
    ]
    known = [(moment, line) for line in lines if (moment := age.moment(line)[0]) is not None]
    if lines and not known:
        has = mapping.has(age.column) or mapping.has("created_at")
        why = f"no waiting job has its {age.column}" if has else missing(mapping, age.column)
        return Oldest(age_s=Measure.unavailable(why))
    oldest_reading = min(readings, key=lambda reading: reading.taken_at)
    basis = replace(oldest_reading, stale=any(reading.stale for reading in readings))
    bound = bounded(ledger, age.states)
    if not known:
        return Oldest(age_s=basis.measure(0.0, bound))
    moment, line = min(known, key=lambda pair: pair[0])
    return Oldest(
        age_s=basis.measure(age_at(basis, ledger.server.now, moment), bound),
        job_id=age.moment(line)[1],
        queue=line.queue,
    )


def paused(ledger: Ledger) -> frozenset[str]:
    """The queues whose work waits for nobody: it raises no age."""
    reading = ledger.get(Signal.PAUSES)
    return frozenset(line.queue for line in reading.of(QueueName)) if reading else frozenset()


def age_at(reading: Reading, now: datetime, moment: datetime) -> float:
    """Seconds since ``moment``. What a stale reading said grows no older: the job may be done."""
    return max(0.0, ((reading.taken_at if reading.stale else now) - moment).total_seconds())


def told(ledger: Ledger, state: State) -> list[Reading]:
    """Both readings where there are two: an old job may lie outside the newest ones."""
    own = ledger.get(Signal.STATE, state)
    if own is not None and not ledger.is_windowed(Signal.STATE, state):
        return [own]
    return [reading for reading in (own, ledger.swept(state)) if reading is not None]


def bounded(ledger: Ledger, states: Iterable[State]) -> str | None:
    """Why an age over these states is "at least so much", or None where it is exact."""
    for state in states:
        own, windowed = ledger.get(Signal.STATE, state), ledger.is_windowed(Signal.STATE, state)
        if windowed and ledger.swept(state) is None:
            return IN_WINDOW
        if own is not None and not windowed and jobs_in(own) > CAP:
            return AT_CAP
    return None


def _why_not(ledger: Ledger, age: _Age) -> str:
    return next((e for s in age.states if (e := ledger.error(Signal.STATE, s))), NOT_YET)


def missing(mapping: Mapping, column: str) -> str:
    """Why a canonical column gives nothing: the mapping's own reason, else that there is none."""
    return mapping.unavailable.get(column, f"no column for {column}")
