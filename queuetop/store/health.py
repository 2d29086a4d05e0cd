"""What the table costs the server, and what holds it back: the Database view's statements."""

from __future__ import annotations

from typing import Any

from queuetop.model.catalog import Relation
from queuetop.model.measure import Measure
from queuetop.model.snapshot import DatabaseHealth, Holder, IndexUse
from queuetop.model.text import clean
from queuetop.store import files
from queuetop.store.session import Bound, Limits, Row, Session

_LIMITS = Limits(statement_s=2.0, lock_s=0.25)
_STATEMENTS = ("table_health", "snapshot_holder", "blockers", "index_use", "connections")


async def read(session: Session, relation: Relation) -> DatabaseHealth:
    """All of it in one round trip. Raises ``StoreError``."""
    names = {"schema": relation.schema, "table": relation.name}
    bound = [Bound(files.load(f"observe/{name}"), names) for name in _STATEMENTS]
    server, *answers = await session.read(
        [Bound(files.load("observe/server"), {}), *bound], _LIMITS
    )
    table, holder, blockers, index_use, connections = (answer.rows for answer in answers)
    now = server.rows[0].now
    stats, slots = table[0], connections[0]
    return DatabaseHealth(
        table_bytes=_measure(stats.table_bytes, now),
        index_bytes=_measure(stats.index_bytes, now),
        live_rows=_estimate(stats.live_rows, now),
        dead_rows=_estimate(stats.dead_rows, now),
        last_autovacuum=stats.last_autovacuum,
        last_autoanalyze=stats.last_autoanalyze,
        autovacuum_running=stats.autovacuum_running,
        modified_since_analyze=stats.modified_since_analyze,
        oldest_snapshot=_holder(holder[0]) if holder else None,
        blockers=tuple(_holder(row) for row in blockers),
        indexes=tuple(
            IndexUse(
                name=clean(row.name),
                size_bytes=row.size_bytes,
                scans=row.scans,
                valid=row.valid,
                columns=clean(row.columns),
                predicate=clean(row.predicate),
            )
            for row in index_use
        ),
        connections=slots.connections,
        max_connections=slots.max_connections,
        taken_at=now,
        cost_ms=sum(answer.ms for answer in answers),
    )


def _measure(value: int | None, now: Any) -> Measure:
    if value is None:
        return Measure.unavailable("a view has no size of its own")
    return Measure.exact(value, taken_at=now)


def _estimate(value: int | None, now: Any) -> Measure:
    if value is None:
        return Measure.unavailable("the server keeps no statistics of this relation")
    return Measure.estimated(value, "from the statistics", taken_at=now)


def _holder(row: Row) -> Holder:
    return Holder(
        pid=row.pid,
        application=clean(row.application, 60),
        user=clean(row.user, 63),
        state=clean(row.state, 60),
        age_s=row.age_s,
        query=clean(row.query, 500),
        blocks=getattr(row, "blocks", 0),
    )
