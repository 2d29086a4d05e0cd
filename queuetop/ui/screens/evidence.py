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
from queuetop.model.snapshot import Level
from queuetop.ui import keys
from queuetop.ui.evidence import Evidence, evidence
from queuetop.ui.marks import mark
from queuetop.ui.screens.sheet import Sheet
from queuetop.ui.widgets.table import Column, Table


def _label(row: Evidence) -> Text:
    look = mark(row.level)
    loud = row.level in {Level.WARNING, Level.CRITICAL}
    glyph = f"{look.glyph} " if loud or row.key.startswith("finding") else "  "
    return Text.assemble((glyph, look.style if loud or glyph.strip() else ""), row.label)


class EvidenceScreen(Sheet):
    """Stays live; the chosen line keeps to its finding or number."""

    where = "evidence"
    heading = "Why"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("sheet", "evidence")
    DEFAULT_CSS = """
    EvidenceScreen {
        & #evidence-list { width: 38; height: 1fr; margin: 1 0 0 0; }
        & #evidence-body { width: 1fr; height: 1fr; padding: 1 2 0 3; scrollbar-size-vertical: 1; }
        &.-narrow #evidence-list { width: 34; }
    }
    """

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self._wanted = name
        self._found: dict[str, Evidence] = {}
        self._list: Table[Evidence] = Table(
            [
                Column("WHY", _label, width=14, grows=True),
                Column("", lambda row: Text(row.value, mark(row.level).style), "right"),
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
        body = chosen.body
        if chosen.filter is not None:
            body = body.append_text("\n\n").append_text("enter ▸ these jobs", "$accent")
            body = body.append_text(f"   {chosen.filter}", "$text-muted")
        self.query_one("#evidence-text", Static).update(body)

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
        self.top.show_jobs(selection)
