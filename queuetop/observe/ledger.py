"""The last answer of each panel, with its age: what a snapshot is built from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from queuetop.model.facts import CountLine, Facts, Line, Panel, ServerFact, Signal, StateLine
from queuetop.model.measure import Exactness, Measure
from queuetop.model.states import HISTORY, State

L = TypeVar("L", bound=Line)


@dataclass(frozen=True)
class Reading:
    """One panel's last good answer. ``stale``: a newer run failed, or is long overdue."""

    lines: tuple[Line, ...]
    taken_at: datetime
    cost_ms: float
    stale: bool = False

    def measure(
        self, value: float, bound: str | None = None, exactness: Exactness = Exactness.EXACT
    ) -> Measure:
        """A value out of this answer: ``bound`` says why it is only "at least so much"."""
        return Measure(
            value=value,
            exactness=Exactness.CAPPED if bound and exactness is Exactness.EXACT else exactness,
            why=bound,
            taken_at=self.taken_at,
            cost_ms=self.cost_ms,
            stale=self.stale,
        )

    def of(self, kind: type[L]) -> list[L]:
        return [line for line in self.lines if isinstance(line, kind)]


@dataclass
class Ledger:
    """Readings by panel. Keeps the last good value when a panel fails."""

    readings: dict[Panel, Reading] = field(default_factory=dict)
    errors: dict[Panel, str] = field(default_factory=dict)
    overdue: frozenset[Panel] = frozenset()
    server: ServerFact | None = None

    def take(self, facts: Facts) -> None:
        self.server = facts.server
        for panel, lines in facts.lines.items():
            self.readings[panel] = Reading(lines, facts.server.now, facts.costs.get(panel, 0.0))
            self.errors.pop(panel, None)
        self.errors |= facts.failed

    def get(self, signal: Signal, state: State | None = None) -> Reading | None:
        """The whole answer where there is one, else that of the newest jobs only."""
        return self._reading(Panel(signal, state)) or self._reading(
            Panel(signal, state, window=True)
        )

    def _reading(self, panel: Panel) -> Reading | None:
        reading = self.readings.get(panel)
        if reading is None:
            return None
        return replace(reading, stale=panel in self.errors or panel in self.overdue)

    def is_windowed(self, signal: Signal, state: State | None = None) -> bool:
        return Panel(signal, state) not in self.readings and (
            Panel(signal, state, window=True) in self.readings
        )

    def error(self, signal: Signal, state: State | None = None) -> str | None:
        return self.errors.get(Panel(signal, state)) or self.errors.get(
            Panel(signal, state, window=True)
        )

    def swept(self, state: State) -> Reading | None:
        """What the last whole pass says of one state. It passes history by."""
        sweep = self._reading(Panel(Signal.SWEEP))
        if sweep is None or state in HISTORY:
            return None
        lines = tuple(line for line in sweep.of(StateLine) if line.state is state)
        return replace(sweep, lines=lines)

    def estimate(self, state: State) -> tuple[float, Reading] | None:
        reading = self._reading(Panel(Signal.ESTIMATE, state))
        if reading is None:
            return None
        return next(((line.rows, reading) for line in reading.of(CountLine)), None)

    def keep(self, panels: Collection[Panel]) -> None:
        """Drops what no longer runs, so that its last values do not linger."""
        self.readings = {p: reading for p, reading in self.readings.items() if p in panels}
        self.errors = {p: error for p, error in self.errors.items() if p in panels}
