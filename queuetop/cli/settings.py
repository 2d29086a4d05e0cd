"""What one run is set to, and where each value came from: flags, QUEUETOP_*, profile, defaults."""

from __future__ import annotations

import math
import os
import re
import time
import zoneinfo
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from queuetop.cli import masking
from queuetop.cli.profile import PROFILE, Chosen, choose
from queuetop.model.durations import parse_duration
from queuetop.model.errors import UsageError
from queuetop.model.nearest import hint

__all__ = ["PROFILE", "Secret", "Setting", "Settings", "load"]

#: Where connection strings come from, first come first served; then libpq's own settings.
DSN_VARIABLES = ("QUEUETOP_DSN", "DATABASE_URL")
TIME_WORDS = ("relative", "utc", "local")
#: ``ui.themes.NAMES``, which cannot be asked without loading Textual.
THEMES = ("dark", "light", "colour-blind", "ansi", "mono")
_SLOWEST_S, _FASTEST_S = 3600.0, 0.5


class Secret:
    """A connection string that no ``repr`` shows."""

    def __init__(self, value: str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "Secret(***)"


class Setting(NamedTuple):
    """One line of ``queuetop config``."""

    name: str
    value: object
    source: str


class Settings(Struct, frozen=True, kw_only=True):
    """Decided values."""

    dsn: Secret
    dsn_source: str
    #: Names or files; empty: detect.
    mapping: tuple[str, ...]
    table: str | None
    interval_s: float
    #: Share of one backend's time that all statements together may take.
    budget: float
    theme: str
    #: ``relative``, ``utc``, ``local`` or an IANA name.
    time_zone: str
    color: bool
    allow_writes: bool
    production: bool
    read_only: bool
    profile: str | None
    #: Every profile of the file.
    profiles: tuple[str, ...]
    file: Path | None
    sources: dict[str, str]
    #: Sentences that the user should hear.
    notes: tuple[str, ...] = ()

    def apply_time_zone(self) -> str:
        """``relative``, ``utc`` or ``local``. A named zone becomes the process's local one."""
        if self.time_zone in TIME_WORDS:
            return self.time_zone
        os.environ["TZ"] = self.time_zone
        if hasattr(time, "tzset"):  # not on Windows
            time.tzset()
        return "local"


class _Rule(NamedTuple):
    """How a setting is read, and what it is when nobody says."""

    read: Callable[[Any], Any]
    default: Any


def load(flags: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Settings:
    """Decides every setting. Raises ``UsageError`` that names the place of a bad value."""
    given = {key: value for key, value in flags.items() if value not in (None, (), False)}
    chosen = choose(given.get("profile") or environ.get("QUEUETOP_PROFILE") or None)
    dsn, dsn_source = _dsn(given, environ, chosen)
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, rule in _RULES.items():
        value, source = _first(name, given, environ, chosen)
        sources[name] = source
        values[name] = _read(rule, value, source) if value is not None else rule.default
    no_color = "no_color" in given or bool(environ.get("NO_COLOR"))
    sources["color"] = _color_source(given, environ)
    sources["allow_writes"] = "--allow-writes" if "allow_writes" in given else "default"
    for name in ("production", "read_only"):
        sources[name] = chosen.place(name) if getattr(chosen.profile, name) else "default"
    return Settings(
        dsn=Secret(dsn),
        dsn_source=dsn_source,
        mapping=values["mapping"],
        table=values["table"],
        interval_s=values["interval"],
        budget=values["budget"],
        theme=values["theme"],
        time_zone=values["time_zone"],
        color=not no_color,
        allow_writes="allow_writes" in given,
        production=chosen.profile.production,
        read_only=chosen.profile.read_only,
        profile=chosen.name,
        profiles=chosen.names,
        file=chosen.file,
        sources=sources,
        notes=tuple(_notes(given, chosen, dsn_source)),
    )


def _notes(given: Mapping[str, Any], chosen: Chosen, dsn_source: str) -> Iterator[str]:
    if "allow_writes" in given:
        yield "--allow-writes opens nothing yet: no command of this version changes jobs"
    if "profile" in given and chosen.profile.dsn and dsn_source in DSN_VARIABLES:
        yield f"{dsn_source} goes before the dsn of profile {chosen.name}; unset it to use the profile's"


def _dsn(given: Mapping[str, Any], environ: Mapping[str, str], chosen: Chosen) -> tuple[str, str]:
    places = [("--dsn", given.get("dsn"))]
    places += [(name, environ.get(name)) for name in DSN_VARIABLES]
    if chosen.profile.dsn:
        places.append((chosen.place("dsn"), chosen.profile.dsn))
    for source, value in places:
        if value and value.strip():
            masking.remember(value)
            return _plain_scheme(value.strip()), source
    return "", "libpq (PG*, service, password file)"


def _plain_scheme(dsn: str) -> str:
    """SQLAlchemy's ``postgresql+driver://`` is common in DATABASE_URL, and libpq does not know it."""
    return re.sub(r"^(postgres(?:ql)?)\+\w+://", r"\1://", dsn)


def _first(
    name: str, given: Mapping[str, Any], environ: Mapping[str, str], chosen: Chosen
) -> tuple[Any, str]:
    """The value that counts, and its source."""
    variable = f"QUEUETOP_{name.upper()}"
    if name in given:
        return given[name], f"--{name.replace('_', '-')}"
    if environ.get(variable):
        return environ[variable], variable
    value = getattr(chosen.profile, name)
    return (value, chosen.place(name)) if value is not None else (None, "default")


def _read(rule: _Rule, value: Any, source: str) -> Any:
    try:
        return rule.read(value)
    except ValueError as error:
        raise UsageError(f"{source}: {error}") from None


def _color_source(given: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    if "no_color" in given:
        return "--no-color"
    return "NO_COLOR" if environ.get("NO_COLOR") else "default"


def _names(value: str | tuple[str, ...]) -> tuple[str, ...]:
    """``a,b`` out of a variable, or what was given several times."""
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part.strip() for part in parts if part.strip())


def _interval(value: str | float) -> float:
    seconds = float(value) if _is_number(value) else parse_duration(str(value))
    if not _FASTEST_S <= seconds <= _SLOWEST_S:
        raise ValueError(f"an interval of {value} is not between 0.5s and 1h")
    return seconds


def _share(value: str | float) -> float:
    text = str(value).strip()
    try:
        share = float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1 or (share == 1 and not text.endswith("%")):
        raise ValueError(f"{text!r} is not a budget; write it like 1% or 0.01")
    return share


def _theme(value: str) -> str:
    if value not in THEMES:
        raise ValueError(f"there is no theme {value!r}; {hint(value, THEMES)}")
    return value


def _time_zone(value: str) -> str:
    if value.lower() in TIME_WORDS:
        return value.lower()
    try:
        zoneinfo.ZoneInfo(value)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"{value!r} is no time zone; write utc, local, relative or a name like Europe/Berlin"
        ) from None
    return value


def _is_number(value: str | float) -> bool:
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False


_RULES: dict[str, _Rule] = {
    "mapping": _Rule(_names, ()),
    "table": _Rule(str, None),
    "interval": _Rule(_interval, 2.0),
    "budget": _Rule(_share, 0.01),
    "theme": _Rule(_theme, "dark"),
    "time_zone": _Rule(_time_zone, "relative"),
}
