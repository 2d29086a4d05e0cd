"""Round trips: counted by a proxy that adds 40 ms to each."""

from __future__ import annotations

import asyncio
import statistics
from time import perf_counter

from queuetop.observe.poller import Poller
from tests.bench.figures import Figure, Target
from tests.bench.metering import INTERVAL_S, open_table, viewer
from tests.support.proxy import proxied

GROUP = "Slow link"
DELAY_S = 0.04
TICKS = 30


async def figures(dsn: str) -> list[Figure]:
    """Ticks over the link on a simulated clock, dear panels aside: those have a connection of their own."""
    now_s = 0.0
    with proxied(viewer(dsn), delay_s=DELAY_S) as proxy:
        began = perf_counter()
        table = await open_table(proxy.dsn)
        poller = Poller(table.reader, interval_s=INTERVAL_S, clock=lambda: now_s)
        try:
            snapshot = await poller.poll()
            first_s, first_trips = perf_counter() - began, proxy.flights
            trips, polls = [], []
            for _ in range(TICKS):
                now_s += INTERVAL_S
                await poller.settle()
                before = proxy.flights
                snapshot = await poller.poll()
                # A dear panel that starts with the tick is sent after its answer came.
                trips.append(proxy.flights - before)
                polls.append(snapshot.cost.poll_ms)
        finally:
            await poller.close()
            await table.browser.close()
            await asyncio.sleep(3 * DELAY_S)  # the proxy sees it too
    poll_ms = statistics.median(polls)
    return [
        Figure(
            GROUP,
            "round trips a tick",
            statistics.fmean(trips),
            f"{statistics.fmean(trips):.2f}",
            Target(1.0, "1"),
            f"counted on the wire over {TICKS} ticks, the most {max(trips)}; queuetop's own count "
            f"{snapshot.cost.round_trips}",
        ),
        Figure(
            GROUP,
            "a poll against the link's 40 ms",
            poll_ms / 1000 / DELAY_S,
            f"{poll_ms / 1000 / DELAY_S:.2f}×",
            note=f"{poll_ms:.0f} ms, the median; {min(polls):.0f} to {max(polls):.0f}",
        ),
        Figure(
            GROUP,
            "first snapshot over it",
            first_s,
            f"{first_s:.2f} s",
            note=f"{first_trips} round trips, connecting, detecting and planning included",
        ),
    ]
