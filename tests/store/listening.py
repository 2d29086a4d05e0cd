"""A watcher listened to: its events as they come, waited for without a limit that a busy machine breaks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from queuetop.model.snapshot import Link, LinkState, Snapshot
from queuetop.observe.watch import Watcher
from queuetop.store.opener import Table

Event = Snapshot | LinkState
PATIENCE_S = 60.0


class Listener:
    """What a watcher said since the last time somebody waited."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.said: asyncio.Queue[Event] = asyncio.Queue()
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for event in self.watcher:
            self.said.put_nowait(event)

    async def _until(self, wanted: Callable[[Event], bool]) -> Event:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                event = await self._next()
                if wanted(event):
                    return event

    async def _next(self) -> Event:
        """The next event; the listening task's own error where it died."""
        saying = asyncio.create_task(self.said.get())
        await asyncio.wait({saying, self.task}, return_when=asyncio.FIRST_COMPLETED)
        if not saying.done():
            saying.cancel()
            self.task.result()
            raise AssertionError("the watcher ended")
        return saying.result()

    async def snapshot(
        self, wanted: Callable[[Snapshot], bool] = lambda snapshot: True
    ) -> Snapshot:
        """The next snapshot that is as wanted."""
        event = await self._until(lambda e: isinstance(e, Snapshot) and wanted(e))
        assert isinstance(event, Snapshot)
        return event

    async def stale(self) -> LinkState:
        """The next word of a lost link."""
        event = await self._until(lambda e: isinstance(e, LinkState) and e.link is Link.STALE)
        assert isinstance(event, LinkState)
        return event

    def forget(self) -> None:
        """What was said so far counts no more."""
        while not self.said.empty():
            self.said.get_nowait()


async def eventually(check: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Waits until something outside is so: the server tells nobody."""
    async with asyncio.timeout(patience_s):
        while not check():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@asynccontextmanager
async def listening(
    table: Table, *, interval_s: float = 0.5, budget: float = 0.5
) -> AsyncIterator[Listener]:
    """A watcher of the table that polls twice a second. Closing it closes the table too."""
    watcher = Watcher(table.reader, table.browser, interval_s=interval_s, budget=budget)
    listener = Listener(watcher)
    try:
        yield listener
    finally:
        await watcher.close()
        await asyncio.wait_for(listener.task, PATIENCE_S)
