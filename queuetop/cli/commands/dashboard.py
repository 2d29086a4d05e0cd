"""``queuetop`` alone: the dashboard on a terminal, one text snapshot elsewhere."""

from __future__ import annotations

import click

from queuetop.cli.commands.common import settings_of
from queuetop.cli.console import on_terminal
from queuetop.cli.running import run_async
from queuetop.cli.settings import Settings
from queuetop.model.errors import Exit


def run(context: click.Context) -> int:
    """Shows the queue in the way that stdout can bear."""
    settings = settings_of(context)
    if not on_terminal():
        from queuetop.cli.commands.snapshot import print_once

        run_async(print_once(settings))
        return Exit.FINE
    return show(settings)


def show(settings: Settings) -> int:
    """The dashboard, until the user quits. Returns its exit code."""
    from queuetop.cli import wiring

    return wiring.run_dashboard(settings)
