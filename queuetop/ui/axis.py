"""Round ends and short labels for a chart's upright axis. Pure."""

from __future__ import annotations

import math

from queuetop.model.numbers import show_count

_DAY = 86400.0
#: Lengths of time whose halves read well.
_LENGTHS = (
    *(0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 1, 2, 4, 10, 20, 30),
    *(60.0 * minutes for minutes in (1, 2, 4, 6, 10, 20, 30)),
    *(3600.0 * hours for hours in (1, 2, 4, 6, 12)),
    *(
        _DAY * days
        for days in (1, 2, 4, 10, 20, 40, 100, 200, 400, 1000, 2000, 4000, 10_000, 100_000)
    ),
)
_FACTORS = (1, 2, 3, 4, 5, 6, 8, 10)


def top_of(highest: float, *, time: bool) -> float:
    """The least round number that is not under ``highest``."""
    if highest <= 0:
        return 1.0
    if time:
        return next((length for length in _LENGTHS if length >= highest), highest)
    step = 10.0 ** math.floor(math.log10(highest))
    return next(step * factor for factor in _FACTORS if step * factor >= highest * 0.9999)


def show_tick(value: float, *, time: bool) -> str:
    """``20m``, ``1h 30m``, ``2 500``, ``1.5 M``: at most seven cells."""
    return _length(value) if time else _count(value)


def _count(value: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= 100 * size or (size > 1e3 and value >= size):
            return f"{value / size:.4g} {unit}"
    return show_count(value) if value >= 10 or value == round(value) else f"{value:.2g}"


def _length(value: float) -> str:
    if value == 0:
        return "0"
    if value < 1:
        return f"{value * 1000:.4g}ms"
    for unit, size, next_unit, next_size in (
        ("d", _DAY, "h", 3600.0),
        ("h", 3600.0, "m", 60.0),
        ("m", 60.0, "s", 1.0),
    ):
        if value >= size:
            whole, rest = divmod(value, size)
            part = round(rest / next_size)
            return f"{whole:.0f}{unit} {part}{next_unit}" if part else f"{whole:.0f}{unit}"
    return f"{value:.3g}s"
