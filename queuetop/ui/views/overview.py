"""View 1: what is wrong, and the failures by kind."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget

from queuetop.model.selection import Selection
from queuetop.model.snapshot import FailureKind, Snapshot
from queuetop.ui import keys
from queuetop.ui.marks import number
from queuetop.ui.view import View
from queuetop.ui.widgets.table import Column, Table


class OverviewView(View):
    number = 1
    title = "Overview"
    where = "overview"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("overview")

    def compose(self) -> ComposeResult:
        yield Table[FailureKind](
            [
                Column("KIND", lambda kind: kind.kind, limit=28, sort=lambda kind: kind.kind),
                Column("CLASS", lambda kind: str(kind.failure_class)),
                Column("COUNT", lambda kind: number(kind.count), "right"),
                Column("EXAMPLE", lambda kind: kind.example, grows=True, priority=1),
            ],
            key=lambda kind: kind.kind,
            empty="No job gave up.",
            id="overview-kinds",
        )

    def draw(self, snapshot: Snapshot) -> None:
        self.query_one("#overview-kinds", Table).show(snapshot.failures.kinds)

    def landing(self) -> Widget | None:
        return self.screen.query_one("#verdict")

    @on(Table.Chosen, "#overview-kinds")
    def _jobs(self, event: Table.Chosen) -> None:
        self.top.show_jobs(Selection(failures=(event.key,)))
