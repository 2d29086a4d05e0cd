"""What the table costs the server, and what holds it back: the Database view's statements."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from queuetop.model.catalog import Relation, RelationKind
from queuetop.model.errors import StoreError
from queuetop.model.measure import Measure
from queuetop.model.snapshot import DatabaseHealth, Holder, IndexUse
from queuetop.model.text import clean
from queuetop.store import files
from queuetop.store.session import Answer, Bound, Limits, Row, Session

_LIMITS = Limits(statement_s=2.0, lock_s=0.25)
_STATEMENTS = ("table_health", "snapshot_holder", "blockers", "index_use", "connections")


async def read(session: Session, relation: Relation) -> DatabaseHealth:
    """All of it in one round trip, or what can be had: a locked table has no size, and yet the
    sessions that lock it are what somebody wants to see. Raises ``StoreError``."""
    names = {"schema": relation.schema, "table": relation.name}
    parts = files.fragment("observe/parts")
    bound = {
        name: Bound(files.load(f"observe/{name}").format(parts=parts), names)
        for name in _STATEMENTS
    }
    answers, why = await _answers(session, bound)
    now = answers["server"].rows[0].now
    slots = next(iter(_rows(answers, "connections")), None)
    return DatabaseHealth(
        **_table(next(iter(_rows(answers, "table_health")), None), relation, now, why),
        oldest_snapshot=next(map(_holder, _rows(answers, "snapshot_holder")), None),
        blockers=tuple(map(_holder, _rows(answers, "blockers"))),
        indexes=tuple(map(_index, _rows(answers, "index_use"))),
        connections=slots.connections if slots else None,
        max_connections=slots.max_connections if slots else None,
        taken_at=now,
    )


async def _answers(session: Session, bound: dict[str, Bound]) -> tuple[dict[str, Answer], str]:
    """Answers by name, and why those that are missing could not be had."""
    asked = {"server": Bound(files.load("observe/server"), {}), **bound}
    try:
        return dict(zip(asked, await session.read([*asked.values()], _LIMITS), strict=True)), ""
    except StoreError as error:
        if error.breaks_link:
            raise
    answers: dict[str, Answer] = {}
    why = ""
    for name, statement in asked.items():
        try:
            (answers[name],) = await session.read([statement], _LIMITS)
        except StoreError as alone:
            if alone.breaks_link or name == "server":
                raise
            why = alone.sentence
    return answers, why


def _rows(answers: dict[str, Answer], name: str) -> list[Row]:
    return answers[name].rows if name in answers else []


def _table(stats: Row, relation: Relation, now: datetime, why: str) -> dict[str, Any]:
    if stats is None or stats.table_bytes is None:
        gone = Measure.unavailable(why or "the table is not there any more")
        return {
            **dict.fromkeys(("table_bytes", "index_bytes", "live_rows", "dead_rows"), gone),
            **dict.fromkeys(("last_autovacuum", "last_autoanalyze", "modified_since_analyze")),
            "autovacuum_running": False,
        }
    sized = relation.kind not in {RelationKind.VIEW, RelationKind.FOREIGN}
    no_size = Measure.unavailable(f"a {relation.kind} has no size of its own")
    return {
        "table_bytes": Measure.exact(stats.table_bytes, taken_at=now) if sized else no_size,
        "index_bytes": Measure.exact(stats.index_bytes, taken_at=now) if sized else no_size,
        "live_rows": _estimate(stats.live_rows, now),
        "dead_rows": _estimate(stats.dead_rows, now),
        "last_autovacuum": stats.last_autovacuum,
        "last_autoanalyze": stats.last_autoanalyze,
        "modified_since_analyze": stats.modified_since_analyze,
        "autovacuum_running": stats.autovacuum_running,
    }


def _index(row: Row) -> IndexUse:
    return IndexUse(
        name=clean(row.name),
        size_bytes=row.size_bytes or 0,
        scans=row.scans,
        valid=row.valid,
        columns=clean(row.columns),
        predicate=clean(row.predicate),
    )


def _estimate(value: int | None, now: datetime) -> Measure:
    if value is None:
        return Measure.unavailable("this server keeps no statistics of it")
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
