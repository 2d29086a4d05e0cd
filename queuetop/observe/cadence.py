"""How often each panel runs, so that all of them together stay under the budget.

The budget is a share of one backend's time. It is split max-min fair by weight: a panel whose cost at its
own pace is under its fair share keeps that pace, what it leaves goes to the others, and only dear ones
wait longer. One rule serves a tick of 3 ms and a scan of 3 s alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from queuetop.model.facts import Panel, PlanCost, Signal
from queuetop.model.states import HISTORY, State

#: Seconds between two runs of a panel that costs nothing; 0 is every tick.
_PACE = {
    Signal.STATE: 0.0,
    Signal.FAILURES: 0.0,
    Signal.FINISHED: 0.0,
    Signal.ARRIVALS: 0.0,
    Signal.SWEEP: 30.0,
    Signal.ESTIMATE: 10.0,
    Signal.ACTIVITY: 10.0,
    Signal.PAUSES: 5.0,
    Signal.QUEUES: 30.0,
    Signal.UNMAPPED: 60.0,
}
#: What looks at the last hour changes slowly: it takes no more than this share of the budget, even where
#: there is more, and leaves the rest unspent.
_MOST = {Signal.FAILURES: 0.12, Signal.FINISHED: 0.12}
_WEIGHT = {Signal.SWEEP: 6.0, Signal.STATE: 2.0, Signal.UNMAPPED: 0.25}

#: The planner's units to milliseconds, for a panel that has not run yet.
_MS_PER_UNIT = 0.005
#: A plan that scans more rows than this, or costs more units, is not for the tick.
HEAVY_ROWS = 100_000.0
HEAVY_UNITS = 400_000.0
#: A panel that took longer than this on the server leaves the tick.
HEAVY_MS = 150.0
#: A whole state may be counted, history too, where the plan costs no more than this.
TINY_UNITS = 1_500.0
#: A dear panel runs at once the first time where its pace is no slower than this: so much of the budget
#: may be spent ahead, and the first minutes stay under it as a whole. A dearer one waits for its turn.
AHEAD_S = 300.0
#: A panel that failed is tried again after the interval, then after twice as long, up to this.
RETRY_CAP_S = 30.0


def is_heavy(cost: PlanCost) -> bool:
    """Whether the planner expects a scan of a big table."""
    return cost.scanned_rows > HEAVY_ROWS or cost.units > HEAVY_UNITS


@dataclass
class Pace:
    """One panel's cost and rhythm. Times are the client's monotonic seconds."""

    panel: Panel
    #: Server milliseconds of the last run; a guess from the plan until the first one.
    cost_ms: float = 1.0
    #: The last run's cost before a sudden rise made the panel dear, while nobody knows whether it stays.
    usual_ms: float | None = None
    measured: bool = False
    every_s: float = 0.0
    #: The budget makes it wait well beyond its own pace.
    stretched: bool = False
    #: Another panel that became dear at the same time is asked first, for both.
    suspended: bool = False
    last_run: float | None = None
    #: Runs that failed since the last good one, and what the last of them said.
    failures: int = 0
    note: str = ""

    def due(self, now: float) -> bool:
        # A tick that comes a little early must not make a panel miss its turn.
        return self.last_run is None or (
            not self.suspended and now - self.last_run >= self.wait_s - 0.05
        )

    @property
    def wait_s(self) -> float:
        """Seconds from the last run to the next."""
        if not self.failures:
            return self.every_s
        return max(self.every_s, min(RETRY_CAP_S, 2.0 ** min(self.failures, 16)))

    @property
    def dear(self) -> bool:
        # A pass over a whole table is never for the tick, however quick it is today.
        return self.cost_ms > HEAVY_MS or self.panel.signal is Signal.SWEEP

    def overdue(self, now: float) -> bool:
        """Whether the last run was so long ago that something must hold the panel up."""
        return self.last_run is not None and now - self.last_run > 3 * self.wait_s + 30.0


class Cadence:
    """Which panels are due, and how the budget is shared. No I/O, no clock of its own."""

    def __init__(self, *, interval_s: float, budget: float, eager: bool = False) -> None:
        """``eager``: dear panels run at once the first time, whatever they cost."""
        self.interval_s = interval_s
        self.budget = budget
        self._eager = eager
        self._began: float | None = None
        self.paces: dict[Panel, Pace] = {}

    def choose(self, panels: Iterable[Panel]) -> None:
        """Sets which panels run at all; those that stay keep what is known of them."""
        self.paces = {panel: self.paces.get(panel) or Pace(panel) for panel in panels}
        self.share()

    def expect(self, costs: Mapping[Panel, PlanCost]) -> None:
        """Takes the planner's word for panels that have not run."""
        for panel, cost in costs.items():
            pace = self.paces.get(panel)
            if pace is not None and not pace.measured:
                pace.cost_ms = max(0.2, cost.units * _MS_PER_UNIT)
        self.share()

    def due(self, now: float) -> list[Panel]:
        """Panels for the tick, in order of importance."""
        return [p.panel for p in self.paces.values() if not p.dear and p.due(now)]

    def dear_due(self, now: float) -> Panel | None:
        """The dear panel that has waited longest over its time, for a connection of its own."""
        if self._began is None:
            self._began = now
        waiting = [
            p for p in self.paces.values() if p.dear and p.due(now) and self._may_begin(p, now)
        ]
        if not waiting:
            return None
        return min(waiting, key=lambda p: (p.last_run is not None, p.last_run or 0.0)).panel

    def _may_begin(self, pace: Pace, now: float) -> bool:
        """Whether the budget has room for a dear panel's first run."""
        return (
            pace.last_run is not None
            or self._eager
            or pace.every_s <= AHEAD_S
            or now - (self._began or now) >= pace.every_s
        )

    def ran(self, panel: Panel, cost_ms: float | None, now: float, failure: str = "") -> None:
        """Records a run. ``cost_ms`` is None where it cost the server nothing worth counting.

        The pace follows the last cost alone: whatever the next one is, the wait paid for this one.
        """
        pace = self.paces.get(panel)
        if pace is None:
            return
        pace.last_run, pace.note = now, failure
        pace.failures = pace.failures + 1 if failure else 0
        if cost_ms is not None:
            self._believe(pace, cost_ms)
        self.share()

    def _believe(self, pace: Pace, cost_ms: float) -> None:
        """A panel that a busy server made dear need not stay so, and neither need the others."""
        rises = pace.measured and not pace.dear and cost_ms > HEAVY_MS
        over = pace.usual_ms is not None and cost_ms <= HEAVY_MS
        pace.usual_ms = pace.cost_ms if rises else None
        pace.cost_ms, pace.measured = cost_ms, True
        for other in self.paces.values() if over else ():
            if other.usual_ms is not None:
                other.cost_ms, other.usual_ms = other.usual_ms, None

    def share(self) -> None:
        """Splits the budget anew."""
        paces = list(self._sharing())
        base = {id(p): max(_PACE[p.panel.signal], self.interval_s) for p in paces}
        weight = {id(p): _weight(p.panel) for p in paces}
        whole = self.budget * 1000.0  # milliseconds of the server a second
        need = {
            id(p): min(p.cost_ms / base[id(p)], whole * _MOST.get(p.panel.signal, 1.0))
            for p in paces
        }
        remaining, left = whole, sum(weight.values())
        for pace in sorted(paces, key=lambda p: need[id(p)] / weight[id(p)]):
            granted = min(need[id(pace)], max(remaining, 1e-9) * weight[id(pace)] / left)
            own = base[id(pace)]
            pace.every_s = max(own, pace.cost_ms / granted) if granted > 0 else own
            pace.stretched = pace.every_s > 3 * own
            remaining -= granted
            left -= weight[id(pace)]

    def _sharing(self) -> Iterator[Pace]:
        """Of the panels that became dear out of the blue one is asked again, and the others wait for
        what it says."""
        doubted = [pace for pace in self.paces.values() if pace.usual_ms is not None]
        for pace in self.paces.values():
            pace.suspended = pace in doubted[1:]
            if not pace.suspended:
                yield pace

    @property
    def planned_share(self) -> float:
        """The share of one backend's time that the paces add up to."""
        running = (p for p in self.paces.values() if not p.suspended and p.every_s > 0)
        return sum(p.cost_ms / 1000.0 / p.every_s for p in running)


def _weight(panel: Panel) -> float:
    if panel.signal is Signal.STATE and panel.state in {State.PENDING, State.RUNNING}:
        return 3.0
    if panel.state in HISTORY and panel.signal is Signal.STATE:
        return 0.5
    return _WEIGHT.get(panel.signal, 1.0)
