"""Snapshots out of watches, for those who only listen."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

from queuetop.model.errors import StoreError, StoreFault, UsageError
from queuetop.model.ports import Watch
from queuetop.model.snapshot import Link, LinkState, Snapshot

Event = Snapshot | LinkState


async def first_snapshot(watch: Watch) -> Snapshot:
    """The first one that comes. Raises ``StoreError`` where the link fails before it."""
    sentence = f"{watch.ref.table}: no answer came"
    async for event in watch:
        if isinstance(event, Snapshot):
            return event
        if event.link is Link.STALE:
            sentence = event.sentence or sentence
            break
    raise StoreError(StoreFault.UNREACHABLE, sentence)


async def events(watches: Sequence[Watch]) -> AsyncIterator[tuple[Watch, Event]]:
    """What all watches say, as it comes, until all of them end."""
    box: asyncio.Queue[tuple[Watch, Event | BaseException | None]] = asyncio.Queue()

    async def listen(watch: Watch) -> None:
        try:
            async for event in watch:
                await box.put((watch, event))
            await box.put((watch, None))
        except Exception as error:  # noqa: BLE001 – raised again by the one who reads the box
            await box.put((watch, error))

    tasks = [asyncio.create_task(listen(watch)) for watch in watches]
    try:
        open_ends = len(tasks)
        while open_ends:
            watch, event = await box.get()
            if isinstance(event, BaseException):
                raise event
            if event is None:
                open_ends -= 1
            else:
                yield watch, event
    finally:
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)


def the_one(watches: Sequence[Watch]) -> Watch:
    """The only watch. Raises ``UsageError`` where the settings leave several."""
    if len(watches) == 1:
        return watches[0]
    names = ", ".join(watch.ref.name for watch in watches)
    raise UsageError(
        f"several tables are mapped here ({names}); name one with --mapping or --table"
    )
