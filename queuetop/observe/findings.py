"""What is wrong, worst first: each rule looks at one thing and says it with numbers.

A rule gives a ``Finding`` or nothing. The verdict line shows the first one; when none speaks, the queue
is fine and the verdict says by which numbers.
"""

from __future__ import annotations

from queuetop.model.durations import show_duration
from queuetop.model.numbers import show_measure, show_rate, show_share
from queuetop.model.snapshot import (
    Finding,
    Level,
)
from queuetop.model.states import State
from queuetop.observe.levels import (
    alarm_s,
    severity,
)
from queuetop.observe.rules import around, asking, failing, waiting
from queuetop.observe.seen import Seen

_RULES = (*asking.RULES, *waiting.RULES, *failing.RULES, *around.RULES)


def findings(seen: Seen) -> tuple[Finding, ...]:
    """All that is wrong, worst first, or the one finding that all is well. Never empty."""
    found = [finding for rule in _RULES for finding in rule(seen)]
    found.sort(key=lambda finding: severity(finding.level))
    if not found or found[0].level is Level.FINE:
        found.insert(0, _well(seen))
    return tuple(found)


def _well(seen: Seen) -> Finding:
    pending = seen.states[State.PENDING]
    if pending.value is None and seen.oldest.age_s.value is None:
        return Finding(
            name="unknown",
            level=Level.UNKNOWN,
            verdict=f"Nothing can be said yet: {pending.why or 'no measure has come in'}",
            evidence=(seen.oldest.age_s.why or "",),
        )
    retrying = seen.states[State.RETRYING]
    waiting = f"{show_measure(pending)} pending"
    if retrying.value:
        waiting += f", {show_measure(retrying)} retrying"
    if seen.oldest.age_s.value:
        waiting += f", oldest {show_duration(seen.oldest.age_s.value)}"
    elif pending.value == 0 and not retrying.value:
        waiting = "nothing waits"
    rate = seen.flow.finished.value
    finishing = f"; {show_rate(rate)}/s finish" if rate is not None else ""
    return Finding(
        name="well",
        level=Level.FINE,
        verdict=(
            f"All is well: {waiting}; {show_measure(seen.states[State.RUNNING])} running{finishing}"
        ),
        evidence=(
            (
                f"oldest pending age {show_duration(seen.oldest.age_s.value)}, alarm at "
                f"{show_duration(alarm_s(seen.mapping, 'oldest_pending'))}"
            ),
            f"gave up in the last hour: {show_measure(seen.failures.last_hour)}",
            f"retry ratio {show_share(seen.retry.share.value)}",
            f"forecast: {seen.flow.drain}",
        ),
    )
