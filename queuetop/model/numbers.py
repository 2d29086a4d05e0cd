"""Numbers as the screen and the text output write them: grouped thousands, marks for exactness."""

from __future__ import annotations

import math

from queuetop.model.measure import Exactness, Measure

#: A plain space groups thousands: the screen never wraps a number.
GROUP = " "


def show_count(value: float | None) -> str:
    """``5 012``; a dash for what is not known."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{round(value):,}".replace(",", GROUP)


def show_measure(measure: Measure) -> str:
    """A count with its mark: ``~`` before an estimate, ``+`` after what was capped."""
    if measure.value is None:
        return "–"
    text = show_count(measure.value)
    match measure.exactness:
        case Exactness.ESTIMATED:
            return f"~{text}"
        case Exactness.CAPPED:
            return f"{text}+"
        case _:
            return text


def show_share(value: float | None) -> str:
    """``9.7 %`` of a share between 0 and 1."""
    return "–" if value is None or not math.isfinite(value) else f"{value * 100:.1f} %"


def show_rate(value: float | None) -> str:
    """Per second, with as many digits as matter: ``158``, ``12.4``, ``0.03``."""
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) >= 99.95:
        return show_count(value)
    return f"{value:.1f}" if abs(value) >= 0.95 or value == 0 else f"{value:.2f}"


def show_bytes(value: float | None) -> str:
    """``1.4 GB``, decimal units as pg_size_pretty's neighbours use them."""
    if value is None or not math.isfinite(value):
        return "–"
    for unit in ("B", "kB", "MB", "GB"):
        if abs(value) < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TB"
