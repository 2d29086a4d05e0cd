"""Moments as the screen writes them: relative to the server's now, in UTC, or in local time."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from queuetop.model.durations import show_duration
from queuetop.ui.options import TimeMode

__all__ = ["WIDTH", "TimeMode", "show_age", "show_clock", "show_moment", "show_time"]

#: The widest that ``show_time`` gets, per mode.
WIDTH = {TimeMode.RELATIVE: 11, TimeMode.UTC: 17, TimeMode.LOCAL: 16}
_NOTHING = "–"


def show_time(
    moment: datetime | None, mode: TimeMode, now: datetime, *, zone: tzinfo | None = None
) -> str:
    """``12s ago`` or ``in 4m 02s``; ``14:03:22Z`` today and ``2026-01-30 14:03Z`` on other days.

    ``zone`` is the local zone, None for the system's.
    """
    if moment is None:
        return _NOTHING
    if _endless(moment):
        return "∞" if moment.year > 1 else "-∞"
    if mode is TimeMode.RELATIVE:
        gone = (now - moment).total_seconds()
        return f"{show_duration(gone)} ago" if gone >= 0 else f"in {show_duration(-gone)}"
    mark = "Z" if mode is TimeMode.UTC else ""
    there, here = _in_zone(moment, mode, zone), _in_zone(now, mode, zone)
    if there.date() == here.date():
        return f"{there:%H:%M:%S}{mark}"
    return f"{there.year:04d}-{there:%m-%d %H:%M}{mark}"


def show_age(moment: datetime | None, mode: TimeMode, now: datetime) -> str:
    """As ``show_time``, for a column whose title already says that it looks back: ``12s``."""
    return show_time(moment, mode, now).removesuffix(" ago")


def show_moment(moment: datetime | None, mode: TimeMode, now: datetime) -> str:
    """A moment whole, for details: date, time, zone, and how far it is from now."""
    if moment is None or _endless(moment):
        return show_time(moment, mode, now)
    there = _in_zone(moment, TimeMode.LOCAL if mode is TimeMode.LOCAL else TimeMode.UTC, None)
    zone = "Z" if mode is not TimeMode.LOCAL else f" {there:%Z}"
    return (
        f"{there.year:04d}-{there:%m-%d %H:%M:%S}.{there.microsecond // 1000:03d}{zone}"
        f"  ({show_time(moment, TimeMode.RELATIVE, now)})"
    )


def show_clock(now: datetime, mode: TimeMode, *, zone: tzinfo | None = None) -> str:
    """The header's clock: ``14:03:22Z``, or local time with its zone."""
    if mode is not TimeMode.LOCAL:
        return f"{now.astimezone(UTC):%H:%M:%S}Z"
    return f"{now.astimezone(zone):%H:%M:%S %Z}".rstrip()


def _endless(moment: datetime) -> bool:
    """Whether it stands for one of PostgreSQL's times that Python cannot hold."""
    return moment.replace(tzinfo=None) in {datetime.max, datetime.min}


def _in_zone(moment: datetime, mode: TimeMode, zone: tzinfo | None) -> datetime:
    try:
        return moment.astimezone(UTC if mode is TimeMode.UTC else zone)
    except (OverflowError, ValueError, OSError):  # the zone would push it over the ends of time
        return moment
