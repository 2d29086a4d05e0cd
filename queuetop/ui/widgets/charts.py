"""Two charts side by side: the age of the oldest work, and jobs by state."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal

from queuetop.model.ports import Watch
from queuetop.model.snapshot import Snapshot
from queuetop.ui.widgets.chart import Chart, Curve


class Charts(Horizontal):
    """The last quarter of an hour."""

    def compose(self) -> ComposeResult:
        yield Chart("oldest pending age", unit="s", id="chart-age")
        yield Chart("jobs by state", unit="", id="chart-states")

    def show(self, snapshot: Snapshot | None, watch: Watch) -> None:
        if snapshot is None:
            return
        history = watch.history
        alarm = watch.mapping.alarms.seconds("oldest_pending")
        self.query_one("#chart-age", Chart).show(
            [Curve("", history.series("oldest_pending"), "accent")], alarm=alarm
        )
        self.query_one("#chart-states", Chart).show(
            [
                Curve("pending", history.series("pending"), "accent"),
                Curve("running", history.series("running"), "success"),
                Curve("failed", history.series("failed"), "error"),
            ]
        )

    def forget(self) -> None:
        for chart in self.query(Chart):
            chart.forget()
