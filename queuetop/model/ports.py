"""What the other rooms need from the store, named without it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from queuetop.model.facts import Facts, Panel, PlanCost
from queuetop.model.jobs import Cursor, JobDetail, Page, Sort
from queuetop.model.mapping import Mapping
from queuetop.model.selection import Selection
from queuetop.model.snapshot import DatabaseHealth, LinkState, MappingRef, Server, Snapshot


class Observed(Protocol):
    """The reading side that ``observe`` polls."""

    @property
    def mapping(self) -> Mapping: ...

    @property
    def ref(self) -> MappingRef: ...

    @property
    def where(self) -> str:
        """``host:port/database``, without secrets."""
        ...

    @property
    def spent_ms(self) -> float:
        """Server milliseconds of all statements about this table so far, lists and details too."""
        ...

    def panels(self) -> tuple[Panel, ...]:
        """What this mapping can be asked; the order is the order of importance."""
        ...

    def windowed(self, panel: Panel) -> Panel | None:
        """The same question put to the newest jobs only; None where that means nothing."""
        ...

    def sweep(self) -> Panel | None:
        """All live states in one pass over the table; None where they have tables of their own."""
        ...

    async def plan(self, panels: Sequence[Panel]) -> dict[Panel, PlanCost]:
        """The planner's opinion of each, without running any."""
        ...

    async def ask(self, panels: Sequence[Panel]) -> Facts:
        """One read-only batch in one round trip. Panels that failed are in ``Facts.failed``.

        Raises ``StoreError`` where the server cannot be reached.
        """
        ...

    async def ask_dear(self, panel: Panel) -> Facts:
        """One costly panel in a batch and on a connection of its own, with a longer time limit."""
        ...

    async def database(self) -> DatabaseHealth:
        """The Database view's numbers."""
        ...

    async def close(self) -> None: ...


class Browsed(Protocol):
    """The reading side that lists and details use."""

    async def jobs(
        self,
        selection: Selection,
        sort: Sort,
        *,
        after: Cursor | None = None,
        limit: int = 200,
        count: bool = True,
    ) -> Page:
        """One page by keyset. ``count`` also counts the matches, capped."""
        ...

    async def job(self, job_id: str) -> JobDetail | None:
        """One job by its id's text; None where there is none."""
        ...

    async def values(self, column: str) -> tuple[str, ...]:
        """Known values of ``queue``, ``kind``, ``failure_kind`` or ``worker``, for completion."""
        ...

    def export(self, selection: Selection, sort: Sort) -> AsyncIterator[Page]:
        """All matching jobs, page by page."""
        ...

    async def close(self) -> None: ...


class History(Protocol):
    """Series for charts: (seconds since the epoch, value), oldest first."""

    def series(self, name: str) -> tuple[tuple[float, float], ...]:
        """A measure's last hour by name: ``oldest_pending``, ``longest_wait``, ``retry_ratio``,
        ``pending``, ``running``, ``failed`` … (any state), ``arrived``, ``finished``, ``failures``,
        ``p95``, ``poll_ms``; empty where nothing is known."""
        ...


class Watch(Protocol):
    """What the dashboard looks at: one mapped table, observed and browsed."""

    @property
    def mapping(self) -> Mapping: ...

    @property
    def ref(self) -> MappingRef: ...

    @property
    def server(self) -> Server | None: ...

    @property
    def history(self) -> History: ...

    @property
    def browse(self) -> Browsed: ...

    @property
    def interval_s(self) -> float: ...

    def set_interval(self, seconds: float) -> None: ...

    def poll_now(self) -> None:
        """Ends the wait before the next tick."""
        ...

    def want_database(self, wanted: bool) -> None:
        """Whether the Database view is looked at, so that its statements run."""
        ...

    def __aiter__(self) -> AsyncIterator[Snapshot | LinkState]:
        """Snapshots as they come, and how the link is when that changes. Never raises for faults
        of the server; ends when closed."""
        ...

    async def close(self) -> None: ...
