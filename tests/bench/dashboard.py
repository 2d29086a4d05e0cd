"""``python -m tests.bench.dashboard DSN``: the real dashboard on the real store, whose dear panels can be
made to run all the time, with a clock that can be hurried."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import sys
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

from msgspec import structs

from queuetop.model.facts import Facts, Signal
from queuetop.model.ports import Browsed, Observed
from queuetop.model.snapshot import LinkState, Snapshot
from queuetop.observe import cadence
from queuetop.observe.watch import Watcher
from queuetop.ui import Options, run_dashboard
from tests.bench.metering import Through, open_table


class Clock(Through):
    """A store whose server's clock runs ahead of the real one, and the client's with it."""

    def __init__(self, store: Observed) -> None:
        super().__init__(store)
        self.ahead_s = 0.0

    def client_s(self) -> float:
        return time.monotonic() + self.ahead_s

    def heard(self, facts: Facts) -> Facts:
        ahead = timedelta(seconds=self.ahead_s)
        server = structs.replace(
            facts.server,
            now=facts.server.now + ahead,
            sent_at=facts.server.sent_at + ahead,
            received_at=facts.server.received_at + ahead,
        )
        return structs.replace(facts, server=server)


class Hurried(Watcher):
    """Does not wait for its ticks: after each snapshot the clock jumps to the next one. After the last
    one it says in a file how much memory there was, and goes on at its own pace."""

    def __init__(self, clock: Clock, browse: Browsed, ticks: int, report: Path | None) -> None:
        super().__init__(clock, browse, clock=clock.client_s)
        self._ahead, self._ticks, self._report = clock, ticks, report

    async def __aiter__(self) -> AsyncIterator[Snapshot | LinkState]:
        first, seen = 0.0, 0
        async for event in super().__aiter__():
            yield event
            if not isinstance(event, Snapshot) or seen >= self._ticks:
                continue
            seen += 1
            await asyncio.sleep(0.005)  # so that each snapshot is drawn
            first = first or _memory_mb("VmRSS")
            if seen < self._ticks:
                self._ahead.ahead_s += self.interval_s
                self.poll_now()
            elif self._report is not None:
                self._say(self._report, first, seen)

    def _say(self, report: Path, first: float, seen: int) -> None:
        points = sum(len(tuple(ring)) for ring in self.history._rings.values())
        said = {
            "ticks": seen,
            "first_mb": first,
            "last_mb": _memory_mb("VmRSS"),
            "peak_mb": _memory_mb("VmHWM"),
            "points": points,
        }
        part = report.with_suffix(".part")
        part.write_text(json.dumps(said))
        part.rename(report)


def _memory_mb(name: str) -> float:
    """Of this process. Linux counts a peak from the start of the program; elsewhere there is only that."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    found = re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.dashboard", description=__doc__)
    parser.add_argument("dsn")
    parser.add_argument("--interval", type=float, default=2.0)
    parser.add_argument("--dear", action="store_true", help="dear panels at every tick")
    parser.add_argument("--hurry", type=int, default=0, metavar="TICKS")
    parser.add_argument("--report", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    table = asyncio.run(open_table(arguments.dsn))
    if arguments.dear:
        cadence._PACE = dict.fromkeys(Signal, 0.0)
    watch = Watcher(
        table.reader,
        table.browser,
        interval_s=arguments.interval,
        budget=1.0 if arguments.dear else 0.01,
    )
    if arguments.hurry:
        watch = Hurried(Clock(table.reader), table.browser, arguments.hurry, arguments.report)
    return run_dashboard([watch], Options(writes=False))


if __name__ == "__main__":
    sys.exit(main())
