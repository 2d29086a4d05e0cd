"""The one screen under all others: header, verdict, numbers, charts, tabs, the views, footer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, cast

from textual import events, on
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import ContentSwitcher

from queuetop.model.snapshot import Link, Snapshot
from queuetop.ui import keys
from queuetop.ui.view import View, uncovered
from queuetop.ui.views.database import DatabaseView
from queuetop.ui.views.failures import FailuresView
from queuetop.ui.views.jobs import JobsView
from queuetop.ui.views.overview import OverviewView
from queuetop.ui.views.queues import QueuesView
from queuetop.ui.views.running import RunningView
from queuetop.ui.widgets.charts import Charts
from queuetop.ui.widgets.footer import Footer
from queuetop.ui.widgets.header import Header, HeaderFacts
from queuetop.ui.widgets.numbers import Numbers
from queuetop.ui.widgets.tabs import TabLine
from queuetop.ui.widgets.verdict import Verdict

if TYPE_CHECKING:
    from queuetop.ui.app import QueueTop

#: Rows from which on the numbers have a third line and the charts have room.
TALL = 30
#: Rows from which on the lists, too, can spare the charts' room.
SPACIOUS = 50
#: Rows that the views keep, whatever else is shown.
VIEW_ROWS = 18
#: Rows of everything but views and charts, with the lines between them.
CHROME = 10


#: The views; each knows its own number.
VIEWS: tuple[type[View], ...] = (
    OverviewView,
    FailuresView,
    JobsView,
    RunningView,
    QueuesView,
    DatabaseView,
)


class MainScreen(Screen[None]):
    """Draws what changed of a snapshot, and only in what is seen."""

    def __init__(self, *, shown: int = 1, charts: bool = True) -> None:
        super().__init__()
        self.views: dict[int, View] = {
            kind.number: kind(id=f"view-{kind.number}") for kind in VIEWS
        }
        self.shown = shown
        #: Whether the charts are wanted where there is room.
        self.charts_wanted = charts
        self._came_from: list[int] = []

    @property
    def top(self) -> QueueTop:
        return cast("QueueTop", self.app)

    @property
    def view(self) -> View:
        return self.views[self.shown]

    @property
    def where(self) -> str:
        """The shown view's place in the table of keys."""
        return self.view.where

    def compose(self) -> ComposeResult:
        yield Header(id="header")
        yield Verdict(id="verdict")
        yield Numbers(id="numbers")
        yield Charts(id="charts")
        yield TabLine(id="tabs")
        with ContentSwitcher(initial=f"view-{self.shown}", id="views"):
            yield from self.views.values()
        yield Footer(id="footer")

    def on_mount(self) -> None:
        self.set_interval(1.0, self._tick)
        self._arrange()
        self.call_after_refresh(self._land)
        self.top.follow()

    # What is drawn

    def draw_snapshot(self, snapshot: Snapshot) -> None:
        """A new snapshot came."""
        if not uncovered(self):
            return
        with self.app.batch_update():
            self._draw_top()
            if not self.top.resting:
                self.view.draw(snapshot)

    def draw_link(self) -> None:
        """The link or the interval changed."""
        if uncovered(self) and self.is_mounted:
            self._draw_top()

    def _tick(self) -> None:
        """Time goes by: the clock, the age of what is shown, the countdown."""
        if uncovered(self):
            self._draw_header()

    def draw_all(self) -> None:
        """Everything that is seen, again: the size, the theme, the times or the view changed."""
        if not (uncovered(self) and self.is_mounted):
            return
        with self.app.batch_update():
            self._draw_top()
            self._draw_tabs()
            if self.top.snapshot is not None:
                self.view.draw(self.top.snapshot)

    def _draw_top(self) -> None:
        top = self.top
        self._draw_header()
        self._draw_verdict()
        stale = top.link.link is not Link.LIVE
        self.query_one(Numbers).show(top.snapshot, top.source.history, stale=stale)
        charts = self.query_one(Charts)
        if charts.display:
            charts.show(top.snapshot, top.source)

    def _draw_header(self) -> None:
        top, now = self.top, time.monotonic()
        snapshot = top.snapshot
        self.query_one(Header).show(
            HeaderFacts(
                ref=top.source.ref,
                server=snapshot.server if snapshot else top.source.server,
                snapshot=snapshot,
                link=top.link,
                interval_s=top.source.interval_s,
                times=top.times,
                profile=top.options.profile,
                writes=top.options.writes,
                resting=top.resting,
                age_s=max(0.0, now - top.seen_at) if top.seen_at else 0.0,
                link_age_s=max(0.0, now - top.link.since) if top.link.since else 0.0,
            )
        )

    def _draw_verdict(self) -> None:
        top = self.top
        verdict = self.query_one(Verdict)
        findings = top.snapshot.findings if top.snapshot else ()
        verdict.show(findings, top.link, key="enter" if verdict.has_focus else "w")

    def _draw_tabs(self) -> None:
        titles = [(number, view.title) for number, view in sorted(self.views.items())]
        self.query_one(TabLine).show(titles, self.shown)
        entries = keys.of(self.where, keys.GLOBAL, writes=self.top.options.writes)
        self.query_one(Footer).show([key for key in entries if self.top.offers(key)])

    # The views

    def show(self, number: int) -> None:
        """Goes to a view; one that is not there is no way to go."""
        if number not in self.views or number == self.shown:
            return
        self._came_from = [*self._came_from[-8:], self.shown]
        self._switch(number)

    def back(self) -> None:
        """To the view before, and from the first one nowhere."""
        if self._came_from:
            self._switch(self._came_from.pop())

    def _switch(self, number: int) -> None:
        self.view.hidden()
        self.shown = number
        self.query_one("#views", ContentSwitcher).current = f"view-{number}"
        self._arrange()
        self.draw_all()
        self.call_after_refresh(self._land)

    def _land(self) -> None:
        self.view.shown()
        target = self.view.landing()
        self.set_focus(target)

    # Room

    @property
    def room_for_charts(self) -> bool:
        return self._has_room(self.size.height)

    def _has_room(self, rows: int) -> bool:
        """The overview shows charts early; a list that somebody works in keeps the room."""
        return rows >= (TALL if self.shown == OverviewView.number else SPACIOUS)

    def toggle_charts(self) -> None:
        self.charts_wanted = not self.charts_wanted
        self._arrange()
        self.call_after_refresh(self.draw_all)

    def on_resize(self, event: events.Resize) -> None:
        self._arrange(event.size.height)
        self.call_after_refresh(self.draw_all)

    def _arrange(self, rows: int | None = None) -> None:
        """Numbers get two lines or three; charts what the views do not need."""
        rows = rows or self.size.height
        tall = rows >= TALL
        self.set_class(tall, "-tall")
        self.query_one(Numbers).styles.height = 3 if tall else 2
        charts = self.query_one(Charts)
        charts.display = self._has_room(rows) and self.charts_wanted
        charts.styles.height = max(6, min(rows - CHROME - VIEW_ROWS, 8 + (rows - TALL) // 3))

    # Events

    def on_screen_resume(self) -> None:
        if self.is_mounted:
            self.draw_all()

    def on_descendant_focus(self) -> None:
        self._draw_verdict()

    @on(Verdict.Why)
    def _why(self) -> None:
        self.top.action_why()

    @on(Numbers.Why)
    def _why_number(self, event: Numbers.Why) -> None:
        self.top.action_why(event.name)

    @on(Verdict.Left)
    def _into_view(self) -> None:
        target = next((child for child in self.view.query("*") if child.focusable), None)
        if target is not None:
            self.set_focus(target)

    @on(TabLine.Picked)
    def _tab(self, event: TabLine.Picked) -> None:
        self.show(event.number)
