"""The configuration file: profiles in TOML, decoded strictly, so that a typing error is an error.

profile = "prod"                 # the one that is used without --profile

[profiles.prod]
dsn = "postgresql://viewer@db1/app"
mapping = ["payment_task", "reports.toml"]
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from msgspec import Struct

from queuetop.cli.places import CONFIG_NAME, config_folder
from queuetop.model.errors import UsageError
from queuetop.model.located import LocatedError, convert
from queuetop.model.nearest import hint

#: The profile that is used when nothing names another.
DEFAULT = "default"
#: How sources that are a profile begin.
PROFILE = "profile"


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One server and how to look at it. What it leaves out is decided elsewhere."""

    dsn: str | None = None
    #: A name or a file, or several: each a mapped table of the same server.
    mapping: str | tuple[str, ...] | None = None
    table: str | None = None
    interval: str | int | float | None = None
    budget: str | int | float | None = None
    theme: str | None = None
    time_zone: str | None = None
    #: The dashboard asks twice before it changes anything here.
    production: bool = False
    #: Nothing may write here, whatever a flag says.
    read_only: bool = False


class _File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    profile: str | None = None
    profiles: dict[str, Profile] = {}


class Chosen(Struct, frozen=True, kw_only=True):
    """The profile in use. ``name`` is None where there is none; ``file`` where it was looked for."""

    name: str | None = None
    profile: Profile = Profile()
    file: Path | None = None
    #: Every profile that the file has.
    names: tuple[str, ...] = ()

    def place(self, key: str) -> str:
        """How an error or a listing names a key of this profile."""
        return f"{PROFILE} {self.name}: {key}"


def choose(wanted: str | None) -> Chosen:
    """The profile called ``wanted``, else the file's default, else an empty one.

    Raises ``UsageError`` for a file that cannot be read or decoded, and for an unknown profile.
    """
    folder = config_folder()
    file = folder / CONFIG_NAME if folder else None
    try:
        found = convert(_read(file), _File)
    except LocatedError as error:
        raise UsageError(f"{file}: {error}") from None
    profiles = found.profiles
    name = wanted or found.profile or (DEFAULT if DEFAULT in profiles else None)
    if name is None:
        return Chosen(file=file, names=tuple(profiles))
    if name not in profiles:
        where = file or "there is no HOME to look for a configuration file in"
        raise UsageError(
            f"there is no profile {name!r} ({where}); {hint(name, profiles, what='profiles')}"
        )
    return Chosen(name=name, profile=profiles[name], file=file, names=tuple(profiles))


def _read(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text; save it as such") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file} is not valid TOML: {error}") from None
