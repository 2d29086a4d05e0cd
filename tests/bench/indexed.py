"""The indexed table: a tick against the plain statements for the same numbers, and against a small table."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import psycopg

from tests.bench.figures import Figure, Target
from tests.bench.metering import Observation, Spent, cpu_ms, observing, together, viewer

GROUP = "Indexed table"
TICKS = 150
#: Ticks until every panel has run and found its rhythm, at the most.
WARM_UP = 90

#: What a screen would ask that knows nothing better, for the numbers that a tick gives.
PLAIN = {
    "group by status": "select status, count(*) from payment_task group by status",
    # An expression, so that the planner cannot walk the whole index on created_at for the first pending
    # job, as it likes to do and which takes seconds: the harder comparison.
    "oldest pending": (
        "select min(created_at + interval '0') from payment_task where status = 'PENDING'"
    ),
    "retry ratio": (
        "select count(*) filter (where attempts > 1)::float8 / nullif(count(*), 0) from payment_task"
        " where status = 'DONE' and finished_at >= now() - interval '1 hour'"
    ),
    "failure kinds": (
        "select failure_kind, count(*), max(failed_at),"
        " (array_agg(failure_detail order by failed_at desc))[1]"
        " from payment_task where status = 'FAILED' group by failure_kind"
    ),
}


@dataclass
class Rounds:
    """Each round measures everything once, so that a busy moment of the machine hits all alike."""

    big: list[Spent] = field(default_factory=list)
    small: list[Spent] = field(default_factory=list)
    #: Milliseconds by statement, one dict a round.
    serial: list[dict[str, float]] = field(default_factory=list)
    parallel: list[dict[str, float]] = field(default_factory=list)
    serial_cpu: list[float] = field(default_factory=list)


async def figures(big: str, small: str, rows: int, rounds: int) -> list[Figure]:
    """Ticks on both tables and the plain statements on the big one, in turns."""
    found = Rounds()
    async with AsyncExitStack() as stack:
        on_big = await stack.enter_async_context(observing(big))
        on_small = await stack.enter_async_context(observing(small))
        plain = stack.enter_context(psycopg.connect(viewer(big), autocommit=True))
        for observation in (on_big, on_small):
            await _warm_up(observation)
        _plain(plain, parallel=False)
        for _ in range(rounds):
            found.big.append(await on_big.run(TICKS))
            found.small.append(await on_small.run(TICKS))
            before = cpu_ms([plain.info.backend_pid])
            found.serial.append(_plain(plain, parallel=False))
            after = cpu_ms([plain.info.backend_pid])
            if before is not None and after is not None:
                found.serial_cpu.append(after - before)
            found.parallel.append(_plain(plain, parallel=True))
        share = on_big.poller.cadence.planned_share
    return [*_against_plain(found, rows, share), *_against_small(found)]


async def _warm_up(observation: Observation) -> None:
    for _ in range(WARM_UP // 10):
        await observation.run(10)
        if observation.settled:
            break


def _plain(connection: psycopg.Connection[Any], *, parallel: bool) -> dict[str, float]:
    workers = min(4, os.cpu_count() or 1) if parallel else 0
    connection.execute(f"set max_parallel_workers_per_gather = {workers}".encode())
    spent = {}
    for name, statement in PLAIN.items():
        began = perf_counter()
        connection.execute(statement.encode()).fetchall()
        spent[name] = (perf_counter() - began) * 1000
    return spent


def _against_plain(found: Rounds, rows: int, share: float) -> Iterator[Figure]:
    target = Target(1 / 100, "≤ 1/100 at 10 M", judged=rows >= 10_000_000)
    tick = statistics.median(spent.mean_ms for spent in found.big)
    serial = statistics.median(sum(spent.values()) for spent in found.serial)
    parallel = statistics.median(sum(spent.values()) for spent in found.parallel)
    plain = min(serial, parallel)
    total = together(found.big)
    parts = ", ".join(
        f"{name} {statistics.median(each[name] for each in found.serial):.0f}" for name in PLAIN
    )
    yield Figure(
        GROUP,
        "a tick against the plain statements",
        tick / plain,
        f"1/{plain / tick:.0f}",
        target,
        f"{tick:.1f} ms of statements a tick on average over the cadence, the median tick "
        f"{total.median_ms:.1f}; {share:.2%} of one backend planned; dearest: {total.dearest}. "
        f"{total.cross_check}. Plain: {serial:.0f} ms without parallel workers, {parallel:.0f} with, "
        f"the smaller counts ({parts}).",
    )
    yield Figure(
        GROUP,
        "every panel once against them",
        total.once_ms / plain,
        f"1/{plain / total.once_ms:.0f}",
        note=f"{total.once_ms:.0f} ms: as if no panel had to wait for its share of the budget",
    )
    if found.serial_cpu and total.cpu_ms is not None:
        cpu, plain_cpu = total.cpu_ms / len(total.ticks), statistics.median(found.serial_cpu)
        yield Figure(
            GROUP,
            "the same by CPU time of the backends",
            cpu / plain_cpu,
            f"1/{plain_cpu / cpu:.0f}",
            target,
            f"{cpu:.1f} ms a tick, parsing, planning, settings and the wire included, against "
            f"{plain_cpu:.0f} ms",
        )


def _against_small(found: Rounds) -> Iterator[Figure]:
    big, small = together(found.big), together(found.small)
    ratio = statistics.median(
        one.mean_ms / other.mean_ms for one, other in zip(found.big, found.small, strict=True)
    )
    grown = {
        name: (sum(runs) - sum(small.by_panel.get(name, []))) / len(big.ticks)
        for name, runs in big.by_panel.items()
    }
    worst = max(grown, key=lambda name: grown[name])
    cpu = ""
    if big.cpu_ms and small.cpu_ms:
        cpu = f"; {big.cpu_ms / small.cpu_ms:.2f}× by CPU time"
    yield Figure(
        GROUP,
        "a tick against one on 100 000 rows",
        ratio,
        f"{ratio:.2f}×",
        Target(1.5, "≤ 1.5×"),
        f"{big.mean_ms:.1f} ms against {small.mean_ms:.1f}{cpu}; dearest on the small one: {small.dearest}; "
        f"what grew most: {worst} by {grown[worst]:+.1f} ms a tick",
    )
    once = big.once_ms / small.once_ms
    yield Figure(
        GROUP,
        "every panel once, against 100 000 rows",
        once,
        f"{once:.2f}×",
        note=f"what the budget does not even out: {big.once_ms:.0f} ms against {small.once_ms:.0f}; "
        f"{_slowest(big)}",
    )


def _slowest(spent: Spent) -> str:
    runs = {name: statistics.median(runs) for name, runs in spent.by_panel.items()}
    worst = sorted(runs.items(), key=lambda item: -item[1])[:4]
    return ", ".join(f"{name} {ms:.1f} ms" for name, ms in worst)
