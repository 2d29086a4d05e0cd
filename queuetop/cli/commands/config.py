"""``queuetop config``: every setting with its source, secrets masked."""

from __future__ import annotations

from typing import Literal

import click
from msgspec import Struct

from queuetop.cli.commands.common import put_schema, settings_of
from queuetop.cli.console import print_lines, put
from queuetop.cli.group import SharedCommand
from queuetop.cli.masking import mask
from queuetop.cli.settings import Setting, Settings
from queuetop.model.document import SCHEMA_VERSION, encode
from queuetop.model.errors import Exit, UsageError

#: A value is for copying: it is never cut, however long.
_UNCUT = 10_000


class SettingPart(Struct):
    """``value`` as it could be written in the configuration file; secrets are masked."""

    name: str
    value: str | float | bool | tuple[str, ...] | None
    source: str


class ConfigDocument(Struct):
    """``queuetop config --json``."""

    schema_version: Literal[1]
    file: str | None
    profile: str | None
    profiles: tuple[str, ...]
    settings: tuple[SettingPart, ...]


@click.command("config", cls=SharedCommand, short_help="Every setting and where it came from.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON.")
@click.option("--schema", "as_schema", is_flag=True, help="The JSON Schema of --json.")
@click.pass_context
def command(context: click.Context, /, as_json: bool, as_schema: bool) -> int:
    """Every setting, its value and where it came from; passwords are masked.

    Flags come first, then QUEUETOP_* variables, then the profile, then the defaults. The connection is
    --dsn, QUEUETOP_DSN, DATABASE_URL, the profile's dsn, or what libpq finds by itself.
    """
    if as_schema:
        put_schema(ConfigDocument)
        return Exit.FINE
    settings = settings_of(context)
    lines = list(_lines(settings))
    if as_json:
        put(encode(_document(settings, lines)))
    else:
        _print(settings, lines)
    return Exit.FINE


def _lines(settings: Settings) -> list[Setting]:
    values: dict[str, object] = {
        "mapping": settings.mapping,
        "table": settings.table,
        "interval": settings.interval_s,
        "budget": settings.budget,
        "theme": settings.theme,
        "time_zone": settings.time_zone,
        "color": settings.color,
        "allow_writes": settings.allow_writes,
        "production": settings.production,
        "read_only": settings.read_only,
    }
    lines = _connection(settings)
    return lines + [Setting(name, value, settings.sources[name]) for name, value in values.items()]


def _connection(settings: Settings) -> list[Setting]:
    """What is given and where it leads. A DSN that cannot be read is shown as what is wrong with it."""
    from queuetop.store.conninfo import Conninfo

    source = settings.dsn_source
    try:
        conninfo = Conninfo(settings.dsn.value)
    except UsageError as error:
        return [
            Setting("dsn", mask(f"({error.sentence})"), source),
            Setting("connects to", None, source),
        ]
    given = mask(conninfo.shown) if settings.dsn.value else None
    return [Setting("dsn", given, source), Setting("connects to", mask(conninfo.where), source)]


def _document(settings: Settings, lines: list[Setting]) -> ConfigDocument:
    return ConfigDocument(
        schema_version=SCHEMA_VERSION,
        file=str(settings.file) if settings.file else None,
        profile=settings.profile,
        profiles=settings.profiles,
        settings=tuple(
            SettingPart(line.name.replace(" ", "_"), line.value, line.source)  # type: ignore[arg-type]
            for line in lines
        ),
    )


def _print(settings: Settings, lines: list[Setting]) -> None:
    from rich.text import Text

    from queuetop.cli.grid import Column, grid
    from queuetop.model.text import clean

    rows: list[list[Text | str]] = [
        [line.name, clean(_shown(line)), Text(clean(line.source), "dim")] for line in lines
    ]
    columns = [Column("SETTING"), Column("VALUE"), Column("SOURCE")]
    if settings.file is None:
        place = "none: neither HOME nor XDG_CONFIG_HOME says where"
    else:
        place = f"{settings.file}{'' if settings.file.exists() else ' (not there)'}"
    profiles = ", ".join(settings.profiles) or "none"
    facts = [
        ["file", clean(place)],
        ["profile", f"{clean(settings.profile or 'none')} (of {clean(profiles)})"],
    ]
    told = grid([Column(""), Column("")], facts, _UNCUT, indent=0)
    print_lines([*told, Text(), *grid(columns, rows, _UNCUT, indent=0)], color=settings.color)


def _shown(line: Setting) -> str:
    match line.value:
        case None | ():
            return "–"
        case bool():
            return "yes" if line.value else "no"
        case tuple():
            return ", ".join(map(str, line.value))
        case float() if line.name == "interval":
            return f"{line.value:g}s"
        case float():
            return f"{line.value * 100:g}%"
        case _:
            return str(line.value)
