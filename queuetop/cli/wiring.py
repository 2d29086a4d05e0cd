"""The parts put together: settings in, watches out. Everything here needs a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from queuetop.cli.console import say
from queuetop.cli.mappings import wanted
from queuetop.cli.settings import Settings
from queuetop.model.errors import UsageError
from queuetop.model.ports import Watch
from queuetop.model.text import clean

if TYPE_CHECKING:
    from queuetop.store.opener import Opener


def opener(settings: Settings) -> Opener:
    """A look at the database that the settings lead to. Raises ``UsageError`` for a malformed DSN."""
    from queuetop.store.conninfo import Conninfo
    from queuetop.store.opener import Opener

    try:
        return Opener(Conninfo(settings.dsn.value))
    except UsageError as error:
        raise UsageError(f"{settings.dsn_source}: {error.sentence}") from None


async def find_watches(settings: Settings, *, once: bool = False) -> list[Watch]:
    """A watch for each mapped table, at least one. They connect when they are first asked.

    ``once``: for a single snapshot, whose dear numbers cannot wait for their share of the budget.

    Raises ``StoreError`` where the server cannot be reached, ``MappingError`` where no mapping fits.
    """
    from queuetop.observe.watch import Watcher

    choices = wanted(settings)
    async with opener(settings) as looking:
        tables = await looking.open(choices, table=settings.table)
    for label in looking.passed_over:
        say(
            f"this role may not read {clean(label)}, so it is left out; grant SELECT on it to see it"
        )
    for table in tables:
        if table.warning:
            say(table.warning)
    return [
        Watcher(
            table.reader,
            table.browser,
            interval_s=settings.interval_s,
            budget=settings.budget,
            eager=once,
        )
        for table in tables
    ]


@asynccontextmanager
async def open_watches(settings: Settings, *, once: bool = False) -> AsyncIterator[Sequence[Watch]]:
    """As ``find_watches``, closed at the end."""
    watches = await find_watches(settings, once=once)
    try:
        yield watches
    finally:
        for watch in watches:
            await watch.close()


def run_dashboard(settings: Settings) -> int:
    """The dashboard, until the user quits. Returns its exit code."""
    from queuetop.cli.running import run_async
    from queuetop.ui import Options, TimeMode, run_dashboard

    options = Options(
        theme=settings.theme,
        times=TimeMode(settings.apply_time_zone()),
        profile=settings.profile,
        no_color=not settings.color,
    )
    return run_dashboard(run_async(find_watches(settings)), options)
