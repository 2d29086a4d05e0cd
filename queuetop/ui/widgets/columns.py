"""Which columns of a table fit, and how wide each one is. Pure: no terminal, no widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from rich.text import Text

Row = TypeVar("Row")

#: Cells between two columns.
GAP = 2


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column. A right-aligned one holds numbers: it is as wide as they are, or it is not there.

    A left-aligned one holds text: whole; or with a ``limit``, or when it grows, cut with ``…`` down
    to ``width`` before any column leaves.
    """

    title: str
    cell: Callable[[Row], Text | str]
    align: Literal["left", "right"] = "left"
    #: The least width in cells.
    width: int = 1
    #: The greatest width of a text, where there is one.
    limit: int | None = None
    #: The higher, the earlier it leaves when there is no room; equal ones from the right.
    priority: int = 0
    #: Takes the width that is left. One at the most.
    grows: bool = False
    #: What ``s`` sorts by; rows that give None stay last. None where the column cannot be sorted by.
    sort: Callable[[Row], Any] | None = None
    #: Whether the greatest come first when this column is sorted by.
    descending: bool = False


@dataclass(frozen=True)
class Placed(Generic[Row]):
    """A column that is shown, from cell ``x``, ``width`` cells wide."""

    column: Column[Row]
    x: int
    width: int


def place(
    columns: Sequence[Column[Row]], needed: Sequence[int], room: int
) -> tuple[Placed[Row], ...]:
    """The columns that fit into ``room`` cells. ``needed`` is how wide the content of each is."""
    kept = list(range(len(columns)))
    least = [_least(column, width) for column, width in zip(columns, needed, strict=True)]
    while len(kept) > 1 and _total(least, kept) > room:
        kept.remove(max(kept[1:], key=lambda index: (columns[index].priority, index)))
    widths = {index: min(least[index], room) for index in kept}
    spare = max(0, room - _total(least, kept))
    for index in kept:
        wanted = needed[index]
        if columns[index].limit is not None:
            wanted = min(wanted, columns[index].limit or wanted)
        more = min(spare, max(0, wanted - widths[index]))
        if not columns[index].grows:
            widths[index] += more
            spare -= more
    for index in kept:
        if columns[index].grows:
            widths[index] += spare
    placed, x = [], 0
    for index in kept:
        placed.append(Placed(columns[index], x, widths[index]))
        x += widths[index] + GAP
    return tuple(placed)


def _least(column: Column[Any], needed: int) -> int:
    if column.grows:
        return max(column.width, len(column.title))
    if column.limit is not None:
        return min(max(needed, 1), max(column.width, len(column.title)))
    return max(column.width, needed)


def _total(widths: Sequence[int], kept: Sequence[int]) -> int:
    return sum(widths[index] for index in kept) + GAP * (len(kept) - 1)
