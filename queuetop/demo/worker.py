"""A simulated worker: claims, handles, settles, and may be killed with everything it holds."""

from __future__ import annotations

import asyncio
import random
from time import monotonic
from typing import Any, NamedTuple

from queuetop.demo.catalogue import BY_NAME, Fault, fill
from queuetop.demo.outside import JobError, Outside
from queuetop.demo.producer import LEASE_S
from queuetop.demo.scenarios import Stage
from queuetop.store.files import load
from queuetop.store.session import Session

EVERY_S = 0.25
_FIRST_RETRY_S = 2.0


class _Ended(NamedTuple):
    job: Any
    at: float
    fault: Fault | None


class Worker:
    """One worker process of the application."""

    def __init__(
        self, host: str, session: Session, stage: Stage, outside: Outside, roll: random.Random
    ) -> None:
        self._host = host
        self._session = session
        self._stage = stage
        self._outside = outside
        self._roll = roll
        self._handling: set[asyncio.Task[None]] = set()
        self._ended: list[_Ended] = []
        self.name = self._new_name()

    def _new_name(self) -> str:
        return f"{self._host}/worker-{self._roll.randrange(1000, 9999)}"

    async def step(self) -> None:
        """Settles what ended and fills the free slots. Raises ``StoreError``."""
        await self._settle()
        free = self._stage.effects.slots - len(self._handling)
        if free <= 0:
            return
        jobs = await self._session.run(
            load("demo/claim"), {"slots": free, "worker": self.name, "lease_s": LEASE_S}
        )
        for job in jobs:
            task = asyncio.create_task(self._handle(job))
            self._handling.add(task)
            task.add_done_callback(self._handling.discard)

    def die(self) -> None:
        """As ``kill -9`` and a restart: nothing is settled, its leases run out, a new one takes its place."""
        for task in self._handling:
            task.cancel()
        self._handling = set()
        self._ended = []
        self.name = self._new_name()

    async def _handle(self, job: Any) -> None:
        fault = None
        try:
            await self._outside.handle(BY_NAME[job.kind], job.payload)
        except JobError as failure:
            fault = failure.fault
        self._ended.append(_Ended(job, monotonic(), fault))

    async def _settle(self) -> None:
        """One statement for what went well, one for what did not; kept for the next step where it fails."""
        ended = list(self._ended)
        done = [end for end in ended if end.fault is None]
        if done:
            now = monotonic()
            await self._session.run(
                load("demo/settle_done"),
                {
                    "ids": [end.job.id for end in done],
                    "attempts": [end.job.attempts for end in done],
                    "agos": [now - end.at for end in done],
                },
            )
        failed = [(end.job, end.fault) for end in ended if end.fault is not None]
        if failed:
            await self._session.run(
                load("demo/settle_failed"),
                {
                    "ids": [job.id for job, _ in failed],
                    "attempts": [job.attempts for job, _ in failed],
                    "delays": [self._delay(job, fault) for job, fault in failed],
                    "kinds": [fault.kind for _, fault in failed],
                    "details": [
                        fill(fault.detail, _number(job.idempotency_key), self._roll)
                        for job, fault in failed
                    ],
                },
            )
        self._ended = self._ended[len(ended) :]

    def _delay(self, job: Any, fault: Fault) -> float | None:
        """Seconds until the next attempt, doubled each time and spread; None to give up."""
        attempts: int = job.attempts
        if fault.final or attempts >= job.max_attempts:
            return None
        return float(_FIRST_RETRY_S * 2 ** (attempts - 1) * self._roll.uniform(1.0, 1.5))


def _number(key: str) -> int:
    """The job's number, so that its failure names what its payload names."""
    number = key.rpartition(":")[2]
    return int(number) if number.isdigit() else 0
