"""What the screens over the main one share: a title line, a footer out of the table of keys, esc."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen

from queuetop.model.text import clean
from queuetop.ui import keys
from queuetop.ui.view import uncovered
from queuetop.ui.widgets.footer import Footer
from queuetop.ui.widgets.line import Line, Part, fit

if TYPE_CHECKING:
    from queuetop.ui.app import QueueTop


class Sheet(Screen[None]):
    """Covers the main screen, whose keys go on. Draws a snapshot only while it is the one on top."""

    DEFAULT_CSS = """
    Sheet > #sheet-title { dock: top; background: $panel; }
    Sheet > Footer { dock: bottom; background: $panel; }
    """
    #: Its place in the table of keys.
    where: ClassVar[str] = "sheet"
    heading: ClassVar[str] = ""

    @property
    def top(self) -> QueueTop:
        return cast("QueueTop", self.app)

    def compose(self) -> ComposeResult:
        yield Line(id="sheet-title")
        yield from self.body()
        yield Footer()

    def body(self) -> ComposeResult:
        """What is between title and footer."""
        yield from ()

    def on_mount(self) -> None:
        for name in ("snapshot", "link", "times"):
            self.watch(self.app, name, self._changed, init=False)
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def on_screen_resume(self) -> None:
        if self.is_mounted:
            self._draw()

    def _changed(self) -> None:
        if uncovered(self) and self.is_mounted:
            self._draw()

    def _draw(self) -> None:
        left = [
            Part((self.heading,), "bold $accent"),
            Part((clean(self.top.source.ref.table),), "$text-muted", 1),
        ]
        title = fit(left, [Part(("esc ▸ back",), "$accent")], self.size.width - 2)
        self.query_one("#sheet-title", Line).put(Content(" ") + title)
        entries = keys.of(self.where, "sheet", keys.GLOBAL, writes=self.top.options.writes)
        wanted = [
            key
            for key in entries
            if key.where != keys.GLOBAL or key.id in {"help", "quit", "refresh"}
        ]
        self.query_one(Footer).show(wanted)
        self.draw()

    def draw(self) -> None:
        """Shows what is known now."""

    def action_dismiss_sheet(self) -> None:
        self.dismiss()
