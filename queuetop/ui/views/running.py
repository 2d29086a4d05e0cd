"""View 4: who works on what, and for how long; stalled jobs first."""

from __future__ import annotations

import math
from datetime import datetime
from typing import ClassVar

from textual.binding import BindingType

from queuetop.model.errors import UsageError
from queuetop.model.jobs import Job, Page, Sort
from queuetop.model.measure import Exactness, Measure
from queuetop.model.numbers import show_measure
from queuetop.model.selection import Selection
from queuetop.model.states import State
from queuetop.ui import keys
from queuetop.ui.views.listing import Listing
from queuetop.ui.widgets.job_columns import lease_s, running_columns
from queuetop.ui.widgets.line import Part

#: Jobs of each state that are read at the most.
MOST = 500
STATES = (State.STALLED, State.RUNNING)
#: Orders of the key ``s``: canonical column, and how the line above the table calls it.
ORDERS = {
    "started_at": "longest running first",
    "lease_until": "shortest lease first",
    "attempts": "most attempts first",
}


class RunningView(Listing):
    """Claimed jobs: those whose lease ran out, then those whose lease holds."""

    number: ClassVar[int] = 4
    title: ClassVar[str] = "Running"
    where: ClassVar[str] = "running"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("running")

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's own word
        super().__init__(id=id)
        self.order = "started_at"
        self._reversed = False
        self._pages: dict[State, Page] = {}
        self._numeric_ids = True

    # Reading

    async def read(self) -> None:
        wanted = self._wanted()
        pages = {}
        for state in wanted:
            pages[state] = await self.top.source.browse.jobs(
                self.selection.narrowed(states=(state,)), self._read_order, limit=MOST
            )
        self._pages = pages
        self._take()

    async def read_again(self) -> None:
        await self.read()

    def _wanted(self) -> tuple[State, ...]:
        asked = self.selection.states or STATES
        wanted = tuple(state for state in STATES if state in asked)
        if not wanted:
            raise UsageError("Only running and stalled jobs are here; view 3 has all states")
        return wanted

    @property
    def _read_order(self) -> Sort:
        """Which jobs come first where there are more than fit: those longest at it."""
        mapping = self.top.source.mapping
        known = (
            column for column in ("started_at", "lease_until", "created_at") if mapping.has(column)
        )
        return Sort(next(known, "id"), descending=False)

    def _take(self) -> None:
        jobs = [
            job
            for state in STATES
            if state in self._pages
            for job in self._sorted(self._pages[state].jobs)
        ]
        leases = (lease_s(job, self.look.now) for job in jobs)
        self.look.lease_s = max(
            (left for left in leases if left is not None and left < math.inf), default=0.0
        )
        numeric = all(job.id.isdecimal() for job in jobs)
        if numeric is not self._numeric_ids:
            self._numeric_ids = numeric
            self.rearrange()
        self.table.show(jobs)

    def _sorted(self, jobs: tuple[Job, ...]) -> list[Job]:
        """Jobs that do not know the value come last, whichever way round."""
        known = [job for job in jobs if getattr(job, self.order) is not None]
        unknown = [job for job in jobs if getattr(job, self.order) is None]
        greatest_first = (self.order == "attempts") is not self._reversed
        known.sort(key=lambda job: (getattr(job, self.order), job.id), reverse=greatest_first)
        return known + unknown

    # What the list has of its own

    def forget(self) -> None:
        self.order = next(iter(self._orders), "started_at")
        self._reversed = False
        self._pages = {}
        self.table.show(())

    def rearrange(self) -> None:
        self.table.rearrange(
            running_columns(self.top.source.mapping, self.look, numeric_ids=self._numeric_ids)
        )

    @property
    def taken_at(self) -> datetime | None:
        return next((page.taken_at for page in self._pages.values()), None)

    @property
    def cost_ms(self) -> float:
        return sum(page.cost_ms for page in self._pages.values())

    @property
    def matched(self) -> Measure:
        found = [page.matched for page in self._pages.values()]
        values = [measure.value for measure in found if measure.value is not None]
        exact = all(measure.exactness is Exactness.EXACT for measure in found)
        if len(values) < len(found) or not found:
            return Measure.unavailable("not counted")
        return (
            Measure.exact(sum(values))
            if exact
            else Measure.estimated(sum(values), "at least one part is not exact")
        )

    @property
    def whole(self) -> tuple[Selection, Sort]:
        wanted = [state for state in STATES if state in (self.selection.states or STATES)]
        return self.selection.narrowed(states=tuple(wanted)), self._read_order

    def facts(self) -> list[Part]:
        if not self._pages:
            return [Part(("reading who works on what",))]
        counts = [f"{show_measure(page.matched)} {state}" for state, page in self._pages.items()]
        cut = any(page.next is not None for page in self._pages.values())
        looked = dict.fromkeys(page.window for page in self._pages.values())
        return [
            Part((", ".join(counts),), "$foreground"),
            Part((f"the first {MOST} of each" if cut else "", "cut" if cut else ""), "$warning", 2),
            Part((", ".join(looked), ""), "", 3),
            Part((ORDERS[self.order] + (", turned round" if self._reversed else ""), ""), "", 4),
        ]

    def nothing(self) -> str:
        if not self._pages:
            return "" if not self._fault else "Nothing could be read yet."
        if not self.selection.everything:
            return "No running or stalled job matches the filter. / changes it."
        return "Nothing is running: no job is claimed at this moment."

    # Sorting

    @property
    def _orders(self) -> list[str]:
        mapping = self.top.source.mapping
        return [column for column in ORDERS if mapping.has(column)]

    def action_sort(self) -> None:
        orders = self._orders
        if orders:
            at = orders.index(self.order) if self.order in orders else -1
            self.order, self._reversed = orders[(at + 1) % len(orders)], False
            self._resort()

    def action_reverse(self) -> None:
        self._reversed = not self._reversed
        self._resort()

    def _resort(self) -> None:
        self._take()
        self.show_facts()
