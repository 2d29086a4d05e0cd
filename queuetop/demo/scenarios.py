"""Incidents: what each changes in the simulated world, and in which order the demo goes through them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Scenario(StrEnum):
    """An incident on demand."""

    HEALTHY = "healthy"
    OUTAGE = "outage"
    DEAD_WORKER = "dead-worker"
    OVERLOAD = "overload"
    POISON = "poison"


@dataclass(frozen=True)
class Effects:
    """The world during a scenario. Times are in seconds, rates in jobs a second."""

    #: The share of calls to the limits service that fail, and how many times as long each takes.
    outage: float = 0.0
    slowness: float = 1.0
    #: How many times as many jobs of a queue arrive.
    arrivals: Mapping[str, float] = field(default_factory=dict)
    #: Jobs that one worker handles at a time: plenty, so that the backlog of an overload goes away.
    slots: int = 40
    #: Payouts without an account to pay to.
    poison_rate: float = 0.0
    #: How often a worker dies with what it holds; leases that run out then stay so.
    crash_every_s: float | None = None
    #: As if it had begun earlier: jobs that the outage cost, jobs of a dead worker, and a backlog of
    #: so many seconds.
    struck: int = 0
    abandoned: int = 0
    backlog_s: float = 0.0


EFFECTS: Mapping[Scenario, Effects] = {
    Scenario.HEALTHY: Effects(),
    Scenario.OUTAGE: Effects(outage=0.9, slowness=1.6, struck=20),
    Scenario.DEAD_WORKER: Effects(crash_every_s=9.0, abandoned=7),
    # Four workers with four slots finish about 20 jobs a second; more than that arrived, and arrive.
    Scenario.OVERLOAD: Effects(arrivals={"notifications": 5.0}, slots=4, backlog_s=310.0),
    Scenario.POISON: Effects(poison_rate=4.0),
}

#: Without a scenario of its own the demo repeats these.
SCHEDULE: tuple[tuple[Scenario, float], ...] = (
    (Scenario.HEALTHY, 40.0),
    (Scenario.OUTAGE, 60.0),
    (Scenario.HEALTHY, 45.0),
    (Scenario.DEAD_WORKER, 60.0),
    (Scenario.HEALTHY, 45.0),
    (Scenario.OVERLOAD, 60.0),
    (Scenario.HEALTHY, 75.0),
    (Scenario.POISON, 60.0),
)


class Stage:
    """The scenario that is on. Everyone in the simulation looks here."""

    def __init__(self) -> None:
        self.scenario = Scenario.HEALTHY

    @property
    def effects(self) -> Effects:
        return EFFECTS[self.scenario]
