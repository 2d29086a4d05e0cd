"""Counts by state and the two ages, from whichever readings answer them best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from queuetop.model.facts import CAP, WINDOW, CountLine, FailureLine, Signal, StateLine
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
    signal = Signal.FAILURES if state in GAVE_UP else Signal.STATE
    counted = _counted(ledger, signal, state)
    swept = ledger.swept(state)
    if swept is not None and (counted is None or ledger.is_windowed(signal, state)):
        whole = Measure.exact(_jobs(swept), taken_at=swept.taken_at, cost_ms=swept.cost_ms)
        # "At least so many among the newest" may by now say more than an old whole pass.
        later = counted is not None and (counted.value or 0) > (whole.value or 0)
        return counted if later and counted is not None else whole
    if counted is not None:
        return counted
    return _estimated(ledger, state, signal)


def _counted(ledger: Ledger, signal: Signal, state: State) -> Measure | None:
    reading = ledger.get(signal, state)
    if reading is None:
        return None
    jobs = _jobs(reading)
    if ledger.is_windowed(signal, state):
        return Measure(
            value=jobs,
            exactness=Exactness.CAPPED,
            why=IN_WINDOW,
            taken_at=reading.taken_at,
            cost_ms=reading.cost_ms,
        )
    return Measure.counted(
        jobs, cap=CAP, why=AT_CAP, taken_at=reading.taken_at, cost_ms=reading.cost_ms
    )


def _jobs(reading: Reading) -> int:
    return sum(line.jobs for line in reading.lines if isinstance(line, StateLine | FailureLine))


def _estimated(ledger: Ledger, state: State, signal: Signal) -> Measure:
    found = ledger.estimate(state)
    if found is None:
        error = ledger.error(signal, state) or ledger.error(Signal.ESTIMATE, state)
        return Measure.unavailable(error or f"the mapping knows no {state} jobs")
    rows, reading = found
    return Measure.estimated(
        max(0.0, rows), "the planner's estimate", taken_at=reading.taken_at, cost_ms=reading.cost_ms
    )


def unmapped(ledger: Ledger) -> Measure:
    """Rows that no rule names."""
    reading = ledger.get(Signal.UNMAPPED)
    for line in reading.of(CountLine) if reading else ():
        assert reading is not None  # noqa: S101 - the loop has a line, so there is a reading
        if ledger.is_windowed(Signal.UNMAPPED):
            return Measure(
                value=line.rows,
                exactness=Exactness.CAPPED,
                why=IN_WINDOW,
                taken_at=reading.taken_at,
            )
        return Measure.counted(line.rows, cap=CAP, why=AT_CAP, taken_at=reading.taken_at)
    return Measure.unavailable(ledger.error(Signal.UNMAPPED) or NOT_YET)


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
    asked = [
        state for state in age.states if ledger.get(Signal.STATE, state) or ledger.swept(state)
    ]
    if not asked or ledger.server is None:
        return Oldest(age_s=Measure.unavailable(_why_not(ledger, age)))
    lines = [line for state in asked for line in _lines(ledger, state)]
    known = [(moment, line) for line in lines if (moment := age.moment(line)[0]) is not None]
    if lines and not known:
        return Oldest(age_s=Measure.unavailable(missing(mapping, age.column)))
    bounded = _bounded(ledger, asked)
    taken = min(_taken(ledger, state) for state in asked)
    if not known:
        return Oldest(age_s=_age_measure(0.0, bounded, taken))
    moment, line = min(known, key=lambda pair: pair[0])
    age_s = max(0.0, (ledger.server.now - moment).total_seconds())
    return Oldest(
        age_s=_age_measure(age_s, bounded, taken), job_id=age.moment(line)[1], queue=line.queue
    )


def _age_measure(age_s: float, bounded: str | None, taken: datetime) -> Measure:
    return Measure(
        value=age_s,
        exactness=Exactness.CAPPED if bounded else Exactness.EXACT,
        why=bounded,
        taken_at=taken,
    )


def _lines(ledger: Ledger, state: State) -> Iterable[StateLine]:
    """Both readings where there are two: an old job may lie outside the newest ones."""
    for reading in (ledger.get(Signal.STATE, state), ledger.swept(state)):
        if reading is not None:
            yield from reading.of(StateLine)


def _bounded(ledger: Ledger, asked: Iterable[State]) -> str | None:
    """Why the age is "at least so much", or None where it is exact."""
    for state in asked:
        if ledger.swept(state) is not None:
            continue
        if ledger.is_windowed(Signal.STATE, state):
            return IN_WINDOW
        reading = ledger.get(Signal.STATE, state)
        if reading is not None and _jobs(reading) > CAP:
            return AT_CAP
    return None


def _taken(ledger: Ledger, state: State) -> datetime:
    reading = ledger.get(Signal.STATE, state) or ledger.swept(state)
    assert reading is not None  # noqa: S101 - only states with a reading are asked
    return reading.taken_at


def _why_not(ledger: Ledger, age: _Age) -> str:
    return next((e for s in age.states if (e := ledger.error(Signal.STATE, s))), NOT_YET)


def missing(mapping: Mapping, column: str) -> str:
    """Why a canonical column gives nothing: the mapping's own reason, else that there is none."""
    return mapping.unavailable.get(column, f"no column for {column}")
