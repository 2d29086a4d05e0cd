"""``?``: the keys of what is seen now, and what the marks mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from queuetop.model.snapshot import Level
from queuetop.ui.keys import Key
from queuetop.ui.marks import MARKS

#: From this width on the keys stand in two columns.
WIDE = 110
_SIGNS = (
    ("~", "an estimate, not a count"),
    ("+", "at least: counting stopped at the cap"),
    ("–", "unavailable; w says why"),
    ("dim", "an old value: its refresh failed"),
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
            width: 78; max-width: 100%; height: auto; max-height: 100%;
            background: $surface; padding: 1 3; scrollbar-size-vertical: 1;
        }
        & Horizontal { height: auto; }
        & Static { width: 1fr; height: auto; padding: 0 2 0 0; }
        &.-wide > VerticalScroll { width: 118; max-width: 98%; }
        &.-narrow Horizontal { layout: vertical; }
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
            with Horizontal():
                yield Static(Content("\n").join(_sections(self._sections[:2])))
                yield Static(Content("\n").join([*_sections(self._sections[2:]), *_marks()]))
            yield Static(Content.styled("esc ▸ close", "$accent"))

    def on_mount(self) -> None:
        wide = self.app.size.width >= WIDE
        self.set_class(wide, "-wide")
        self.set_class(not wide, "-narrow")

    def action_dismiss_help(self) -> None:
        self.dismiss()

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


def _sections(sections: Sequence[tuple[str, Sequence[Key]]]) -> Iterator[Content]:
    for title, entries in sections:
        if entries:
            yield Content.styled(title.upper(), "$text-muted")
            yield from (_line(key.shown, key.help) for key in entries)
            yield Content()


def _marks() -> Iterator[Content]:
    yield Content.styled("MARKS", "$text-muted")
    for level in (Level.FINE, Level.WARNING, Level.CRITICAL, Level.UNKNOWN):
        look = MARKS[level]
        yield Content.assemble((look.glyph.ljust(11), look.style), look.word)
    yield from (_line(sign, meaning, "bold") for sign, meaning in _SIGNS)
    yield Content()


def _line(name: str, meaning: str, style: str = "bold $accent") -> Content:
    return Content.assemble((name.ljust(11), style), meaning)
