"""The app: which watch is shown, its last snapshot, and the intents of the global keys."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import ClassVar

from textual import events, work
from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.reactive import reactive

from queuetop.model.filters import TERMS
from queuetop.model.jobs import Sort
from queuetop.model.ports import Watch
from queuetop.model.selection import Selection
from queuetop.model.snapshot import Level, Link, LinkState, Snapshot
from queuetop.model.states import State
from queuetop.ui import keys, themes
from queuetop.ui.crash import CrashLog
from queuetop.ui.guard import Guard
from queuetop.ui.keys import Key
from queuetop.ui.main_screen import MainScreen
from queuetop.ui.marks import Paint
from queuetop.ui.options import Options, TimeMode
from queuetop.ui.palette import Commands
from queuetop.ui.screens.evidence import EvidenceScreen
from queuetop.ui.screens.help import Help
from queuetop.ui.screens.job import JobScreen
from queuetop.ui.screens.switcher import Switcher
from queuetop.ui.screens.too_small import MIN_HEIGHT, MIN_WIDTH, TooSmall
from queuetop.ui.suspension import go_on_once
from queuetop.ui.views.jobs import JobsView
from queuetop.ui.views.running import RunningView

#: Seconds between polls that ``+`` and ``-`` step through.
INTERVALS = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
#: Seconds until a watch that broke its promise not to raise is tried again.
AGAIN_S = 5.0


class QueueTop(App[None], inherit_bindings=False):
    """Several mapped tables, one shown."""

    TITLE = "queuetop"
    CSS_PATH = "styles/app.tcss"
    COMMANDS: ClassVar = {Commands}
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.GLOBAL)

    #: The last good snapshot of the table shown; kept when the link goes stale.
    snapshot: reactive[Snapshot | None] = reactive(None, init=False, repaint=False)
    link: reactive[LinkState] = reactive(LinkState(link=Link.CONNECTING), init=False, repaint=False)
    times: reactive[TimeMode] = reactive(TimeMode.RELATIVE, init=False, repaint=False)
    #: ``p``: the tables rest, the header goes on.
    resting: reactive[bool] = reactive(False, init=False, repaint=False)

    def __init__(self, watches: Sequence[Watch], options: Options) -> None:
        super().__init__()
        self.watches = tuple(watches)
        self.options = options
        self.source: Watch = self.watches[0]
        self.main = MainScreen()
        self.crash_log = CrashLog()
        self._guard = Guard()
        #: Monotonic seconds at which the last snapshot came.
        self.seen_at = 0.0
        self._last: dict[int, tuple[Snapshot, float]] = {}
        self._paint: tuple[str, Paint] | None = None
        self.set_reactive(QueueTop.times, options.times)
        themes.install(self, options.theme, no_color=options.no_color)
        if options.interval_s is not None:
            for watch in self.watches:
                watch.set_interval(options.interval_s)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [self._guard, *super().get_line_filters()]

    # What comes in

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, lambda _theme: self.main.draw_all())
        go_on_once(self._driver)
        self.push_screen(self.main)

    @work(exclusive=True, group="poll", exit_on_error=False)
    async def follow(self) -> None:
        """The only worker that polls: hands on what the shown watch says, until another is shown."""
        watch = self.source
        events_ = aiter(watch)
        while True:
            try:
                event = await anext(events_)
            except StopAsyncIteration:
                return
            except Exception as error:  # noqa: BLE001  # a watch never raises; if one does, the screen lives
                self.crash_log.write(error)
                self.call_later(self._take, watch, _fault(error))
                await asyncio.sleep(AGAIN_S)
                events_ = aiter(watch)
            else:
                self.call_later(self._take, watch, event)

    def _take(self, watch: Watch, event: Snapshot | LinkState) -> None:
        if watch is not self.source:
            return
        if isinstance(event, LinkState):
            self.link = event
            return
        self.seen_at = time.monotonic()
        self._last[id(watch)] = (event, self.seen_at)
        if self.link.link is not Link.LIVE:
            self.link = LinkState(link=Link.LIVE, since=self.seen_at)
        self.snapshot = event

    def watch_snapshot(self, snapshot: Snapshot | None) -> None:
        if snapshot is not None:
            self.main.draw_snapshot(snapshot)

    def watch_link(self) -> None:
        self.main.draw_link()

    def watch_times(self) -> None:
        self.main.draw_all()

    def watch_resting(self) -> None:
        self.main.draw_all()

    def on_resize(self, event: events.Resize) -> None:
        self.too_small(event.size.width < MIN_WIDTH or event.size.height < MIN_HEIGHT)

    def too_small(self, small: bool) -> None:
        """Covers everything with a page that says what size is needed, or takes it away."""
        covered = isinstance(self.screen, TooSmall)
        if small and not covered:
            self.push_screen(TooSmall())
        elif covered and not small:
            self.pop_screen()

    # What views and screens may ask for

    @property
    def where(self) -> str:
        """The place in the table of keys of what is on top."""
        return str(getattr(self.screen, "where", self.main.where))

    @property
    def paint(self) -> Paint:
        """The theme's colours for widgets that draw their own strips."""
        if self._paint is None or self._paint[0] != self.theme:
            self._paint = (self.theme, themes.paint(self))
        return self._paint[1]

    def last_seen(self, watch: Watch) -> Snapshot | None:
        """The last snapshot of any of the watches."""
        found = self._last.get(id(watch))
        return found[0] if found else None

    def show_jobs(self, selection: Selection, sort: Sort | None = None) -> None:
        """Goes to the jobs with this filter: view 3, and view 4, which shows leases, for stalled ones."""
        self._uncover()
        number = 4 if selection.states == (State.STALLED,) else 3
        self.main.show(number)
        view = self.main.views[number]
        if isinstance(view, JobsView):
            view.select(selection, sort)
        elif isinstance(view, RunningView):
            view.select(selection)

    def open_job(self, job_id: str) -> None:
        """Shows one job whole, over what is there."""
        self.push_screen(JobScreen(job_id))

    def toast(self, sentence: str, level: Level = Level.FINE) -> None:
        """Says something for a few seconds. ``sentence`` may hold any text."""
        severity = {Level.WARNING: "warning", Level.CRITICAL: "error"}.get(level, "information")
        self.notify(sentence, severity=severity, markup=False)  # type: ignore[arg-type]

    def look_at(self, watch: Watch) -> None:
        """Shows another of the watches; the one shown until now rests."""
        if watch is self.source:
            return
        self._uncover()
        self.main.view.hidden()
        self.source.want_database(False)
        self.source = watch
        snapshot, self.seen_at = self._last.get(id(watch), (None, 0.0))
        self.set_reactive(QueueTop.snapshot, snapshot)
        self.set_reactive(QueueTop.link, LinkState(link=Link.CONNECTING, since=time.monotonic()))
        # A new screen: nothing of the other table can be left on it.
        self.main = MainScreen(shown=self.main.shown, charts=self.main.charts_wanted)
        self.switch_screen(self.main)

    def _uncover(self) -> None:
        while self.main in self.screen_stack and self.screen is not self.main:
            self.pop_screen()

    def offers(self, key: Key) -> bool:
        """Whether a key has a use now: its view is there, there is something to switch to."""
        if key.action.startswith("app.go("):
            return int(key.keys) in self.main.views
        return self.check_action(key.action.removeprefix("app."), ()) is not False

    async def perform(self, action: str) -> None:
        """Runs a key's action on what is seen, as the key would."""
        place = self.main.view if self.screen is self.main else self.screen
        await self.run_action(action, place)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "switch":
            return len(self.watches) > 1
        if action == "charts":
            return self.main.room_for_charts
        return True

    def action_go(self, number: int) -> None:
        self._uncover()
        self.main.show(number)

    def action_go_back(self) -> None:
        self.main.back()

    def action_why(self, name: str = "") -> None:
        if not isinstance(self.screen, EvidenceScreen):
            self.push_screen(EvidenceScreen(name))

    def action_pause(self) -> None:
        self.resting = not self.resting

    def action_poll(self) -> None:
        self.source.poll_now()

    def action_slower(self) -> None:
        self._set_interval(
            next((s for s in INTERVALS if s > self.source.interval_s), INTERVALS[-1])
        )

    def action_faster(self) -> None:
        slower = [s for s in INTERVALS if s < self.source.interval_s]
        self._set_interval(slower[-1] if slower else INTERVALS[0])

    def _set_interval(self, seconds: float) -> None:
        self.source.set_interval(seconds)
        self.main.draw_link()

    def action_times(self) -> None:
        modes = list(TimeMode)
        self.times = modes[(modes.index(self.times) + 1) % len(modes)]

    def action_charts(self) -> None:
        self.main.toggle_charts()

    def action_theme(self, name: str) -> None:
        self.theme = themes.full_name(name)

    def action_switch(self) -> None:
        if not isinstance(self.screen, Switcher):
            self.push_screen(Switcher())

    def action_help(self) -> None:
        here = [key for key in keys.of(self.where, writes=self.options.writes) if self.offers(key)]
        everywhere = [key for key in keys.of(keys.GLOBAL) if self.offers(key)]
        sections = (
            (self.where, here),
            ("everywhere", [key for key in everywhere if not key.id.startswith("view.")]),
            ("views", [key for key in everywhere if key.id.startswith("view.")]),
            ("every list", keys.of(keys.TABLE)),
        )
        filters = any(key.action == "filter" for key in here)
        self.push_screen(Help(sections, TERMS if filters else ()))

    def action_leave(self) -> None:
        self.exit()

    # Faults

    def _fatal_error(self) -> None:
        """Textual's own would print every local variable, and with them whatever is secret."""
        self.crash_log.crashed(self)
        self._close_messages_no_wait()


def _fault(error: Exception) -> LinkState:
    return LinkState(
        link=Link.STALE,
        sentence=f"Observing stopped by a fault of queuetop ({type(error).__name__}); it is in the log",
        since=time.monotonic(),
        retry_in_s=AGAIN_S,
    )
