"""``queuetop show ID``: one job whole."""

from __future__ import annotations

import click

from queuetop.cli import wiring
from queuetop.cli.commands.common import put_schema, settings_of, text_times
from queuetop.cli.console import print_lines, put, say, width
from queuetop.cli.group import SharedCommand
from queuetop.cli.polling import the_one
from queuetop.cli.running import run_async
from queuetop.cli.settings import Settings
from queuetop.model.errors import Exit, UsageError


@click.command("show", cls=SharedCommand, short_help="One job whole, and why it is not running.")
@click.argument("job_id", metavar="ID", required=False)
@click.option("--json", "as_json", is_flag=True, help="One line of JSON.")
@click.option(
    "--schema", "as_schema", is_flag=True, help="The JSON Schema of --json; needs no server."
)
@click.pass_context
def command(context: click.Context, job_id: str | None, as_json: bool, as_schema: bool) -> int:
    """One job whole: every column, the failure text, the payload, and why it is not running.

    Exit code 4 when there is no such job.
    """
    if as_schema:
        from queuetop.model.job_document import DetailDocument

        put_schema(DetailDocument)
        return Exit.FINE
    if not job_id:
        raise UsageError("show needs the job's id: queuetop show ID")
    return run_async(_show(settings_of(context), job_id, as_json=as_json))


async def _show(settings: Settings, job_id: str, *, as_json: bool) -> int:
    async with wiring.open_watches(settings) as watches:
        watch = the_one(watches)
        detail = await watch.browse.job(job_id)
        if detail is None:
            say(f"there is no job {job_id} in {watch.ref.table}")
            return Exit.DECLINED
        if as_json:
            from queuetop.model.document import encode
            from queuetop.model.job_document import detail_document

            put(encode(detail_document(detail, watch.ref)))
            return Exit.FINE
        from queuetop.cli.listing import job_lines

        lines = job_lines(detail, watch.ref.table, width(), text_times(settings))
        print_lines(lines, color=settings.color)
    return Exit.FINE
