"""Rates, ratio, durations and the forecast, as far as they can be known."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec import structs

from queuetop.model.facts import CAP, ActivityLine, ArrivalLine, Panel, Signal
from queuetop.model.measure import Exactness, Measure
from queuetop.model.snapshot import Flow
from queuetop.observe import flowing
from queuetop.observe.history import History
from queuetop.observe.ledger import Ledger
from queuetop.observe.snapshots import skew_s
from tests.unit.facts import FAILED, FINISHED, NOW, ended, facts, failures, server, windowed
from tests.unit.test_counts import MAPPING, ledger

ARRIVALS, ACTIVITY = Panel(Signal.ARRIVALS), Panel(Signal.ACTIVITY)


def flow(made: Ledger, pending: float | None = 0, history: History | None = None) -> Flow:
    measure = Measure.exact(pending) if pending is not None else Measure.unavailable("?")
    return flowing.flow(made, MAPPING, history or History(), measure)


def test_rates_are_over_the_last_minute() -> None:
    made = ledger(
        {
            ARRIVALS: (ArrivalLine(arrived=120, span_s=59.0),),
            FINISHED: (ended(900, last_minute=90),),
            FAILED: (failures("X", 5),),
        }
    )
    found = flow(made)
    assert (found.arrived.value, found.finished.value, found.failed.value) == (2.0, 1.5, 0.0)
    assert found.arrived.exactness is found.finished.exactness is Exactness.EXACT


def test_more_than_the_cap_in_a_minute_is_a_rate_over_what_was_seen() -> None:
    made = ledger(
        {
            ARRIVALS: (ArrivalLine(arrived=CAP + 1, span_s=20.0),),
            FINISHED: (ended(CAP + 1, last_minute=CAP + 1, span_s=40.0),),
        }
    )
    found = flow(made)
    assert found.arrived.value == pytest.approx(500, rel=0.01)
    assert found.finished.value == pytest.approx(250, rel=0.01)
    assert found.arrived.exactness is Exactness.ESTIMATED
    assert found.arrived.why == "from the newest 10 000"
    half = flowing.finished_rate(made, (CAP + 1) // 2)
    assert half.value == pytest.approx(125, rel=0.01)


def test_arrivals_by_the_statistics_where_the_table_cannot_tell() -> None:
    history = History()

    def activity(inserted: int | None) -> Ledger:
        line = ActivityLine(
            inserted=inserted, snapshot_age_s=None, snapshot_pid=None, snapshot_holder=None
        )
        return ledger({ACTIVITY: (line,)})

    assert (
        flow(activity(100), history=history).arrived.why
        == "two readings of the statistics are needed"
    )
    for second in range(100, -1, -10):
        history.add(NOW.timestamp() - second, {"inserted": 1000.0 - 3.0 * second})
    found = flow(activity(100), history=history).arrived
    assert found.value == pytest.approx(3.0)
    assert (found.exactness, found.why) == (Exactness.ESTIMATED, "rows inserted, by the statistics")
    nothing = flow(activity(None)).arrived
    assert nothing.why == "no index gives the newest jobs, and the statistics count no rows"


def test_the_retry_ratio_is_over_all_that_ended() -> None:
    line = failures("X", 9, recent=5)
    made = ledger({FINISHED: (ended(95, retried=9),), FAILED: (line,)})
    ratio = flowing.retry_ratio(made, MAPPING)
    assert (ratio.retried, ratio.finished) == (9, 100)
    assert ratio.share.value == pytest.approx(0.09)
    empty = flowing.retry_ratio(ledger({FINISHED: (ended(0),)}), MAPPING)
    assert (empty.share.why, empty.finished) == ("no job ended in the last hour", 0)
    assert flowing.retry_ratio(Ledger(), MAPPING).share.why == "not measured yet"


def test_a_sample_says_that_it_is_one() -> None:
    made = ledger({FINISHED: (ended(CAP + 1, retried=5000),)})
    share = flowing.retry_ratio(made, MAPPING).share
    assert (share.exactness, share.why) == (
        Exactness.ESTIMATED,
        "among the newest 10 000 successes",
    )
    durations = flowing.durations(made, MAPPING)
    assert (durations.run_p95.value, durations.run_p95.exactness) == (0.2, Exactness.ESTIMATED)
    assert durations.sample == CAP
    newest = flowing.durations(ledger({windowed(FINISHED): (ended(5),)}), MAPPING)
    assert newest.window == "successes of the last hour, among the newest 20 000 jobs"


def test_without_a_start_there_are_no_durations() -> None:
    made = ledger({FINISHED: (structs.replace(ended(5), run=None, wait=None),)})
    found = flowing.durations(made, MAPPING)
    assert found.run_p50.why == "no column for started_at"


def drain(pending: float | None, net: list[float]) -> tuple[object, str]:
    """The forecast where the net rate of the last minutes was as given, one every two seconds."""
    history = History()
    for place, value in enumerate(reversed(net)):
        history.add(NOW.timestamp() - 2.0 * place, {"net": value})
    made = ledger(
        {
            ARRIVALS: (ArrivalLine(arrived=600, span_s=59.0),),
            FINISHED: (ended(90, last_minute=900),),
        }
    )
    found = flow(made, pending, history)
    return found.drain_s, found.drain


@pytest.mark.parametrize(
    ("pending", "net", "seconds", "words"),
    (
        (None, [], None, "not known"),
        (0, [], (0.0, 0.0), "nothing waits"),
        (300, [5.0] * 20, (60.0, 60.0), "drains in 1m 00s"),
        (
            300,
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
            (300 / 7, 100.0),
            "drains in 43s to 1m 40s",
        ),
        (300, [-5.0, -2.0, 0.0, 3.0, 5.0, 6.0], None, "drains in 1m 00s at best, or not at all"),
        (300, [-3.0] * 20, None, "does not shrink"),
        (300, [], (60.0, 60.0), "drains in 1m 00s"),
    ),
)
def test_the_forecast_is_a_range(
    pending: float | None, net: list[float], seconds: tuple[float, float] | None, words: str
) -> None:
    found, said = drain(pending, net)
    assert said == words
    assert found == (pytest.approx(seconds) if seconds else None)


def test_nothing_known_forecasts_nothing() -> None:
    assert (flow(Ledger(), 5).drain_s, flow(Ledger(), 5).drain) == (None, "not known")


@pytest.mark.parametrize(
    ("skew", "trip", "found"),
    ((0.0, 0.01, 0.0), (0.04, 0.01, 0.0), (3.0, 0.1, 3.0), (-3.0, 0.1, -3.0), (3.0, 4.0, 0.0)),
)
def test_the_clocks_are_compared_as_well_as_the_trip_allows(
    skew: float, trip: float, found: float
) -> None:
    assert skew_s(server(skew_s=skew, trip_s=trip)) == pytest.approx(found)


def test_facts_of_another_moment_do_not_change_the_clock() -> None:
    made = Ledger()
    made.take(facts({}, fact=server(NOW + timedelta(hours=1), skew_s=5.0)))
    assert made.server is not None
    assert skew_s(made.server) == pytest.approx(5.0)
