"""Two charts side by side: the age of the oldest work, and jobs by state."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal

from queuetop.model.durations import show_duration
from queuetop.model.ports import Watch
from queuetop.model.snapshot import Level, Snapshot
from queuetop.ui.marks import mark
from queuetop.ui.widgets.chart import Chart, Curve, Plot


class Charts(Horizontal):
    """The last quarter of an hour."""

    def compose(self) -> ComposeResult:
        yield Chart("oldest pending age", id="chart-age")
        yield Chart("jobs by state", id="chart-states")

    def show(self, snapshot: Snapshot | None, watch: Watch) -> None:
        if snapshot is None:
            return
        history = watch.history
        alarm = watch.mapping.alarms.seconds("oldest_pending")
        level = snapshot.levels.get("oldest_pending", Level.FINE)
        loud = level in {Level.WARNING, Level.CRITICAL}
        age = Curve("", history.series("oldest_pending"), mark(level).paint if loud else "accent")
        self.query_one("#chart-age", Chart).show(
            Plot(curves=(age,), alarm=alarm, time=True),
            f"╌ alarm {show_duration(alarm)}" if alarm is not None else "",
        )
        states = tuple(
            Curve(name, history.series(name), color)
            for name, color in (("pending", "accent"), ("running", "text"), ("failed", "muted"))
        )
        self.query_one("#chart-states", Chart).show(Plot(curves=states))
