"""Rows as facts, with text made harmless."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from queuetop.model.facts import (
    ActivityLine,
    ArrivalLine,
    CountLine,
    FailureLine,
    FinishedLine,
    Line,
    Panel,
    QueueName,
    Signal,
    StateLine,
)
from queuetop.model.redact import mask_text
from queuetop.model.states import State
from queuetop.model.text import KIND, clean
from queuetop.store.rows import telling_line
from queuetop.store.session import Row

BUCKETS = 12


def text(value: object, limit: int = 300) -> str | None:
    """Clean text, None for NULL."""
    return None if value is None else clean(value, limit)


def _states(panel: Panel, rows: Iterable[Row]) -> Iterator[Line]:
    for row in rows:
        name = getattr(row, "state", None) or panel.state
        if name is None:  # a sweep met rows that no rule names; the unmapped panel counts those
            continue
        yield StateLine(
            state=State(name),
            queue=text(row.queue),
            jobs=row.jobs,
            oldest_created_at=row.oldest_created_at,
            oldest_created_id=text(row.oldest_created_id),
            oldest_ready_at=row.oldest_ready_at,
            oldest_ready_id=text(row.oldest_ready_id),
            newest_started_at=row.newest_started_at,
        )


def _failures(panel: Panel, rows: Iterable[Row]) -> Iterator[Line]:
    for row in rows:
        buckets = row.trend or {}
        yield FailureLine(
            state=panel.state or State.FAILED,
            kind=text(row.kind, KIND),
            queue=text(row.queue),
            jobs=row.jobs,
            recent=row.recent,
            recent_retried=row.recent_retried,
            last_minute=row.last_minute,
            first_failed_at=_finite(row.first_failed_at),
            last_failed_at=_finite(row.last_failed_at),
            example=text(mask_text(telling_line(row.example)), 500) if row.example else None,
            example_id=text(row.example_id),
            trend=tuple(int(buckets.get(str(n), 0)) for n in reversed(range(BUCKETS))),
        )


def _triple(values: list[float | None] | None) -> tuple[float, float, float] | None:
    if not values or any(value is None for value in values):
        return None
    p50, p95, p99 = (float(value or 0.0) for value in values)
    return p50, p95, p99


def _finished(panel: Panel, rows: Iterable[Row]) -> Iterator[Line]:
    for row in rows:
        yield FinishedLine(
            finished=row.finished,
            retried=row.retried,
            last_minute=row.last_minute,
            span_s=row.span_s,
            last_sign_at=row.last_sign_at,
            run=_triple(row.run),
            wait=_triple(row.wait),
            sample=row.sample,
            by_queue=_by_queue(row.by_queue or {}),
        )


def _by_queue(jobs: dict[str, int]) -> dict[str, int]:
    """Two queues may be the same once their names are clean."""
    counted: Counter[str] = Counter()
    for name, finished in jobs.items():
        counted[clean(name)] += int(finished)
    return dict(counted)


def _finite(moment: datetime | None) -> datetime | None:
    """None for a time that Python cannot hold: nothing can be computed with it."""
    return None if moment is None or moment.year in {1, 9999} else moment


def _arrivals(panel: Panel, rows: Iterable[Row]) -> Iterator[Line]:
    for row in rows:
        yield ArrivalLine(arrived=row.arrived, span_s=row.span_s)


def _estimate(panel: Panel, rows: Iterable[Row]) -> Iterator[Line]:
    for row in rows:
        expected = float(row[0][0]["Plan"]["Plan Rows"])
        # The planner never expects less than one row: one stands for none.
        yield CountLine(rows=expected if expected > 1 else 0.0)


def _unmapped(panel: Panel, rows: Iterable[Row]) -> Iterator[Line]:
    for row in rows:
        yield CountLine(rows=row.jobs)


def _queues(panel: Panel, rows: Iterable[Row]) -> Iterator[Line]:
    for row in rows:
        yield QueueName(queue=clean(row.queue))


def _activity(panel: Panel, rows: Iterable[Row]) -> Iterator[Line]:
    for row in rows:
        yield ActivityLine(
            inserted=row.inserted,
            snapshot_age_s=row.age_s,
            snapshot_pid=row.pid,
            snapshot_holder=text(row.holder, 120),
        )


READ: dict[Signal, Callable[[Panel, Iterable[Row]], Iterator[Line]]] = {
    Signal.STATE: _states,
    Signal.SWEEP: _states,
    Signal.FAILURES: _failures,
    Signal.FINISHED: _finished,
    Signal.ARRIVALS: _arrivals,
    Signal.ESTIMATE: _estimate,
    Signal.UNMAPPED: _unmapped,
    Signal.QUEUES: _queues,
    Signal.PAUSES: _queues,
    Signal.ACTIVITY: _activity,
}
