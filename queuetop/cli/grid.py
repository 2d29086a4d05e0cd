"""Columns of text for a terminal or a pipe: aligned, never wrapped, numbers never cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

_GAP = 2


class Column(NamedTuple):
    """``least`` cells are enough for a column that may be cut with ``…`` where the line is too long;
    0 is never cut. ``yields``: the highest one is cut first. ``leaves``: the highest one is the first to
    go when cutting does not help; 0 stays."""

    title: str
    right: bool = False
    least: int = 0
    yields: int = 0
    leaves: int = 0


Cell = Text | str


def grid(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int, *, indent: int = 2
) -> list[Text]:
    """A titled table of at most ``width`` cells, as lines."""
    table = [[_text(cell) for cell in row] for row in rows]
    titles = [Text(column.title, "dim") for column in columns]
    shown = list(range(len(columns)))
    natural = [max(line[i].cell_len for line in [titles, *table]) for i in shown]
    room = width - indent
    while _total(shown, [_least(columns[i], natural[i]) for i in shown]) > room:
        leaving = max(shown, key=lambda i: columns[i].leaves)
        if not columns[leaving].leaves:
            break
        shown.remove(leaving)
    widths = _fit(shown, columns, natural, room)
    lines = [titles, *table] if any(column.title for column in columns) else table
    return [_line(line, shown, columns, widths, indent) for line in lines]


def _fit(
    shown: Sequence[int], columns: Sequence[Column], natural: Sequence[int], room: int
) -> dict[int, int]:
    """The width of each shown column."""
    widths = {i: natural[i] for i in shown}
    over = _total(shown, list(widths.values())) - room
    for i in sorted(shown, key=lambda i: -columns[i].yields):
        if over > 0 and columns[i].least:
            given = min(over, max(0, widths[i] - columns[i].least))
            widths[i] -= given
            over -= given
    return widths


def _line(
    cells: Sequence[Text],
    shown: Sequence[int],
    columns: Sequence[Column],
    widths: dict[int, int],
    indent: int,
) -> Text:
    line = Text(" " * indent)
    for place, i in enumerate(shown):
        cell = cells[i].copy()
        cell.truncate(widths[i], overflow="ellipsis")
        spare = widths[i] - cell.cell_len
        if columns[i].right:
            cell.pad_left(spare)
        elif place < len(shown) - 1:
            cell.pad_right(spare)
        line.append_text(cell)
        if place < len(shown) - 1:
            line.append(" " * _GAP)
    return line


def _least(column: Column, natural: int) -> int:
    return min(natural, column.least) if column.least else natural


def _total(shown: Sequence[int], widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * max(0, len(shown) - 1)


def _text(cell: Cell) -> Text:
    return Text(cell) if isinstance(cell, str) else cell


def wrapped(first: Text, sentence: Text, width: int, indent: int) -> list[Text]:
    """A sentence after a label, its further lines under the sentence."""
    from rich.console import Console

    console = Console(width=max(20, width), color_system=None, markup=False, emoji=False)
    lines = sentence.wrap(console, max(20, width - indent))
    head = first.copy()
    head.pad_right(max(0, indent - head.cell_len))
    out = []
    for number, line in enumerate(lines):
        line.rstrip()
        out.append((head if number == 0 else Text(" " * indent)).append_text(line))
    return out or [head]
