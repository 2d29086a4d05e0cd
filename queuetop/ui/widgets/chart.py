"""One chart: a pure function draws it with plotext, a widget keeps the drawing until it would differ.

plotext's figure is global: ``draw`` is called from the UI's thread alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import plotext
from msgspec import Struct
from rich.text import Text
from textual.widget import Widget

from queuetop.model.durations import show_duration
from queuetop.model.numbers import show_count
from queuetop.ui.series import Series, resample

MIN_WIDTH = 20
MIN_HEIGHT = 5
#: Seconds that a chart looks back.
SPAN_S = 900.0
#: Braille dots in a cell, across.
DOTS = 2

RGB = tuple[int, int, int]


class Curve(Struct, frozen=True):
    """One series: a label for the legend, its points, and which colour of the palette it has."""

    label: str
    series: Series
    color: str


class Palette(Struct, frozen=True):
    """Colours by name; None leaves the terminal's own."""

    colors: dict[str, RGB | None]

    def of(self, name: str) -> RGB | str:
        return self.colors.get(name) or "default"


def draw(
    curves: Sequence[Curve],
    width: int,
    height: int,
    palette: Palette,
    *,
    alarm: float | None = None,
    show: Callable[[float], str] = show_count,
) -> Text:
    """The curves over the last quarter of an hour in ``width`` × ``height`` cells.

    ``show`` writes the values of the upright axis. Values that are not finite are left out; under
    20×5, or with nothing to draw, it says ``n/a``.
    """
    drawn = [(curve, resample(curve.series, SPAN_S, (width - 8) * DOTS)) for curve in curves]
    drawn = [(curve, values) for curve, values in drawn if values]
    if width < MIN_WIDTH or height < MIN_HEIGHT or not drawn:
        return Text("n/a", "dim")
    top = _top(max(max(values) for _, values in drawn), alarm)
    steps = (width - 8) * DOTS
    plotext.clear_figure()
    plotext.limit_size(False, False)
    plotext.plotsize(width, height)
    for part in (plotext.canvas_color, plotext.axes_color):
        part("default")
    plotext.ticks_color(palette.of("muted"))
    plotext.xaxes(False, False)
    plotext.yaxes(False, False)
    plotext.xlim(0, steps)
    plotext.ylim(0, top)
    if alarm is not None and alarm <= top:
        plotext.hline(alarm, palette.of("warning"))
    for curve, values in drawn:
        start = steps - len(values)
        plotext.plot(
            range(start, steps), values, marker="braille", color=palette.of(curve.color), label=None
        )
    ticks = (0.0, top / 2, top) if height >= 7 else (0.0, top)
    plotext.yticks(ticks, [show(tick).rjust(7) for tick in ticks])
    plotext.xticks([0, steps // 3, 2 * steps // 3, steps - 1], ["-15m", "-10m", "-5m", "now"])
    return Text.from_ansi(plotext.build())


def _top(highest: float, alarm: float | None) -> float:
    """The upright axis ends at a round number that leaves the alarm line in sight when it is near."""
    if alarm is not None and alarm <= highest * 4:
        highest = max(highest, alarm * 1.1)
    if highest <= 0:
        return 1.0
    step = 10.0 ** math.floor(math.log10(highest))
    return next(
        step * factor for factor in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * factor >= highest
    )


class Chart(Widget):
    """Draws again only when the newest dot, the size, the scale or the colours changed."""

    ALLOW_SELECT = False

    def __init__(self, title: str, *, unit: str, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.title = title
        self.unit = unit
        self._curves: tuple[Curve, ...] = ()
        self._alarm: float | None = None
        self._drawn: tuple[object, Text] | None = None

    def show(self, curves: Sequence[Curve], *, alarm: float | None = None) -> None:
        self._curves, self._alarm = tuple(curves), alarm
        if self._drawn is None or self._drawn[0] != self._key():
            self.refresh()

    def forget(self) -> None:
        self._curves, self._drawn = (), None
        self.refresh()

    def render(self) -> Text:
        key = self._key()
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = (key, self._draw())
        return self._drawn[1]

    def _key(self) -> object:
        width, height = self.size
        step = SPAN_S / max(1, width * DOTS)
        newest = tuple(int(c.series[-1][0] / step) if c.series else None for c in self._curves)
        return (width, height, self.app.theme, newest, self._alarm)

    def _draw(self) -> Text:
        width, height = self.size
        palette = Palette({})
        show = show_duration if self.unit == "s" else show_count
        return draw(self._curves, width, height, palette, alarm=self._alarm, show=show)
