"""What could not be asked: measures that are old because their statements fail."""

from __future__ import annotations

from collections.abc import Iterator

from queuetop.model.durations import show_duration
from queuetop.model.facts import Panel, Signal
from queuetop.model.snapshot import Finding, Level
from queuetop.model.states import State
from queuetop.observe.seen import Seen

#: Without these nobody knows how the queue is.
_CORE = {State.PENDING, State.RUNNING}
#: These only add to what others say.
_EXTRA = {Signal.SWEEP, Signal.ESTIMATE, Signal.ACTIVITY, Signal.QUEUES}


def _not_measured(seen: Seen) -> Iterator[Finding]:
    errors = seen.ledger.errors
    if not errors:
        return
    by_reason: dict[str, list[Panel]] = {}
    for panel, sentence in errors.items():
        by_reason.setdefault(sentence, []).append(panel)
    reason = max(by_reason, key=lambda sentence: _weight(by_reason[sentence]))
    blind = any(panel.signal is Signal.STATE and panel.state in _CORE for panel in errors)
    yield Finding(
        name="not-measured",
        level=_level(seen, blind=blind),
        verdict=(f"{_what(seen, blind=blind)}: {reason}"),
        evidence=tuple(
            f"{', '.join(str(panel) for panel in panels)}: {sentence}"
            for sentence, panels in by_reason.items()
        ),
        cause="The table, its mapping, this role's rights or the server's load changed.",
        check="Does the same statement run in psql as this role?",
        action="Nothing need be pressed: it is tried again at least every half a minute.",
    )


def _weight(panels: list[Panel]) -> int:
    return sum(3 if panel.signal is Signal.STATE else 1 for panel in panels)


def _level(seen: Seen, *, blind: bool) -> Level:
    if blind:
        return Level.CRITICAL
    extra = all(panel.signal in _EXTRA for panel in seen.ledger.errors)
    return Level.FINE if extra else Level.WARNING


def _what(seen: Seen, *, blind: bool) -> str:
    failed, known = len(seen.ledger.errors), len(seen.ledger.readings)
    if not blind:
        return f"{failed} of queuetop's measures cannot be taken"
    if not known:
        return "Nothing can be measured"
    ages = [
        seen.now - r.taken_at for p, r in seen.ledger.readings.items() if p in seen.ledger.errors
    ]
    if not ages:
        return "The jobs cannot be counted"
    return f"The numbers are {show_duration(max(ages).total_seconds())} old, the jobs cannot be counted"


RULES = (_not_measured,)
