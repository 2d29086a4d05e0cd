"""The parts put together: settings in, watches out. Everything here needs a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from queuetop.cli.settings import Settings
from queuetop.model.ports import Watch


@asynccontextmanager
async def open_watches(settings: Settings) -> AsyncIterator[list[Watch]]:
    """A watch for each mapped table, at least one; closed at the end.

    Raises ``StoreError`` where the server cannot be reached, ``MappingError`` where no mapping fits.
    """
    if settings:
        raise NotImplementedError(settings)
    yield []


def run_dashboard(settings: Settings) -> int:
    """The dashboard, until the user quits. Returns its exit code."""
    raise NotImplementedError(settings)
