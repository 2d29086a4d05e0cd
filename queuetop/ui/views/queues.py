"""View 5: each queue's numbers beside its alarm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Static

from queuetop.model.durations import show_duration
from queuetop.model.mapping import Mapping
from queuetop.model.measure import Measure
from queuetop.model.numbers import show_count, show_share
from queuetop.model.selection import Selection
from queuetop.model.snapshot import NO_QUEUE, Level, QueueLine, Snapshot
from queuetop.ui import keys
from queuetop.ui.marks import age, mark, number, rate
from queuetop.ui.view import View
from queuetop.ui.widgets.table import Column, Table
from queuetop.ui.widgets.texts import bar, content

BAR = 8
NAMELESS = "(no name)"
#: The summary and the note under the table.
OTHER_LINES = 6


class Shown(NamedTuple):
    """A measure of a queue as a column: its title, where it is, how it is written, when it leaves."""

    title: str
    of: Callable[[QueueLine], Measure]
    write: Callable[[Measure, datetime | None], Text]
    priority: int


PENDING = Shown("PENDING", lambda line: line.pending, number, 0)
OLDEST = Shown("OLDEST", lambda line: line.oldest_s, age, 1)
OTHERS = (
    Shown("WAIT", lambda line: line.wait_s, age, 3),
    Shown("RUNNING", lambda line: line.running, number, 2),
    Shown("STALLED", lambda line: line.stalled, number, 2),
    Shown("FAILED", lambda line: line.failed, number, 2),
    Shown("RETRYING", lambda line: line.retrying, number, 5),
    Shown("SCHEDULED", lambda line: line.scheduled, number, 6),
    Shown("DONE/s", lambda line: line.finished_per_s, rate, 4),
)


class QueuesView(View):
    """The queues in the snapshot's order; under the table what the one under the cursor lacks."""

    number: ClassVar[int] = 5
    title: ClassVar[str] = "Queues"
    where: ClassVar[str] = "queues"
    BINDINGS = keys.bindings("queues")
    DEFAULT_CSS = """
    QueuesView {
        & > #queues-summary { height: 1; padding: 0 2; color: $text-muted; }
        & > Table { height: auto; }
        & > #queues-note { height: auto; max-height: 5; padding: 1 2 0 2; color: $text-muted; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's own word
        super().__init__(id=id)
        self._now: datetime | None = None
        self._pending = 0.0
        self.table: Table[QueueLine] = Table(
            self._columns(), key=lambda line: line.queue, empty="Waiting for the first numbers."
        )
        self._summary = Static(id="queues-summary")
        self._note = Static(id="queues-note")

    def compose(self) -> ComposeResult:
        yield self._summary
        yield self.table
        yield self._note

    def draw(self, snapshot: Snapshot) -> None:
        self._now = snapshot.taken_at
        self._pending = sum(line.pending.value or 0.0 for line in snapshot.queues)
        self.table.empty = "No queue has a job that is not done."
        self.table.show(snapshot.queues)
        self._summary.update(content(summary(snapshot.queues)))
        self._explain()

    def on_resize(self, event: events.Resize) -> None:
        self.table.styles.max_height = max(4, event.size.height - OTHER_LINES)

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
        line = self.table.cursor_row
        self._note.display = line is not None
        if line is not None:
            self._note.update(content(Text("\n").join(explain(line))))

    def _share(self, line: QueueLine) -> float | None:
        if line.pending.value is None or not self._pending:
            return None
        return line.pending.value / self._pending

    def _share_text(self, line: QueueLine) -> Text:
        share = self._share(line)
        return Text(show_share(share), "dim" if share is None else "")

    def _columns(self) -> tuple[Column[QueueLine], ...]:
        return (
            Column(
                "QUEUE",
                lambda line: line.queue or NAMELESS,
                width=16,
                limit=32,
                sort=lambda line: line.queue,
            ),
            Column("", standing, priority=1),
            self._column(PENDING),
            Column("SHARE", self._share_text, "right", priority=8),
            Column(
                "",
                lambda line: Text(bar(self._share(line), BAR), "$text-muted"),
                width=BAR,
                priority=9,
            ),
            self._column(OLDEST),
            Column("ALARM", alarm, "right", priority=7),
            *(self._column(shown) for shown in OTHERS),
        )

    def _column(self, shown: Shown) -> Column[QueueLine]:
        return Column(
            shown.title,
            lambda line: shown.write(shown.of(line), self._now),
            "right",
            priority=shown.priority,
            sort=lambda line: shown.of(line).value,
            descending=True,
        )


def jobs_of(queue: str, mapping: Mapping) -> Selection:
    """A queue's jobs; without a column for queues there is one, and it has them all."""
    if not mapping.has("queue"):
        return Selection()
    return Selection(queues=("" if queue == NO_QUEUE else queue,))


def standing(line: QueueLine) -> Text:
    """Paused, or how the oldest age stands to the alarm where that is not fine."""
    if line.paused:
        return Text("‖ paused", "bold $warning")
    if line.level in {Level.FINE, Level.UNKNOWN}:
        return Text()
    look = mark(line.level)
    return Text(f"{look.glyph} {look.short}", look.style)


def alarm(line: QueueLine) -> Text:
    return Text(show_duration(line.alarm_s), "$text-muted")


def summary(lines: tuple[QueueLine, ...]) -> Text:
    """``12 queues · 1 paused · 2 over their alarm``."""
    if not lines:
        return Text()
    parts = [Text(f"{show_count(len(lines))} queue{'s' if len(lines) != 1 else ''}")]
    resting = sum(line.paused for line in lines)
    if resting:
        parts.append(Text(f"‖ {show_count(resting)} paused", "$warning"))
    for bad in (Level.CRITICAL, Level.WARNING):
        count = sum(line.level is bad and not line.paused for line in lines)
        if count:
            look = mark(bad)
            parts.append(Text(f"{look.glyph} {show_count(count)} {look.word}", look.style))
    return Text(" · ").join(parts)


def explain(line: QueueLine) -> Iterator[Text]:
    """What the row cannot say: the age beside the alarm, and why numbers are missing."""
    yield Text.assemble((line.queue or NAMELESS, "bold $foreground"), ": ", _sentence(line))
    missing: dict[str, list[str]] = {}
    for shown in (PENDING, *OTHERS):
        measure = shown.of(line)
        if not measure.known:
            missing.setdefault(measure.why or "no reason given", []).append(shown.title)
    for why, titles in missing.items():
        yield Text(f"– {', '.join(titles)}: {why}")


def _sentence(line: QueueLine) -> str:
    if line.paused:
        return "paused; its jobs wait on purpose and raise no age alarm"
    if not line.oldest_s.known:
        return f"oldest age not known: {line.oldest_s.why or 'no reason given'}"
    if line.oldest_s.value == 0.0:
        alarm = f"; its alarm is at {show_duration(line.alarm_s)}" if line.alarm_s else ""
        return f"nothing waits{alarm}"
    age = show_duration(line.oldest_s.value)
    if line.alarm_s is None:
        return f"oldest {age}; no alarm is set"
    relation = "over" if (line.oldest_s.value or 0.0) > line.alarm_s else "within"
    return f"oldest {age}, {relation} its alarm of {show_duration(line.alarm_s)}"
