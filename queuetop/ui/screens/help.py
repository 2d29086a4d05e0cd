"""``?``: the keys of what is seen now, and what the marks mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from queuetop.model.snapshot import Level
from queuetop.ui.keys import Key
from queuetop.ui.marks import MARKS

_SIGNS = (
    ("~", "an estimate, not a count"),
    ("+", "at least: counting stopped at the cap"),
    ("–", "unavailable; w says why"),
    ("dim", "an old value: its last refresh failed or is overdue"),
    ("↑ ↓", "more or less than a minute ago"),
    ("st.", "stalled: claimed, but the lease ran out"),
)


class Help(ModalScreen[None]):
    """``sections`` are titles and their keys."""

    DEFAULT_CSS = """
    Help {
        align: center middle;
        background: $background 60%;
        & > VerticalScroll {
            width: 76; max-width: 96%; height: auto; max-height: 92%;
            background: $surface; padding: 1 3; scrollbar-size-vertical: 1;
        }
        & Static { height: auto; }
        &:ansi > VerticalScroll { border: round ansi_default; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss_help", show=False),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]

    def __init__(self, sections: Sequence[tuple[str, Sequence[Key]]]) -> None:
        super().__init__()
        self._sections = sections

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(Content("\n").join(self._lines()))

    def action_dismiss_help(self) -> None:
        self.dismiss()

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def _lines(self) -> Iterator[Content]:
        for title, entries in self._sections:
            if entries:
                yield Content.styled(title.upper(), "$text-muted")
                yield from (_line(key.shown, key.help) for key in entries)
                yield Content()
        yield Content.styled("MARKS", "$text-muted")
        for level in (Level.FINE, Level.WARNING, Level.CRITICAL, Level.UNKNOWN):
            look = MARKS[level]
            yield Content.assemble((look.glyph.ljust(14), look.style), look.word)
        yield from (_line(sign, meaning, "bold") for sign, meaning in _SIGNS)
        yield Content()
        yield Content.styled("esc ▸ close", "$accent")


def _line(name: str, meaning: str, style: str = "bold $accent") -> Content:
    return Content.assemble((name.ljust(14), style), meaning)
