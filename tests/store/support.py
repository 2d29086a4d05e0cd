"""Tables opened, polled and listed as the dashboard does it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import msgspec

from queuetop.model.jobs import Cursor, Job, Sort
from queuetop.model.mapping_toml import decode
from queuetop.model.ports import Browsed
from queuetop.model.selection import Selection
from queuetop.model.snapshot import Snapshot
from queuetop.observe.poller import Poller
from queuetop.store.conninfo import Conninfo
from queuetop.store.opener import Opener, Table, Wanted

BY_ID = Sort("id", descending=False)


class Clock:
    """Monotonic seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def opened(
    dsn: str, *, mapping: str | None = None, table: str | None = None
) -> AsyncIterator[Table]:
    """The one table that the mapping (TOML) or detection finds, closed at the end."""
    wanted = [Wanted(decode(mapping, "test"), "file")] if mapping else []
    async with Opener(Conninfo(dsn)) as opener:
        (found,) = await opener.open(wanted, table=table)
    try:
        yield found
    finally:
        await found.reader.close()
        await found.browser.close()


@asynccontextmanager
async def polled(table: Table, **options: Any) -> AsyncIterator[tuple[Poller, Clock]]:
    """A poller of the table, on a clock of its own. The table's reader is closed with it."""
    clock = Clock()
    poller = Poller(table.reader, clock=clock, **options)
    try:
        yield poller, clock
    finally:
        await poller.close()


async def snapshot_of(table: Table) -> Snapshot:
    """A snapshot for which every panel has run, the dear ones too."""
    async with polled(table) as (poller, clock):
        return await settled(poller, clock)


async def settled(poller: Poller, clock: Clock) -> Snapshot:
    """Polls until nothing is left that has not been asked."""
    snapshot = await poller.poll()
    for _ in range(40):
        await poller.settle()
        done = all(pace.last_run is not None for pace in poller.cadence.paces.values())
        clock.now += 2.0
        snapshot = await poller.poll()
        if done:
            return snapshot
    raise AssertionError("some panels are never asked")


async def every_job(
    browse: Browsed, selection: Selection | None = None, sort: Sort = BY_ID, limit: int = 1000
) -> list[Job]:
    """All pages one after the other."""
    jobs: list[Job] = []
    after: Cursor | None = None
    for _ in range(1000):
        page = await browse.jobs(selection or Selection(), sort, after=after, limit=limit)
        assert len(page.jobs) == len(page.places) <= limit
        jobs += page.jobs
        if page.next is None:
            return jobs
        after = page.next
    raise AssertionError("the pages do not end")


def texts(value: object, *, lines: bool = False) -> Iterator[tuple[str, bool]]:
    """Every text inside a model's value, and whether it may have several lines. Cursors are opaque."""
    match value:
        case str():
            yield value, lines
        case Cursor():
            return
        case msgspec.Struct():
            for name in value.__struct_fields__:
                several = name in {"failure_text", "payload_text", "value"}
                yield from texts(getattr(value, name), lines=several)
        case dict():
            yield from texts([*value, *value.values()])
        case list() | tuple() | set() | frozenset():
            for item in value:
                yield from texts(item)


_UNCLEAN = (
    {*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x61C, 0x180E, 0xFEFF}
    | {*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070)}
    | {*range(0xD800, 0xE000), *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)}
)


def assert_clean(value: object) -> None:
    """No control, bidi or invisible character anywhere, but a line feed where lines are kept."""
    for text, lines in texts(value):
        bad = {character for character in text if ord(character) in _UNCLEAN}
        assert not bad - ({"\n"} if lines else set()), ascii(text[:200])


def age_to(snapshot: Snapshot, moment: datetime | None) -> float:
    """Seconds from a moment of the server to the snapshot."""
    assert moment is not None
    return (snapshot.taken_at - moment).total_seconds()
