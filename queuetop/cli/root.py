"""The root command and its subcommands, in the order in which help lists them."""

from __future__ import annotations

import click

from queuetop.cli.commands import config, dashboard, demo, init, jobs, presets, show, snapshot
from queuetop.cli.group import SharedGroup

_HELP = ["-h", "--help"]


@click.group(
    cls=SharedGroup,
    invoke_without_command=True,
    subcommand_metavar="[COMMAND]",
    context_settings={"help_option_names": _HELP, "max_content_width": 100},
)
@click.pass_context
def root(context: click.Context) -> int:
    """top for job queues that live in a PostgreSQL table.

    Without a command: the dashboard; where stdout is no terminal, one text snapshot.
    """
    if context.invoked_subcommand is None:
        return dashboard.run(context)
    return 0


for _module in (demo, snapshot, jobs, show, presets, init, config):
    root.add_command(_module.command)
