"""An hour of measures in memory, for charts, rates and changes."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from math import isfinite

#: An hour at two seconds.
LENGTH = 1800


class Ring:
    """The last ``length`` points of one measure, as two flat arrays: 16 bytes a point."""

    __slots__ = ("_at", "_length", "_next", "_value")

    def __init__(self, length: int = LENGTH) -> None:
        self._at = array("d")
        self._value = array("d")
        self._length = length
        self._next = 0

    def add(self, at: float, value: float) -> None:
        if len(self._at) < self._length:
            self._at.append(at)
            self._value.append(value)
            return
        self._at[self._next] = at
        self._value[self._next] = value
        self._next = (self._next + 1) % self._length

    def __iter__(self) -> Iterator[tuple[float, float]]:
        order = [*range(self._next, len(self._at)), *range(self._next)]
        return ((self._at[place], self._value[place]) for place in order)

    def since(self, moment: float) -> list[tuple[float, float]]:
        return [(at, value) for at, value in self if at >= moment]


class History:
    """Rings by name (``model.ports.History``). Times are the server's, in seconds since the epoch."""

    def __init__(self, length: int = LENGTH) -> None:
        self._length = length
        self._rings: dict[str, Ring] = {}

    def add(self, at: float, values: Mapping[str, float | None]) -> None:
        """Adds a point to each named series; what is not known leaves a gap."""
        for name, value in values.items():
            if value is not None and isfinite(value):
                self._rings.setdefault(name, Ring(self._length)).add(at, value)

    def series(self, name: str) -> tuple[tuple[float, float], ...]:
        ring = self._rings.get(name)
        return tuple(ring) if ring else ()

    def since(self, name: str, moment: float) -> list[tuple[float, float]]:
        """The points of a series from ``moment`` on."""
        ring = self._rings.get(name)
        return ring.since(moment) if ring else []

    def slope(self, name: str, now: float, over_s: float) -> float | None:
        """Change per second by least squares over the last ``over_s`` seconds.

        None with fewer than three points, or where they span less than a quarter of it: two ticks
        make no trend.
        """
        points = self.since(name, now - over_s)
        if len(points) < 3 or points[-1][0] - points[0][0] < over_s / 4:
            return None
        mean_at = sum(at for at, _ in points) / len(points)
        mean = sum(value for _, value in points) / len(points)
        spread = sum((at - mean_at) ** 2 for at, _ in points)
        return (
            sum((at - mean_at) * (value - mean) for at, value in points) / spread
            if spread
            else None
        )
