"""The applications that put jobs into the queue."""

from __future__ import annotations

import random
from collections.abc import Iterable
from time import monotonic
from typing import NamedTuple

from queuetop.demo.catalogue import BY_NAME, KINDS, OUTAGE, POISONED, POISONED_KIND, Kind, fill
from queuetop.demo.scenarios import Stage
from queuetop.demo.table import FIRST_NUMBER
from queuetop.store.files import load
from queuetop.store.session import Session

EVERY_S = 0.2
LEASE_S = 20.0
_AT_ONCE = 500
_LONGEST_STEP_S = 2.0  # after a pause (a suspended laptop) nothing is made up for
_BACKLOG_RATE = 27.0
_BACKLOG_KIND = "receipt.email"
_LATER = 0.02


class _New(NamedTuple):
    kind: Kind
    payload: str
    age_s: float = 0.0
    delay_s: float = 0.0


class Producer:
    """Jobs at random moments, at the rates of the catalogue times what the stage says."""

    def __init__(self, session: Session, stage: Stage, roll: random.Random) -> None:
        self._session = session
        self._stage = stage
        self._roll = roll
        self._number = FIRST_NUMBER
        self._last = monotonic()

    async def step(self) -> None:
        """What arrived since the last step. Raises ``StoreError``."""
        now = monotonic()
        seconds, self._last = min(now - self._last, _LONGEST_STEP_S), now
        effects = self._stage.effects
        new = [
            self._new(kind)
            for kind in KINDS
            for _ in range(
                self._poisson(kind.rate * effects.arrivals.get(kind.queue, 1.0) * seconds)
            )
        ]
        new += [
            _New(BY_NAME[POISONED_KIND], POISONED)
            for _ in range(self._poisson(effects.poison_rate * seconds))
        ]
        await self._enqueue(new)

    async def backlog(self, seconds: float) -> None:
        """A campaign that began ``seconds`` ago and was not kept up with. Raises ``StoreError``."""
        kind = BY_NAME[_BACKLOG_KIND]
        jobs = round(seconds * _BACKLOG_RATE)
        ages = (seconds * (jobs - n) / jobs for n in range(jobs))
        await self._enqueue([_New(kind, kind.payload, age_s=age) for age in ages])

    async def strike(self, jobs: int, worker: str) -> None:
        """Jobs that the outage cost in the last seconds. Raises ``StoreError``."""
        limited = [kind for kind in KINDS if kind.limited]
        new = [self._new(kind) for kind in self._roll.choices(limited, k=jobs)]
        columns = self._columns(job._replace(age_s=self._roll.uniform(8, 40)) for job in new)
        del columns["delays"]
        columns["details"] = [fill(OUTAGE.detail, 0, self._roll) for _ in new]
        await self._session.run(
            load("demo/strike"), {**columns, "worker": worker, "failure_kind": OUTAGE.kind}
        )

    async def abandon(self, jobs: int, worker: str) -> None:
        """Jobs that ``worker`` held when it died, a little longer than a lease ago. Raises ``StoreError``."""
        new = [self._new(kind) for kind in self._roll.choices(KINDS, k=jobs)]
        columns = self._columns(
            job._replace(age_s=LEASE_S + self._roll.uniform(3, 25)) for job in new
        )
        del columns["delays"]
        await self._session.run(
            load("demo/abandon"), {**columns, "worker": worker, "lease_s": LEASE_S}
        )

    def _new(self, kind: Kind) -> _New:
        later = kind.queue == "notifications" and self._roll.random() < _LATER
        return _New(kind, kind.payload, delay_s=self._roll.uniform(20, 90) if later else 0.0)

    async def _enqueue(self, new: list[_New]) -> None:
        for start in range(0, len(new), _AT_ONCE):
            columns = self._columns(new[start : start + _AT_ONCE])
            await self._session.run(load("demo/enqueue"), columns)

    def _columns(self, new: Iterable[_New]) -> dict[str, list[object]]:
        columns: dict[str, list[object]] = {
            name: []
            for name in ("queues", "kinds", "payloads", "keys", "max_attempts", "ages", "delays")
        }
        for job in new:
            self._number += 1
            values = (
                job.kind.queue,
                job.kind.name,
                fill(job.payload, self._number, self._roll),
                f"{job.kind.name}:{self._number}",
                job.kind.max_attempts,
                job.age_s,
                job.delay_s,
            )
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
        return columns

    def _poisson(self, mean: float) -> int:
        """How many events of a Poisson process fall into a time that has ``mean`` on average."""
        count, passed = 0, self._roll.expovariate(1.0)
        while passed < mean:
            count += 1
            passed += self._roll.expovariate(1.0)
        return count
