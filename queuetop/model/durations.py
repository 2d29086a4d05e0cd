"""Lengths of time as people write them: ``90s``, ``5m``, ``1h30m``, ``2d``."""

from __future__ import annotations

import math
import re

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)")


def parse_duration(text: str) -> float:
    """Seconds in ``text``. Raises ``ValueError`` with a sentence that says how to write one."""
    compact = text.strip().lower()
    position, total = 0, 0.0
    for part in _PART.finditer(compact):
        if compact[position : part.start()].strip():
            break
        total += float(part.group(1)) * _UNITS[part.group(2)]
        position = part.end()
    if not compact or position != len(compact) or not math.isfinite(total):
        raise ValueError(f"{text!r} is not a length of time; write it like 90s, 5m, 1h30m or 2d")
    return total


def show_duration(seconds: float | None) -> str:
    """Two units at the most: ``0.4 s``, ``12s``, ``23m 20s``, ``5h 03m``, ``3d 04h``."""
    if seconds is None:
        return "–"
    if math.isinf(seconds):
        return "∞" if seconds > 0 else "-∞"
    sign = "-" if seconds < 0 else ""
    value = abs(seconds)
    if value < 0.9995:
        return f"{sign}{round(value * 1000)} ms"
    if value < 9.95:
        return f"{sign}{value:.1f} s"
    whole = round(value)
    if whole < 60:
        return f"{sign}{whole}s"
    if whole < 3600:
        return f"{sign}{whole // 60}m {whole % 60:02d}s"
    if whole < 86400:
        return f"{sign}{whole // 3600}h {whole % 3600 // 60:02d}m"
    return f"{sign}{whole // 86400}d {whole % 86400 // 3600:02d}h"


def show_age(seconds: float | None) -> str:
    """The age of the oldest of some work: ``none`` where there is none, which is said by a zero."""
    return "none" if seconds == 0 else show_duration(seconds)
