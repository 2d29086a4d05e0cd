"""View 1: under the verdict, the numbers and the charts, the failures by kind."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from queuetop.model.numbers import show_share
from queuetop.model.selection import Selection
from queuetop.model.snapshot import FailureKind, Snapshot
from queuetop.model.states import GAVE_UP
from queuetop.ui import keys
from queuetop.ui.marks import number
from queuetop.ui.times import TimeMode, show_age
from queuetop.ui.view import View
from queuetop.ui.views.failures import class_of, nothing
from queuetop.ui.widgets.sparkline import spark
from queuetop.ui.widgets.table import Column, Table


class OverviewView(View):
    """The focus starts on the verdict: ``enter`` says why, ``↓`` goes to the kinds."""

    number: ClassVar[int] = 1
    title: ClassVar[str] = "Overview"
    where: ClassVar[str] = "overview"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("overview")

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own word
        super().__init__(id=id)
        self._now: datetime | None = None
        self._mode = TimeMode.RELATIVE
        self.table: Table[FailureKind] = Table(
            self._columns(), key=lambda row: row.kind, empty="Waiting for the first numbers."
        )

    def compose(self) -> ComposeResult:
        yield self.table

    def draw(self, snapshot: Snapshot) -> None:
        if self._mode is not self.top.times:
            self._mode = self.top.times
            self.table.forget_widths()
        self._now = snapshot.taken_at
        self.table.empty = nothing(snapshot.failures)
        self.table.show(snapshot.failures.kinds)

    def landing(self) -> Widget | None:
        return self.screen.query_one("#verdict")

    @on(Table.Chosen)
    def _jobs(self, event: Table.Chosen) -> None:
        event.stop()
        self.top.show_jobs(Selection(states=GAVE_UP, failures=(event.key,)))

    def _columns(self) -> tuple[Column[FailureKind], ...]:
        return (
            Column("KIND", lambda row: row.kind, width=12, limit=28),
            Column("CLASS", class_of, priority=3),
            Column("COUNT", lambda row: number(row.count, self._now), "right"),
            Column("SHARE", lambda row: show_share(row.share), "right", priority=2),
            Column("LAST", self._last, "right", priority=1),
            Column(
                "TREND", lambda row: Text(spark(row.trend), "$text-muted"), width=12, priority=5
            ),
            Column("", lambda row: Text("NEW" if row.new else "", "bold $warning"), priority=1),
            Column("EXAMPLE", lambda row: row.example, width=16, priority=4, grows=True),
        )

    def _last(self, row: FailureKind) -> str:
        return "–" if self._now is None else show_age(row.last_failed_at, self._mode, self._now)
