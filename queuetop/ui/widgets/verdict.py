"""The second line: the worst thing that is true now, and the key that says why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from queuetop.model.snapshot import Finding, Level, Link, LinkState
from queuetop.ui.marks import mark
from queuetop.ui.widgets.line import Line, cut

_LINK_LEVEL = {Link.CONNECTING: Level.WARNING, Link.STALE: Level.CRITICAL}


class Verdict(Line, can_focus=True):
    """``enter`` or a click opens the evidence."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "why", show=False),
        Binding("down,j", "leave", show=False),
    ]

    class Why(Message):
        """The evidence is wanted."""

    class Left(Message):
        """The cursor went down from the verdict into the view."""

    def show(self, findings: Sequence[Finding], link: LinkState, *, key: str) -> None:
        """``key`` is what opens the evidence from where the focus is."""
        if link.link is Link.LIVE and findings:
            first = findings[0]
            others = sum(1 for each in findings[1:] if each.level is not Level.FINE)
            hints = (
                (f"{others} more · {key} ▸ why", f"{key} ▸ why") if others else (f"{key} ▸ why",)
            )
            self._write(first.level, first.level.upper(), first.verdict, hints)
        else:
            said = link.sentence or _SAYING[link.link]
            self._write(_level(link), link.link.upper(), said, (f"{key} ▸ why",))

    def _write(self, level: Level, word: str, sentence: str, hints: Sequence[str]) -> None:
        """The fullest hint that leaves the sentence whole, else the shortest one."""
        look = mark(level)
        self.set_class(level is Level.WARNING, "-warning")
        self.set_class(level is Level.CRITICAL, "-critical")
        head = Content.assemble((f" {look.glyph} {word}", f"bold {look.style}"), "  ")
        room = max(1, self.size.width - head.cell_length - 1)
        needed = cell_len(sentence)
        hint = next((hint for hint in hints if needed + len(hint) + 3 <= room), hints[-1])
        said = Content.styled(cut(sentence, max(1, room - len(hint) - 3)), "bold")
        gap = " " * (room - said.cell_length - len(hint))
        self.put(Content.assemble(head, said, gap, (hint, "$accent")))

    def action_why(self) -> None:
        self.post_message(self.Why())

    def action_leave(self) -> None:
        self.post_message(self.Left())

    def on_click(self) -> None:
        self.post_message(self.Why())


_SAYING = {
    Link.CONNECTING: "Waiting for the first numbers",
    Link.STALE: "The server does not answer; the numbers below are the last ones",
    Link.LIVE: "Waiting for the first numbers",
}


def _level(link: LinkState) -> Level:
    return _LINK_LEVEL.get(link.link, Level.UNKNOWN)
