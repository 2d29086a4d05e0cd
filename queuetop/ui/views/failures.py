"""View 2: the jobs that gave up, by kind, and one example in full."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from queuetop.model.mapping import Mapping
from queuetop.model.numbers import show_count, show_measure, show_share
from queuetop.model.selection import Selection
from queuetop.model.snapshot import NO_KIND, FailureKind, Failures, Snapshot
from queuetop.model.states import GAVE_UP, FailureClass
from queuetop.ui import keys
from queuetop.ui.marks import CLASS_MEANING, number
from queuetop.ui.times import TimeMode, show_age, show_time
from queuetop.ui.view import View
from queuetop.ui.widgets.sparkline import spark
from queuetop.ui.widgets.table import Column, Table
from queuetop.ui.widgets.texts import bar, content

#: From this width on the example stands beside the kinds.
WIDE = 170
BAR = 6


class FailuresView(View):
    """The kinds, most frequent first; under the cursor, what the kind means."""

    number: ClassVar[int] = 2
    title: ClassVar[str] = "Failures"
    where: ClassVar[str] = "failures"
    BINDINGS = keys.bindings("failures")
    DEFAULT_CSS = """
    FailuresView {
        & > Table { height: auto; max-height: 60%; }
        & > VerticalScroll {
            height: 1fr; padding: 1 2 0 2; scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        }
        &.-wide { layout: horizontal; }
        &.-wide > Table { width: 2fr; height: 1fr; max-height: 100%; }
        &.-wide > VerticalScroll { width: 1fr; padding: 0 2 0 4; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's own word
        super().__init__(id=id)
        self._now: datetime | None = None
        self._mode = TimeMode.RELATIVE
        self._failures: Failures | None = None
        self.table: Table[FailureKind] = Table(
            self._columns(), key=lambda row: row.kind, empty="Waiting for the first numbers."
        )
        self._detail = Static()

    def compose(self) -> ComposeResult:
        yield self.table
        with VerticalScroll(can_focus=False):
            yield self._detail

    def draw(self, snapshot: Snapshot) -> None:
        failures = snapshot.failures
        if self._mode is not self.top.times:
            self._mode = self.top.times
            self.table.forget_widths()
        self._now, self._failures = snapshot.taken_at, failures
        self.table.empty = nothing(failures)
        self.table.show(failures.kinds)
        self._explain()

    def action_open(self) -> None:
        self.table.action_choose()

    def action_sort(self) -> None:
        self.table.action_sort_next()

    def action_reverse(self) -> None:
        self.table.action_sort_reverse()

    @on(Table.Chosen)
    def list_jobs(self, event: Table.Chosen) -> None:
        event.stop()
        self.top.show_jobs(jobs_of(event.key, self.top.source.mapping))

    @on(Table.Moved)
    def _explain(self) -> None:
        kind, failures, now = self.table.cursor_row, self._failures, self._now
        if kind is None or failures is None or now is None:
            self._detail.update("")
        else:
            lines = explain(kind, failures, self._mode, now)
            self._detail.update(content(Text("\n").join(lines)))

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= WIDE, "-wide")

    def _columns(self) -> tuple[Column[FailureKind], ...]:
        return (
            Column("KIND", lambda row: row.kind, width=18, limit=28, sort=lambda row: row.kind),
            Column("", lambda row: Text("NEW" if row.new else "", "bold $warning"), priority=1),
            Column("CLASS", class_of, priority=3, sort=lambda row: row.failure_class),
            Column(
                "COUNT",
                lambda row: number(row.count, self._now),
                "right",
                sort=lambda row: row.count.value,
                descending=True,
            ),
            Column("SHARE", lambda row: show_share(row.share), "right", priority=4),
            Column("", lambda row: Text(bar(row.share, BAR), "$text-muted"), width=BAR, priority=6),
            Column(
                "1h",
                lambda row: Text(f"+{show_count(row.recent)}" if row.recent else "0"),
                "right",
                priority=2,
                sort=lambda row: row.recent,
                descending=True,
            ),
            Column("TREND", lambda row: Text(spark(row.trend), "$accent"), width=12, priority=5),
            Column(
                "LAST",
                lambda row: self._age(row.last_failed_at),
                "right",
                priority=2,
                sort=lambda row: row.last_failed_at,
                descending=True,
            ),
            Column(
                "FIRST",
                lambda row: self._age(row.first_failed_at),
                "right",
                priority=8,
                sort=lambda row: row.first_failed_at,
            ),
            Column("EXAMPLE", lambda row: row.example, width=24, priority=7, grows=True),
        )

    def _age(self, moment: datetime | None) -> Text:
        if self._now is None:
            return Text("–")
        return Text(show_age(moment, self._mode, self._now))


def jobs_of(kind: str, mapping: Mapping) -> Selection:
    """The jobs that gave up by a kind; where nothing tells kinds apart, all that gave up."""
    if not (mapping.has("failure_kind") or mapping.has("failure_detail")):
        return Selection(states=GAVE_UP)
    return Selection(states=GAVE_UP, failures=("" if kind == NO_KIND else kind,))


def class_of(kind: FailureKind) -> Text:
    known = kind.failure_class is not FailureClass.UNCLASSIFIED
    return Text(str(kind.failure_class), "" if known else "$text-muted")


def nothing(failures: Failures) -> str:
    """What an empty table says."""
    if not failures.total.known:
        return f"Failures are not known: {failures.total.why or 'no reason given'}."
    if failures.total.value:
        count = show_measure(failures.total)
        return f"{count} jobs gave up; their kinds are not known. Looked at: {failures.window}."
    return f"● No job gave up. Looked at: {failures.window}."


def explain(kind: FailureKind, failures: Failures, mode: TimeMode, now: datetime) -> Iterator[Text]:
    """The kind under the cursor in sentences: its class, its numbers, one example whole."""
    meaning = CLASS_MEANING[kind.failure_class]
    yield Text.assemble((kind.kind, "bold"), f" · {kind.failure_class} – {meaning}")
    yield Text(
        f"{show_measure(kind.count)} jobs, {show_share(kind.share)} of "
        f"{show_measure(failures.total)} that gave up; {show_count(kind.recent)} in the last hour"
    )
    first, last = (
        show_time(moment, mode, now) for moment in (kind.first_failed_at, kind.last_failed_at)
    )
    yield Text(f"first {first}, last {last}" + (", new in the last 15 minutes" if kind.new else ""))
    yield Text()
    if kind.example:
        source = f"Example, job {kind.example_id}" if kind.example_id else "Example"
        yield Text(source, "$text-muted")
        yield Text(kind.example)
    else:
        yield Text("No message is stored with these jobs.", "$text-muted")
    yield Text()
    yield Text(f"Looked at: {failures.window}", "$text-muted")
    for measure in (kind.count, failures.total):
        if measure.why and measure.why not in failures.window:
            yield Text(f"{show_measure(measure)}: {measure.why}", "$text-muted")
