"""View 3: any jobs, found by a filter, in an order, read page by page."""

from __future__ import annotations

import time
from datetime import datetime
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from queuetop.model.filters import write
from queuetop.model.jobs import Sort
from queuetop.model.measure import Measure
from queuetop.model.numbers import show_measure
from queuetop.model.selection import Selection
from queuetop.ui import keys
from queuetop.ui.job_list import MOST, Feed, JobList
from queuetop.ui.views.listing import Listing
from queuetop.ui.widgets.job_columns import jobs_columns, sorts
from queuetop.ui.widgets.jobs_table import JobsTable, default_sort
from queuetop.ui.widgets.line import Part

#: Seconds between two counts of what matches: counting may be dearer than a page.
COUNT_S = 10.0


class JobsView(Listing):
    """The newest jobs first, until somebody sorts or filters."""

    number: ClassVar[int] = 3
    title: ClassVar[str] = "Jobs"
    where: ClassVar[str] = "jobs"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("jobs")

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's own word
        super().__init__(id=id)
        self.sort = Sort()
        self.list = JobList()
        self._counted_at = 0.0
        self._numeric_ids = True

    def select(self, selection: Selection, sort: Sort | None = None) -> None:
        """Lists the jobs of this selection from now on: the newest first, or in a given order."""
        self.sort = sort or self._newest
        self.rearrange()
        super().select(selection)

    # Reading

    @property
    def _feed(self) -> Feed:
        return Feed(self.top.source.browse, self.selection, self.sort)

    async def read(self) -> None:
        self._counted_at = time.monotonic()
        self._take(await self._feed.first())

    async def read_again(self) -> None:
        feed, count = self._feed, time.monotonic() - self._counted_at > COUNT_S
        if count:
            self._counted_at = time.monotonic()
        if self.table.touched:
            self._take(await feed.refreshed(self.list, self.table.seen, count=count))
        else:
            top = await feed.refreshed(JobList(), range(0), count=count)
            self._take(top.counted_as(self.list))

    async def _read_more(self) -> None:
        self._take(await self._feed.more(self.list))

    @on(JobsTable.NearEnd)
    def _near_end(self, event: JobsTable.NearEnd) -> None:
        event.stop()
        if not self._reading and self.list.next is not None and not self.list.full:
            self.start(self._read_more)

    @on(JobsTable.TopWanted)
    def _top_wanted(self, event: JobsTable.TopWanted) -> None:
        event.stop()
        if self.list.more_above:
            self.start(self.read)

    def _take(self, found: JobList) -> None:
        self.list = found
        numeric = all(job.id.isdecimal() for job in found.jobs)
        if numeric is not self._numeric_ids:
            self._numeric_ids = numeric
            self.rearrange()
        self.table.show(found.jobs)

    # What the list has of its own

    def forget(self) -> None:
        self.sort = self._newest
        self._take(JobList())

    @property
    def _newest(self) -> Sort:
        known = sorts(self.top.source.mapping)
        return default_sort("created_at" if "created_at" in known else "id")

    def rearrange(self) -> None:
        self.table.order = self.sort
        mapping = self.top.source.mapping
        self.table.rearrange(
            jobs_columns(mapping, self.look, self.sort, numeric_ids=self._numeric_ids)
        )

    @property
    def taken_at(self) -> datetime | None:
        return self.list.taken_at

    @property
    def cost_ms(self) -> float:
        return self.list.cost_ms

    @property
    def matched(self) -> Measure:
        return self.list.matched

    @property
    def whole(self) -> tuple[Selection, Sort]:
        return self.selection, self.sort

    def facts(self) -> list[Part]:
        if self.list.taken_at is None:
            return [Part(("reading the first page",))]
        matched = f"{show_measure(self.list.matched)} match"
        above = "newer jobs above: g" if self.list.more_above else ""
        limit = f"the first {MOST} are loaded: filter to see others" if self.list.full else ""
        return [
            Part((matched,), "$foreground"),
            Part((self.list.window,), "", 2),
            Part((above, ""), "$accent", 3),
            Part((limit, ""), "", 4),
        ]

    def nothing(self) -> str:
        if self.list.taken_at is None:
            return "" if not self._fault else "Nothing could be read yet."
        if self.selection.everything:
            return "There are no jobs in this table."
        return (
            f"No job matches {write(self.selection)}. "
            f"Looked at: {self.list.window}. / changes the filter."
        )

    # Sorting

    def action_sort(self) -> None:
        known = sorts(self.top.source.mapping)
        at = known.index(self.sort.column) if self.sort.column in known else -1
        self._sort_by(default_sort(known[(at + 1) % len(known)]))

    def action_reverse(self) -> None:
        self._sort_by(Sort(self.sort.column, not self.sort.descending))

    @on(JobsTable.SortWanted)
    def _sort_wanted(self, event: JobsTable.SortWanted) -> None:
        event.stop()
        if event.column == self.sort.column:
            self.action_reverse()
        elif event.column in sorts(self.top.source.mapping):
            self._sort_by(default_sort(event.column))

    def _sort_by(self, sort: Sort) -> None:
        self.sort = sort
        self.table.restart(keep_job=True)
        self.rearrange()
        self.start(self.read)
