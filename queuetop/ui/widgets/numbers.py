"""The strip of numbers: value and label, and where there is room a line of the last quarter hour."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from textual import events
from textual.content import Content
from textual.message import Message

from queuetop.model.ports import History
from queuetop.model.snapshot import Level, Snapshot
from queuetop.ui.marks import mark
from queuetop.ui.series import resample
from queuetop.ui.signals import Signal, show_exactness, signals, trend
from queuetop.ui.widgets.line import Line
from queuetop.ui.widgets.sparkline import spark

#: Least width of each number in cells, with and without room for words. In the strip's order.
NARROW = (11, 9, 9, 12, 10, 8, 10, 8)
WIDE = (18, 17, 15, 15, 13, 15, 16, 11)
#: Which number leaves first when there is no room, by its place.
LEAVING = (7, 6, 1, 5)
#: Seconds that the little lines look back.
SPAN_S = 900.0


class Numbers(Line):
    """Two or three lines high, as CSS says. A click on a number asks why."""

    class Why(Message):
        """The evidence of one number is wanted."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._signals: tuple[Signal, ...] = ()
        self._places: tuple[tuple[int, int, int], ...] = ()
        self._now: datetime | None = None

    def show(self, snapshot: Snapshot | None, history: History, *, stale: bool) -> None:
        if snapshot is None:
            self._signals, self._places = (), ()
            self.put(Content())
            return
        self._signals, self._now = signals(snapshot), snapshot.taken_at
        width, height = self.size
        self._places, wide = layout(width - 1)
        lines = _tall if height > 2 else _low
        content = lines(self._signals, self._places, history, wide=wide)
        self.put(content.stylize("dim") if stale else content)

    def _at(self, x: int) -> Signal | None:
        found = next(
            (index for index, start, width in self._places if start <= x < start + width), None
        )
        return self._signals[found] if found is not None and self._signals else None

    def on_click(self, event: events.Click) -> None:
        signal = self._at(event.x)
        if signal is not None:
            self.post_message(self.Why(signal.name))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        signal = self._at(event.x)
        self.tooltip = Content(_tip(signal, self._now)) if signal and self._now else None


def layout(room: int) -> tuple[tuple[tuple[int, int, int], ...], bool]:
    """Which numbers are shown where: (place in the strip, x, width); and whether words fit."""
    wide = sum(WIDE) <= room
    least = WIDE if wide else NARROW
    kept = list(range(len(least)))
    leaving = list(LEAVING)
    while leaving and sum(least[i] for i in kept) > room:
        kept.remove(leaving.pop(0))
    spare = max(0, room - sum(least[i] for i in kept)) // max(1, len(kept))
    places, x = [], 1
    for index in kept:
        width = least[index] + min(spare, 8)
        places.append((index, x, width))
        x += width
    return tuple(places), wide


def _tall(
    found: Sequence[Signal], places: Sequence[tuple[int, int, int]], history: History, *, wide: bool
) -> Content:
    labels, values, lines = [Content(" ")], [Content(" ")], [Content(" ")]
    for index, _, width in places:
        signal = found[index]
        series = history.series(signal.series)
        labels.append(_cell(Content.styled(_label(signal, width), "$text-muted"), width))
        values.append(_cell(_value(signal, trend(series), words=wide), width))
        drawn = spark(resample(series, SPAN_S, width - 3))
        lines.append(_cell(Content.styled(drawn, _line_style(signal)), width))
    return Content("\n").join([_row(labels), _row(values), _row(lines)])


def _low(
    found: Sequence[Signal], places: Sequence[tuple[int, int, int]], history: History, *, wide: bool
) -> Content:
    labels, values = [Content(" ")], [Content(" ")]
    for index, _, width in places:
        signal = found[index]
        arrow = trend(history.series(signal.series)) if wide else ""
        values.append(_cell(_value(signal, arrow, words=wide), width))
        labels.append(_cell(Content.styled(_label(signal, width), "$text-muted"), width))
    return Content("\n").join([_row(values), _row(labels)])


def _row(cells: Sequence[Content]) -> Content:
    return Content().join(cells)


def _cell(content: Content, width: int) -> Content:
    """In ``width`` cells, of which the last stays empty."""
    kept = content.truncate(width - 1, ellipsis=True)
    return kept.pad_right(width - kept.cell_length)


def _label(signal: Signal, width: int) -> str:
    return signal.label if len(signal.label) < width else signal.short


def _value(signal: Signal, arrow: str, *, words: bool) -> Content:
    look = mark(signal.level)
    if not signal.known:
        return Content.styled(signal.value, "$text-muted")
    value = f"{signal.value} {arrow}" if arrow else signal.value
    if signal.level in {Level.FINE, Level.UNKNOWN}:
        content = Content.styled(value, "bold")
    else:
        flag = f"{look.glyph} {look.short}" if words else look.glyph
        content = Content.styled(f"{value} {flag}", f"bold {look.style}")
    return content.stylize("dim") if signal.stale else content


def _line_style(signal: Signal) -> str:
    alarming = signal.level in {Level.WARNING, Level.CRITICAL}
    return mark(signal.level).style if alarming else "$accent"


def _tip(signal: Signal, now: datetime) -> str:
    lines = [signal.meaning, ""]
    for name, measure, text in signal.lines:
        lines.append(f"{name}: {text}  {show_exactness(measure, now)}")
    return "\n".join([*lines, *signal.notes])
