"""The browsing side of the store: lists by keyset, one job whole, values for completion."""

from __future__ import annotations

from collections.abc import AsyncIterator
from time import monotonic
from typing import Any, NamedTuple

from msgspec import structs
from psycopg import sql

from queuetop.model.errors import StoreError, StoreFault, UsageError
from queuetop.model.facts import CAP
from queuetop.model.jobs import Cursor, JobDetail, Page, Sort
from queuetop.model.measure import Exactness, Measure
from queuetop.model.numbers import show_count
from queuetop.model.selection import Selection
from queuetop.model.states import GAVE_UP
from queuetop.model.text import CELL, KIND, clean
from queuetop.store import detail, files, rows
from queuetop.store.paging import WINDOW, Paging
from queuetop.store.panels import failure_kind
from queuetop.store.plans import plan_cost
from queuetop.store.session import Answer, Bound, Limits, Session
from queuetop.store.shape import Shape

_LIMITS = Limits(statement_s=5.0)
_SERVER = Bound(files.load("observe/server"), {})

#: A list that would read more rows than this, or cost the planner's units below, gets a window.
_MANY_ROWS = 300_000.0
_MANY_UNITS = 400_000.0
_PLANS_FOR_S = 60.0
_UNORDERED = sql.SQL("")


class Plan(NamedTuple):
    """How a list is read best, as the planner thinks, and how many match as it believes."""

    window: bool
    countable: bool
    estimate: float
    made_at: float


