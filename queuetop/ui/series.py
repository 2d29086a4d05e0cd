"""Series of (seconds since the epoch, value) cut and thinned for drawing. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

Series = Sequence[tuple[float, float]]


def span_of(series: Sequence[Series], spans: Sequence[float]) -> float:
    """The shortest of ``spans``, in rising order, that holds all of every series; else the longest."""
    length = max((each[-1][0] - each[0][0] for each in series if each), default=0.0)
    return next((span for span in spans if length <= span), spans[-1])


def resample(series: Series, span_s: float, cells: int) -> list[float]:
    """The last ``span_s`` seconds in ``cells`` equal steps of time, each the greatest of its values.

    A step without a value repeats the one before; steps before the first value are left out, so
    that young histories are short and not flat. What is not finite is skipped.
    """
    if not series or cells < 1:
        return []
    end = series[-1][0]
    start = end - span_s
    found: list[float | None] = [None] * cells
    for moment, value in reversed(series):
        if moment <= start:
            break
        if not math.isfinite(value):
            continue
        cell = min(cells - 1, int((moment - start) / span_s * cells))
        held = found[cell]
        found[cell] = value if held is None else max(held, value)
    values: list[float] = []
    for each in found:
        if each is not None:
            values.append(each)
        elif values:
            values.append(values[-1])
    return values
