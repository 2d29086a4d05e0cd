"""What observing costs the server: ticks on a simulated clock, every due statement really run.

Three meters at once, since none of them says it all: the clock that queuetop asks between its statements
(what its own screen shows), ``pg_stat_statements`` over everything the viewer's role sent (also BEGIN,
settings and plans), and the CPU time of the viewer's backends as the operating system counts it (parsing
and the wire too), which a busy machine disturbs least.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from queuetop.model.facts import Facts, Panel, PlanCost
from queuetop.model.mapping import Mapping
from queuetop.model.ports import Observed
from queuetop.model.snapshot import DatabaseHealth, MappingRef
from queuetop.observe.poller import Poller
from queuetop.store.conninfo import Conninfo
from queuetop.store.opener import Opener, Table
from tests.bench.tables import TABLE, VIEWER

INTERVAL_S = 2.0


def viewer(dsn: str) -> str:
    """The same database as the role that reads."""
    return make_conninfo(dsn, user=VIEWER)


async def open_table(dsn: str) -> Table:
    """The benched table, opened as queuetop opens it."""
    async with Opener(Conninfo(dsn)) as opener:
        (table,) = await opener.open(table=TABLE)
    return table


class Through:
    """A store that hands everything on (``model.ports.Observed``): the ground for what listens in."""

    def __init__(self, store: Observed) -> None:
        self.store = store

    @property
    def mapping(self) -> Mapping:
        return self.store.mapping

    @property
    def ref(self) -> MappingRef:
        return self.store.ref

    @property
    def where(self) -> str:
        return self.store.where

    @property
    def spent_ms(self) -> float:
        return self.store.spent_ms

    def panels(self) -> tuple[Panel, ...]:
        return self.store.panels()

    def windowed(self, panel: Panel) -> Panel | None:
        return self.store.windowed(panel)

    def sweep(self) -> Panel | None:
        return self.store.sweep()

    async def plan(self, panels: Sequence[Panel]) -> dict[Panel, PlanCost]:
        return await self.store.plan(panels)

    async def ask(self, panels: Sequence[Panel]) -> Facts:
        return self.heard(await self.store.ask(panels))

    async def ask_dear(self, panel: Panel) -> Facts:
        return self.heard(await self.store.ask_dear(panel))

    async def database(self) -> DatabaseHealth:
        return await self.store.database()

    async def close(self) -> None:
        await self.store.close()

    def heard(self, facts: Facts) -> Facts:
        return facts


class Metered(Through):
    """Remembers what each run of each panel cost, in milliseconds."""

    def __init__(self, store: Observed) -> None:
        super().__init__(store)
        self.runs: list[tuple[str, float]] = []
        self.failed: list[str] = []

    def heard(self, facts: Facts) -> Facts:
        self.runs += [(str(panel), ms) for panel, ms in facts.costs.items()]
        self.failed += [f"{panel}: {why}" for panel, why in facts.failed.items()]
        return facts


@dataclass(frozen=True)
class Spent:
    """What some ticks cost the server, in milliseconds."""

    #: One entry a tick, what ran beside it included.
    ticks: list[float]
    runs: list[tuple[str, float]]
    failed: list[str]
    #: Of everything that the role sent.
    statements_ms: float
    cpu_ms: float | None

    @property
    def mean_ms(self) -> float:
        return statistics.fmean(self.ticks)

    @property
    def median_ms(self) -> float:
        return statistics.median(self.ticks)

    @property
    def by_panel(self) -> dict[str, list[float]]:
        """The runs of each panel, the dearest panel first."""
        found: dict[str, list[float]] = {}
        for panel, ms in self.runs:
            found.setdefault(panel, []).append(ms)
        return dict(sorted(found.items(), key=lambda item: -sum(item[1])))

    @property
    def once_ms(self) -> float:
        """One run of every panel, whatever its rhythm: what the budget does not even out."""
        return sum(statistics.median(runs) for runs in self.by_panel.values())

    @property
    def dearest(self) -> str:
        """The panel that dominates."""
        name, runs = next(iter(self.by_panel.items()), ("nothing", [0.0]))
        share = sum(runs) / len(self.ticks)
        return f"{name} {share:.1f} of {self.mean_ms:.1f} ms a tick ({statistics.median(runs):.1f} ms a run)"

    @property
    def cross_check(self) -> str:
        """The same by the other two meters, per tick."""
        count = len(self.ticks)
        cpu = "" if self.cpu_ms is None else f", CPU of its backends {self.cpu_ms / count:.1f}"
        return f"pg_stat_statements says {self.statements_ms / count:.1f} ms a tick{cpu}"


def together(rounds: Sequence[Spent]) -> Spent:
    """Several rounds as one."""
    cpu = [spent.cpu_ms for spent in rounds if spent.cpu_ms is not None]
    return Spent(
        [tick for spent in rounds for tick in spent.ticks],
        [run for spent in rounds for run in spent.runs],
        [each for spent in rounds for each in spent.failed],
        sum(spent.statements_ms for spent in rounds),
        sum(cpu) if len(cpu) == len(rounds) else None,
    )


class Clock:
    """Seconds for a poller: simulated ones, or real ones that are waited for."""

    def __init__(self, *, real: bool) -> None:
        self._real = real
        self._now_s = 0.0

    def __call__(self) -> float:
        return monotonic() if self._real else self._now_s

    async def reach(self, moment: float, poller: Poller) -> None:
        """Until then. A simulated clock stands still until the dear panel beside the tick is done."""
        if self._real:
            await asyncio.sleep(moment - monotonic())
        else:
            await poller.settle()
            self._now_s = moment


@dataclass
class Observation:
    """A poller, its meters, and a superuser's eye on both."""

    poller: Poller
    meter: Metered
    eye: psycopg.Connection[Any]
    clock: Clock
    #: How long each poll took, as the client sees it.
    polls_s: list[float] = field(default_factory=list)

    async def run(self, ticks: int) -> Spent:
        """Polls ``ticks`` times, two seconds apart on the clock."""
        start, failed = len(self.meter.runs), len(self.meter.failed)
        statements, cpu = self._statements_ms(), self._cpu_ms()
        each = []
        for _ in range(ticks):
            began, mark, sent = self.clock(), len(self.meter.runs), monotonic()
            await self.poller.poll()
            self.polls_s.append(monotonic() - sent)
            await self.clock.reach(began + INTERVAL_S, self.poller)
            each.append(sum(ms for _, ms in self.meter.runs[mark:]))
        used = self._cpu_ms()
        return Spent(
            each,
            self.meter.runs[start:],
            self.meter.failed[failed:],
            self._statements_ms() - statements,
            None if cpu is None or used is None else used - cpu,
        )

    @property
    def settled(self) -> bool:
        """Whether every panel has run, so that the rhythm is known."""
        return all(pace.measured for pace in self.poller.cadence.paces.values())

    def _statements_ms(self) -> float:
        [(ms,)] = self.eye.execute(
            "select coalesce(sum(total_exec_time + total_plan_time), 0) from pg_stat_statements"
            " where userid = %s::regrole and dbid ="
            " (select oid from pg_database where datname = current_database())",
            [VIEWER],
        ).fetchall()
        return float(ms)

    def _cpu_ms(self) -> float | None:
        pids = self.eye.execute(
            "select pid from pg_stat_activity where usename = %s and datname = current_database()",
            [VIEWER],
        ).fetchall()
        return cpu_ms(pid for (pid,) in pids)


