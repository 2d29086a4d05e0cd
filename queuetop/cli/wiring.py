"""The parts put together: settings in, watches out. Everything here needs a server."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from queuetop.cli.console import say
from queuetop.cli.mappings import wanted
from queuetop.cli.settings import Settings
from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.ports import Watch

if TYPE_CHECKING:
    from queuetop.store.opener import Opener


def opener(settings: Settings) -> Opener:
    """A look at the database that the settings lead to. Raises ``StoreError`` for a malformed DSN."""
    from queuetop.store.conninfo import Conninfo
    from queuetop.store.opener import Opener

    if _unescaped(settings.dsn.value):
        raise StoreError(
            StoreFault.REFUSED,
            f"{settings.dsn_source}: the DSN cannot be read; in a URI's password "
            "write %40 for @, %2F for /, %3A for : and %23 for #",
        )
    try:
        return Opener(Conninfo(settings.dsn.value))
    except StoreError as error:
        raise StoreError(error.fault, f"{settings.dsn_source}: {error.sentence}") from None


def _unescaped(dsn: str) -> bool:
    """Whether libpq would take a part of a URI's password for the host or the port, and say so."""
    found = re.match(r"\w+://([^/?#]*)", dsn)
    if found is None:
        return False
    user, at, hosts = found[1].rpartition("@")
    ports = [host.rpartition(":")[2] for host in hosts.split(",") if ":" in host.rpartition("]")[2]]
    return "@" in user or (not at and any(port and not port.isdecimal() for port in ports))


async def find_watches(settings: Settings) -> list[Watch]:
    """A watch for each mapped table, at least one. They connect when they are first asked.

    Raises ``StoreError`` where the server cannot be reached, ``MappingError`` where no mapping fits.
    """
    from queuetop.observe.watch import Watcher

    choices = wanted(settings)
    async with opener(settings) as looking:
        tables = await looking.open(choices, table=settings.table)
    for table in tables:
        if table.warning:
            say(table.warning)
    return [
        Watcher(table.reader, table.browser, interval_s=settings.interval_s, budget=settings.budget)
        for table in tables
    ]


@asynccontextmanager
async def open_watches(settings: Settings) -> AsyncIterator[Sequence[Watch]]:
    """As ``find_watches``, closed at the end."""
    watches = await find_watches(settings)
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
