"""What a terminal under 60×15 shows."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

MIN_WIDTH = 60
MIN_HEIGHT = 15


class TooSmall(ModalScreen[None]):
    """Covers everything until there is room again. Polling goes on below."""

    DEFAULT_CSS = """
    TooSmall { align: center middle; background: $background; }
    TooSmall > Static { width: auto; height: auto; text-align: center; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "app.leave", show=False)]

    def compose(self) -> ComposeResult:
        yield Static(self._words(self.app.size.width, self.app.size.height))

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(Static).update(self._words(event.size.width, event.size.height))

    def _words(self, width: int, height: int) -> Content:
        return Content(
            f"queuetop needs {MIN_WIDTH}×{MIN_HEIGHT}\nhere are {width}×{height}\n\nq quit"
        )