class Browser:
    """Lists and details of one mapped table (``model.ports.Browsed``). One connection."""

    def __init__(self, session: Session, shape: Shape) -> None:
        self._session = session
        self._shape = shape
        self._plans: dict[tuple[Selection, Sort], Plan] = {}

    async def jobs(
        self,
        selection: Selection,
        sort: Sort,
        *,
        after: Cursor | None = None,
        limit: int = 200,
        count: bool = True,
    ) -> Page:
        sort = self._affordable(sort)
        plan = await self._plan(selection, sort)
        whole = Paging(self._shape, selection, sort, window=False)
        paging = Paging(self._shape, selection, sort, window=True) if plan.window else whole
        # Of a whole big table the planner knows more than a count that stops at its cap.
        counted = count and plan.countable and not (selection.everything and plan.estimate > CAP)
        batch = [_SERVER, paging.page(after, limit), *([paging.count()] if counted else [])]
        server, first, *totals = await self._session.read(batch, _LIMITS)
        found, cost = list(first.rows), sum(answer.ms for answer in (first, *totals))
        tail = paging.tail(after, limit) if len(found) < limit else []
        for answer in await self._session.read(tail, _LIMITS) if tail else ():
            found += answer.rows[: limit - len(found)]
            cost += answer.ms
        places = tuple(rows.place(row) for row in found)
        # Jobs without an id are the last ones: no cursor leads behind them.
        more = len(found) >= limit and found[-1].id is not None
        return Page(
            jobs=tuple(rows.job(row, self._shape.mapping) for row in found),
            next=places[-1] if more else None,
            window=self._window(paging),
            taken_at=server.rows[0].now,
            cost_ms=cost,
            matched=self._matched(paging, totals[0] if counted else None, plan),
            places=places,
        )

    def _affordable(self, sort: Sort) -> Sort:
        """The order of growing ids for the order of creation, where the time of creation is in another
        table, or in several without an index: asking for it job by job would take them all."""
        created, identity = self._shape.fields.get("created_at"), self._shape.fields["id"].column
        if sort.column != "created_at" or (
            created is not None and self._shape.indexed("created_at")
        ):
            return sort
        in_reach = created is not None and created.column is not None and self._shape.one_source
        grows = identity is not None and identity.is_integer
        if created is None or (grows and not in_reach):
            return Sort("id", descending=sort.descending)
        return sort

    def _window(self, paging: Paging) -> str:
        if paging.windowed:
            return f"newest {show_count(WINDOW)} jobs by id: no index serves this filter"
        return "all jobs"

    def _matched(self, paging: Paging, answer: Answer | None, plan: Plan) -> Measure:
        if answer is not None:
            found = Measure.counted(
                answer.rows[0].jobs, cap=CAP, why=f"counted up to {show_count(CAP)}"
            )
            if not paging.windowed:
                return found
            why = f"among the newest {show_count(WINDOW)} jobs"
            return structs.replace(found, exactness=Exactness.CAPPED, why=why)
        if (
            paging.selection.everything
            and self._shape.relation.rows >= 0
            and self._shape.one_source
        ):
            return Measure.estimated(self._shape.relation.rows, "the planner's row count")
        return Measure.estimated(plan.estimate, "the planner's estimate")

    async def _plan(self, selection: Selection, sort: Sort) -> Plan:
        """Asks the planner once a minute how this list is read best."""
        known = self._plans.get((selection, sort))
        if known is not None and monotonic() - known.made_at < _PLANS_FOR_S:
            return known
        paging = Paging(self._shape, selection, sort, window=False)
        explain = files.fragment("observe/explain")
        asked = [paging.page(None, 200), paging.count()]
        page, count = await self._session.read(
            [Bound(explain + bound.statement, bound.params) for bound in asked], _LIMITS
        )
        trees = [answer.rows[0][0][0]["Plan"] for answer in (page, count)]
        costs = [plan_cost(tree, self._shape.relation) for tree in trees]
        dear = [c.scanned_rows > _MANY_ROWS or c.units > _MANY_UNITS for c in costs]
        # A word is looked for in the texts themselves: only a window bounds that.
        window = self._shape.windowable and (dear[0] or (bool(selection.words) and self._is_big()))
        plan = Plan(window, window or not dear[1], costs[1].rows, monotonic())
        if len(self._plans) > 200:
            self._plans.clear()
        self._plans[selection, sort] = plan
        return plan

    def _is_big(self) -> bool:
        return self._shape.relation.rows > WINDOW

    async def job(self, job_id: str) -> JobDetail | None:
        return await detail.read(self._session, self._shape, job_id)

    async def values(self, column: str) -> tuple[str, ...]:
        """Known values of a column, commonest first. Empty where the mapping has no such column."""
        if column not in {"queue", "kind", "worker", "failure_kind"}:
            raise UsageError(f"there is no completion for {column}")
        if column == "failure_kind":
            return tuple(dict.fromkeys([v async for v in self._failure_kinds()]))
        side = self._shape.everything()
        if side.get(column) is None:
            return ()
        id_field, grows = side.fields["id"], self._shape.grows
        order = sql.SQL("order by {} desc").format(id_field.raw) if grows else _UNORDERED
        return await self._values(side.value(column), side.source, order)

    async def _failure_kinds(self) -> AsyncIterator[str]:
        for state in GAVE_UP:
            if state not in self._shape.states:
                continue
            side = self._shape.side(state)
            source = sql.SQL("{} where {}").format(side.source, side.where)
            for value in await self._values(failure_kind(side), source, _UNORDERED, KIND):
                yield value

    async def _values(
        self,
        value: sql.Composable,
        source: sql.Composable,
        order: sql.Composable,
        limit: int = CELL,
    ) -> tuple[str, ...]:
        statement = files.load("browse/values").format(value=value, source=source, order=order)
        params: dict[str, Any] = self._shape.params | {"cap": CAP}
        try:
            (answer,) = await self._session.read(
                [Bound(statement, params)], Limits(statement_s=1.0)
            )
        except StoreError as error:
            if error.fault in {StoreFault.TIMED_OUT, StoreFault.LOCKED}:
                return ()
            raise
        return tuple(dict.fromkeys(clean(row.value, limit) for row in answer.rows))

    async def export(self, selection: Selection, sort: Sort) -> AsyncIterator[Page]:
        after: Cursor | None = None
        while True:
            page = await self.jobs(selection, sort, after=after, limit=1000, count=after is None)
            yield page
            if page.next is None:
                return
            after = page.next

    async def close(self) -> None:
        await self._session.close()
