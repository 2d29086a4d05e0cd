"""Which values a column holds, as far as the catalogue tells without a row being read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from queuetop.model.catalog import Column, Relation

_LITERAL = re.compile(r"'((?:[^']|'')*)'")


def stored_values(relation: Relation, column: Column) -> tuple[str, ...]:
    """An enum's labels; else the commonest values, the default and what partial indexes look for."""
    if column.enum_labels:
        return column.enum_labels
    found = [*column.common_values, *_literals(column.default)[:1]]
    for index in relation.indexes:
        found += compared(index.predicate, column.name)
    return tuple(dict.fromkeys(found))


def compared(predicate: str, column: str) -> Iterator[str]:
    """The literals that a predicate compares the column with: ``status = 'NEW'``, ``= ANY (ARRAY[…])``."""
    name = re.escape('"' + column.replace('"', '""') + '"') + "|" + re.escape(column)
    comparison = re.compile(
        rf"(?<![\w\"])(?:{name})\)?(?:::[\w ]+?)?\s*(?:=|<>)\s*"
        rf"(?:ANY\s*\(+ARRAY\[(?P<many>[^\]]*)\]|(?P<one>'(?:[^']|'')*'))"
    )
    for match in comparison.finditer(predicate):
        yield from _literals(match["many"] or match["one"])


def _literals(text: str) -> list[str]:
    return [literal.replace("''", "'") for literal in _LITERAL.findall(text)]
