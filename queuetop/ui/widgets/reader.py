"""A long text to read: scrolled by keys, wrapped when its width changes, drawn line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from msgspec import Struct
from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from queuetop.ui import keys

if TYPE_CHECKING:
    from queuetop.ui.app import QueueTop

_JSON = re.compile(
    r'(?P<accent>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<text>"(?:[^"\\]|\\.)*"?)'
    r"|(?P<muted>\bnull\b|[{}\[\],:])"
)


class Piece(Struct, frozen=True):
    """Text in one of the theme's roles: ``text muted accent success warning error``."""

    text: str
    role: str = "text"
    bold: bool = False


class Passage(Struct, frozen=True):
    """One line of the text before it is wrapped. ``hang``: how far its continuations are indented."""

    pieces: tuple[Piece, ...] = ()
    hang: int = 0
    json: bool = False
    #: A section begins here.
    head: bool = False

    @property
    def plain(self) -> str:
        return "".join(piece.text for piece in self.pieces)


class Reader(ScrollView, can_focus=True):
    """Keeps its place when the text is replaced by a newer one."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Reader {
        height: 1fr;
        background: transparent;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        /* A bar that comes later must not cover what was wrapped without it. */
        scrollbar-gutter: stable;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.TABLE)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's own word
        super().__init__(id=id)
        self._passages: tuple[Passage, ...] = ()
        self._lines: list[Passage] = []
        self._heads: list[int] = []
        self._width = 0

    @property
    def passages(self) -> tuple[Passage, ...]:
        return self._passages

    def show(self, passages: Sequence[Passage], *, from_top: bool = False) -> None:
        self._passages = tuple(passages)
        self._wrap()
        if from_top:
            self.scroll_to(y=0, animate=False, force=True)

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._width:
            self._wrap()

    def _wrap(self) -> None:
        self._width = self.scrollable_content_region.width
        width = max(8, self._width)
        self._lines, self._heads = [], []
        for passage in self._passages:
            if passage.head:
                self._heads.append(len(self._lines))
            self._lines.extend(wrap(passage, width))
        self.virtual_size = Size(self._width, len(self._lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width, at = self._width, y + round(self.scroll_y)
        if at >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        paint = cast("QueueTop", self.app).paint
        line = self._lines[at]
        pieces = _json_pieces(line) if line.json else line.pieces
        segments = []
        for piece in pieces:
            style: Style = self.rich_style + getattr(paint, piece.role)
            segments.append(Segment(piece.text, style + Style(bold=True) if piece.bold else style))
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    # Keys, as tables have them

    def action_cursor_up(self) -> None:
        self._by(-1)

    def action_cursor_down(self) -> None:
        self._by(1)

    def action_page_up(self) -> None:
        self._by(1 - self.size.height)

    def action_page_down(self) -> None:
        self._by(self.size.height - 1)

    def action_first(self) -> None:
        self.scroll_to(y=0, animate=False, force=True)

    def action_last(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def to_section(self, step: int) -> None:
        """To where the next section begins, or the one before."""
        here = round(self.scroll_y)
        if step > 0:
            found = next((at for at in self._heads if at > here), None)
        else:
            found = next((at for at in reversed(self._heads) if at < here), 0)
        if found is not None:
            self.scroll_to(y=found, animate=False, force=True)

    def _by(self, lines: int) -> None:
        self.scroll_to(y=self.scroll_y + lines, animate=False, force=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Left and right belong to the screen."""
        return action not in {"cursor_left", "cursor_right"}


def wrap(passage: Passage, width: int) -> Iterator[Passage]:
    """The passage in lines of ``width`` cells, broken between words where there are any; every
    character of it is in one of them."""
    hang = min(passage.hang, width // 2)
    line: list[Piece] = []
    room, fresh = width, True
    for piece in passage.pieces:
        rest = piece.text
        while rest:
            # What is wider than an empty line stands on it all the same.
            taken = _whole_words(rest, _head(rest, room)) or (rest[0] if fresh else "")
            if taken:
                line.append(Piece(taken, piece.role, piece.bold))
                room, fresh, rest = room - cell_len(taken), False, rest[len(taken) :]
            if rest:
                yield Passage(tuple(line), passage.hang, passage.json)
                line, room, fresh = [Piece(" " * hang)], width - hang, True
    yield Passage(tuple(line), passage.hang, passage.json)


def _whole_words(text: str, head: str) -> str:
    """``head`` without the beginning of a word that goes on behind it in ``text``."""
    if len(head) == len(text) or text[len(head)] == " ":
        return head
    words = head[: head.rfind(" ") + 1]
    return words if words.strip() else head


def _head(text: str, room: int) -> str:
    """As much of ``text`` as fits into ``room`` cells."""
    some = text[: max(0, room)]
    if some.isascii():
        return some
    used = 0
    for index, character in enumerate(some):
        used += get_character_cell_size(character)
        if used > room:
            return some[:index]
    return some


def _json_pieces(line: Passage) -> Iterator[Piece]:
    text, at = line.plain, 0
    for found in _JSON.finditer(text):
        if found.start() > at:
            yield Piece(text[at : found.start()])
        yield Piece(found[0], found.lastgroup or "text")
        at = found.end()
    if at < len(text):
        yield Piece(text[at:])
