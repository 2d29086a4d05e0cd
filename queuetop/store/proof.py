"""Whether the server takes what a mapping says, asked of its planner before anything else runs."""

from __future__ import annotations

from collections.abc import Iterator

from psycopg import sql

from queuetop.model.columns import CANONICAL
from queuetop.model.errors import MappingError, StoreError, StoreFault
from queuetop.model.located import Path, place
from queuetop.store import files
from queuetop.store.compose import TRUE
from queuetop.store.errors import said
from queuetop.store.session import Bound, Limits, Session
from queuetop.store.shape import Shape, Side

_LIMITS = Limits(statement_s=5.0)
#: What a mapping is to blame for. A lock, a missing right or a slow planner says nothing about it.
_ITS_FAULT = {StoreFault.REFUSED, StoreFault.WRONG_SCHEMA}
_ANY_ORDER = sql.SQL("null::int")


async def prove(session: Session, shape: Shape) -> None:
    """Raises ``MappingError`` that names the first key whose SQL the server refuses; ``StoreError``
    where the connection is lost. One round trip where all is well."""
    asked = list(_asked(shape))
    if await _refusal(session, [bound for _, bound in asked]) is None:
        return
    for key, bound in asked:
        refusal = await _refusal(session, [bound])
        if refusal is not None:
            raise MappingError(
                f"mapping {shape.mapping.name}: {place(key)}: the server refuses it: {refusal}"
            )


async def _refusal(session: Session, statements: list[Bound]) -> str | None:
    """What the server has against the first statement that it does not take."""
    try:
        await session.read(statements, _LIMITS)
    except StoreError as error:
        if error.breaks_link:
            raise
        return said(error.__cause__) if error.fault in _ITS_FAULT else None
    return None


def _asked(shape: Shape) -> Iterator[tuple[Path, Bound]]:
    """Each piece by its key, FROM items first: what stands in them is wrong wherever they are."""
    mapping = shape.mapping
    main = Side(shape.source, TRUE, TRUE, shape.fields)
    if mapping.source:
        yield ("source", "from"), _statement(main, shape)
    yield from _values(main, shape, mapping.columns.named(), ("columns",))
    yield from _values(main, shape, mapping.expressions, ("expressions",))
    for state in shape.states:
        side = shape.side(state)
        rule = mapping.states.get(state)
        if rule is None:
            yield ("columns", "status"), _statement(side, shape, side.where)
            continue
        if rule.from_:
            yield ("states", state.value, "from"), _statement(side, shape)
        at = ("states", state.value, "expressions")
        yield from _values(side, shape, rule.expressions, at)
        yield ("states", state.value, "where"), _statement(side, shape, side.where)
    if mapping.unmapped:
        yield ("unmapped",), _statement(main, shape, shape.unmapped())
    yield from _queues(shape)


def _values(
    side: Side, shape: Shape, names: dict[str, str], at: Path
) -> Iterator[tuple[Path, Bound]]:
    for name in (name for name in CANONICAL if name in names and name in side.fields):
        known = sql.SQL("({}) is not null").format(side.value(name))
        # Lists are ordered by the id as it is stored, which not every type can be.
        order = side.fields[name].raw if name == "id" else _ANY_ORDER
        yield (*at, name), _statement(side, shape, known, order)


def _queues(shape: Shape) -> Iterator[tuple[Path, Bound]]:
    rule = shape.mapping.queues
    if rule is None:
        return
    paused = shape.preset_sql(rule.paused, "queues.paused")
    name = shape.preset_sql(rule.name, "queues.name")
    side = Side(shape.preset_sql(rule.from_, "queues.from"), paused, TRUE, {})
    yield ("queues", "from"), _statement(side, shape)
    known = sql.SQL("({})::text is not null").format(name)
    yield ("queues", "name"), _statement(side, shape, known)
    yield ("queues", "paused"), _statement(side, shape, paused)


def _statement(
    side: Side,
    shape: Shape,
    where: sql.Composable | None = None,
    order: sql.Composable = _ANY_ORDER,
) -> Bound:
    text = files.load("introspect/prove").format(
        source=side.source, where=where or TRUE, order=order
    )
    return Bound(text, shape.params)
