"""Snapshots out of watches, for those who only listen."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from time import monotonic

from queuetop.model.errors import StoreError, StoreFault, UsageError
from queuetop.model.ports import Watch
from queuetop.model.snapshot import Link, LinkState, Snapshot

Event = Snapshot | LinkState

#: Seconds that a single snapshot waits for its dear numbers, and between looks whether they are there.
PATIENCE_S = 10.0
AGAIN_S = 0.25


async def one_snapshot(watch: Watch) -> Snapshot:
    """One that has every number, or what came of it in ten seconds.

    What is too dear for a tick comes beside it, so the first snapshot of a big table lacks numbers.
    Raises ``StoreError`` where the link fails before.
    """
    until = monotonic() + PATIENCE_S
    async for event in watch:
        if isinstance(event, Snapshot):
            if not _pending(event) or monotonic() > until:
                return event
            await asyncio.sleep(AGAIN_S)
            watch.poll_now()
        elif event.link is Link.STALE:
            raise StoreError(StoreFault.UNREACHABLE, event.sentence)
    raise StoreError(StoreFault.UNREACHABLE, f"{watch.ref.table}: no answer came")


def _pending(snapshot: Snapshot) -> bool:
    """Whether a statement has not had its first answer yet."""
    return any(panel.ms is None and not panel.note for panel in snapshot.cost.panels)


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
    names = ", ".join(f"{watch.ref.name} on {watch.ref.table}" for watch in watches)
    raise UsageError(
        f"several tables are mapped here ({names}); name one with --mapping or --table"
    )
