"""Failure kinds: the jobs that gave up, grouped, with the newest example."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from queuetop.model.facts import CAP, FailureLine, Signal
from queuetop.model.mapping import Mapping
from queuetop.model.measure import Measure
from queuetop.model.numbers import show_count
from queuetop.model.snapshot import NO_KIND, FailureKind, Failures
from queuetop.model.states import GAVE_UP
from queuetop.observe.counts import AT_CAP, IN_WINDOW, NOT_YET, knows, missing
from queuetop.observe.ledger import Ledger, Reading

NEW_FOR_S = 900.0


def readings(ledger: Ledger) -> list[Reading]:
    """The readings of all states that gave up."""
    found = (ledger.get(Signal.FAILURES, state) for state in GAVE_UP)
    return [reading for reading in found if reading is not None]


def lines(ledger: Ledger) -> list[FailureLine]:
    return [line for reading in readings(ledger) for line in reading.of(FailureLine)]


def failures(ledger: Ledger, mapping: Mapping) -> Failures:
    """All of it, most frequent kind first."""
    known = readings(ledger)
    if not known or ledger.server is None:
        return _nothing(_why(ledger, mapping))
    bound = _bound(ledger)
    # Taken together they are as old as the oldest of them.
    oldest = min(known, key=lambda reading: reading.taken_at)
    basis = replace(
        oldest,
        cost_ms=sum(reading.cost_ms for reading in known),
        stale=any(reading.stale for reading in known),
    )
    everything = lines(ledger)
    total = sum(line.jobs for line in everything)
    groups: dict[str, list[FailureLine]] = defaultdict(list)
    for line in everything:
        groups[line.kind or NO_KIND].append(line)
    kinds = [
        _kind(name, group, mapping, total=total, bound=bound, basis=basis)
        for name, group in groups.items()
    ]
    kinds.sort(key=lambda kind: (-(kind.count.value or 0), kind.kind))
    recent = sum(line.recent for line in everything)
    timed = any(line.last_failed_at for line in everything) or not everything
    return Failures(
        kinds=tuple(kinds),
        total=basis.measure(min(total, CAP) if bound == AT_CAP else total, bound),
        last_hour=basis.measure(recent, bound if recent >= total else None)
        if timed
        else Measure.unavailable(missing(mapping, "failed_at")),
        window=_window(ledger, bound),
    )


def _why(ledger: Ledger, mapping: Mapping) -> str:
    """Why nothing is known of failures."""
    if not any(knows(mapping, state) for state in GAVE_UP):
        return "the mapping knows no failed jobs"
    return next((e for s in GAVE_UP if (e := ledger.error(Signal.FAILURES, s))), NOT_YET)


def _nothing(why: str) -> Failures:
    gone = Measure.unavailable(why)
    return Failures(kinds=(), total=gone, last_hour=gone, window=why)


def _kind(
    name: str,
    group: list[FailureLine],
    mapping: Mapping,
    *,
    total: int,
    bound: str | None,
    basis: Reading,
) -> FailureKind:
    jobs = sum(line.jobs for line in group)
    first = _extreme((line.first_failed_at for line in group), newest=False)
    last = _extreme((line.last_failed_at for line in group), newest=True)
    telling = max(group, key=lambda line: (line.example is not None, _stamp(line.last_failed_at)))
    return FailureKind(
        kind=name,
        failure_class=mapping.failure_classes.of(name),
        count=basis.measure(jobs, bound),
        share=jobs / total if total else 0.0,
        first_failed_at=first,
        last_failed_at=last,
        recent=sum(line.recent for line in group),
        # Under a cap the first one seen is only the oldest of those that were looked at.
        new=bound is None
        and first is not None
        and (basis.taken_at - first).total_seconds() < NEW_FOR_S,
        trend=tuple(map(sum, zip(*(line.trend for line in group), strict=True))),
        example=telling.example or "",
        example_id=telling.example_id,
    )


def _bound(ledger: Ledger) -> str | None:
    for state in GAVE_UP:
        if ledger.is_windowed(Signal.FAILURES, state):
            return IN_WINDOW
        reading = ledger.get(Signal.FAILURES, state)
        if reading and sum(line.jobs for line in reading.of(FailureLine)) > CAP:
            return AT_CAP
    return None


def _window(ledger: Ledger, bound: str | None) -> str:
    if bound is None:
        return "all jobs that gave up"
    if bound == IN_WINDOW:
        return f"jobs that gave up {IN_WINDOW}"
    return f"the newest {show_count(CAP)} jobs that gave up"


def _extreme(moments: Iterable[datetime | None], *, newest: bool) -> datetime | None:
    known = [moment for moment in moments if moment is not None]
    if not known:
        return None
    return max(known) if newest else min(known)


def _stamp(moment: datetime | None) -> float:
    return moment.timestamp() if moment else 0.0
