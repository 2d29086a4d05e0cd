"""One of a few things to choose, in one line: arrows, space or a click."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

_GAP = 3


class Choice(Widget, can_focus=True):
    """``chosen`` is the index of what holds now."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,space", "step(1)", "Next", show=False),
        Binding("left,h", "step(-1)", "Previous", show=False),
    ]
    DEFAULT_CSS = "Choice { height: 1; width: 1fr; }"

    class Changed(Message):
        """Something else is chosen."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

        @property
        def control(self) -> Choice:
            return self.choice

    def __init__(self, labels: Sequence[str], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._labels = tuple(labels)
        self.chosen = 0

    def choose(self, index: int) -> None:
        if index != self.chosen:
            self.chosen = index
            self.refresh()
            self.post_message(self.Changed(self))

    def action_step(self, step: int) -> None:
        self.choose((self.chosen + step) % len(self._labels))

    def on_click(self, event: events.Click) -> None:
        start = 0
        for index, label in enumerate(self._labels):
            end = start + cell_len(label) + 2
            if start <= event.x < end:
                self.choose(index)
            start = end + _GAP

    def render(self) -> Content:
        parts = []
        for index, label in enumerate(self._labels):
            here = index == self.chosen
            look = ("bold $accent" if self.has_focus else "bold") if here else "$text-muted"
            parts.append(Content.styled(f"{'◉' if here else '○'} {label}", look))
        return Content(" " * _GAP).join(parts)
