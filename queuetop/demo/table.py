"""Makes the demo's table and its history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from queuetop.demo.catalogue import KINDS, OUTAGE
from queuetop.store.files import load
from queuetop.store.session import Session

SPAN_S = 2 * 3600
#: An earlier outage, in seconds ago; over before the last hour begins.
_OUTAGE_S = (82 * 60, 66 * 60)
_SCHEDULED = 48
#: The history numbers its jobs below this, the simulation from here on.
FIRST_NUMBER = 1_000_000

_INDEXES = ("ready", "lease", "failed", "finished", "created", "queue", "idempotency")


async def prepare(session: Session, seed: int) -> None:
    """Creates the table with its past. Raises ``StoreError``."""
    rate = sum(kind.rate for kind in KINDS)
    await session.run(load("demo/table"))
    await session.run(load("demo/seed"), {"seed": (seed % 1000) / 1000})
    await session.run(
        load("demo/history").format(),
        {
            "kinds": json.dumps(_kinds()),
            "faults": json.dumps(_faults()),
            "span_s": SPAN_S,
            "jobs": round(rate * SPAN_S * 0.625),  # the mean density, see the statement
            "outage_from_s": _OUTAGE_S[0],
            "outage_to_s": _OUTAGE_S[1],
        },
    )
    await session.run(load("demo/scheduled"), {"jobs": _SCHEDULED})
    for name in _INDEXES:
        await session.run(load(f"demo/index_{name}"))
    await session.run(load("demo/analyze"))


def _kinds() -> list[dict[str, Any]]:
    ranges = _ranges([kind.rate for kind in KINDS])
    return [
        {
            "queue": kind.queue,
            "name": kind.name,
            "typical_s": kind.typical_s,
            "max_attempts": kind.max_attempts,
            "payload": kind.payload,
            "limited": kind.limited,
            "low": low,
            "high": high,
        }
        for kind, (low, high) in zip(KINDS, ranges, strict=True)
    ]


def _faults() -> list[dict[str, Any]]:
    return [
        {
            "name": kind.name,
            "failure_kind": fault.kind,
            "detail": fault.detail,
            "final": fault.final,
            "outage": fault is OUTAGE,
            "low": low,
            "high": high,
        }
        for kind in KINDS
        for (fault, _), (low, high) in zip(
            kind.faults, _ranges([weight for _, weight in kind.faults]), strict=True
        )
    ]


def _ranges(weights: Sequence[float]) -> list[tuple[float, float]]:
    """Each weight's part of the line from 0 to 1, end to end."""
    ends = [end / sum(weights) for end in accumulate(weights)]
    return list(zip([0.0, *ends[:-1]], [*ends[:-1], 1.0], strict=True))
