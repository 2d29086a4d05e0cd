"""The line of views: number and title, the shown one standing out."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.message import Message

from queuetop.ui.widgets.line import Line

Tab = tuple[int, str]


class TabLine(Line):
    """A click goes to a view as its number does."""

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own word
        super().__init__(id=id)
        self._places: list[tuple[int, int, int]] = []

    def show(self, tabs: Sequence[Tab], shown: int) -> None:
        pad, titled = _form(tabs, self.size.width - 1)
        content, x = Content(" "), 1
        self._places = []
        for number, title in tabs:
            name = f" {title}" if titled or number == shown else ""
            width = len(str(number)) + len(name) + 2 * len(pad)
            if number == shown:
                content += Content.styled(f"{pad}{number}{name}{pad}", "bold reverse $accent")
            else:
                content += Content.assemble((f"{pad}{number}", "$accent"), f"{name}{pad}")
            content += " "
            self._places.append((number, x, x + width))
            x += width + 1
        self.put(content.truncate(max(1, self.size.width)))

    def on_click(self, event: events.Click) -> None:
        for number, start, end in self._places:
            if start <= event.x < end:
                self.post_message(self.Picked(number))


def _form(tabs: Sequence[Tab], room: int) -> tuple[str, bool]:
    """Padding, and whether every tab has its title: the fullest form that fits."""
    for pad in (" ", ""):
        if sum(len(title) + 3 + 2 * len(pad) for _, title in tabs) - 1 <= room:
            return pad, True
    return " ", False
