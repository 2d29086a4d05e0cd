"""The observing side of the store: panels in one round trip, dear ones on a connection of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import perf_counter

from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.facts import Facts, Panel, PlanCost, ServerFact
from queuetop.model.mapping import Mapping
from queuetop.model.snapshot import DatabaseHealth, MappingRef
from queuetop.model.text import clean
from queuetop.store import files, health
from queuetop.store.conninfo import Conninfo
from queuetop.store.panels import Panels
from queuetop.store.plans import plan_cost
from queuetop.store.session import Answer, Bound, Limits, Meter, Session
from queuetop.store.shape import Shape

TICK = Limits(statement_s=2.0, lock_s=0.25)
DEAR = Limits(statement_s=15.0, lock_s=0.25)
_SERVER = Bound(files.load("observe/server"), {})


class Reader:
    """Observes one mapped table (``model.ports.Observed``). Opens at most two connections."""

    def __init__(
        self, conninfo: Conninfo, shape: Shape, ref: MappingRef, meter: Meter | None = None
    ) -> None:
        self.ref = ref
        self._panels = Panels(shape)
        self._shape = shape
        self._meter = meter or Meter()
        self._ticks = Session(conninfo, self._meter)
        self._dear = Session(conninfo, self._meter)
        self._where = conninfo.where

    @property
    def mapping(self) -> Mapping:
        return self._shape.mapping

    @property
    def where(self) -> str:
        return self._where

    @property
    def spent_ms(self) -> float:
        return self._meter.spent_ms

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
        batch = await self._batch(self._ticks, asked, statements, TICK)
        return {
            panel: plan_cost(answer.rows[0][0][0]["Plan"], self._shape.relation)
            for panel, answer in batch.good.items()
        }

    async def ask(self, panels: Sequence[Panel]) -> Facts:
        return await self._ask(self._ticks, panels, TICK)

    async def ask_dear(self, panel: Panel) -> Facts:
        return await self._ask(self._dear, [panel], DEAR)

    async def database(self) -> DatabaseHealth:
        return await health.read(self._dear, self._shape.relation)

    async def close(self) -> None:
        await asyncio.gather(self._ticks.close(), self._dear.close())

    async def _ask(self, session: Session, panels: Sequence[Panel], limits: Limits) -> Facts:
        began, trips = perf_counter(), session.round_trips
        statements = [self._panels.bind(panel) for panel in panels]
        batch = await self._batch(session, panels, statements, limits)
        row = batch.server.rows[0]
        return Facts(
            server=ServerFact(
                now=row.now,
                version=clean(row.version).split(" ")[0],
                database=clean(row.database),
                role=clean(row.role),
                standby=row.standby,
                sent_at=batch.sent_at,
                received_at=batch.received_at,
            ),
            lines={p: self._panels.read(p, answer.rows) for p, answer in batch.good.items()},
            costs={p: answer.ms for p, answer in batch.good.items()} | batch.lost_ms,
            failed=batch.failed,
            round_trips=session.round_trips - trips,
            poll_ms=(perf_counter() - began) * 1000,
        )

    async def _batch(
        self,
        session: Session,
        panels: Sequence[Panel],
        statements: Sequence[Bound],
        limits: Limits,
    ) -> _Batch:
        """All panels in one round trip; where that fails, one by one, so that each fails alone."""
        await session.ready()
        began, sent_at = perf_counter(), datetime.now(UTC)
        try:
            server, *answers = await session.read([_SERVER, *statements], limits)
            good = dict(zip(panels, answers, strict=True))
            return _Batch(server, sent_at, datetime.now(UTC), good)
        except StoreError as error:
            if error.breaks_link:
                raise
            alone = error
        spent = (perf_counter() - began) * 1000
        sent_at = datetime.now(UTC)
        (server,) = await session.read([_SERVER], limits)
        batch = _Batch(server, sent_at, datetime.now(UTC), {})
        if len(panels) == 1:
            batch.lose(panels[0], alone, spent)
        else:
            await self._one_by_one(session, panels, statements, limits, batch)
        return batch

    async def _one_by_one(
        self,
        session: Session,
        panels: Sequence[Panel],
        statements: Sequence[Bound],
        limits: Limits,
        batch: _Batch,
    ) -> None:
        """The most important first, and no longer than twice a batch may take."""
        deadline = perf_counter() + 2 * limits.statement_s
        for panel, statement in zip(panels, statements, strict=True):
            began = perf_counter()
            if began > deadline:
                batch.failed[panel] = "not asked: the statements before it took too long"
                continue
            try:
                (batch.good[panel],) = await session.read([statement], limits)
            except StoreError as error:
                if error.breaks_link:
                    raise
                batch.lose(panel, error, (perf_counter() - began) * 1000)
                if error.fault is StoreFault.LOCKED:
                    limits = replace(
                        limits, lock_s=0.05
                    )  # a lock that was waited for once is known


@dataclass
class _Batch:
    """What a batch brought. ``lost_ms`` is what failed statements cost the server all the same."""

    server: Answer
    sent_at: datetime
    received_at: datetime
    good: dict[Panel, Answer]
    failed: dict[Panel, str] = field(default_factory=dict)
    lost_ms: dict[Panel, float] = field(default_factory=dict)

    def lose(self, panel: Panel, error: StoreError, spent_ms: float) -> None:
        self.failed[panel] = error.sentence
        if error.fault is StoreFault.TIMED_OUT:
            self.lost_ms[panel] = spent_ms


def _is_explain(bound: Bound) -> bool:
    """An estimate is a plan already."""
    return "explain (format json)" in bound.statement.as_string(None)
