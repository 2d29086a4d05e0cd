"""Mappings by name or by file: what ``--mapping`` and a profile's ``mapping`` mean."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from queuetop.cli.places import config_folder, mappings_folder
from queuetop.cli.settings import PROFILE, Settings
from queuetop.model.errors import MappingError
from queuetop.model.mapping import Mapping
from queuetop.model.mapping_toml import decode
from queuetop.model.nearest import hint

if TYPE_CHECKING:
    from queuetop.store.opener import Wanted

_ENDING = ".toml"


def wanted(settings: Settings) -> list[Wanted]:
    """The mappings that the settings name, none where they leave it to detection.

    A relative file in the configuration file is beside that file. Raises ``MappingError``.
    """
    from_profile = settings.sources["mapping"].startswith(PROFILE)
    beside = config_folder() if from_profile else None
    return [_find(name, beside) for name in settings.mapping]


def _find(name: str, beside: Path | None) -> Wanted:
    """A file where the name looks like one; else the user's own mapping, which goes before a preset."""
    from queuetop.store.opener import Wanted
    from queuetop.store.presets import presets

    if os.sep in name or name.endswith(_ENDING):
        path = Path(name).expanduser()
        return Wanted(_read(beside / path if beside else path), "file")
    own = _own(name)
    if own is not None and own.is_file():
        return Wanted(_read(own), "file")
    for preset in presets():
        if preset.name == name:
            return Wanted(preset, "preset")
    known = [*(preset.name for preset in presets()), *own_names()]
    raise MappingError(
        f"there is no mapping {name} (a file is written with its path or with .toml); "
        f"{hint(name, known)}"
    )


def own_names() -> list[str]:
    """The names of the mappings in the user's own folder."""
    folder = mappings_folder()
    try:
        found = sorted(folder.glob(f"*{_ENDING}")) if folder else []
    except OSError:
        return []
    return [path.stem for path in found]


def _own(name: str) -> Path | None:
    folder = mappings_folder()
    return folder / f"{name}{_ENDING}" if folder else None


def _read(path: Path) -> Mapping:
    try:
        return decode(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        raise MappingError(f"there is no file {path}") from None
    except OSError as error:
        raise MappingError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise MappingError(f"{path} is not UTF-8 text; save it as such") from None
