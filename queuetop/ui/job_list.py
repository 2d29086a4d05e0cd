"""A sorted, filtered list of jobs read piece by piece, and read again where it is looked at.

Rows above the part that is seen stay as they were read; the part that is seen is read anew from
the place of the row before it, so that a refresh costs the same however far down one is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct, structs

from queuetop.model.jobs import Cursor, Job, Page, Sort
from queuetop.model.measure import Measure
from queuetop.model.ports import Browsed
from queuetop.model.selection import Selection

PAGE = 200
#: Jobs kept at the most: further down a filter is the better way.
MOST = 10_000
NOT_COUNTED = Measure.unavailable("not counted yet")


class JobList(Struct, frozen=True, kw_only=True, eq=False):
    """What is loaded. ``places[i]`` is where the list goes on after ``jobs[i]``, where known."""

    jobs: tuple[Job, ...] = ()
    places: tuple[Cursor | None, ...] = ()
    #: Where the part below begins; None when all is loaded.
    next: Cursor | None = None
    #: There are jobs before the first one that were never read.
    more_above: bool = False
    window: str = ""
    matched: Measure = NOT_COUNTED
    taken_at: datetime | None = None
    cost_ms: float = 0.0

    @property
    def full(self) -> bool:
        return len(self.jobs) >= MOST

    def anchor(self, top: int) -> tuple[int, Cursor | None]:
        """From which row a page can be read that has row ``top``, and the place to read after."""
        for index in range(min(top, len(self.places)) - 1, -1, -1):
            place = self.places[index]
            if place is not None:
                return index + 1, place
        return 0, None

    def grown(self, page: Page) -> JobList:
        """With the page that follows. A job that moved down is shown where it is now."""
        new = _ids(page.jobs)
        kept = [index for index, job in enumerate(self.jobs) if job.id not in new]
        return self._with(page, self._rows(kept), (), page.next)

    def read_again(self, start: int, page: Page) -> JobList:
        """With ``page`` in the place of what was there from row ``start`` on.

        What follows the last job that both know stays, since the page says nothing of it.
        """
        new = _ids(page.jobs)
        head = [index for index in range(start) if self.jobs[index].id not in new]
        both = [i for i in range(start, len(self.jobs)) if self.jobs[i].id in new]
        after = both[-1] + 1 if both and page.next is not None else len(self.jobs)
        tail = range(after, len(self.jobs))
        below = self.next if tail else page.next
        return self._with(page, self._rows(head), self._rows(tail), below)

    def counted_as(self, other: JobList) -> JobList:
        """With the other's count where this one was not counted."""
        return self if self.matched.known else structs.replace(self, matched=other.matched)

    def holds(self, jobs: Iterable[Job]) -> bool:
        """Whether any of these is loaded."""
        mine = _ids(self.jobs)
        return any(job.id in mine for job in jobs)

    def _rows(self, indexes: Iterable[int]) -> list[tuple[Job, Cursor | None]]:
        return [(self.jobs[index], self.places[index]) for index in indexes]

    def _with(
        self,
        page: Page,
        head: Sequence[tuple[Job, Cursor | None]],
        tail: Sequence[tuple[Job, Cursor | None]],
        below: Cursor | None,
    ) -> JobList:
        rows = [*head, *zip(page.jobs, _places(page), strict=True), *tail]
        return structs.replace(
            self,
            jobs=tuple(job for job, _ in rows),
            places=tuple(place for _, place in rows),
            next=below,
            window=page.window,
            matched=page.matched if page.matched.known else self.matched,
            taken_at=page.taken_at,
            cost_ms=page.cost_ms,
        )


class Feed(Struct, frozen=True):
    """Reads one list: a selection in an order. Raises ``StoreError`` where the server refuses."""

    browse: Browsed
    selection: Selection
    sort: Sort

    async def first(self) -> JobList:
        return JobList().grown(await self._page(None, count=True))

    async def more(self, known: JobList) -> JobList:
        """The next page, where there is one and the list is not full."""
        if known.next is None or known.full:
            return known
        return known.grown(await self._page(known.next))

    async def refreshed(self, known: JobList, seen: range, *, count: bool) -> JobList:
        """The list with the rows ``seen`` read anew."""
        start, place = known.anchor(seen.start)
        limit = max(PAGE, seen.stop - start)
        page = await self._page(place, count=count, limit=limit)
        if place is None and known.jobs and not known.holds(page.jobs):
            return await self._pushed_down(known, page)
        again = known.read_again(start, page)
        return structs.replace(again, more_above=False) if place is None else again

    async def _pushed_down(self, known: JobList, top: Page) -> JobList:
        """The first page has none of the jobs on the screen: either they are all gone, or so many
        came before them that the list goes on from its own first row."""
        place = known.places[0]
        if place is None:
            return JobList().grown(top)
        below = await self._page(place)
        itself = self.selection.narrowed(ids=(known.jobs[0].id,))
        first = (await self.browse.jobs(itself, self.sort, limit=1, count=False)).jobs
        if not first and not known.holds(below.jobs):
            return JobList().grown(top)
        whole = structs.replace(
            known,
            jobs=(*first, *known.jobs[1:]),
            places=(*known.places[: len(first)], *known.places[1:]),
        )
        return structs.replace(
            whole.read_again(len(first), below),
            more_above=True,
            matched=top.matched if top.matched.known else known.matched,
        )

    async def _page(self, after: Cursor | None, *, count: bool = False, limit: int = PAGE) -> Page:
        page = await self.browse.jobs(
            self.selection, self.sort, after=after, limit=limit, count=count
        )
        return page if count else structs.replace(page, matched=NOT_COUNTED)


def _ids(jobs: Iterable[Job]) -> frozenset[str]:
    return frozenset(job.id for job in jobs)


def _places(page: Page) -> tuple[Cursor | None, ...]:
    if len(page.places) == len(page.jobs):
        return page.places
    unknown = (None,) * max(0, len(page.jobs) - 1)
    return (*unknown, page.next) if page.jobs else ()
