"""Jobs in memory, paged by keyset as the store does it: a place stays one when its job is gone."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from queuetop.model.jobs import Cursor, Job, Page, Sort
from queuetop.model.measure import Measure
from queuetop.model.selection import Selection
from tests.ui.fakes import NOW, FakeBrowse, _matches

WINDOW = "all jobs"


class Shelf(FakeBrowse):
    """``ids`` must be numbers. Places are given for each job."""

    cost_ms = 0.0

    async def jobs(
        self,
        selection: Selection,
        sort: Sort,
        *,
        after: Cursor | None = None,
        limit: int = 200,
        count: bool = True,
    ) -> Page:
        self.calls.append(("jobs", (selection, sort, after, limit)))
        await self._answer()
        found = self.found(selection, sort)
        if after is not None:
            place = self._ranks[after]
            found = [job for job in found if _beyond(_rank(job, sort), place, sort)]
        page = found[:limit]
        places = tuple(Cursor(str(_rank(job, sort)), job.id) for job in page)
        self._ranks |= {place: _rank(job, sort) for place, job in zip(places, page, strict=True)}
        return Page(
            jobs=tuple(page),
            next=places[-1] if len(found) > limit else None,
            window=WINDOW,
            taken_at=NOW,
            cost_ms=self.cost_ms,
            matched=Measure.counted(len(self.found(selection, sort)), cap=10_000),
            places=places,
        )

    def __init__(self, jobs: Iterable[Job] = ()) -> None:
        super().__init__(tuple(jobs))
        self._ranks: dict[Cursor, tuple[object, ...]] = {}

    def found(self, selection: Selection, sort: Sort) -> list[Job]:
        """Everything that matches, in order."""
        matching = [job for job in self.all if _matches(job, selection)]
        return sorted(matching, key=lambda job: _rank(job, sort), reverse=sort.descending)

    def put(self, *jobs: Job) -> None:
        """These jobs as they are now, new or changed."""
        known = {job.id: job for job in self.all} | {job.id: job for job in jobs}
        self.all = tuple(known.values())

    def take(self, *ids: str) -> None:
        """These jobs are gone."""
        self.all = tuple(job for job in self.all if job.id not in ids)

    def change(self, job_id: str, **fields: object) -> None:
        self.all = tuple(
            structs.replace(job, **fields) if job.id == job_id else job for job in self.all
        )

    @property
    def asked(self) -> int:
        """Pages that were asked for."""
        return sum(1 for name, _ in self.calls if name == "jobs")


def _rank(job: Job, sort: Sort) -> tuple[object, ...]:
    """NULL comes last, whichever way round."""
    value = getattr(job, sort.column)
    if sort.column == "id":
        return (True, int(job.id))
    known = value is not None
    return (known is sort.descending, value if known else 0, int(job.id))


def _beyond(rank: tuple[object, ...], place: tuple[object, ...], sort: Sort) -> bool:
    return rank < place if sort.descending else rank > place
