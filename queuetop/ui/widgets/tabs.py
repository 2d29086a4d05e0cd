"""The line of views: number and title, the shown one standing out."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.message import Message

from queuetop.ui.widgets.line import Line


class TabLine(Line):
    """A click goes to a view as its number does."""

    class Picked(Message):
        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._places: list[tuple[int, int, int]] = []

    def show(self, titles: Sequence[tuple[int, str]], shown: int) -> None:
        gap = 2 if sum(len(title) + 4 for _, title in titles) <= self.size.width - 2 else 1
        content, x = Content(" "), 1
        self._places = []
        for number, title in titles:
            name = f" {number} {title} "
            style = "bold reverse $accent" if number == shown else ""
            tab = (
                Content.styled(name, style)
                if style
                else Content.assemble((f" {number} ", "$accent"), title, " ")
            )
            content = content + tab + " " * (gap - 1)
            self._places.append((number, x, x + len(name)))
            x += len(name) + gap - 1
        self.put(content.truncate(max(1, self.size.width)))

    def on_click(self, event: events.Click) -> None:
        for number, start, end in self._places:
            if start <= event.x < end:
                self.post_message(self.Picked(number))
