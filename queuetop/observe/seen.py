"""What the rules of findings look at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queuetop.model.filters import write
from queuetop.model.mapping import Mapping
from queuetop.model.measure import Measure
from queuetop.model.selection import Selection
from queuetop.model.snapshot import (
    Durations,
    Failures,
    Flow,
    Oldest,
    QueueLine,
    RetryRatio,
)
from queuetop.model.states import State
from queuetop.observe.history import History
from queuetop.observe.ledger import Ledger


@dataclass(frozen=True)
class Seen:
    """What the rules look at."""

    mapping: Mapping
    ledger: Ledger
    history: History
    now: datetime
    states: dict[State, Measure]
    oldest: Oldest
    wait: Oldest
    failures: Failures
    retry: RetryRatio
    durations: Durations
    flow: Flow
    queues: tuple[QueueLine, ...]
    unmapped: Measure
    clock_skew_s: float | None

    def jobs(self, state: State) -> float:
        return self.states[state].value or 0.0


def lists(**terms: object) -> str:
    """A filter as text, for a finding's jobs."""
    return write(Selection().narrowed(**terms))
