"""Small pieces of text that tables and sections are made of. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text
from textual.content import Content, Span

from queuetop.ui.widgets.columns import GAP, Column, Row, place

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def text_of(cell: Text | str) -> Text:
    return Text(cell) if isinstance(cell, str) else cell


def width_of(cell: Text | str) -> int:
    return cell_len(cell if isinstance(cell, str) else cell.plain)


def fitted(text: Text, width: int, align: str = "left") -> Text:
    """The same, exactly ``width`` cells wide: padded, or cut with ``…``."""
    text = text.copy()
    text.truncate(width, overflow="ellipsis")
    spare = width - text.cell_len
    if align == "right":
        text.pad_left(spare)
    else:
        text.pad_right(spare)
    return text


def bar(share: float | None, width: int) -> str:
    """A bar of ``width`` cells at the most for a share between 0 and 1; never nothing for something."""
    if share is None or not math.isfinite(share) or share <= 0:
        return ""
    eighths = max(1, round(min(share, 1.0) * width * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def sheet(columns: Sequence[Column[Row]], rows: Sequence[Row], width: int) -> list[Text]:
    """A table that is only read: a header and the rows, ``width`` cells wide."""
    cells = [[text_of(column.cell(row)) for column in columns] for row in rows]
    needed = [
        max([len(column.title), *(line[index].cell_len for line in cells)])
        for index, column in enumerate(columns)
    ]
    placed = place(columns, needed, width)
    shown = [(columns.index(one.column), one) for one in placed]
    header = [Text(column.title, "$text-muted") for column in columns]
    lines = []
    for line in (header, *cells):
        text = Text()
        for index, one in shown:
            text.append(" " * GAP if one.x else "")
            text.append_text(fitted(line[index], one.width, one.column.align))
        text.rstrip()
        lines.append(text)
    return lines


def content(text: Text) -> Content:
    """For widgets that show text which may name colours of the theme (``$warning``)."""
    spans = [Span(span.start, span.end, str(span.style)) for span in text.spans]
    if text.style:
        spans.insert(0, Span(0, len(text.plain), str(text.style)))
    return Content(text.plain, spans=spans)
