"""One mapped table, watched: snapshots as they come, through lost links and restarts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from time import monotonic

from queuetop.model.backoff import Backoff
from queuetop.model.errors import StoreError
from queuetop.model.mapping import Mapping
from queuetop.model.ports import Browsed, Observed
from queuetop.model.snapshot import Link, LinkState, MappingRef, Server, Snapshot
from queuetop.observe.history import History
from queuetop.observe.poller import Poller

FASTEST_S = 0.5
SLOWEST_S = 60.0


class Watcher:
    """Implements ``model.ports.Watch`` over a store."""

    def __init__(
        self,
        store: Observed,
        browse: Browsed,
        *,
        interval_s: float = 2.0,
        budget: float = 0.01,
        eager: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.browse = browse
        self._poller = Poller(store, interval_s=interval_s, budget=budget, eager=eager, clock=clock)
        self._clock = clock
        self._wake = asyncio.Event()
        self._closed = False
        self._backoff = Backoff()
        self._last: Snapshot | None = None

    @property
    def mapping(self) -> Mapping:
        return self._poller.store.mapping

    @property
    def ref(self) -> MappingRef:
        return self._poller.store.ref

    @property
    def server(self) -> Server | None:
        return self._last.server if self._last else None

    @property
    def history(self) -> History:
        return self._poller.history

    @property
    def interval_s(self) -> float:
        return self._poller.cadence.interval_s

    def set_interval(self, seconds: float) -> None:
        self._poller.cadence.interval_s = min(SLOWEST_S, max(FASTEST_S, seconds))
        self._poller.cadence.share()
        self._wake.set()

    def poll_now(self) -> None:
        self._wake.set()

    def want_database(self, wanted: bool) -> None:
        self._poller.wants_database = wanted
        if wanted:
            self._wake.set()

    async def __aiter__(self) -> AsyncIterator[Snapshot | LinkState]:
        yield LinkState(link=Link.CONNECTING, since=self._clock())
        while not self._closed:
            began = self._clock()
            try:
                snapshot = await self._poller.poll()
            except StoreError as error:
                if self.closed:
                    return
                delay = self._backoff.next_s()
                yield LinkState(
                    link=Link.STALE, sentence=error.sentence, since=began, retry_in_s=delay
                )
                await self._sleep(delay)
                continue
            self._backoff.reset()
            self._last = snapshot
            yield snapshot
            # The next tick is counted from this one's start, and never runs beside it.
            await self._sleep(self.interval_s - (self._clock() - began))

    @property
    def closed(self) -> bool:
        return self._closed

    async def _sleep(self, seconds: float) -> None:
        """Until the next tick, or until somebody wants it now."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._wake.wait()
        self._wake.clear()

    async def close(self) -> None:
        self._closed = True
        self._wake.set()
        await asyncio.gather(self._poller.close(), self.browse.close())
