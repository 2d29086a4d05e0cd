"""What flows: retries, durations, arrivals and finishes, and when the backlog will be gone."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from queuetop.model.durations import show_duration
from queuetop.model.facts import CAP, ActivityLine, ArrivalLine, FinishedLine, Signal
from queuetop.model.mapping import Mapping
from queuetop.model.measure import Exactness, Measure
from queuetop.model.numbers import show_count, show_rate
from queuetop.model.snapshot import Durations, Flow, RetryRatio
from queuetop.model.states import State
from queuetop.observe import failing
from queuetop.observe.counts import IN_WINDOW, NOT_YET, missing
from queuetop.observe.history import History
from queuetop.observe.ledger import Ledger, Reading

WINDOW_S = 3600.0
RATE_S = 60.0
#: The forecast looks at the rates of so many seconds.
FORECAST_S = 180.0


def finished(ledger: Ledger) -> tuple[FinishedLine, Reading] | None:
    """The last hour's successes."""
    reading = ledger.get(Signal.FINISHED, State.SUCCEEDED)
    if reading is None:
        return None
    return next(((line, reading) for line in reading.of(FinishedLine)), None)


def why_unfinished(ledger: Ledger, mapping: Mapping) -> str:
    """Why nothing is known of finished jobs."""
    if mapping.keeps.succeeded == "no":
        return f"{mapping.name} deletes succeeded jobs"
    error = ledger.error(Signal.FINISHED, State.SUCCEEDED)
    if error:
        return error
    has_time = mapping.has("finished_at") or State.SUCCEEDED in mapping.states
    return NOT_YET if has_time else missing(mapping, "finished_at")


def _sample(ledger: Ledger, line: FinishedLine) -> str | None:
    """What the last hour's numbers are limited to, or None where they are whole."""
    if ledger.is_windowed(Signal.FINISHED, State.SUCCEEDED):
        return IN_WINDOW
    return f"among the newest {show_count(CAP)} successes" if line.finished > CAP else None


def _sampled(limited: str | None) -> Exactness:
    return Exactness.ESTIMATED if limited else Exactness.EXACT


def retry_ratio(ledger: Ledger, mapping: Mapping) -> RetryRatio:
    """Of the jobs that ended in the last hour, the share that needed a second attempt."""
    found = finished(ledger)
    if not mapping.has("attempts") and State.SUCCEEDED not in mapping.states:
        return RetryRatio(share=Measure.unavailable(missing(mapping, "attempts")))
    if found is None:
        return RetryRatio(share=Measure.unavailable(why_unfinished(ledger, mapping)))
    line, reading = found
    gave_up = failing.lines(ledger)
    ended = min(line.finished, CAP) + sum(f.recent for f in gave_up)
    retried = (line.retried or 0) + sum(f.recent_retried for f in gave_up)
    limited = _sample(ledger, line)
    share = (
        reading.measure(min(1.0, retried / ended), limited, _sampled(limited))
        if ended
        else Measure.unavailable("no job ended in the last hour")  # of none there is no share
    )
    return RetryRatio(share=share, retried=retried, finished=ended, window_s=WINDOW_S)


def durations(ledger: Ledger, mapping: Mapping) -> Durations:
    """Percentiles of the last hour's successes."""
    found = finished(ledger)
    if found is None:
        return _no_durations(why_unfinished(ledger, mapping))
    line, reading = found
    limited = _sample(ledger, line)
    why = (
        missing(mapping, "started_at") if not mapping.has("started_at") else "none in the last hour"
    )

    def three(values: tuple[float, float, float] | None) -> list[Measure]:
        if values is None:
            return [Measure.unavailable(why)] * 3
        return [reading.measure(value, limited, _sampled(limited)) for value in values]

    run, wait = three(line.run), three(line.wait)
    return Durations(
        run_p50=run[0],
        run_p95=run[1],
        run_p99=run[2],
        wait_p50=wait[0],
        wait_p95=wait[1],
        wait_p99=wait[2],
        sample=min(line.sample, CAP),
        window=f"successes of the last hour{f', {limited}' if limited else ''}",
    )


def _no_durations(why: str) -> Durations:
    gone = Measure.unavailable(why)
    return Durations(
        run_p50=gone,
        run_p95=gone,
        run_p99=gone,
        wait_p50=gone,
        wait_p95=gone,
        wait_p99=gone,
        sample=0,
        window=why,
    )


