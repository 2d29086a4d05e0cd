"""What lies around the jobs: rows without a state, clocks, transactions."""

from __future__ import annotations

from collections.abc import Iterator

from queuetop.model.durations import show_duration
from queuetop.model.facts import ActivityLine, Signal
from queuetop.model.numbers import show_measure
from queuetop.model.snapshot import (
    Finding,
    Level,
)
from queuetop.observe.levels import (
    LONG_TRANSACTION_S,
    SKEW_S,
)
from queuetop.observe.seen import Seen


def _skew(seen: Seen) -> Iterator[Finding]:
    skew = seen.clock_skew_s
    if skew is None or abs(skew) <= SKEW_S:
        return
    ahead = "ahead of" if skew > 0 else "behind"
    yield Finding(
        name="clock-skew",
        level=Level.WARNING,
        verdict=f"This machine's clock is {show_duration(abs(skew))} {ahead} the server's",
        evidence=("all ages here use the server's clock, so they are right",),
        cause="A clock is not synchronised.",
        check="Does the same hold for the workers' machines? Their due times and leases would be off.",
        action="Synchronise the clocks (chrony, systemd-timesyncd).",
    )


def _long_transaction(seen: Seen) -> Iterator[Finding]:
    reading = seen.ledger.get(Signal.ACTIVITY)
    for line in reading.of(ActivityLine) if reading else ():
        if line.snapshot_age_s is None or line.snapshot_age_s < LONG_TRANSACTION_S:
            continue
        yield Finding(
            name="long-transaction",
            level=Level.WARNING,
            verdict=(
                f"Session {line.snapshot_pid} has held a snapshot for {show_duration(line.snapshot_age_s)}: "
                "dead rows pile up and claims get slower"
            ),
            evidence=(f"held by {line.snapshot_holder or 'a session that this role may not see'}",),
            cause="A transaction was left open, or a long query or dump runs.",
            check="View 9 shows the session, its statement, the dead rows and the last vacuum.",
            action="End that transaction where it was begun.",
        )


def _unmapped(seen: Seen) -> Iterator[Finding]:
    if not seen.unmapped.value:
        return
    have = "job has" if seen.unmapped.value == 1 else "jobs have"
    yield Finding(
        name="unmapped",
        level=Level.WARNING,
        verdict=f"{show_measure(seen.unmapped)} {have} a status that no rule of the mapping names",
        evidence=("they are in none of the counts",),
        cause="The table has a status that the mapping does not know.",
        check="Which statuses are there? queuetop init shows the stored values.",
        action="Add the value to the mapping's [status].",
    )


RULES = (
    _unmapped,
    _long_transaction,
    _skew,
)
