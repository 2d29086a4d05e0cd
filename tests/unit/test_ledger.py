"""Last good answers, marked where a newer one failed or is overdue."""

from __future__ import annotations

from datetime import timedelta

from queuetop.model.facts import CountLine, Panel, Signal
from queuetop.model.measure import Exactness
from queuetop.model.states import State
from queuetop.observe.ledger import Ledger
from tests.unit.facts import NOW, PENDING, RUNNING, SWEEP, facts, jobs, windowed


def test_a_failed_run_keeps_the_last_answer_and_marks_it() -> None:
    ledger = Ledger()
    ledger.take(facts({PENDING: (jobs(State.PENDING, 3),)}))
    reading = ledger.get(Signal.STATE, State.PENDING)
    assert reading is not None
    assert not reading.stale
    later = NOW + timedelta(seconds=2)
    ledger.take(facts({}, now=later, failed={PENDING: "permission denied"}))
    old = ledger.get(Signal.STATE, State.PENDING)
    assert old is not None
    assert (old.lines, old.taken_at, old.stale) == (reading.lines, NOW, True)
    assert ledger.error(Signal.STATE, State.PENDING) == "permission denied"
    assert ledger.server is not None
    assert ledger.server.now == later
    ledger.take(facts({PENDING: ()}, now=later))
    new = ledger.get(Signal.STATE, State.PENDING)
    assert new is not None
    assert (new.lines, new.taken_at, new.stale) == ((), later, False)
    assert ledger.errors == {}


def test_what_is_overdue_is_marked() -> None:
    ledger = Ledger()
    ledger.take(facts({PENDING: (), RUNNING: ()}))
    ledger.overdue = frozenset({PENDING})
    pending, running = (ledger.get(Signal.STATE, s) for s in (State.PENDING, State.RUNNING))
    assert pending is not None
    assert running is not None
    assert (pending.stale, running.stale) == (True, False)
    assert pending.measure(5.0).stale


def test_the_whole_answer_goes_before_the_newest_jobs_only() -> None:
    ledger = Ledger()
    ledger.take(facts({windowed(PENDING): (jobs(State.PENDING, 3),)}))
    assert ledger.is_windowed(Signal.STATE, State.PENDING)
    ledger.take(facts({PENDING: (jobs(State.PENDING, 7),)}))
    assert not ledger.is_windowed(Signal.STATE, State.PENDING)
    reading = ledger.get(Signal.STATE, State.PENDING)
    assert reading is not None
    assert [line.jobs for line in reading.of(type(jobs(State.PENDING, 1)))] == [7]


def test_a_sweep_tells_each_state_but_history() -> None:
    ledger = Ledger()
    assert ledger.swept(State.PENDING) is None
    ledger.take(facts({SWEEP: (jobs(State.PENDING, 4), jobs(State.RUNNING, 2))}))
    pending = ledger.swept(State.PENDING)
    assert pending is not None
    assert len(pending.lines) == 1
    failed = ledger.swept(State.FAILED)
    assert failed is not None
    assert failed.lines == ()
    assert ledger.swept(State.SUCCEEDED) is None
    assert ledger.swept(State.CANCELLED) is None


def test_an_estimate() -> None:
    ledger = Ledger()
    assert ledger.estimate(State.SUCCEEDED) is None
    ledger.take(facts({Panel(Signal.ESTIMATE, State.SUCCEEDED): (CountLine(rows=12.0),)}))
    found = ledger.estimate(State.SUCCEEDED)
    assert found is not None
    assert found[0] == 12.0


def test_what_no_longer_runs_is_dropped() -> None:
    ledger = Ledger()
    ledger.take(facts({PENDING: (), RUNNING: ()}, failed={SWEEP: "x", PENDING: "y"}))
    ledger.keep([RUNNING, SWEEP])
    assert set(ledger.readings) == {RUNNING}
    assert ledger.errors == {SWEEP: "x"}


def test_measures_of_a_reading() -> None:
    ledger = Ledger()
    ledger.take(facts({PENDING: ()}))
    reading = ledger.get(Signal.STATE, State.PENDING)
    assert reading is not None
    exact, capped = reading.measure(5.0), reading.measure(5.0, "counted up to 5")
    assert (exact.exactness, exact.why) == (Exactness.EXACT, None)
    assert (capped.exactness, capped.why) == (Exactness.CAPPED, "counted up to 5")
    guess = reading.measure(5.0, "from a sample", Exactness.ESTIMATED)
    assert (guess.exactness, guess.why) == (Exactness.ESTIMATED, "from a sample")
    assert {m.taken_at for m in (exact, capped, guess)} == {NOW}
    assert exact.cost_ms == 1.0
