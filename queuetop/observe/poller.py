"""From polls to snapshots: which panels run, on which connection, and what is built from them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from time import monotonic

from queuetop.model.durations import show_duration
from queuetop.model.errors import StoreError
from queuetop.model.facts import CAP, Facts, Panel, PlanCost, Signal
from queuetop.model.ports import Observed
from queuetop.model.snapshot import Cost, DatabaseHealth, PanelCost, Snapshot
from queuetop.model.states import HISTORY
from queuetop.observe.cadence import TINY_UNITS, Cadence, is_heavy
from queuetop.observe.history import History
from queuetop.observe.ledger import Ledger
from queuetop.observe.snapshots import Context, build

#: The planner is asked again after so long: tables grow, indexes come.
REPLAN_S = 600.0
#: The shown share of a backend's time is that of so many seconds, and needs more polls than these.
SHARE_OVER_S = 60.0
FEW_POLLS = 5
#: The Database view's statements run this often while it is looked at.
DATABASE_S = 5.0


class Poller:
    """Polls one mapped table. Not for use by two tasks at once."""

    def __init__(
        self,
        store: Observed,
        *,
        interval_s: float = 2.0,
        budget: float = 0.01,
        eager: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.store = store
        self.history = History()
        self.cadence = Cadence(interval_s=interval_s, budget=budget, eager=eager)
        self.wants_database = False
        self._ledger = Ledger()
        self._context = Context(store.mapping, store.ref, store.where)
        self._clock = clock
        self._planned_at: float | None = None
        self._dear: asyncio.Task[None] | None = None
        self._database: DatabaseHealth | None = None
        self._database_at: float | None = None
        #: (when, what everything had cost by then), over the last minute.
        self._spent: deque[tuple[float, float]] = deque([(clock(), store.spent_ms)])
        self._seq = 0

    async def poll(self) -> Snapshot:
        """One tick: a single round trip once the plan is known. Raises ``StoreError``."""
        now = self._clock()
        trips = 0
        if self._planned_at is None or now - self._planned_at > REPLAN_S:
            await self._plan()
            self._planned_at = now
            trips += 1
        due = self.cadence.due(now)
        facts = await self.store.ask(due)
        self._take(facts, due, now)
        self._start_dear(now)
        return self._build(facts, due, facts.round_trips + trips, now)

    async def settle(self) -> None:
        """Waits for a dear panel that is under way, so that a single snapshot can include it."""
        if self._dear is not None:
            with contextlib.suppress(StoreError):
                await self._dear

    async def close(self) -> None:
        await self.store.close()  # ends what is under way
        if self._dear is not None:
            with contextlib.suppress(StoreError):
                await self._dear

    async def _plan(self) -> None:
        """Chooses, for each question, the way to ask it that the planner thinks affordable."""
        asked = self.store.panels()
        tiny = [Panel(Signal.STATE, p.state) for p in asked if _is_history(p)]
        sweep = self.store.sweep()
        costs = await self.store.plan([*asked, *tiny, *([sweep] if sweep else [])])
        self.cadence.choose(dict.fromkeys(self._choose(asked, costs)))
        self._ledger.keep(self.cadence.paces)
        self.cadence.expect(costs)

    def _choose(self, asked: tuple[Panel, ...], costs: dict[Panel, PlanCost]) -> Iterator[Panel]:
        swept = False
        for panel in asked:
            if panel.signal is Signal.ESTIMATE:
                continue
            cost = costs.get(panel)
            if cost is None or not is_heavy(cost):
                yield panel
                continue
            narrow = self.store.windowed(panel)
            if narrow is not None:
                yield narrow
            swept = swept or panel.signal in {Signal.STATE, Signal.FAILURES}
            if panel.signal is Signal.STATE:
                yield from _if_asked(Panel(Signal.ESTIMATE, panel.state), asked)
            if narrow is None and not self._said_otherwise(panel):
                yield panel
        sweep = self.store.sweep()
        if swept and sweep is not None:
            yield sweep
        for panel in asked:
            if not _is_history(panel):
                continue
            whole = Panel(Signal.STATE, panel.state)
            cost = costs.get(whole)
            tiny = cost is not None and cost.units <= TINY_UNITS and cost.rows <= CAP / 2
            yield whole if tiny else panel

    def _said_otherwise(self, panel: Panel) -> bool:
        """Whether a sweep tells the same, or the statistics do."""
        if panel.signal is Signal.STATE:
            return self.store.sweep() is not None
        return panel.signal is Signal.ARRIVALS

    def _take(self, facts: Facts, asked: list[Panel], now: float) -> None:
        self._ledger.take(facts)
        for panel in asked:
            cost = facts.costs.get(panel)
            self.cadence.ran(panel, cost, now, facts.failed.get(panel, ""))

    def _start_dear(self, now: float) -> None:
        """At most one dear panel at a time, beside the ticks."""
        if self._dear is not None and not self._dear.done():
            return
        if self._dear is not None and not isinstance(self._dear.exception(), StoreError | None):
            self._dear.result()  # a mistake of ours must not pass for the server's
        panel = self.cadence.dear_due(now)
        if panel is not None:
            self._dear = asyncio.create_task(self._ask_dear(panel))
        elif self.wants_database and self._database_due(now):
            self._dear = asyncio.create_task(self._ask_database())
        else:
            self._dear = None

    async def _ask_dear(self, panel: Panel) -> None:
        try:
            facts = await self.store.ask_dear(panel)
        except StoreError as error:  # the link is lost, which the next tick tells too
            self._ledger.errors[panel] = error.sentence
            self.cadence.ran(panel, None, self._clock(), error.sentence)
            raise
        self._take(facts, [panel], self._clock())

    def _database_due(self, now: float) -> bool:
        return self._database_at is None or now - self._database_at >= DATABASE_S

    async def _ask_database(self) -> None:
        self._database_at = self._clock()
        self._database = await self.store.database()

    def _build(self, facts: Facts, due: list[Panel], trips: int, now: float) -> Snapshot:
        self._seq += 1
        self._ledger.overdue = frozenset(
            panel for panel, pace in self.cadence.paces.items() if pace.overdue(now)
        )
        paces = self.cadence.paces.values()
        cost = Cost(
            round_trips=trips,
            db_ms=sum(facts.costs.values()),
            poll_ms=facts.poll_ms,
            budget_share=self._share(now),
            skipped=tuple(self._skipped(due, now)),
            panels=tuple(
                PanelCost(
                    panel=str(p.panel),
                    ms=p.cost_ms if p.measured else None,
                    every_s=p.every_s,
                    note=p.note,
                )
                for p in sorted(paces, key=lambda p: -p.cost_ms)
            ),
        )
        return build(
            self._context,
            self._ledger,
            self.history,
            seq=self._seq,
            cost=cost,
            database=self._database,
        )

    def _share(self, now: float) -> float:
        """The share of one backend's time that everything took in the last minute.

        Of the first polls nothing can be said but what the paces plan.
        """
        self._spent.append((now, self.store.spent_ms))
        while len(self._spent) > 2 and self._spent[1][0] <= now - SHARE_OVER_S:
            self._spent.popleft()
        (began, before), (_, spent) = self._spent[0], self._spent[-1]
        if self._seq <= FEW_POLLS or now <= began:
            return self.cadence.planned_share
        return (spent - before) / 1000.0 / (now - began)

    def _skipped(self, due: list[Panel], now: float) -> Iterator[str]:
        for pace in self.cadence.paces.values():
            if pace.panel in due:
                continue
            if pace.note:
                yield f"{pace.panel}: {pace.note}"
            elif pace.dear and pace.last_run is None:
                every = show_duration(pace.every_s)
                yield f"{pace.panel}: would scan a big table; runs beside the ticks, every {every}"
            elif pace.stretched and pace.last_run is not None:
                wait = max(0.0, pace.every_s - (now - pace.last_run))
                yield f"{pace.panel}: next in {wait:.0f} s, to stay under the budget"


def _is_history(panel: Panel) -> bool:
    return panel.signal is Signal.ESTIMATE and panel.state in HISTORY


def _if_asked(panel: Panel, asked: tuple[Panel, ...]) -> Iterator[Panel]:
    if panel in asked:
        yield panel