def cpu_ms(pids: Iterable[int]) -> float | None:
    """CPU time of the processes' main threads so far; None where the system does not say."""
    times = [scheduled_ms(pid) for pid in pids]
    return None if None in times else sum(time[0] for time in times if time)


def scheduled_ms(pid: int) -> tuple[float, float] | None:
    """How long a process's main thread has run so far, and how long it has waited for a core."""
    try:
        ran, waited, _ = Path(f"/proc/{pid}/schedstat").read_text().split()
    except (OSError, ValueError):  # not Linux, or gone
        return None
    return int(ran) / 1e6, int(waited) / 1e6


def quiet(dsn: str) -> None:
    """Waits until the server is done with the viewer's last statement: a scan outlives who asked for it."""
    with psycopg.connect(dsn, autocommit=True) as eye:
        busy = "select 1 from pg_stat_activity where usename = %s and state = 'active'"
        while eye.execute(busy, [VIEWER]).fetchone():
            sleep(0.05)


@asynccontextmanager
async def observing(dsn: str, *, real: bool = False) -> AsyncIterator[Observation]:
    """The benched table in ``dsn``, about to be polled for the first time."""
    table = await open_table(viewer(dsn))
    meter, clock = Metered(table.reader), Clock(real=real)
    poller = Poller(meter, interval_s=INTERVAL_S, clock=clock)
    with psycopg.connect(dsn, autocommit=True) as eye:
        try:
            yield Observation(poller, meter, eye, clock)
        finally:
            await poller.close()
            await table.browser.close()
