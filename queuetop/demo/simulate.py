"""The process that makes the demo live: history, producer, workers, incidents.

A process of its own, so that it takes no time from the screen. It reads JSON lines: first the order
``{"dsn", "scenario", "seed"}``, later ``{"scenario"}`` to change it (null goes by the schedule). It
writes ``ready`` once the history is there, or ``error: …`` before it ends early, and it ends with its
input, which closes at the latest when its parent is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import sys
from collections.abc import Awaitable, Callable

from queuetop.demo import producer, table, worker
from queuetop.demo.outside import Outside
from queuetop.demo.producer import Producer
from queuetop.demo.scenarios import SCHEDULE, Scenario, Stage
from queuetop.demo.worker import Worker
from queuetop.model.backoff import Backoff
from queuetop.model.errors import QueuetopError, StoreError
from queuetop.store.conninfo import Conninfo
from queuetop.store.files import load
from queuetop.store.session import Session

_HOSTS = ("app-1", "app-2", "app-3", "app-4")
_RESCUE_EVERY_S = 5.0
_PURGE_EVERY_S = 30.0
_KEPT_S = 3 * 3600.0


class World:
    """Everything that happens around the queue, on a stage that changes."""

    def __init__(self, dsn: str, seed: int) -> None:
        self._conninfo = Conninfo(f"{dsn}&application_name=payment-app")
        self._roll = random.Random(seed)
        self._seed = seed
        self._stage = Stage()
        self._sessions: list[Session] = []
        self._maintenance = self._session()
        self._producer = Producer(self._session(), self._stage, self._roll)
        outside = Outside(self._stage, self._roll)
        self._workers = [
            Worker(host, self._session(), self._stage, outside, self._roll) for host in _HOSTS
        ]
        self._play: asyncio.Task[None] | None = None

    def _session(self) -> Session:
        self._sessions.append(Session(self._conninfo))
        return self._sessions[-1]

    async def prepare(self) -> None:
        """Makes the table and its history. Raises ``StoreError``."""
        await table.prepare(self._maintenance, self._seed)

    async def run(self) -> None:
        """Goes on until it is cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._repeat(self._producer.step, producer.EVERY_S))
                for each in self._workers:
                    group.create_task(self._repeat(each.step, worker.EVERY_S))
                group.create_task(self._repeat(self._rescue, _RESCUE_EVERY_S))
                group.create_task(self._repeat(self._purge, _PURGE_EVERY_S))
                group.create_task(self._crash())
        finally:
            if self._play is not None:
                self._play.cancel()
            for session in self._sessions:
                await session.close()

    def play(self, scenario: Scenario | None) -> None:
        """Goes over to a scenario, which stays; None goes by the schedule."""
        if self._play is not None:
            self._play.cancel()
        self._play = asyncio.create_task(self._follow(scenario))

    async def _follow(self, scenario: Scenario | None) -> None:
        if scenario is not None:
            return await self._enter(scenario)
        for each, seconds in itertools.cycle(SCHEDULE):
            await self._enter(each)
            await asyncio.sleep(seconds)
        return None

    async def _enter(self, scenario: Scenario) -> None:
        """Changes the stage, and makes what would be there had the incident begun a while ago."""
        if scenario is self._stage.scenario:
            return
        self._stage.scenario = scenario
        effects = self._stage.effects
        # Without its onset an incident only takes longer to show.
        with contextlib.suppress(StoreError):
            if effects.backlog_s:
                await self._producer.backlog(effects.backlog_s)
            if effects.struck:
                await self._producer.strike(effects.struck, self._workers[0].name)
            if effects.abandoned:
                doomed = self._workers[-1]
                await self._producer.abandon(effects.abandoned, doomed.name)
                doomed.die()

    async def _rescue(self) -> None:
        """Gives lapsed leases back; while workers die, so does whoever should do this."""
        if self._stage.effects.crash_every_s is None:
            await self._maintenance.run(load("demo/rescue"))

    async def _purge(self) -> None:
        await self._maintenance.run(load("demo/purge"), {"kept_s": _KEPT_S})

    async def _crash(self) -> None:
        while True:
            await asyncio.sleep(self._stage.effects.crash_every_s or 1.0)
            if self._stage.effects.crash_every_s is not None:
                self._workers[-1].die()

    async def _repeat(self, step: Callable[[], Awaitable[None]], seconds: float) -> None:
        """Repeats a step at about ``seconds``, and waits longer while the server is away."""
        backoff = Backoff(cap_s=2.0, roll=self._roll)
        while True:
            try:
                await step()
                backoff.reset()
                pause = seconds * self._roll.uniform(0.8, 1.2)
            except StoreError:
                pause = backoff.next_s()
            await asyncio.sleep(pause)


async def simulate(lines: asyncio.StreamReader) -> None:
    """Does what the lines say until they end. Raises ``QueuetopError``."""
    first = await lines.readline()
    if not first:
        return
    order = json.loads(first)
    world = World(order["dsn"], order["seed"])

    async def live() -> None:
        await world.prepare()
        world.play(_scenario(order))
        _say("ready")
        await world.run()

    async def listen() -> None:
        while line := await lines.readline():
            world.play(_scenario(json.loads(line)))

    tasks = {asyncio.create_task(live()), asyncio.create_task(listen())}
    ended, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    for task in ended:
        task.result()


def _scenario(order: dict[str, str | None]) -> Scenario | None:
    name = order["scenario"]
    return None if name is None else Scenario(name)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def _main() -> None:
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    await simulate(lines)


if __name__ == "__main__":
    try:
        asyncio.run(_main())
    except QueuetopError as error:
        _say(f"error: {error}")
        sys.exit(error.exit_code)
