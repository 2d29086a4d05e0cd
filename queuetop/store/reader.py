"""The observing side of the store: panels in one round trip, dear ones on a connection of their own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from time import perf_counter

from queuetop.model.errors import StoreError
from queuetop.model.facts import Facts, Line, Panel, PlanCost, ServerFact
from queuetop.model.mapping import Mapping
from queuetop.model.snapshot import DatabaseHealth, MappingRef
from queuetop.store import files, health
from queuetop.store.conninfo import Conninfo
from queuetop.store.facts import plan_cost
from queuetop.store.panels import Panels
from queuetop.store.session import Answer, Bound, Limits, Session
from queuetop.store.shape import Shape

TICK = Limits(statement_s=2.0, lock_s=0.25)
DEAR = Limits(statement_s=15.0, lock_s=0.25)
_SERVER = Bound(files.load("observe/server"), {})


class Reader:
    """Observes one mapped table (``model.ports.Observed``). Opens at most two connections."""

    def __init__(self, conninfo: Conninfo, shape: Shape, ref: MappingRef) -> None:
        self.ref = ref
        self._panels = Panels(shape)
        self._shape = shape
        self._ticks = Session(conninfo)
        self._dear = Session(conninfo)
        self._where = conninfo.where

    @property
    def mapping(self) -> Mapping:
        return self._shape.mapping

    @property
    def where(self) -> str:
        return self._where

    def panels(self) -> tuple[Panel, ...]:
        return self._panels.every()

    def windowed(self, panel: Panel) -> Panel | None:
        return self._panels.windowed(panel)

    def sweep(self) -> Panel | None:
        return self._panels.sweep()

    async def plan(self, panels: Sequence[Panel]) -> dict[Panel, PlanCost]:
        """The planner's opinion of each panel; what it cannot plan is left out. One round trip."""
        asked = [panel for panel in panels if not _is_explain(self._panels.bind(panel))]
        explain = files.fragment("observe/explain")
        bound = [self._panels.bind(panel) for panel in asked]
        statements = [Bound(explain + b.statement, b.params) for b in bound]
        costs: dict[Panel, PlanCost] = {}
        sizes = {self._shape.relation.name: self._shape.relation.rows}
        for panel, answer in (await self._each(self._ticks, asked, statements, TICK))[0].items():
            costs[panel] = plan_cost(answer.rows[0][0][0]["Plan"], sizes)
        return costs

    async def ask(self, panels: Sequence[Panel]) -> Facts:
        return await self._ask(self._ticks, panels, TICK)

    async def ask_dear(self, panel: Panel) -> Facts:
        return await self._ask(self._dear, [panel], DEAR)

    async def database(self) -> DatabaseHealth:
        return await health.read(self._dear, self._shape.relation)

    async def close(self) -> None:
        await self._ticks.close()
        await self._dear.close()

    async def _ask(self, session: Session, panels: Sequence[Panel], limits: Limits) -> Facts:
        began, sent_at, trips = perf_counter(), datetime.now(UTC), session.round_trips
        statements = [self._panels.bind(panel) for panel in panels]
        answers, failed, server, received_at = await self._with_server(
            session, panels, statements, limits
        )
        lines: dict[Panel, tuple[Line, ...]] = {}
        for panel, answer in answers.items():
            lines[panel] = self._panels.read(panel, answer.rows)
        row = server.rows[0]
        return Facts(
            server=ServerFact(
                now=row.now,
                version=str(row.version).split(" ")[0],
                database=row.database,
                role=row.role,
                standby=row.standby,
                sent_at=sent_at,
                received_at=received_at,
            ),
            lines=lines,
            costs={panel: answer.ms for panel, answer in answers.items()},
            failed=failed,
            round_trips=session.round_trips - trips,
            poll_ms=(perf_counter() - began) * 1000,
        )

    async def _with_server(
        self,
        session: Session,
        panels: Sequence[Panel],
        statements: Sequence[Bound],
        limits: Limits,
    ) -> tuple[dict[Panel, Answer], dict[Panel, str], Answer, datetime]:
        """All panels in one batch; where that fails, one by one, so that each fails alone."""
        try:
            answers = await session.read([_SERVER, *statements], limits)
            received_at = datetime.now(UTC)
            return dict(zip(panels, answers[1:], strict=True)), {}, answers[0], received_at
        except StoreError as error:
            if error.breaks_link:
                raise
        (server,) = await session.read([_SERVER], limits)
        received_at = datetime.now(UTC)
        good, failed = await self._each(session, panels, statements, limits)
        return good, failed, server, received_at

    async def _each(
        self,
        session: Session,
        panels: Sequence[Panel],
        statements: Sequence[Bound],
        limits: Limits,
    ) -> tuple[dict[Panel, Answer], dict[Panel, str]]:
        good: dict[Panel, Answer] = {}
        failed: dict[Panel, str] = {}
        for panel, statement in zip(panels, statements, strict=True):
            try:
                (good[panel],) = await session.read([statement], limits)
            except StoreError as error:
                if error.breaks_link:
                    raise
                failed[panel] = error.sentence
        return good, failed


def _is_explain(bound: Bound) -> bool:
    """An estimate is a plan already."""
    return "explain (format json)" in bound.statement.as_string(None)
