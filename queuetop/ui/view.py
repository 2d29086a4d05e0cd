"""What every view is: a place between the tabs and the footer that draws snapshots while it is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual.containers import Vertical
from textual.screen import Screen
from textual.widget import Widget

from queuetop.model.snapshot import Snapshot

if TYPE_CHECKING:
    from queuetop.ui.app import QueueTop


def uncovered(screen: Screen[Any]) -> bool:
    """Whether anything of a screen can be seen: it is on top, or under dialogs only.

    Textual's ``is_current`` also holds for a screen right below one that hides it all.
    """
    stack = screen.app.screen_stack
    if screen not in stack:
        return False
    above = stack[stack.index(screen) + 1 :]
    return all(each.styles.background.a < 1 for each in above)


class View(Vertical):
    """Subclasses set ``number`` (the key), ``title`` (the tab) and ``where`` (their keys' place),
    compose their widgets, and say what a snapshot looks like in ``draw``."""

    number: ClassVar[int] = 0
    title: ClassVar[str] = ""
    where: ClassVar[str] = ""

    @property
    def top(self) -> QueueTop:
        """The app, typed."""
        return cast("QueueTop", self.app)

    @property
    def seen(self) -> bool:
        """Whether it is seen now: not behind a tab or covered by a screen."""
        return self.display and self.is_attached and uncovered(self.screen)

    def draw(self, snapshot: Snapshot) -> None:
        """Called for each new snapshot while seen and not resting, when it becomes visible, and
        when the time mode or the theme changes. Draws only what changed."""

    def shown(self) -> None:
        """It came to be seen: after ``draw``, where there is a snapshot."""

    def hidden(self) -> None:
        """It is seen no more: stop whatever costs something."""

    def landing(self) -> Widget | None:
        """What has the focus when the view is shown: the first widget that can, unless overridden."""
        return next((child for child in self.query(Widget) if child.focusable), None)

    def redraw(self) -> None:
        """Draws the last snapshot again, where there is one and the view is seen."""
        snapshot = self.top.snapshot
        if snapshot is not None and self.seen:
            self.draw(snapshot)
