"""``queuetop jobs``: a list of jobs, with the filter language of the dashboard."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator

import click

from queuetop.cli import wiring
from queuetop.cli.commands.common import put_schema, settings_of, text_times
from queuetop.cli.console import print_lines, say, width, write
from queuetop.cli.filtering import filter_options, selection_of, sort_of
from queuetop.cli.group import SharedCommand
from queuetop.cli.polling import the_one
from queuetop.cli.running import run_async
from queuetop.cli.settings import Settings
from queuetop.model.errors import Exit, UsageError
from queuetop.model.jobs import Job, Page, Sort
from queuetop.model.mapping import Mapping
from queuetop.model.numbers import show_count, show_measure
from queuetop.model.ports import Browsed, Watch
from queuetop.model.selection import Selection

#: Jobs of the text form when nothing is said. JSON and CSV are for programs: they get all.
DEFAULT_LIMIT = 50
_PAGE = 500


@click.command(
    "jobs", cls=SharedCommand, short_help="List jobs, filtered and sorted; text, JSON or CSV."
)
@click.argument("words", metavar="[FILTER]...", nargs=-1)
@filter_options
@click.option("--limit", metavar="N|all", help=f"How many; {DEFAULT_LIMIT} as text, else all.")
@click.option(
    "--sort",
    metavar="COLUMN",
    help="created_at, failed_at, attempts …; -COLUMN for the last first.",
)
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each job.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV with a header line.")
@click.option(
    "--schema", "as_schema", is_flag=True, help="The JSON Schema of --json; needs no server."
)
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    words: tuple[str, ...],
    limit: str | None,
    sort: str | None,
    as_json: bool,
    as_csv: bool,
    as_schema: bool,
    **options: tuple[str, ...],
) -> int:
    """Jobs that a FILTER selects, newest first.

    FILTER is what the dashboard's filter bar takes: state:failed queue:mail since:1h attempts>3 timeout.
    The options say the same in another way; all of them together narrow.

    Exit code 4 when nothing matches.
    """
    if as_schema:
        from queuetop.model.job_document import JobDocument

        put_schema(JobDocument)
        return Exit.FINE
    if as_json and as_csv:
        raise UsageError("--json and --csv exclude each other; leave one")
    selection, order = selection_of(words, options), sort_of(sort)
    most = _limit(limit, DEFAULT_LIMIT if not (as_json or as_csv) else None)
    settings = settings_of(context)
    form = _Json() if as_json else _Csv() if as_csv else _Table(settings)
    return run_async(_list(settings, selection, order, most, form))


def _limit(text: str | None, default: int | None) -> int | None:
    if text is None:
        return default
    if text.lower() == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--limit: {text!r} is not a number of jobs; write one from 1 on, or all")
    return int(text)


async def _list(
    settings: Settings, selection: Selection, sort: Sort, most: int | None, form: _Form
) -> int:
    async with wiring.open_watches(settings) as watches:
        watch = the_one(watches)
        first: Page | None = None
        shown, more = 0, False
        async for page in _pages(watch.browse, selection, sort, most):
            if first is None:
                first = page
                form.begin(watch)
            jobs = page.jobs if most is None else page.jobs[: most - shown]
            more = page.next is not None or len(jobs) < len(page.jobs)
            form.put(jobs, page)
            shown += len(jobs)
            if most is not None and shown >= most:
                break
        form.end()
    _tell(first, shown, more=more)
    return Exit.FINE if shown else Exit.DECLINED


async def _pages(
    browse: Browsed, selection: Selection, sort: Sort, most: int | None
) -> AsyncIterator[Page]:
    """Page by page; the matches are counted only where not all of them are listed anyway."""
    if most is None:
        async for page in browse.export(selection, sort):
            yield page
        return
    left, after = most, None
    while left > 0:
        limit = min(_PAGE, left)
        page = await browse.jobs(selection, sort, after=after, limit=limit, count=after is None)
        yield page
        left, after = left - len(page.jobs), page.next
        if after is None:
            return


def _tell(page: Page | None, shown: int, *, more: bool) -> None:
    """What was looked at, always: a list that is silently cut reads like the whole."""
    if page is None or not shown:
        looked = f"; looked at: {page.window}" if page and page.window else ""
        say(f"nothing matches{looked}")
        return
    matched = page.matched
    many = f"{show_count(shown)} {'job' if shown == 1 else 'jobs'}"
    if more:
        total = f" of {show_measure(matched)}" if matched.known else ""
        many = f"the first {many}{total} (--limit all lists every one)"
    say(f"{many}; looked at: {page.window}" if page.window else many)


class _Form(ABC):
    """How jobs are written."""

    def begin(self, watch: Watch) -> None:  # noqa: B027  most forms have no beginning
        """Before the first page."""

    @abstractmethod
    def put(self, jobs: tuple[Job, ...], page: Page) -> None:
        """A page, or what is wanted of it."""

    def end(self) -> None:  # noqa: B027  nor an end
        """After the last page."""


class _Json(_Form):
    def put(self, jobs: tuple[Job, ...], page: Page) -> None:
        from queuetop.ui.rows import json_rows

        write(json_rows(jobs))


class _Csv(_Form):
    def begin(self, watch: Watch) -> None:
        from queuetop.ui.rows import csv_header

        write(csv_header())

    def put(self, jobs: tuple[Job, ...], page: Page) -> None:
        from queuetop.ui.rows import csv_rows

        write(csv_rows(jobs))


class _Table(_Form):
    """Aligned columns; they need all rows before the first can be written."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._mapping: Mapping | None = None
        self._jobs: list[Job] = []
        self._page: Page | None = None

    def begin(self, watch: Watch) -> None:
        self._mapping = watch.mapping

    def put(self, jobs: tuple[Job, ...], page: Page) -> None:
        self._jobs += jobs
        self._page = page

    def end(self) -> None:
        from queuetop.cli.listing import job_table

        if self._jobs and self._mapping and self._page:
            times = text_times(self._settings)
            lines = job_table(self._jobs, self._mapping, self._page.taken_at, width(), times)
            print_lines(lines, color=self._settings.color)
