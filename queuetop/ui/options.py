"""What the command line decides for the dashboard."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class TimeMode(StrEnum):
    """How moments are written."""

    RELATIVE = "relative"
    UTC = "utc"
    LOCAL = "local"


class Options(Struct, frozen=True, kw_only=True):
    """Settings of one run. ``theme`` is a name out of ``ui.themes.NAMES``."""

    theme: str = "dark"
    #: Seconds between polls; None leaves each watch its own.
    interval_s: float | None = None
    times: TimeMode = TimeMode.RELATIVE
    #: Whether operations are open. Closed, no key that changes jobs exists.
    writes: bool = False
    #: The profile's name, shown in the header.
    profile: str | None = None
    no_color: bool = False
