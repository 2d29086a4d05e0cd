"""Sentences laid out for a width: hanging indents, and no number broken over two lines. Pure."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from msgspec import Struct
from textual.content import Content

#: Spaces inside ``5 012``, ``23m 20s``, ``9.7 %`` and ``1.3 s``.
_INSIDE = re.compile(r"(?<=\d) (?=\d{3}\b|(?:%|ms\b|s\b|[kMGT]?B\b))|(?<=\d[dhm]) (?=\d\d[hms]\b)")
_GLUE = "\u00a0"

Piece = tuple[str, str]
GAP: Piece = ("   ", "")


class Paragraph(Struct, frozen=True):
    """``head`` are styled pieces before the text, which hangs behind them when it is wrapped."""

    text: str = ""
    style: str = ""
    head: tuple[Piece, ...] = ()


def lay(paragraphs: Iterable[Paragraph], width: int) -> Content:
    """All of them, one below the other."""
    return Content("\n").join([line for each in paragraphs for line in _lines(each, width)])


def title(text: str) -> Paragraph:
    return Paragraph(text, "$text-muted")


def bullet(text: str) -> Paragraph:
    return Paragraph(text, head=(("• ", "$text-muted"),))


def rows(table: Sequence[tuple[str, str, str]]) -> list[Paragraph]:
    """Name, right-aligned value, and what is to be said about it."""
    names = max((len(name) for name, _, _ in table), default=0)
    values = max((len(value) for _, value, _ in table), default=0)
    return [
        Paragraph(
            said,
            "$text-muted",
            ((name.ljust(names + 2), "$text-muted"), (value.rjust(values), ""), GAP),
        )
        for name, value, said in table
    ]


def _lines(paragraph: Paragraph, width: int) -> list[Content]:
    head = Content.assemble(*paragraph.head)
    room = max(8, width - head.cell_length)
    glued = _INSIDE.sub(_GLUE, paragraph.text)
    wrapped = textwrap.wrap(glued, room, break_on_hyphens=False) or [""]
    texts = [line.replace(_GLUE, " ") for line in wrapped]
    first, *rest = [Content.styled(text, paragraph.style) for text in texts]
    return [head + first, *(Content(" " * head.cell_length) + line for line in rest)]
