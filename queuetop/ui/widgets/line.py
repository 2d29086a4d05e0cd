"""Lines of the chrome: drawn once, repainted only when they say something else."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

DOT = " · "
#: Cells of the longest word that a cut sentence keeps whole; numbers are shorter.
LONG_WORD = 24


class Line(Widget):
    """Shows one ``Content``, one line high unless CSS says otherwise."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "Line { height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own word
        super().__init__(id=id)
        self._content = Content()

    def put(self, content: Content) -> None:
        if not content.is_same(self._content):
            self._content = content
            self.refresh()

    def render(self) -> Content:
        return self._content


class Part(Struct, frozen=True):
    """A piece of a line. ``texts`` are its forms, the fullest first and perhaps empty last."""

    texts: tuple[str, ...]
    style: str = ""
    #: The higher, the earlier it is shortened. 0 never is.
    rank: int = 0


def fit(left: Sequence[Part], right: Sequence[Part], width: int) -> Content:
    """Both ends of one line, shortened in the order of the ranks until they fit."""
    parts = [*left, *right]
    form = [0] * len(parts)
    while _length(parts, form, len(left)) > width:
        open_ = [i for i, part in enumerate(parts) if part.rank and form[i] < len(part.texts) - 1]
        if not open_:
            break
        shortened = max(open_, key=lambda i: (parts[i].rank, i))
        form[shortened] += 1
    pieces = [(part.texts[at], part.style) for part, at in zip(parts, form, strict=True)]
    start, end = _joined(pieces[: len(left)]), _joined(pieces[len(left) :])
    gap = max(1, width - start.cell_length - end.cell_length) if end else 0
    return Content.assemble(start, " " * gap, end).truncate(width, ellipsis=True)


def _length(parts: Sequence[Part], form: Sequence[int], split: int) -> int:
    texts = [part.texts[at] for part, at in zip(parts, form, strict=True)]
    ends = [DOT.join(filter(None, texts[:split])), DOT.join(filter(None, texts[split:]))]
    return sum(map(cell_len, ends)) + (2 if ends[1] else 0)


def _joined(pieces: Sequence[tuple[str, str]]) -> Content:
    shown = [Content.styled(text, style) for text, style in pieces if text]
    return Content.styled(DOT, "$text-muted").join(shown)


def cut(text: str, width: int) -> str:
    """``text`` in ``width`` cells: names too long for any line give way first, then it is cut between
    words, never in the middle of a number."""
    if cell_len(text) <= width:
        return text
    words = [Content(word).truncate(LONG_WORD, ellipsis=True).plain for word in text.split(" ")]
    text = " ".join(words)
    if cell_len(text) <= width:
        return text
    while len(words) > 1 and cell_len(" ".join(words)) + 2 > width:
        words.pop()
    kept = " ".join(words).rstrip(",;: ")
    if cell_len(kept) + 2 <= width:
        return f"{kept} …"
    return Content(text).truncate(width, ellipsis=True).plain
