"""``?``: the keys of what is seen now, and what the marks mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from rich.console import Group, RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from queuetop.model.filters import Term
from queuetop.model.snapshot import Level
from queuetop.ui.keys import Key
from queuetop.ui.marks import MARKS, Paint

if TYPE_CHECKING:
    from queuetop.ui.app import QueueTop

Lines = list[tuple[Text, Text]]

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

    def __init__(
        self, sections: Sequence[tuple[str, Sequence[Key]]], terms: Sequence[Term] = ()
    ) -> None:
        super().__init__()
        self._sections = sections
        self._terms = terms

    def compose(self) -> ComposeResult:
        paint = cast("QueueTop", self.app).paint
        with VerticalScroll():
            with Horizontal():
                yield Static(_sheet(_keys(self._sections[:2], paint), paint))
                yield Static(
                    _sheet([*_keys(self._sections[2:], paint), ("Marks", _marks(paint))], paint)
                )
            if self._terms:
                yield Static(_sheet([("Filter", _filter(self._terms, paint))], paint, name=28))
            yield Static(Text("esc ▸ close", paint.accent))

    def on_mount(self) -> None:
        wide = self.app.size.width >= WIDE
        self.set_class(wide, "-wide")
        self.set_class(not wide, "-narrow")

    def action_dismiss_help(self) -> None:
        self.dismiss()

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


def _sheet(sections: Iterable[tuple[str, Lines]], paint: Paint, name: int = 9) -> Group:
    """Names and their meanings; a meaning that needs two lines stays in its column."""
    parts: list[RenderableType] = []
    for title, lines in sections:
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=name, no_wrap=True)
        table.add_column()
        for line in lines:
            table.add_row(*line)
        parts += [Text(title.upper(), paint.muted), table, ""]
    return Group(*parts)


def _keys(
    sections: Sequence[tuple[str, Sequence[Key]]], paint: Paint
) -> Iterator[tuple[str, Lines]]:
    bold = paint.accent + Style(bold=True)
    for title, entries in sections:
        if entries:
            yield title, [(Text(key.shown, bold), Text(key.help)) for key in entries]


def _marks(paint: Paint) -> Lines:
    levels = (Level.FINE, Level.WARNING, Level.CRITICAL, Level.UNKNOWN)
    looks = [
        (Text(MARKS[level].glyph, paint.level(level)), Text(MARKS[level].word)) for level in levels
    ]
    return looks + [(Text(sign, "bold"), Text(meaning)) for sign, meaning in _SIGNS]


def _filter(terms: Sequence[Term], paint: Paint) -> Lines:
    """Each term by example, with what it means and what it asks of the server."""
    return [
        (
            Text(term.example, paint.accent),
            Text.assemble(term.meaning, (f"; {term.cost}", paint.muted)),
        )
        for term in terms
    ]
