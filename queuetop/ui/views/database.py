"""View 9: what the table costs the server, what holds it back, and what queuetop costs itself."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from queuetop.model.snapshot import Snapshot
from queuetop.ui import keys
from queuetop.ui.view import View
from queuetop.ui.views import database_sections as sections
from queuetop.ui.widgets.texts import content

#: From this width on the sections stand in two columns.
WIDE = 118
MARGIN = 2
BETWEEN = 4


class Page(VerticalScroll):
    """Sections to read, with the keys of a list."""

    BINDINGS = keys.bindings(keys.TABLE)

    def action_cursor_up(self) -> None:
        self.scroll_up(animate=False)

    def action_cursor_down(self) -> None:
        self.scroll_down(animate=False)

    def action_page_up(self) -> None:
        self.scroll_page_up(animate=False)

    def action_page_down(self) -> None:
        self.scroll_page_down(animate=False)

    def action_first(self) -> None:
        self.scroll_home(animate=False)

    def action_last(self) -> None:
        self.scroll_end(animate=False)


class DatabaseView(View):
    """Calm sections: the table and what holds it back; indexes; queuetop's own cost."""

    number: ClassVar[int] = 9
    title: ClassVar[str] = "Database"
    where: ClassVar[str] = "database"
    DEFAULT_CSS = f"""
    DatabaseView Page {{
        height: 1fr; padding: 0 {MARGIN}; scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        & > Static {{ width: 1fr; height: auto; padding: 0 0 1 0; }}
        &.-wide {{ layout: grid; grid-size: 2; grid-gutter: 0 {BETWEEN}; grid-rows: auto; }}
        &.-wide > .indexes {{ column-span: 2; }}
    }}
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's own word
        super().__init__(id=id)
        self._server, self._own = Static(), Static()
        self._indexes = Static(classes="indexes")

    def compose(self) -> ComposeResult:
        with Page() as self.page:
            yield self._server
            yield self._own
            yield self._indexes

    def shown(self) -> None:
        self.top.source.want_database(True)

    def hidden(self) -> None:
        self.top.source.want_database(False)

    def draw(self, snapshot: Snapshot) -> None:
        width = self.page.scrollable_content_region.width
        half = (width - BETWEEN) // 2 if self.page.has_class("-wide") else width
        self._server.update(content(sections.server(snapshot, self.top.times, half)))
        self._own.update(content(sections.own(snapshot, half)))
        self._indexes.update(content(sections.indexes(snapshot, width)))

    def on_resize(self, event: events.Resize) -> None:
        self.page.set_class(event.size.width >= WIDE, "-wide")
        self.call_after_refresh(self.redraw)
