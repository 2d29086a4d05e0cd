"""The world outside: what a job's work takes, and how it fails."""

from __future__ import annotations

import asyncio
import random

from queuetop.demo.catalogue import OUTAGE, POISON, POISONED_KIND, Fault, Kind
from queuetop.demo.scenarios import Stage

_TRANSIENT = 0.03
_FINAL = 0.0035
_LONGEST_S = 15.0  # well within the lease


class JobError(Exception):
    """A handler's failure."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


class Outside:
    """Limits service, acquirers, mail: slow as in life, and flaky by what the stage says."""

    def __init__(self, stage: Stage, roll: random.Random) -> None:
        self._stage = stage
        self._roll = roll

    async def handle(self, kind: Kind, payload: object) -> None:
        """Takes as long as such a job takes. Raises ``JobError``."""
        if kind.name == POISONED_KIND and not _has_account(payload):
            await asyncio.sleep(0.05)
            raise JobError(POISON)
        effects = self._stage.effects
        seconds = kind.typical_s * self._roll.lognormvariate(0, 0.4)
        if kind.limited:
            seconds *= effects.slowness
        await asyncio.sleep(min(_LONGEST_S, seconds))
        if kind.limited and self._roll.random() < effects.outage:
            raise JobError(OUTAGE)
        dice = self._roll.random()
        if dice < _FINAL + _TRANSIENT:
            raise JobError(self._pick(kind, final=dice < _FINAL))

    def _pick(self, kind: Kind, *, final: bool) -> Fault:
        """One of the kind's own faults by weight; one that passes where it has no final one."""
        wanted = [(fault, weight) for fault, weight in kind.faults if fault.final is final]
        faults = wanted or kind.faults
        return self._roll.choices([fault for fault, _ in faults], [weight for _, weight in faults])[
            0
        ]


def _has_account(payload: object) -> bool:
    creditor = payload.get("creditor") if isinstance(payload, dict) else None
    return isinstance(creditor, dict) and creditor.get("iban") is not None
