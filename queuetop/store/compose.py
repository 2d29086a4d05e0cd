"""Names and preset text as SQL. Identifiers go through ``ident``, values through parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from psycopg import sql

from queuetop.model.errors import MappingError
from queuetop.store.files import trusted

TRUE = sql.SQL("true")
MAX_BYTES = 63


def ident(*parts: str) -> sql.Composed:
    """A quoted, dotted identifier.

    ``%`` is doubled, because psycopg reads the composed text for placeholders; NUL and names longer
    than PostgreSQL's 63 bytes would silently name something else, so they are refused.
    """
    for part in parts:
        if not part or "\0" in part or len(part.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            raise MappingError(
                f"{part[:80]!r} cannot be a name in PostgreSQL; a name has 1 to {MAX_BYTES} bytes and no NUL"
            )
    return sql.SQL(".").join(sql.Identifier(part.replace("%", "%%")) for part in parts)


def template(text: str, names: Mapping[str, sql.Composable], origin: str) -> sql.Composed:
    """SQL that a mapping states, with its ``{table}`` and siblings filled in."""
    try:
        return trusted(text).format(**names)
    except (KeyError, IndexError, ValueError) as error:
        known = ", ".join(sorted(f"{{{name}}}" for name in names))
        raise MappingError(
            f"{origin}: {text[:80]!r} has a placeholder that is not known ({error}); use {known}, "
            "and double literal braces"
        ) from None


def all_of(predicates: Iterable[sql.Composable]) -> sql.Composable:
    """``(a) and (b)``; ``true`` for none."""
    wrapped = [sql.SQL("({})").format(p) for p in predicates if p is not TRUE]
    return sql.SQL(" and ").join(wrapped) if wrapped else TRUE


def any_of(predicates: Iterable[sql.Composable]) -> sql.Composable:
    """``(a) or (b)``; ``false`` for none."""
    wrapped = [sql.SQL("({})").format(p) for p in predicates]
    return sql.SQL(" or ").join(wrapped) if wrapped else sql.SQL("false")