def flow(ledger: Ledger, mapping: Mapping, history: History, pending: Measure) -> Flow:
    """Rates over the last minute, and the forecast that the last three minutes allow."""
    arrived = _arrived(ledger, mapping, history)
    done = (
        finished_rate(ledger)
        if finished(ledger)
        else Measure.unavailable(why_unfinished(ledger, mapping))
    )
    gave_up = _failed_rate(ledger, mapping)
    drain_s, drain = _drain(ledger, history, pending, arrived, done)
    return Flow(
        arrived=arrived,
        finished=done,
        failed=gave_up,
        window_s=RATE_S,
        drain_s=drain_s,
        drain=drain,
    )


def _per_second(jobs: int, span_s: float | None, cap: int | None) -> tuple[float, bool]:
    """Jobs a second; where the cap cut the minute short, over what it left."""
    if cap is not None and jobs > cap and span_s:
        return jobs / max(0.001, min(RATE_S, span_s)), True
    return jobs / RATE_S, False


def _rate(jobs: int, span_s: float | None, reading: Reading) -> Measure:
    value, cut = _per_second(jobs, span_s, CAP)
    limited = f"from the newest {show_count(CAP)}" if cut else None
    return reading.measure(value, limited, _sampled(limited))


def _arrived(ledger: Ledger, mapping: Mapping, history: History) -> Measure:
    reading = ledger.get(Signal.ARRIVALS)
    for line in reading.of(ArrivalLine) if reading else ():
        assert reading is not None  # noqa: S101 - the loop has a line, so there is a reading
        return _rate(line.arrived, line.span_s, reading)
    counted = _inserted(ledger, history)
    if counted is not None:
        return counted
    why = missing(mapping, "created_at")
    if mapping.has("created_at"):
        why = "no index gives the newest jobs, and the statistics count no rows"
    return Measure.unavailable(ledger.error(Signal.ARRIVALS) or why)


def _inserted(ledger: Ledger, history: History) -> Measure | None:
    """The statistics' counter of inserted rows, where the table itself cannot be asked cheaply."""
    reading = ledger.get(Signal.ACTIVITY)
    if reading is None or not any(line.inserted is not None for line in reading.of(ActivityLine)):
        return None
    slope = history.slope("inserted", reading.taken_at.timestamp(), 120.0)
    if slope is None:
        return Measure.unavailable("two readings of the statistics are needed")
    return reading.measure(max(0.0, slope), "rows inserted, by the statistics", Exactness.ESTIMATED)


def finished_rate(ledger: Ledger, jobs: int | None = None) -> Measure:
    """Successes a second over the last minute; of ``jobs`` of them, where only some are meant."""
    found = finished(ledger)
    if found is None:
        return Measure.unavailable(NOT_YET)
    line, reading = found
    of_all = _rate(line.last_minute, line.span_s, reading)
    if jobs is None or not line.last_minute or of_all.value is None:
        return of_all
    return structs.replace(of_all, value=of_all.value * jobs / line.last_minute)


def _failed_rate(ledger: Ledger, mapping: Mapping) -> Measure:
    known = failing.readings(ledger)
    if not known:
        return Measure.unavailable(failing.failures(ledger, mapping).window)
    lines = failing.lines(ledger)
    if lines and not any(line.last_failed_at for line in lines):
        return Measure.unavailable(missing(mapping, "failed_at"))
    jobs = sum(line.last_minute for line in lines)
    oldest = min(known, key=lambda reading: reading.taken_at)
    return replace(oldest, stale=any(r.stale for r in known)).measure(jobs / RATE_S)


def _drain(
    ledger: Ledger, history: History, pending: Measure, arrived: Measure, done: Measure
) -> tuple[tuple[float, float] | None, str]:
    """When nothing will be pending: a range from how the net rate varied lately."""
    if pending.value is None:
        return None, "not known"
    if pending.value == 0:
        return (0.0, 0.0), "nothing waits"
    if ledger.server is None or arrived.value is None or done.value is None:
        return None, "not known"
    since = ledger.server.now.timestamp() - FORECAST_S
    net = [value for _, value in history.since("net", since)] or [done.value - arrived.value]
    net.sort()
    slow, fast = net[len(net) // 4], net[min(len(net) - 1, len(net) * 3 // 4)]
    if fast <= 0.01:
        growing = arrived.value - done.value
        return None, f"grows by {show_rate(growing)}/s" if growing > 0.01 else "does not shrink"
    soon = pending.value / fast
    if slow <= 0.01:
        return None, f"drains in {show_duration(soon)} at best, or not at all"
    late = pending.value / slow
    if show_duration(soon) == show_duration(late):
        return (soon, late), f"drains in {show_duration(soon)}"
    return (soon, late), f"drains in {show_duration(soon)} to {show_duration(late)}"
