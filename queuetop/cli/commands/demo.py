"""``queuetop demo``: a queue that makes its own trouble, on a PostgreSQL that lives as long as the demo."""

from __future__ import annotations

import asyncio

import click
from msgspec import structs

from queuetop.cli.commands import dashboard
from queuetop.cli.commands.common import settings_of
from queuetop.cli.commands.snapshot import print_once
from queuetop.cli.console import on_terminal, say
from queuetop.cli.group import SharedCommand
from queuetop.cli.running import run_async
from queuetop.cli.settings import Secret, Settings
from queuetop.demo.scenarios import Scenario
from queuetop.model.errors import Exit

#: Seconds that the demo lives where nobody can look at it.
UNSEEN_S = 4.0


@click.command(
    "demo", cls=SharedCommand, short_help="The dashboard on a queue that makes its own trouble."
)
@click.option(
    "--scenario",
    type=click.Choice([str(name) for name in Scenario]),
    help="One incident from the start; left out, they come by a schedule.",
)
@click.pass_context
def command(context: click.Context, /, scenario: str | None) -> int:
    """The dashboard on a queue that makes its own trouble: nothing to install, nothing left behind.

    Starts a PostgreSQL 18 of its own, with workers, a producer and a flaky outside system. Where stdout
    is no terminal it runs for about five seconds, prints one snapshot, and stops everything.
    """
    settings = settings_of(context)
    from queuetop.demo.run import Demo

    say("starting a PostgreSQL of its own; Ctrl-C ends it and leaves nothing behind")
    with Demo(Scenario(scenario) if scenario else None) as running:
        settings = _of_demo(settings, running.dsn)
        if on_terminal():
            return dashboard.show(settings)
        run_async(_unseen(settings))
    return Exit.FINE


def _of_demo(settings: Settings, dsn: str) -> Settings:
    """The look that was asked for, at the demo's table alone."""
    return structs.replace(
        settings,
        dsn=Secret(dsn),
        dsn_source="demo",
        mapping=(),
        table="payment_task",
        production=False,
        profile=None,
    )


async def _unseen(settings: Settings) -> None:
    await asyncio.sleep(UNSEEN_S)
    await print_once(settings)
