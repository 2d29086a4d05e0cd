"""Work that waits: nothing claims it, it is too old, or it grows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from queuetop.model.durations import show_duration
from queuetop.model.facts import Signal, StateLine
from queuetop.model.measure import Exactness
from queuetop.model.numbers import show_count, show_measure, show_rate
from queuetop.model.snapshot import (
    NO_QUEUE,
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
    due, wait = _due(seen), seen.wait.age_s.value
    stale = seen.states[State.PENDING].stale or seen.states[State.RUNNING].stale
    if not due or wait is None or seen.jobs(State.RUNNING) or stale:
        return
    idle = _idle_s(seen, wait)
    if wait < NOTHING_CLAIMED_S or idle is None or idle < NOTHING_CLAIMED_S:
        return
    yield Finding(
        name="nothing-claimed",
        level=Level.CRITICAL,
        verdict=(
            f"No job was claimed for {show_duration(idle)} while {show_count(due)} "
            f"{'is' if due == 1 else 'are'} due: no worker takes them"
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


def _due(seen: Seen) -> float:
    """Pending jobs that no pause holds back."""
    held = sum(queue.pending.value or 0.0 for queue in seen.queues if queue.paused)
    return max(0.0, seen.jobs(State.PENDING) - held)


def _idle_s(seen: Seen, wait: float) -> float | None:
    """Seconds since the last sign of a worker, a claim or a finish; None where nothing would tell."""
    signs: list[datetime] = []
    for state in (State.RUNNING, State.STALLED):
        reading = seen.ledger.get(Signal.STATE, state)
        lines = reading.of(StateLine) if reading else []
        signs += [line.newest_started_at for line in lines if line.newest_started_at]
    found = finished(seen.ledger)
    if found is not None and found[0].last_sign_at is not None:
        signs.append(found[0].last_sign_at)
    if signs:
        return max(0.0, (seen.now - max(signs)).total_seconds())
    return wait if found is not None or _was_idle(seen) else None


def _was_idle(seen: Seen) -> bool:
    """Whether none was running in any of the last minutes' polls, and none went away unseen."""
    since = seen.now.timestamp() - NOTHING_CLAIMED_S
    running = seen.history.since("running", since)
    pending = [jobs for _, jobs in seen.history.since("pending", since)]
    long_enough = len(running) > 2 and running[-1][0] - running[0][0] > NOTHING_CLAIMED_S * 0.75
    return long_enough and not any(jobs for _, jobs in running) and pending == sorted(pending)


def _oldest_over_alarm(seen: Seen) -> Iterator[Finding]:
    age, queue = seen.oldest.age_s.value, seen.oldest.queue
    alarm = alarm_s(seen.mapping, "oldest_pending", queue)
    level = age_level(age, alarm)
    late = [line for line in seen.queues if line.level in {Level.CRITICAL, Level.WARNING}]
    late.sort(key=lambda line: severity(line.level))
    if late and severity(late[0].level) < severity(level):  # by a shorter alarm of its own
        worst = late[0]
        age, queue, level = worst.oldest_s.value, worst.queue, worst.level
        alarm = worst.alarm_s or alarm
    if age is None or level not in {Level.CRITICAL, Level.WARNING}:
        return
    growth = _growth(seen)
    if growth is not None:
        verdict = (
            f"Workers cannot keep up: +{show_rate(growth)} jobs/s arrive over what finishes; "
            f"oldest is {show_duration(age)}"
        )
    else:
        limit = show_duration(alarm)
        against = f"alarm at {limit}" if level is Level.CRITICAL else f"near its alarm of {limit}"
        where = f" in {queue}" if queue and queue != NO_QUEUE else ""
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
        action="Add workers or slow the producer; open the oldest job.",
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
    # A count that stopped at its cap stands still whatever the backlog does.
    counted = seen.states[State.PENDING].exactness is Exactness.EXACT
    slope = seen.history.slope("pending", seen.now.timestamp(), 120.0) if counted else None
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
