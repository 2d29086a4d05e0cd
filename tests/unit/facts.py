"""Facts as the store would give them, for what is built out of them."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from datetime import UTC, datetime, timedelta

from msgspec import structs

from queuetop.model.facts import (
    Facts,
    FailureLine,
    FinishedLine,
    Line,
    Panel,
    ServerFact,
    Signal,
    StateLine,
)
from queuetop.model.states import State

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
PENDING = Panel(Signal.STATE, State.PENDING)
RETRYING = Panel(Signal.STATE, State.RETRYING)
RUNNING = Panel(Signal.STATE, State.RUNNING)
FAILED = Panel(Signal.FAILURES, State.FAILED)
FINISHED = Panel(Signal.FINISHED, State.SUCCEEDED)
SWEEP = Panel(Signal.SWEEP)


def windowed(panel: Panel) -> Panel:
    return structs.replace(panel, window=True)


def server(now: datetime = NOW, skew_s: float = 0.0, trip_s: float = 0.0) -> ServerFact:
    """``skew_s``: how far the client's clock is ahead."""
    sent = now + timedelta(seconds=skew_s - trip_s / 2)
    return ServerFact(
        now=now,
        version="18.1",
        database="app",
        role="me",
        standby=False,
        sent_at=sent,
        received_at=sent + timedelta(seconds=trip_s),
    )


def facts(
    lines: Dict[Panel, tuple[Line, ...]],
    *,
    now: datetime = NOW,
    failed: Dict[Panel, str] | None = None,
    fact: ServerFact | None = None,
) -> Facts:
    return Facts(
        server=fact or server(now),
        lines=dict(lines),
        costs=dict.fromkeys(lines, 1.0),
        failed=dict(failed or {}),
        round_trips=1,
        poll_ms=1.0,
    )


def jobs(
    state: State,
    count: int,
    *,
    queue: str | None = "default",
    age_s: float | None = None,
    wait_s: float | None = None,
    started_s: float | None = None,
) -> StateLine:
    """``count`` jobs, the oldest created ``age_s`` before ``NOW``."""

    def ago(seconds: float | None) -> datetime | None:
        return None if seconds is None else NOW - timedelta(seconds=seconds)

    return StateLine(
        state=state,
        queue=queue,
        jobs=count,
        oldest_created_at=ago(age_s),
        oldest_created_id=None if age_s is None else f"{queue}-old",
        oldest_ready_at=ago(wait_s if wait_s is not None else age_s),
        oldest_ready_id=None if age_s is None else f"{queue}-ready",
        newest_started_at=ago(started_s),
    )


def failures(
    kind: str | None,
    count: int,
    *,
    queue: str | None = "default",
    recent: int = 0,
    minutes: float = 5,
) -> FailureLine:
    moment = NOW - timedelta(minutes=minutes)
    return FailureLine(
        state=State.FAILED,
        kind=kind,
        queue=queue,
        jobs=count,
        recent=recent,
        recent_retried=0,
        last_minute=0,
        first_failed_at=moment,
        last_failed_at=moment,
        example=f"example of {kind}",
        example_id="1",
        trend=(*[0] * 11, recent),
    )


def ended(
    finished: int,
    *,
    last_minute: int = 0,
    span_s: float | None = 3000.0,
    retried: int = 0,
    by_queue: Dict[str, int] | None = None,
) -> FinishedLine:
    return FinishedLine(
        finished=finished,
        retried=retried,
        last_minute=last_minute,
        span_s=span_s,
        last_sign_at=NOW - timedelta(seconds=3),
        run=(0.1, 0.2, 0.3),
        wait=(1.0, 2.0, 3.0),
        sample=finished,
        by_queue=dict(by_queue or {}),
    )
