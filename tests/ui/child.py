"""The dashboard as a process, for tests that look at the bytes: ``python -m tests.ui.child NAME``."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable

from msgspec import structs

from queuetop.model.measure import Measure
from queuetop.model.ports import Watch
from queuetop.model.snapshot import LinkState, MappingRef, Snapshot
from queuetop.ui import Options, run_dashboard
from tests.ui.fakes import FINDINGS, KINDS, FakeWatch, LiveWatch, make_jobs, make_snapshot

#: What a table could hold. Not cleaned: whatever forgets to clean must not matter.
NASTY = "\x1b]52;c;QUFB\x07\x9b31m[/][@click=app.quit]x\x1b[2J\u202eab\x00\x7f"


class StuckWatch(FakeWatch):
    """A frozen link: takes no cancel, does not close, and holds a thread in the name server."""

    async def __aiter__(self) -> AsyncIterator[Snapshot | LinkState]:
        stuck = asyncio.get_running_loop().run_in_executor(None, threading.Event().wait, 60)
        yield make_snapshot()
        while True:
            try:
                await asyncio.shield(stuck)
            except asyncio.CancelledError:
                await asyncio.sleep(60)


class BrokenWatch(FakeWatch):
    """Hands over a snapshot that cannot be drawn, with a secret in the locals of the frame."""

    async def __aiter__(self) -> AsyncIterator[Snapshot | LinkState]:
        dsn = "postgresql://ann:hunter2@db1/app password=hunter2"
        yield make_snapshot()
        await asyncio.sleep(0.3)
        yield make_snapshot(states={}, paused_queues=(dsn,))


def hostile() -> FakeWatch:
    finding = structs.replace(
        FINDINGS[0], verdict=f"verdict {NASTY}", evidence=(NASTY,), cause=NASTY
    )
    kind = structs.replace(KINDS[0], kind=NASTY, example=NASTY)
    snapshot = make_snapshot()
    job = structs.replace(make_jobs(1)[0], kind=NASTY, queue=NASTY, payload=NASTY, worker=NASTY)
    return FakeWatch(
        [
            make_snapshot(
                findings=(finding,),
                failures=structs.replace(snapshot.failures, kinds=(kind,), window=NASTY),
                queues=(structs.replace(snapshot.queues[0], queue=NASTY),),
                retry_ratio=structs.replace(snapshot.retry_ratio, share=Measure.unavailable(NASTY)),
            )
        ],
        jobs=(job,),
        ref=MappingRef(name=NASTY, table=NASTY, source="file"),
    )


def main(name: str) -> int:
    watches: dict[str, Callable[[], Watch]] = {
        "hostile": hostile,
        "stuck": StuckWatch,
        "broken": BrokenWatch,
        "live": lambda: LiveWatch(jobs=make_jobs(200)),
    }
    return run_dashboard([watches[name]()], Options())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
