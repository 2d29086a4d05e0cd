"""``queuetop presets``: the mappings that ship with queuetop."""

from __future__ import annotations

from typing import Literal

import click
from msgspec import Struct

from queuetop.cli.commands.common import put_schema, settings_of
from queuetop.cli.console import print_lines, put, width, write
from queuetop.cli.group import SharedCommand
from queuetop.model.document import SCHEMA_VERSION, encode
from queuetop.model.errors import Exit, UsageError
from queuetop.model.mapping import Mapping
from queuetop.model.nearest import hint


class PresetPart(Struct):
    """``columns`` and ``siblings`` are how the preset knows its table."""

    name: str
    about: str
    columns: tuple[str, ...]
    siblings: tuple[str, ...]


class PresetsDocument(Struct):
    """``queuetop presets --json``."""

    schema_version: Literal[1]
    presets: tuple[PresetPart, ...]


@click.command("presets", cls=SharedCommand, short_help="The mappings that ship with queuetop.")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="One line of JSON.")
@click.option("--schema", "as_schema", is_flag=True, help="The JSON Schema of --json.")
@click.pass_context
def command(context: click.Context, /, name: str | None, as_json: bool, as_schema: bool) -> int:
    """The mappings that ship with queuetop, or the TOML of the one called NAME.

    A table is matched by its columns, so most need no --mapping. The TOML of one is a good beginning
    for your own.
    """
    if as_schema:
        put_schema(PresetsDocument)
        return Exit.FINE
    settings = settings_of(context)
    if name is not None:
        write(_toml(name))
        return Exit.FINE
    from queuetop.store.presets import presets

    parts = [_part(mapping) for mapping in presets()]
    if as_json:
        put(encode(PresetsDocument(schema_version=SCHEMA_VERSION, presets=tuple(parts))))
        return Exit.FINE
    from queuetop.cli.grid import Column, grid

    rows = [[part.name, part.about, ", ".join(part.columns)] for part in parts]
    columns = [Column("PRESET"), Column("FOR"), Column("KNOWN BY", least=30, leaves=1)]
    print_lines(grid(columns, rows, width(), indent=0), color=settings.color)
    return Exit.FINE


def _part(mapping: Mapping) -> PresetPart:
    signature = mapping.signature
    return PresetPart(
        name=mapping.name,
        about=mapping.about,
        columns=signature.columns if signature else (),
        siblings=signature.siblings if signature else (),
    )


def _toml(name: str) -> str:
    from queuetop.store.files import folder
    from queuetop.store.presets import presets

    names = [mapping.name for mapping in presets()]
    if name not in names:
        raise UsageError(f"there is no preset {name!r}; {hint(name, names)}")
    return folder().joinpath("presets", f"{name}.toml").read_text(encoding="utf-8")
