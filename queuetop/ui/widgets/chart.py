"""One chart: a pure function draws it with plotext, a widget keeps the drawing until it would differ.

plotext's figure is global: ``draw`` is called from the UI's thread alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import plotext
from msgspec import Struct
from rich.color import ColorType
from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from queuetop.ui.axis import show_tick, top_of
from queuetop.ui.marks import Paint
from queuetop.ui.series import Series, resample, span_of

if TYPE_CHECKING:
    from queuetop.ui.app import QueueTop

MIN_WIDTH = 20
MIN_HEIGHT = 5
#: Seconds that a chart looks back: the shortest that holds a young history, in thirds of whole minutes.
SPANS_S = (180.0, 360.0, 900.0)
#: Braille dots in a cell, across.
DOTS = 2
#: Cells for the labels of the upright axis.
LABELS = 9
#: An alarm up to so many times the highest value stays in sight.
NEAR = 4.0


class Curve(Struct, frozen=True):
    """One series: the name that stands at its end, its points, and which colour of ``Paint``."""

    name: str
    series: Series
    color: str


class Plot(Struct, frozen=True, kw_only=True):
    """What one chart shows. ``alarm`` is drawn as a line; ``time``: the values are seconds."""

    curves: tuple[Curve, ...] = ()
    alarm: float | None = None
    time: bool = False


def draw(plot: Plot, width: int, height: int, paint: Paint) -> Text:
    """The last minutes, at most a quarter of an hour, in ``width`` × ``height`` cells.

    Values that are not finite are left out; under 20×5, or with nothing to draw, it says ``n/a``.
    """
    if width < MIN_WIDTH or height < MIN_HEIGHT:
        return Text("n/a", paint.muted)
    names = max((len(curve.name) + 2 for curve in plot.curves if curve.name), default=0)
    if names > width // 3:
        names = 0
    steps = (width - LABELS - names) * DOTS
    span = span_of([curve.series for curve in plot.curves], SPANS_S)
    drawn = [(curve, resample(curve.series, span, steps)) for curve in plot.curves]
    drawn = [(curve, values) for curve, values in drawn if values]
    if not drawn:
        return Text("n/a", paint.muted)
    highest = max(max(values) for _, values in drawn)
    alarm = plot.alarm if plot.alarm is not None and plot.alarm <= highest * NEAR else None
    top = top_of(max(highest, (alarm or 0.0) * 1.1), time=plot.time)
    _frame(width, height, steps, names, paint)
    _times(span, steps)
    if alarm is not None:
        plotext.plot([0, steps - 1], [alarm, alarm], marker="╌", color=_color(paint.warning))
    for curve, values in drawn:
        color = _color(getattr(paint, curve.color))
        start = steps - len(values)
        plotext.plot(list(range(start, steps)), values, marker="braille", color=color)
    if names:
        _name_ends(drawn, steps, top, height - 1, paint)
    plotext.ylim(0, top)
    ticks = (0.0, top / 2, top) if height >= 7 else (0.0, top)
    plotext.yticks(
        ticks, [show_tick(tick, time=plot.time).rjust(LABELS - 2) + " " for tick in ticks]
    )
    return Text.from_ansi(plotext.build().rstrip("\n"))


def _frame(width: int, height: int, steps: int, names: int, paint: Paint) -> None:
    """A figure of this size without box or colours of its own."""
    plotext.clear_figure()
    plotext.limit_size(False, False)
    plotext.plotsize(width, height)
    plotext.canvas_color("default")
    plotext.axes_color("default")
    plotext.ticks_color(_color(paint.muted))
    plotext.xaxes(False, False)
    plotext.yaxes(False, False)
    plotext.xlim(0, steps + names * DOTS - 1)


def _times(span_s: float, steps: int) -> None:
    """The lower axis: how long ago, in thirds."""
    minutes = round(span_s / 60)
    labels = [f"-{minutes}m", f"-{minutes * 2 // 3}m", f"-{minutes // 3}m", "now"]
    plotext.xticks([0, steps // 3, 2 * steps // 3, steps - 1], labels)


def _name_ends(
    drawn: Sequence[tuple[Curve, list[float]]], steps: int, top: float, rows: int, paint: Paint
) -> None:
    """Each curve's name at its end, a row apart where they end close together."""
    named = sorted((pair for pair in drawn if pair[0].name), key=lambda pair: pair[1][-1])
    height = max(1, rows - 1)
    places = apart([values[-1] / top * height for _, values in named], height)
    for (curve, _), row in zip(named, places, strict=True):
        color = _color(getattr(paint, curve.color))
        plotext.text(f" {curve.name}", x=steps, y=row / height * top, color=color, alignment="left")


def apart(wanted: Sequence[float], last: int) -> list[int]:
    """Rising places as different whole rows from 0 to ``last``, as near as they can be."""
    rows: list[int] = []
    for place in wanted:
        rows.append(max(round(place), rows[-1] + 1 if rows else 0))
    ceiling = last
    for index in reversed(range(len(rows))):
        rows[index] = max(0, min(rows[index], ceiling))
        ceiling = rows[index] - 1
    return rows


def _color(style: Style) -> object:
    """A Rich colour as plotext wants it."""
    color = style.color
    if color is None or color.type is ColorType.DEFAULT:
        return "default"
    if color.triplet is not None:
        return tuple(color.triplet)
    return color.number if color.number is not None else "default"


class Chart(Widget):
    """Draws again only when its newest dot, the size, the scale or the colours changed."""

    ALLOW_SELECT = False

    def __init__(self, title: str, *, id: str | None = None) -> None:  # noqa: A002  # Textual's word
        super().__init__(id=id)
        self.title = title
        self._plot = Plot()
        self._note = ""
        self._drawn: tuple[object, Text] | None = None

    def show(self, plot: Plot, note: str = "") -> None:
        """``note`` stands in the title: what the alarm is."""
        self._plot, self._note = plot, note
        if self._drawn is None or self._drawn[0] != self._key():
            self.refresh()

    def render(self) -> Text:
        key = self._key()
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = (key, self._draw())
        return self._drawn[1]

    def _key(self) -> object:
        width, height = self.size
        span = span_of([curve.series for curve in self._plot.curves], SPANS_S)
        step = span / max(1, width * DOTS)
        newest = tuple(
            (curve.color, int(curve.series[-1][0] / step) if curve.series else None)
            for curve in self._plot.curves
        )
        return (width, height, span, self.app.theme, newest, self._plot.alarm, self._note)

    def _draw(self) -> Text:
        width, height = self.size
        paint = cast("QueueTop", self.app).paint
        title = Text.assemble((self.title, paint.muted), ("  " + self._note, paint.warning))
        return Text("\n").join([title, draw(self._plot, width, height - 1, paint)])
