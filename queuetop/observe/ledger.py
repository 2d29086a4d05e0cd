"""The last answer of each panel, with its age: what a snapshot is built from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from queuetop.model.facts import CountLine, Facts, Line, Panel, ServerFact, Signal, StateLine
from queuetop.model.states import State

L = TypeVar("L", bound=Line)


@dataclass(frozen=True)
class Reading:
    """One panel's last good answer. ``error`` is what its newest run said, where that failed."""

    lines: tuple[Line, ...]
    taken_at: datetime
    cost_ms: float
    error: str | None = None

    def of(self, kind: type[L]) -> list[L]:
        return [line for line in self.lines if isinstance(line, kind)]


@dataclass
class Ledger:
    """Readings by panel. Keeps the last good value when a panel fails."""

    readings: dict[Panel, Reading] = field(default_factory=dict)
    errors: dict[Panel, str] = field(default_factory=dict)
    server: ServerFact | None = None

    def take(self, facts: Facts) -> None:
        self.server = facts.server
        for panel, lines in facts.lines.items():
            self.readings[panel] = Reading(lines, facts.server.now, facts.costs.get(panel, 0.0))
            self.errors.pop(panel, None)
        self.errors |= facts.failed

    def get(self, signal: Signal, state: State | None = None) -> Reading | None:
        """The whole answer where there is one, else that of the newest jobs only."""
        return self.readings.get(Panel(signal, state)) or self.readings.get(
            Panel(signal, state, window=True)
        )

    def is_windowed(self, signal: Signal, state: State | None = None) -> bool:
        return Panel(signal, state) not in self.readings and (
            Panel(signal, state, window=True) in self.readings
        )

    def error(self, signal: Signal, state: State | None = None) -> str | None:
        return self.errors.get(Panel(signal, state)) or self.errors.get(
            Panel(signal, state, window=True)
        )

    def swept(self, state: State) -> Reading | None:
        """What the last whole pass says of one state."""
        sweep = self.readings.get(Panel(Signal.SWEEP))
        if sweep is None:
            return None
        lines = tuple(line for line in sweep.of(StateLine) if line.state is state)
        return Reading(lines, sweep.taken_at, sweep.cost_ms)

    def estimate(self, state: State) -> tuple[float, Reading] | None:
        reading = self.readings.get(Panel(Signal.ESTIMATE, state))
        if reading is None:
            return None
        return next(((line.rows, reading) for line in reading.of(CountLine)), None)

    def forget(self, panels: Iterable[Panel]) -> None:
        """Drops panels that no longer run, so that their last values do not linger."""
        for panel in panels:
            self.readings.pop(panel, None)
            self.errors.pop(panel, None)
