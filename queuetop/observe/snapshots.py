"""A snapshot out of the ledger and the history."""

from __future__ import annotations

from datetime import timedelta

from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.facts import ActivityLine, ServerFact, Signal
from queuetop.model.mapping import Mapping
from queuetop.model.measure import Exactness, Measure
from queuetop.model.snapshot import Cost, DatabaseHealth, Level, MappingRef, Server, Snapshot
from queuetop.model.states import State
from queuetop.observe import counts, failing, flowing, queueing
from queuetop.observe.findings import findings
from queuetop.observe.history import History
from queuetop.observe.ledger import Ledger
from queuetop.observe.levels import age_level, alarm_s
from queuetop.observe.seen import Seen

#: A count's change is given per minute, from the last two of them.
CHANGE_OVER_S = 120.0


class Context:
    """What stays the same from snapshot to snapshot."""

    def __init__(self, mapping: Mapping, ref: MappingRef, where: str) -> None:
        self.mapping = mapping
        self.ref = ref
        self.where = where


def build(
    context: Context,
    ledger: Ledger,
    history: History,
    *,
    seq: int,
    cost: Cost,
    database: DatabaseHealth | None = None,
) -> Snapshot:
    """The snapshot of the ledger as it stands; adds this moment to the history."""
    if ledger.server is None:
        raise StoreError(StoreFault.LOST, "nothing has been polled yet")
    mapping, server = context.mapping, ledger.server
    states = counts.states(ledger, mapping)
    seen = Seen(
        mapping=mapping,
        ledger=ledger,
        history=history,
        now=server.now,
        states=states,
        oldest=counts.oldest_pending(ledger, mapping),
        wait=counts.longest_wait(ledger, mapping),
        failures=failing.failures(ledger, mapping),
        retry=flowing.retry_ratio(ledger, mapping),
        durations=flowing.durations(ledger, mapping),
        flow=flowing.flow(ledger, mapping, history, states[State.PENDING]),
        queues=queueing.queues(ledger, mapping),
        unmapped=counts.unmapped(ledger, mapping),
        clock_skew_s=skew_s(server),
    )
    _remember(history, seen, cost)
    found = findings(seen)
    return Snapshot(
        seq=seq,
        taken_at=server.now,
        server=Server(
            where=context.where,
            version=server.version,
            database=server.database,
            role=server.role,
            standby=server.standby,
        ),
        mapping=context.ref,
        findings=found,
        oldest_pending=seen.oldest,
        longest_wait=seen.wait,
        states=states,
        states_per_min=_changes(history, seen),
        unmapped=seen.unmapped,
        retry_ratio=seen.retry,
        failures=seen.failures,
        durations=seen.durations,
        flow=seen.flow,
        queues=seen.queues,
        paused_queues=tuple(sorted(counts.paused(ledger))),
        database=database,
        clock_skew_s=seen.clock_skew_s,
        cost=cost,
        levels=_levels(seen, {finding.name: finding.level for finding in found}),
    )


def skew_s(server: ServerFact) -> float:
    """Seconds that the client's clock is ahead of the server's; 0 within what the round trip hides."""
    trip = server.received_at - server.sent_at
    middle = server.sent_at + trip / 2
    skew = (middle - server.now).total_seconds()
    return 0.0 if abs(skew) <= max(trip, timedelta(milliseconds=50)).total_seconds() else skew


def _remember(history: History, seen: Seen, cost: Cost) -> None:
    measures = {str(state): measure for state, measure in seen.states.items()} | {
        "oldest_pending": seen.oldest.age_s,
        "longest_wait": seen.wait.age_s,
        "retry_ratio": seen.retry.share,
        "arrived": seen.flow.arrived,
        "finished": seen.flow.finished,
        "failures": seen.flow.failed,
        "p95": seen.durations.run_p95,
        "failed_1h": seen.failures.last_hour,
    }
    # What could not be taken leaves a gap: an old value is none of this moment's.
    now = {name: None if found.stale else found.value for name, found in measures.items()}
    arrived, done = now["arrived"], now["finished"]
    now["net"] = done - arrived if done is not None and arrived is not None else None
    at = seen.now.timestamp()
    history.add(at, now | {"poll_ms": cost.poll_ms})
    reading = seen.ledger.get(Signal.ACTIVITY)
    if reading is not None and reading.taken_at == seen.now:
        for line in reading.of(ActivityLine):
            history.add(at, {"inserted": line.inserted})


def _changes(history: History, seen: Seen) -> dict[State, float]:
    """Of what is counted: a capped or old count stands still whatever the jobs do."""
    counted = [
        s for s, m in seen.states.items() if m.exactness is not Exactness.CAPPED and not m.stale
    ]
    now = seen.now.timestamp()
    slopes = {state: history.slope(str(state), now, CHANGE_OVER_S) for state in counted}
    return {state: slope * 60.0 for state, slope in slopes.items() if slope is not None}


def _known(measure: Measure) -> Level:
    return Level.UNKNOWN if measure.value is None else Level.FINE


def _levels(seen: Seen, found: dict[str, Level]) -> dict[str, Level]:
    """The level of each number, so that colour and verdict never disagree."""
    stuck = found.get("nothing-claimed")
    growing = found.get("backlog-grows")
    failing_level = found.get("failures-grow", Level.FINE)
    return {
        "oldest_pending": age_level(
            seen.oldest.age_s.value, alarm_s(seen.mapping, "oldest_pending", seen.oldest.queue)
        ),
        "longest_wait": stuck
        or age_level(seen.wait.age_s.value, alarm_s(seen.mapping, "longest_wait", seen.wait.queue)),
        "pending": stuck or growing or Level.FINE,
        "running": stuck or Level.FINE,
        "stalled": found.get("stalled", Level.FINE),
        "failed": failing_level,
        "retry_ratio": found.get("retries", _known(seen.retry.share)),
        "flow": growing
        or (found.get("oldest-pending") if seen.flow.drain_s is None else None)
        or Level.FINE,
        "unmapped": found.get("unmapped", Level.FINE),
        "clock_skew": found.get("clock-skew", Level.FINE),
        "snapshot": found.get("long-transaction", Level.FINE),
    }
