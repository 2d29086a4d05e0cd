"""Work that goes wrong: failures that grow, stalled jobs, retries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from queuetop.model.numbers import show_count, show_measure, show_share
from queuetop.model.selection import Bound, Compare
from queuetop.model.snapshot import (
    NO_KIND,
    FailureKind,
    Finding,
    Level,
)
from queuetop.model.states import GAVE_UP, FailureClass, State
from queuetop.observe.counts import knows
from queuetop.observe.flowing import finished
from queuetop.observe.levels import (
    share_level,
)
from queuetop.observe.seen import Seen, lists


class _Advice(NamedTuple):
    """What a class of failures means for whoever looks at it."""

    cause: str
    check: str
    action: str


_ADVICE = {
    FailureClass.THEIRS: _Advice(
        "An outside system fails.",
        "Is the outside system up, and can the workers reach it?",
        "Wait until the outside system is repaired, then requeue these jobs.",
    ),
    FailureClass.OURS: _Advice(
        "The jobs' own data is bad: repeating them cannot help.",
        "Did a deployment or new input come just before?",
        "Fix the data or the code first; do not requeue.",
    ),
    FailureClass.UNKNOWN_OUTCOME: _Advice(
        "Nobody knows whether the effect happened.",
        "Does the outside system answer in time, and what does it know of these jobs?",
        "Look up the effect on the other side before any repeat.",
    ),
    FailureClass.UNCLASSIFIED: _Advice(
        "The mapping puts this kind into no class.",
        "Is an outside system down? Did a deployment or new input come just before?",
        "Read the example; name its class in the mapping's [failure_classes].",
    ),
}


def _stalled(seen: Seen) -> Iterator[Finding]:
    stalled, running = seen.jobs(State.STALLED), seen.jobs(State.RUNNING)
    if not stalled:
        return
    level = Level.CRITICAL if stalled >= max(10.0, running) else Level.WARNING
    noun = "job is" if stalled == 1 else "jobs are"
    yield Finding(
        name="stalled",
        level=level,
        verdict=(
            f"{show_measure(seen.states[State.STALLED])} {noun} stalled: claimed, but the lease ran out; "
            "a worker died or hangs"
        ),
        evidence=(
            (
                f"stalled {show_measure(seen.states[State.STALLED])}, "
                f"running {show_measure(seen.states[State.RUNNING])}"
            ),
            *(
                f"queue {q.queue}: {show_measure(q.stalled)} stalled"
                for q in seen.queues[:5]
                if q.stalled.value
            ),
        ),
        cause="The worker that claimed them ended without giving them back, or one call hangs.",
        check="Is that worker's process alive? Does a handler run longer than the lease?",
        action="Workers that claim expired leases take them again; otherwise restart the worker.",
        filter=lists(states=(State.STALLED,)),
    )


def _failures_grow(seen: Seen) -> Iterator[Finding]:
    trends = [kind.trend for kind in seen.failures.kinds if kind.trend]
    if not trends:
        return
    buckets = [sum(column) for column in zip(*trends, strict=True)]
    recent, earlier = buckets[-1], buckets[:-1]
    usual = sum(earlier) / len(earlier) if earlier else 0.0
    if recent < 5 or recent < 2 * usual + 3:
        return
    worst = max(seen.failures.kinds, key=lambda kind: kind.trend[-1] if kind.trend else 0)
    done = (seen.flow.finished.value or 0.0) * 300
    level = Level.CRITICAL if recent >= 20 and recent > 0.2 * done else Level.WARNING
    advice = _ADVICE[worst.failure_class]
    yield Finding(
        name="failures-grow",
        level=level,
        verdict=(
            f"Failures grow{_mostly(worst)}: {show_count(recent)} jobs gave up in 5 minutes, "
            f"usual is {usual:.0f}{f'; {worst.example[:120]}' if worst.example else ''}"
        ),
        evidence=(
            *(
                f"{kind.kind} ({kind.failure_class}): {show_count(kind.trend[-1])} in 5 minutes, "
                f"{show_count(kind.recent)} in the hour"
                for kind in sorted(seen.failures.kinds, key=lambda k: -k.trend[-1])[:5]
                if kind.trend[-1]
            ),
            *(
                [f"newest example (job {worst.example_id or 'unknown'}): {worst.example}"]
                if worst.example
                else []
            ),
        ),
        cause=advice.cause,
        check=advice.check,
        action=advice.action,
        filter=lists(
            states=tuple(state for state in GAVE_UP if knows(seen.mapping, state)),
            failures=("" if worst.kind == NO_KIND else worst.kind,),
            since=Bound(ago_s=300.0),
        ),
    )


def _mostly(kind: FailureKind) -> str:
    """The kind early in the sentence, where a narrow screen still shows it."""
    return "" if kind.kind == NO_KIND else f", mostly {kind.kind}"


def _retries(seen: Seen) -> Iterator[Finding]:
    share = seen.retry.share.value
    level = share_level(share)
    if (
        share is None
        or level not in {Level.CRITICAL, Level.WARNING}
        or (seen.retry.finished or 0) < 20
    ):
        return
    yield Finding(
        name="retries",
        # Retries alone lose nothing: a warning until something else is critical too.
        level=Level.WARNING,
        verdict=(
            f"{show_share(share)} of the jobs that ended in the last hour needed more than one attempt"
        ),
        evidence=(
            f"{show_count(seen.retry.retried)} of {show_count(seen.retry.finished)} ended jobs",
            f"retrying now: {show_measure(seen.states[State.RETRYING])}",
        ),
        cause="An outside system is flaky, or a timeout is too short.",
        check="Which failure kinds do the retrying jobs carry?",
        action="Look at these jobs' failures.",
        filter=_retried(seen),
    )


def _retried(seen: Seen) -> str:
    """The jobs that are being retried, else those that ended after more than one attempt."""
    if seen.jobs(State.RETRYING):
        return lists(states=(State.RETRYING,))
    found = finished(seen.ledger)
    gave_up = tuple(state for state in GAVE_UP if knows(seen.mapping, state))
    return lists(
        states=(State.SUCCEEDED,) if found is not None and found[0].retried else gave_up,
        attempts=(Compare(">", 1),),
        since=Bound(ago_s=seen.retry.window_s),
    )


RULES = (
    _failures_grow,
    _stalled,
    _retries,
)
