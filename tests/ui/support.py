"""How tests look at the screen: as text, the way an operator reads it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.widget import Widget

from queuetop.model.ports import Watch
from queuetop.ui.app import QueueTop
from queuetop.ui.options import Options

SIZE = (120, 36)


def make_app(*watches: Watch, **options: Any) -> QueueTop:
    return QueueTop(watches, Options(**options))


def screen_text(app: App[Any]) -> str:
    """Everything that is on the screen, line by line."""
    strips = app.screen._compositor.render_strips(app.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def widget_text(app: App[Any], widget: Widget | str) -> str:
    """The lines of one widget, by the widget or its selector."""
    found = app.screen.query_one(widget) if isinstance(widget, str) else widget
    region = found.region
    lines = screen_text(app).split("\n")[region.y : region.bottom]
    return "\n".join(line[region.x : region.right].rstrip() for line in lines)


async def until(pilot: Pilot[Any], condition: Callable[[], object], *, tries: int = 100) -> None:
    """Lets the app run until something is so; fails with the screen when it never is."""
    for _ in range(tries):
        await pilot.pause()
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"it never came to be so; the screen:\n{screen_text(pilot.app)}")


async def shows(pilot: Pilot[Any], text: str) -> None:
    """Waits until ``text`` is on the screen."""
    await until(pilot, lambda: text in screen_text(pilot.app))
