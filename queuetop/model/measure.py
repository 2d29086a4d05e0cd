"""A number with its exactness, its age and what it cost. queuetop shows no bare number."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Self

from msgspec import Struct


class Exactness(StrEnum):
    """How far a value can be trusted."""

    EXACT = "exact"
    #: At least this much: counting stopped at the cap.
    CAPPED = "capped"
    #: The planner's guess, or one made from a sample.
    ESTIMATED = "estimated"
    UNAVAILABLE = "unavailable"


class Measure(Struct, frozen=True, kw_only=True):
    """One value. ``taken_at`` is the server's time; ``cost_ms`` the server's milliseconds for it."""

    value: float | None
    exactness: Exactness
    #: For ``unavailable`` the reason; otherwise what limits the value ("newest 10 000 failed jobs").
    why: str | None = None
    taken_at: datetime | None = None
    cost_ms: float | None = None
    #: The last refresh failed or is overdue: the value is an old one.
    stale: bool = False

    @classmethod
    def exact(
        cls, value: float, *, taken_at: datetime | None = None, cost_ms: float | None = None
    ) -> Self:
        return cls(value=value, exactness=Exactness.EXACT, taken_at=taken_at, cost_ms=cost_ms)

    @classmethod
    def counted(
        cls,
        value: float,
        *,
        cap: int,
        why: str | None = None,
        taken_at: datetime | None = None,
        cost_ms: float | None = None,
    ) -> Self:
        """A count that stopped at ``cap``: exact up to it, ``capped`` beyond."""
        over = value > cap
        return cls(
            value=min(value, cap),
            exactness=Exactness.CAPPED if over else Exactness.EXACT,
            why=why if over else None,
            taken_at=taken_at,
            cost_ms=cost_ms,
        )

    @classmethod
    def estimated(
        cls,
        value: float,
        why: str,
        *,
        taken_at: datetime | None = None,
        cost_ms: float | None = None,
    ) -> Self:
        return cls(
            value=value, exactness=Exactness.ESTIMATED, why=why, taken_at=taken_at, cost_ms=cost_ms
        )

    @classmethod
    def unavailable(cls, why: str) -> Self:
        return cls(value=None, exactness=Exactness.UNAVAILABLE, why=why)

    @property
    def known(self) -> bool:
        return self.value is not None

    def age_s(self, now: datetime) -> float:
        """Seconds since the value was taken; 0 where that is not recorded."""
        return max(0.0, (now - self.taken_at).total_seconds()) if self.taken_at else 0.0
