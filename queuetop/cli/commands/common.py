"""What commands share: their settings, and JSON Schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from queuetop.cli.console import put, say
from queuetop.cli.group import flags_of
from queuetop.cli.settings import Settings, load

if TYPE_CHECKING:
    from msgspec import Struct

    from queuetop.ui.options import TimeMode


def settings_of(context: click.Context) -> Settings:
    """The settings of this run. Raises ``UsageError`` for a value that makes no sense."""
    settings = load(flags_of(context))
    for note in settings.notes:
        say(note)
    return settings


def text_times(settings: Settings) -> TimeMode:
    """How text output writes moments: in UTC, unless a zone was asked for."""
    from queuetop.ui.options import TimeMode

    mode = TimeMode(settings.apply_time_zone())
    return TimeMode.UTC if mode is TimeMode.RELATIVE else mode


def put_schema(document: type[Struct]) -> None:
    """The JSON Schema of what ``--json`` prints."""
    import msgspec

    from queuetop.model.document import schema

    put(msgspec.json.format(msgspec.json.encode(schema(document)), indent=2))
