"""What the lists of jobs have in common: filter, marks, copy, export, and reading without haste."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.worker import get_current_worker

from queuetop.model.errors import QueuetopError
from queuetop.model.filters import NAMED
from queuetop.model.jobs import Sort
from queuetop.model.measure import Measure
from queuetop.model.numbers import show_count
from queuetop.model.selection import Selection
from queuetop.model.snapshot import Level, Link, LinkState, Snapshot
from queuetop.ui.clipboard import copy_jobs
from queuetop.ui.marks import MARKS
from queuetop.ui.view import View
from queuetop.ui.widgets.filter_bar import FilterBar
from queuetop.ui.widgets.grid import Grid
from queuetop.ui.widgets.job_columns import Look
from queuetop.ui.widgets.jobs_table import JobsTable
from queuetop.ui.widgets.line import Line, Part, fit

if TYPE_CHECKING:
    from textual.widget import Widget

    from queuetop.model.ports import Watch

#: A list is read again at most so often that its statements cost the server this share of its time.
SHARE = 0.02
#: Seconds until a list is read again at the latest, however dear it is.
PATIENCE_S = 60.0
#: Seconds that known values for completion are good for.
VALUES_S = 60.0


class Listing(View):
    """A filter, a line that says what was looked at, and the table."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", show=False),
    ]
    DEFAULT_CSS = """
    Listing {
        & > .listing-facts { padding: 0 1; color: $text-muted; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's own word
        super().__init__(id=id)
        self.look = Look()
        self.selection = Selection()
        self.table = JobsTable()
        self.bar = FilterBar()
        self._facts = Line()
        self._facts.add_class("listing-facts")
        self._mistake = ""
        #: Why the last read failed; empty after one that did not.
        self._fault = ""
        self._source: Watch | None = None
        self._seq: int | None = None
        self._reading = False
        self._read_at = 0.0
        self._values_at = 0.0

    # What a list has of its own

    @abstractmethod
    async def read(self) -> None:
        """Reads the list from its start."""

    @abstractmethod
    async def read_again(self) -> None:
        """Reads what is seen again."""

    @abstractmethod
    def forget(self) -> None:
        """Another table is looked at: nothing of the last one may stay."""

    @abstractmethod
    def rearrange(self) -> None:
        """Gives the table its columns."""

    @abstractmethod
    def facts(self) -> list[Part]:
        """What was looked at and how many match, for the line above the table."""

    @abstractmethod
    def nothing(self) -> str:
        """What an empty list says."""

    @property
    @abstractmethod
    def taken_at(self) -> datetime | None:
        """The server's time of the last read."""

    @property
    @abstractmethod
    def cost_ms(self) -> float:
        """What the last read cost the server."""

    @property
    @abstractmethod
    def matched(self) -> Measure:
        """How many match."""

    @property
    @abstractmethod
    def whole(self) -> tuple[Selection, Sort]:
        """What an export of everything that matches takes."""

    # The view

    def compose(self) -> ComposeResult:
        yield self.bar
        yield self._facts
        yield self.table

    def on_mount(self) -> None:
        self.watch(self.app, "link", self._show_link, init=False)

    def landing(self) -> Widget:
        return self.table

    def draw(self, snapshot: Snapshot) -> None:
        if self._source is not self.top.source:
            self._change_source()
        self.look.now = max(snapshot.taken_at, self.taken_at or snapshot.taken_at)
        if self.look.times is not self.top.times:
            self.look.times = self.top.times
            self.table.forget_widths()
        self.table.measure_again()
        self._show_link(self.top.link)
        self.show_facts()
        if self._read_at == 0.0 and not self._reading:
            self.start(self.read)
        elif snapshot.seq != self._seq and not self.top.resting and self._may_read():
            self.start(self.read_again)
        self._seq = snapshot.seq

    def shown(self) -> None:
        """Before the first snapshot too: a list needs none."""
        if self._read_at == 0.0 and not self._reading:
            if self._source is not self.top.source:
                self._change_source()
            self.start(self.read)

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_facts)

    def hidden(self) -> None:
        """Gives up what is being read, to be read when the view is seen again."""
        self.workers.cancel_node(self)
        if self._reading:
            self._reading, self._read_at = False, 0.0

    def select(self, selection: Selection) -> None:
        """Lists the jobs of this selection from now on."""
        self.bar.put(selection)
        self._select(selection)

    def show_facts(self) -> None:
        """The line above the table: a mistake, a fault, or what was looked at."""
        width = self._facts.size.width
        if self._mistake or self._fault:
            glyph = MARKS[Level.CRITICAL].glyph if self._mistake else MARKS[Level.WARNING].glyph
            style = "bold $error" if self._mistake else "$warning"
            self._facts.put(
                fit([Part((f"{glyph} {self._mistake or self._fault}",), style)], [], width)
            )
        else:
            self._facts.put(fit(self.facts(), self._state(), width))

    def _state(self) -> list[Part]:
        """The right end of the line: marks, and whether the list rests."""
        marks = len(self.table.marks)
        resting = "resting, p goes on" if self.top.resting else ""
        marked = f"{show_count(marks)} marked" if marks else ""
        return [Part((resting, ""), "$warning", 1), Part((marked,), "bold $accent")]

    def show_rows(self) -> None:
        """To be called after each read."""
        taken = self.taken_at
        if taken is not None and (self.look.now is None or taken > self.look.now):
            self.look.now = taken  # a list read after the snapshot: nothing in it is yet to come
            self.table.measure_again()
        self.table.empty = self.nothing()
        self.show_facts()

    def _show_link(self, link: LinkState) -> None:
        if self._source is not None and self._source is not self.top.source:
            self._change_source()
        self.table.set_class(link.link is Link.STALE, "-stale")

    def _change_source(self) -> None:
        if self._source is not None:
            self.table.clear_marks()
            self.bar.put(Selection())
            self.selection = Selection()
        self._source = self.top.source
        self._fault, self._read_at, self._values_at = "", 0.0, 0.0
        self.forget()
        self.rearrange()

    def _select(self, selection: Selection) -> None:
        self.selection = selection
        self.table.restart()
        if self._source is not None and self.seen:
            self.start(self.read)
        else:
            self._read_at = 0.0

    # Reading

    def start(self, read: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Reads in the background; what was still being read is given up for it."""
        self._reading = True
        self._run(read)

    @work(exclusive=True, group="list", exit_on_error=False)
    async def _run(self, read: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await read()
            self._fault = ""
        except QueuetopError as error:
            self._fault = error.sentence
        except Exception as error:  # noqa: BLE001  # the screen lives on, the log knows
            self.top.crash_log.write(error)
            self._fault = f"The list stopped by a fault of queuetop ({type(error).__name__})"
        finally:
            if not get_current_worker().is_cancelled:
                self._reading = False
                self._read_at = time.monotonic()
        self.show_rows()

    def _may_read(self) -> bool:
        pause = min(PATIENCE_S, self.cost_ms / 1000 / SHARE)
        return not self._reading and time.monotonic() - self._read_at >= pause

    # The filter

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "filter" or not self.bar.editing

    def action_filter(self) -> None:
        self.bar.edit()
        if time.monotonic() - self._values_at > VALUES_S:
            self._values_at = time.monotonic()
            self._learn_values()

    @work(exclusive=True, group="values", exit_on_error=False)
    async def _learn_values(self) -> None:
        """Values to complete with: what is known of the table now, one column after the other."""
        source, known = self.top.source, dict[str, tuple[str, ...]]()
        lacking = {
            name
            for name, term in NAMED.items()
            if term.column and term.column != "failure_kind" and not source.mapping.has(term.column)
        }
        self.bar.know(known, lacking)
        for term in NAMED.values():
            if term.column is None or term.name in lacking:
                continue
            try:
                known[term.column] = await source.browse.values(term.column)
            except QueuetopError:
                continue
            self.bar.know(known, lacking)

    @on(FilterBar.Applied)
    def _applied(self, event: FilterBar.Applied) -> None:
        event.stop()
        self._select(event.selection)

    @on(FilterBar.Mistaken)
    def _mistaken(self, event: FilterBar.Mistaken) -> None:
        event.stop()
        self._mistake = event.sentence
        self.show_facts()

    @on(FilterBar.Left)
    def _left(self, event: FilterBar.Left) -> None:
        event.stop()
        self.table.focus()

    # What can be done with jobs

    @on(Grid.Chosen)
    def _open(self, event: Grid.Chosen) -> None:
        from queuetop.ui.screens.job import JobScreen

        event.stop()
        self.app.push_screen(JobScreen(event.key, beside=self.table.beside))

    def action_open(self) -> None:
        self.table.action_choose()

    def action_mark(self) -> None:
        self.table.toggle_mark()

    def action_mark_range(self) -> None:
        self.table.mark_range()

    @on(JobsTable.Marked)
    def _marked(self, event: JobsTable.Marked) -> None:
        event.stop()
        self.show_facts()

    def action_copy(self) -> None:
        copy_jobs(self.top, self.table.chosen())

    def action_export(self) -> None:
        from queuetop.ui.screens.export import ExportScreen

        source = self.top.source
        selection, sort = self.whole
        marked = tuple(self.table.marks)
        self.app.push_screen(
            ExportScreen(source.browse, selection, sort, self.matched, marked, name=source.ref.name)
        )

    def action_leave(self) -> None:
        """``esc`` takes the marks away first, then goes back."""
        if not self.table.clear_marks():
            self.top.action_go_back()
