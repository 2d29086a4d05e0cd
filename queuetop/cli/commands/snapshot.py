"""``queuetop snapshot``: all measures of one moment, as text or JSON."""

from __future__ import annotations

import click

from queuetop.cli import wiring
from queuetop.cli.commands.common import put_schema, settings_of, text_times
from queuetop.cli.console import flush, print_lines, put, say, width
from queuetop.cli.group import SharedCommand
from queuetop.cli.polling import events, one_snapshot
from queuetop.cli.running import run_async
from queuetop.cli.settings import Settings
from queuetop.model.errors import Exit
from queuetop.model.snapshot import Link, Snapshot


@click.command(
    "snapshot", cls=SharedCommand, short_help="All measures of one moment; text or JSON."
)
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each snapshot.")
@click.option("--watch", "follow", is_flag=True, help="One for each poll, until Ctrl-C.")
@click.option(
    "--schema", "as_schema", is_flag=True, help="The JSON Schema of --json; needs no server."
)
@click.pass_context
def command(context: click.Context, as_json: bool, follow: bool, as_schema: bool) -> int:
    """All measures of one moment: verdict, signals, states, queues, failure kinds, cost.

    Several mapped tables give one snapshot each.
    """
    if as_schema:
        from queuetop.model.document import SnapshotDocument

        put_schema(SnapshotDocument)
        return Exit.FINE
    settings = settings_of(context)
    run = print_all if follow else print_once
    run_async(run(settings, as_json=as_json))
    return Exit.FINE


async def print_once(settings: Settings, *, as_json: bool = False) -> None:
    """One snapshot of each mapped table to stdout."""
    async with wiring.open_watches(settings, once=True) as watches:
        for place, watch in enumerate(watches):
            snapshot = await one_snapshot(watch)
            _put(snapshot, settings, as_json=as_json, first=place == 0)


async def print_all(settings: Settings, *, as_json: bool = False) -> None:
    """Every snapshot to stdout, and what becomes of the link to stderr."""
    first = True
    async with wiring.open_watches(settings) as watches:
        async for watch, event in events(watches):
            if isinstance(event, Snapshot):
                _put(event, settings, as_json=as_json, first=first)
                flush()
                first = False
            elif event.link is Link.STALE:
                retry = f"; next try in {event.retry_in_s:.0f}s" if event.retry_in_s else ""
                say(f"{watch.ref.name}: {event.sentence}{retry}")


def _put(snapshot: Snapshot, settings: Settings, *, as_json: bool, first: bool) -> None:
    if as_json:
        from queuetop.model.document import encode, snapshot_document

        put(encode(snapshot_document(snapshot)))
        return
    from rich.text import Text

    from queuetop.cli.report import report

    lines = report(snapshot, width(), text_times(settings))
    print_lines(lines if first else [Text(), *lines], color=settings.color)
