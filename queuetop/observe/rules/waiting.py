"""Work that waits: nothing claims it, it is too old, or it grows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from queuetop.model.durations import show_duration
from queuetop.model.facts import Signal, StateLine
from queuetop.model.numbers import show_count, show_measure, show_rate
from queuetop.model.snapshot import (
    Finding,
    Level,
    QueueLine,
)
from queuetop.model.states import State
from queuetop.observe.flowing import finished
from queuetop.observe.levels import (
    NOTHING_CLAIMED_S,
    age_level,
    alarm_s,
    severity,
)
from queuetop.observe.seen import Seen, lists


def _nothing_claimed(seen: Seen) -> Iterator[Finding]:
    pending, wait = seen.jobs(State.PENDING), seen.wait.age_s.value
    if not pending or wait is None or seen.jobs(State.RUNNING):
        return
    idle = _idle_s(seen)
    if wait < NOTHING_CLAIMED_S or idle is None or idle < NOTHING_CLAIMED_S:
        return
    yield Finding(
        name="nothing-claimed",
        level=Level.CRITICAL,
        verdict=(
            f"No job was claimed for {show_duration(idle)} while {show_count(pending)} are due: "
            "no worker takes them"
        ),
        evidence=(
            f"pending {show_measure(seen.states[State.PENDING])}, running 0",
            f"the longest wait is {show_duration(wait)} (job {seen.wait.job_id or 'unknown'})",
            f"finished in the last minute: {show_rate(seen.flow.finished.value)}/s",
        ),
        cause="The workers are down, cannot reach the database, or look at another queue.",
        check="Are the workers' processes alive, and do their logs show claims?",
        action="Start the workers; if they run, look at their connection and their queue names.",
        filter=lists(states=(State.PENDING,)),
    )


def _idle_s(seen: Seen) -> float | None:
    """Seconds since the last sign of a worker: a claim or a finish that the readings know of."""
    signs: list[datetime] = []
    for state in (State.RUNNING, State.STALLED):
        reading = seen.ledger.get(Signal.STATE, state)
        lines = reading.of(StateLine) if reading else []
        signs += [line.newest_started_at for line in lines if line.newest_started_at]
    found = finished(seen.ledger)
    if found is not None:
        line, _ = found
        if line.newest_started_at:
            signs.append(line.newest_started_at)
        elif line.last_minute:
            return 0.0
        elif not line.finished:
            return seen.wait.age_s.value
    if not signs:
        return seen.wait.age_s.value if found is not None or not seen.jobs(State.RUNNING) else None
    return max(0.0, (seen.now - max(signs)).total_seconds())


def _oldest_over_alarm(seen: Seen) -> Iterator[Finding]:
    age = seen.oldest.age_s.value
    late = [queue for queue in seen.queues if queue.level in {Level.CRITICAL, Level.WARNING}]
    alarm = alarm_s(seen.mapping, "oldest_pending", seen.oldest.queue)
    level = age_level(age, alarm)
    if late and severity(late[0].level) < severity(level):
        age, alarm, level = late[0].oldest_s.value, late[0].alarm_s or alarm, late[0].level
    if age is None or level not in {Level.CRITICAL, Level.WARNING}:
        return
    growth = _growth(seen)
    where = f" in {seen.oldest.queue}" if seen.oldest.queue else ""
    if growth is not None:
        verdict = (
            f"Workers cannot keep up: +{show_rate(growth)} jobs/s arrive over what finishes; "
            f"oldest is {show_duration(age)}"
        )
    else:
        limit = show_duration(alarm)
        against = f"alarm at {limit}" if level is Level.CRITICAL else f"near its alarm of {limit}"
        verdict = f"The oldest job not done{where} is {show_duration(age)} old, {against}"
    yield Finding(
        name="oldest-pending",
        level=level,
        verdict=verdict,
        evidence=tuple(_age_evidence(seen, late)),
        cause="More work arrives than the workers finish, or something holds the oldest job back."
        if growth is not None
        else "Workers are too few, stopped, or busy with something else; or the job waits for its retry.",
        check="Do arrivals exceed finishes? Is the oldest job pending or retrying, and why?",
        action=f"{seen.flow.drain.capitalize()}. Add workers or slow the producer; open the oldest job.",
        filter=lists(states=(State.PENDING, State.RETRYING)),
    )


def _age_evidence(seen: Seen, late: list[QueueLine]) -> Iterator[str]:
    yield (
        f"oldest pending age {show_duration(seen.oldest.age_s.value)}"
        f" (job {seen.oldest.job_id or 'unknown'}), longest wait {show_duration(seen.wait.age_s.value)}"
    )
    yield (
        f"pending {show_measure(seen.states[State.PENDING])}, retrying "
        f"{show_measure(seen.states[State.RETRYING])}, running {show_measure(seen.states[State.RUNNING])}"
    )
    yield (
        f"arrive {show_rate(seen.flow.arrived.value)}/s, finish {show_rate(seen.flow.finished.value)}/s,"
        f" forecast: {seen.flow.drain}"
    )
    for queue in late[:5]:
        age, alarm = show_duration(queue.oldest_s.value), show_duration(queue.alarm_s)
        yield f"queue {queue.queue}: {age}, alarm {alarm}"


def _growth(seen: Seen) -> float | None:
    """Jobs a second by which the backlog grows, where both the rates and the count say so."""
    arrived, done = seen.flow.arrived.value, seen.flow.finished.value
    slope = seen.history.slope("pending", seen.now.timestamp(), 120.0)
    if arrived is None or done is None:
        return slope if slope is not None and slope > 0.05 else None
    net = arrived - done - (seen.flow.failed.value or 0.0)
    if net <= max(0.1, 0.05 * arrived) or (slope is not None and slope <= 0):
        return None
    return net


def _backlog_grows(seen: Seen) -> Iterator[Finding]:
    growth = _growth(seen)
    level = age_level(seen.oldest.age_s.value, alarm_s(seen.mapping, "oldest_pending"))
    if growth is None or level in {Level.CRITICAL, Level.WARNING}:
        return  # the age says it better
    pending = seen.jobs(State.PENDING)
    if pending < 60 * growth * 0.5 or pending < 20:
        return  # less than half a minute's worth is a ripple
    yield Finding(
        name="backlog-grows",
        level=Level.WARNING,
        verdict=(
            f"The backlog grows by {show_rate(growth)} jobs/s: {show_rate(seen.flow.arrived.value)} arrive, "
            f"{show_rate(seen.flow.finished.value)} finish; "
            f"{show_measure(seen.states[State.PENDING])} pending"
        ),
        evidence=tuple(_age_evidence(seen, [])),
        cause="Arrivals exceed what the workers finish.",
        check="Did arrivals rise or did jobs get slower (p95)?",
        action="Add workers, or slow the producer.",
        filter=lists(states=(State.PENDING,)),
    )


RULES = (
    _nothing_claimed,
    _oldest_over_alarm,
    _backlog_grows,
)
