"""Why: findings and numbers on one side, what stands behind the chosen one on the other."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Static

from queuetop.model import filters
from queuetop.model.errors import UsageError
from queuetop.model.jobs import Sort
from queuetop.model.selection import Selection
from queuetop.model.snapshot import Level
from queuetop.model.states import State
from queuetop.ui import keys
from queuetop.ui.evidence import Evidence, evidence
from queuetop.ui.marks import mark
from queuetop.ui.prose import Paragraph, lay
from queuetop.ui.screens.sheet import Sheet
from queuetop.ui.widgets.table import Column, Table

_ENTER = (("enter ▸ these jobs   ", "$accent"),)


def _loud(row: Evidence) -> bool:
    return row.level in {Level.WARNING, Level.CRITICAL}


def _style(row: Evidence) -> str:
    return "" if row.level is Level.FINE else mark(row.level).style


def _label(row: Evidence) -> Text:
    look = mark(row.level)
    if _loud(row) or row.key.startswith("finding"):
        return Text.assemble((f"{look.glyph} ", look.style), row.label)
    return Text(f"  {row.label}")


class EvidenceScreen(Sheet):
    """Stays live; the chosen line keeps to its finding or number."""

    where = "evidence"
    heading = "Why"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("sheet", "evidence")
    DEFAULT_CSS = """
    EvidenceScreen {
        & #evidence-list { width: 38; height: 1fr; margin: 1 0 0 0; }
        & #evidence-body { width: 1fr; height: 1fr; padding: 1 2 0 3; scrollbar-size-vertical: 1; }
        &.-narrow #evidence-list { width: 32; }
    }
    """

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self._wanted = name
        self._found: dict[str, Evidence] = {}
        self._list: Table[Evidence] = Table(
            [
                Column("WHY", _label, width=14, grows=True),
                Column("", lambda row: Text(row.value, _style(row)), "right"),
            ],
            key=lambda row: row.key,
            empty="Waiting for the first numbers.",
            id="evidence-list",
        )

    def body(self) -> ComposeResult:
        with Horizontal():
            yield self._list
            with VerticalScroll(id="evidence-body"):
                yield Static(id="evidence-text")

    def draw(self) -> None:
        top = self.top
        rows = evidence(top.snapshot, top.link, top.times)
        self._found = {row.key: row for row in rows}
        self._list.show(rows)
        if self._wanted and self._list.move_to(self._wanted):
            self._wanted = ""
        self._show()

    def on_resize(self, event: events.Resize | None = None) -> None:
        self.set_class(self.app.size.width < 100, "-narrow")
        super().on_resize()

    @on(Table.Moved)
    def _show(self) -> None:
        chosen = self._list.cursor_row
        if chosen is None:
            return
        text = self.query_one("#evidence-text", Static)
        parts = list(chosen.body)
        if chosen.filter is not None:
            parts += [Paragraph(), Paragraph(chosen.filter, "$text-muted", _ENTER)]
        text.update(lay(parts, text.size.width or 40))

    def action_more(self) -> None:
        """A page down, and from the end back to the top."""
        body = self.query_one("#evidence-body", VerticalScroll)
        if body.scroll_offset.y >= body.max_scroll_y:
            body.scroll_home(animate=False)
        else:
            body.scroll_page_down(animate=False)

    @on(Table.Chosen)
    def _jobs(self, event: Table.Chosen) -> None:
        event.stop()
        chosen = self._found.get(event.key)
        if chosen is None or chosen.filter is None:
            return
        try:
            selection = filters.parse(chosen.filter)
        except UsageError as error:
            self.top.toast(error.sentence, Level.WARNING)
            return
        self.top.show_jobs(selection, self._order(selection))

    def _order(self, selection: Selection) -> Sort | None:
        """Of work that waits the longest due comes first: it is what the finding is about."""
        waiting = bool(selection.states) and {*selection.states} <= {State.PENDING, State.RETRYING}
        if waiting and self.top.source.mapping.has("ready_at"):
            return Sort("ready_at", descending=False)
        return None
