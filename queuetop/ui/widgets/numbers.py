"""The strip of numbers: value and label, and where there is room a line of the last quarter hour."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message

from queuetop.model.ports import History
from queuetop.model.snapshot import Level, Snapshot
from queuetop.ui.marks import mark
from queuetop.ui.series import resample, span_of
from queuetop.ui.signals import Signal, show_exactness, signals, trend
from queuetop.ui.widgets.line import Line
from queuetop.ui.widgets.sparkline import spark

#: How much is said beside the values, the least first: glyphs, words, trends.
GLYPHS, WORDS, TRENDS = range(3)
#: Which number leaves first when there is no room, by its place.
LEAVING = (7, 6, 1, 5, 4)
#: Seconds that the little lines look back: the shortest that holds a young history.
SPANS_S = (60.0, 180.0, 900.0)

#: A number's place in the strip, where it starts, and how wide its cell is.
Place = tuple[int, int, int]


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
        self._places: tuple[Place, ...] = ()
        self._now: datetime | None = None
        #: The widest that each number has been at this width, so that nothing shakes.
        self._needed: list[list[int]] = []
        self._measured = 0

    def show(self, snapshot: Snapshot | None, history: History, *, stale: bool) -> None:
        if snapshot is None:
            self._signals, self._places = (), ()
            self.put(Content())
            return
        self._signals, self._now = signals(snapshot), snapshot.taken_at
        if self._measured != self.size.width:
            self._needed, self._measured = [], self.size.width
        rich, self._needed = richness(self._signals, self._needed, self.size.width - 2)
        self._places = layout(self._needed[rich], self.size.width - 2)
        lines = _tall if self.size.height > 2 else _low
        content = lines(self._signals, self._places, history, rich)
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


def richness(
    found: Sequence[Signal], before: Sequence[Sequence[int]], room: int
) -> tuple[int, list[list[int]]]:
    """How much can be said in ``room`` cells, and the cells that each number needs for it.

    ``before`` is what they needed until now: widths only grow, so that nothing shakes.
    """
    needed = [[_needs(signal, rich) for signal in found] for rich in (GLYPHS, WORDS, TRENDS)]
    if before:
        needed = [
            [max(pair) for pair in zip(now, then, strict=True)]
            for now, then in zip(needed, before, strict=True)
        ]
    fitting = [rich for rich, cells in enumerate(needed) if sum(cells) <= room]
    return max(fitting, default=GLYPHS), needed


def _needs(signal: Signal, rich: int) -> int:
    gap = 1 if rich == GLYPHS else 2
    label = signal.short if rich == GLYPHS else signal.label
    return max(cell_len(_form(signal, "↑", rich)), cell_len(label)) + gap


def layout(needed: Sequence[int], room: int) -> tuple[Place, ...]:
    """Where each number is that fits: none is ever cut, those that have no room leave."""
    kept = list(range(len(needed)))
    leaving = list(LEAVING)
    while leaving and sum(needed[i] for i in kept) > room:
        kept.remove(leaving.pop(0))
    spare = max(0, room - sum(needed[i] for i in kept)) // max(1, len(kept))
    places, x = [], 1
    for index in kept:
        width = needed[index] + min(spare, 8)
        places.append((index, x, width))
        x += width
    return tuple(places)


def _form(signal: Signal, arrow: str, rich: int) -> str:
    """A value with its trend and its level, as far as there is room for them."""
    parts = [signal.value]
    if rich == TRENDS and arrow and signal.known:
        parts.append(arrow)
    if _loud(signal):
        look = mark(signal.level)
        parts.append(look.glyph if rich == GLYPHS else f"{look.glyph} {look.short}")
    return " ".join(parts)


def _loud(signal: Signal) -> bool:
    return signal.known and signal.level in {Level.WARNING, Level.CRITICAL}


def _tall(found: Sequence[Signal], places: Sequence[Place], history: History, rich: int) -> Content:
    labels, values, lines = [Content(" ")], [Content(" ")], [Content(" ")]
    for index, _, width in places:
        signal = found[index]
        series = history.series(signal.series)
        labels.append(_cell(_label(signal, rich), width))
        values.append(_cell(_value(signal, trend(series), rich), width))
        drawn = spark(resample(series, span_of([series], SPANS_S), width - 3))
        lines.append(_cell(Content.styled(drawn, _line_style(signal)), width))
    return Content("\n").join([_row(labels), _row(values), _row(lines)])


def _low(found: Sequence[Signal], places: Sequence[Place], history: History, rich: int) -> Content:
    labels, values = [Content(" ")], [Content(" ")]
    for index, _, width in places:
        signal = found[index]
        arrow = trend(history.series(signal.series))
        values.append(_cell(_value(signal, arrow, rich), width))
        labels.append(_cell(_label(signal, rich), width))
    return Content("\n").join([_row(values), _row(labels)])


def _row(cells: Sequence[Content]) -> Content:
    return Content().join(cells)


def _cell(content: Content, width: int) -> Content:
    """In ``width`` cells, of which the last stays empty."""
    kept = content.truncate(width - 1, ellipsis=True)
    return kept.pad_right(width - kept.cell_length)


def _label(signal: Signal, rich: int) -> Content:
    return Content.styled(signal.short if rich == GLYPHS else signal.label, "$text-muted")


def _value(signal: Signal, arrow: str, rich: int) -> Content:
    if not signal.known:
        return Content.styled(signal.value, "$text-muted")
    style = f"bold {mark(signal.level).style}" if _loud(signal) else "bold"
    content = Content.styled(_form(signal, arrow, rich), style)
    return content.stylize("dim") if signal.stale else content


def _line_style(signal: Signal) -> str:
    return mark(signal.level).style if _loud(signal) else "$text-muted"


def _tip(signal: Signal, now: datetime) -> str:
    lines = [signal.meaning, ""]
    for name, measure, text in signal.lines:
        lines.append(f"{name}: {text}  {show_exactness(measure, now)}")
    return "\n".join([*lines, *signal.notes])
