"""The mappings that ship with queuetop."""

from __future__ import annotations

from functools import cache

from queuetop.model.mapping import Mapping
from queuetop.model.mapping_toml import decode
from queuetop.store.files import folder


@cache
def presets() -> tuple[Mapping, ...]:
    """All of them, by name."""
    found = (file for file in folder().joinpath("presets").iterdir() if file.name.endswith(".toml"))
    return tuple(
        decode(file.read_text(encoding="utf-8"), f"preset {file.name}")
        for file in sorted(found, key=lambda file: file.name)
    )
