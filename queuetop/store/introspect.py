"""Reads the catalogue: which relations there are, what they look like, what their columns hold."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import convert, structs
from psycopg import sql

from queuetop.model.catalog import Catalog, Column, Index, Relation, RelationKind
from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.text import clean
from queuetop.store import files
from queuetop.store.compose import ident
from queuetop.store.session import Bound, Limits, Row, Session

_LIMITS = Limits(statement_s=10.0)
#: What keeps a column's values from being known, and no more.
_TOLERABLE = {StoreFault.NO_PERMISSION, StoreFault.TIMED_OUT, StoreFault.LOCKED}
_KINDS = {
    "r": RelationKind.TABLE,
    "p": RelationKind.PARTITIONED,
    "v": RelationKind.VIEW,
    "m": RelationKind.MATERIALIZED,
    "f": RelationKind.FOREIGN,
}


async def catalog(
    session: Session, *, schema: str | None = None, table: str | None = None
) -> Catalog:
    """The relations of the database, or those of one name. Raises ``StoreError``."""
    relations, settings = await session.read(
        [
            Bound(files.load("introspect/relations"), {"schema": schema, "table": table}),
            Bound(files.load("introspect/settings"), {}),
        ],
        _LIMITS,
    )
    found = settings.rows[0]
    return Catalog(
        relations=tuple(_relation(row) for row in relations.rows),
        functions=frozenset(found.functions),
        search_path=tuple(found.search_path),
    )


def _relation(row: Row) -> Relation:
    return Relation(
        schema=row.schema,
        name=row.name,
        kind=_KINDS[row.kind],
        columns=convert(row.columns, tuple[Column, ...]),
        rows=float(row.rows) if row.rows is not None else -1.0,
        readable=bool(row.readable),
        row_security=bool(row.row_security),
    )


async def indexes(session: Session, relation: Relation) -> Relation:
    """The relation with its btree indexes."""
    (answer,) = await session.read([_named("introspect/indexes", relation)], _LIMITS)
    found = tuple(
        Index(
            name=row.name,
            columns=tuple(row.columns or ()),
            predicate=row.predicate,
            unique=row.is_unique,
            valid=row.is_valid,
        )
        for row in answer.rows
    )
    return structs.replace(relation, indexes=found)


async def values(session: Session, relation: Relation, columns: Iterable[str]) -> Relation:
    """The relation with the commonest values of ``columns`` filled in.

    From the statistics; where there are none, from the first rows. A column that cannot be read
    keeps none.
    """
    filled = list(relation.columns)
    for place, column in enumerate(filled):
        if column.name in set(columns):
            common = await _common(session, relation, column)
            filled[place] = structs.replace(column, common_values=common)
    return structs.replace(relation, columns=tuple(filled))


async def _common(session: Session, relation: Relation, column: Column) -> tuple[str, ...]:
    known = _named("introspect/common_values", relation, column=column.name)
    first = Bound(
        files.load("introspect/some_values").format(
            column=ident(column.name), table=ident(relation.schema, relation.name)
        ),
        {},
    )
    try:
        (stats,) = await session.read([known], _LIMITS)
        (some,) = await session.read([first], _LIMITS)
    except StoreError as error:
        if error.fault not in _TOLERABLE:
            raise
        return ()
    common = list(stats.rows[0].common or ()) if stats.rows else []
    common += [row.value for row in some.rows]
    return tuple(dict.fromkeys(clean(value) for value in common))


async def sample(
    session: Session, relation: Relation, limit: int = 3
) -> tuple[tuple[str | None, ...], ...]:
    """A few rows, every column as clean text in the relation's order."""
    columns = sql.SQL(", ").join(
        sql.SQL("left({}::text, 200) as {}").format(ident(column.name), ident(f"c{place}"))
        for place, column in enumerate(relation.columns)
    )
    statement = files.load("introspect/sample").format(
        columns=columns, table=ident(relation.schema, relation.name)
    )
    (answer,) = await session.read([Bound(statement, {"limit": limit})], _LIMITS)
    return tuple(
        tuple(None if value is None else clean(value, 200) for value in row) for row in answer.rows
    )


def _named(statement: str, relation: Relation, **more: str) -> Bound:
    names = {"schema": relation.schema, "table": relation.name}
    return Bound(files.load(statement), names | more)
