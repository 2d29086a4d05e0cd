"""Counts and ages out of whichever answers tell most, each with its exactness and its age."""

from __future__ import annotations

from datetime import timedelta

import pytest

from queuetop.model.facts import CAP, CountLine, Line, Panel, QueueName, Signal
from queuetop.model.mapping_toml import decode
from queuetop.model.measure import Exactness, Measure
from queuetop.model.snapshot import NO_KIND, NO_QUEUE, Level
from queuetop.model.states import State
from queuetop.observe import counts, failing, queueing
from queuetop.observe.ledger import Ledger
from tests.unit.facts import (
    FAILED,
    FINISHED,
    NOW,
    PENDING,
    RETRYING,
    RUNNING,
    SWEEP,
    ended,
    facts,
    failures,
    jobs,
    windowed,
)

MAPPING = decode(
    """
schema = 1
name = "test"
[columns]
id = "id"
status = "status"
queue = "queue"
created_at = "created_at"
ready_at = "ready_at"
lease_until = "lease_until"
finished_at = "finished_at"
attempts = "attempts"
failed_at = "failed_at"
[status]
waiting = ["W"]
claimed = ["C"]
succeeded = ["S"]
failed = ["F"]
[failure_classes]
theirs = ["EXTERNAL"]
[alarms]
oldest_pending = "5m"
[alarms.queues.mail]
oldest_pending = "1m"
""",
    "test",
)
PAUSES = Panel(Signal.PAUSES)


def ledger(*taken: dict[Panel, tuple[Line, ...]], failed: dict[Panel, str] | None = None) -> Ledger:
    made = Ledger()
    for later, lines in enumerate(taken):
        made.take(facts(lines, now=NOW + timedelta(seconds=later)))
    if failed:
        made.take(facts({}, now=NOW + timedelta(seconds=len(taken)), failed=failed))
    return made


def told(measure: Measure) -> tuple[float | None, Exactness, str | None, bool]:
    return measure.value, measure.exactness, measure.why, measure.stale


def test_a_count_is_the_sum_over_the_queues() -> None:
    made = ledger({PENDING: (jobs(State.PENDING, 3), jobs(State.PENDING, 4, queue=None))})
    assert told(counts.count(made, MAPPING, State.PENDING)) == (7, Exactness.EXACT, None, False)


def test_a_count_stops_at_the_cap() -> None:
    made = ledger({PENDING: (jobs(State.PENDING, CAP), jobs(State.PENDING, 1, queue="b"))})
    over = counts.count(made, MAPPING, State.PENDING)
    assert told(over) == (CAP, Exactness.CAPPED, "counted up to 10 000", False)
    made = ledger({PENDING: (jobs(State.PENDING, CAP),)})
    up_to = counts.count(made, MAPPING, State.PENDING)
    assert told(up_to) == (CAP, Exactness.EXACT, None, False)


def test_the_newest_jobs_only_give_a_least() -> None:
    made = ledger({windowed(PENDING): (jobs(State.PENDING, 3),)})
    least = (3, Exactness.CAPPED, "among the newest 20 000 jobs", False)
    assert told(counts.count(made, MAPPING, State.PENDING)) == least


def test_a_whole_pass_tells_more_than_the_newest_jobs() -> None:
    made = ledger(
        {SWEEP: (jobs(State.PENDING, 50_000),)}, {windowed(PENDING): (jobs(State.PENDING, 3),)}
    )
    swept = counts.count(made, MAPPING, State.PENDING)
    assert told(swept) == (50_000, Exactness.EXACT, None, False)
    assert swept.taken_at == NOW
    made.take(facts({windowed(PENDING): (jobs(State.PENDING, 60_000),)}))
    assert counts.count(made, MAPPING, State.PENDING).exactness is Exactness.CAPPED
    made.take(facts({PENDING: (jobs(State.PENDING, 9),)}))
    assert told(counts.count(made, MAPPING, State.PENDING)) == (9, Exactness.EXACT, None, False)


def test_history_is_not_what_a_pass_passed_by() -> None:
    estimate = Panel(Signal.ESTIMATE, State.SUCCEEDED)
    made = ledger({SWEEP: (), estimate: (CountLine(rows=1234.0),)})
    guess = (1234, Exactness.ESTIMATED, "the planner's estimate", False)
    assert told(counts.count(made, MAPPING, State.SUCCEEDED)) == guess


@pytest.mark.parametrize(
    ("state", "why"),
    (
        (State.PENDING, "not measured yet"),
        (State.STALLED, "not measured yet"),
        (State.FAILED, "not measured yet"),
        (State.BLOCKED, "the mapping knows no blocked jobs"),
        (State.QUARANTINED, "the mapping knows no quarantined jobs"),
    ),
)
def test_why_a_count_is_not_there(state: State, why: str) -> None:
    assert counts.count(Ledger(), MAPPING, state).why == why


def test_an_error_is_the_reason() -> None:
    made = ledger(failed={PENDING: "permission denied", FAILED: "locked"})
    assert counts.count(made, MAPPING, State.PENDING).why == "permission denied"
    assert counts.count(made, MAPPING, State.FAILED).why == "locked"
    assert failing.failures(made, MAPPING).total.why == "locked"


def test_a_library_that_deletes_has_no_count() -> None:
    deletes = decode('schema = 1\nname = "pq"\n[columns]\nid = "id"\nstatus = "s"\n[status]\n'
                     'waiting = ["a"]\n[keeps]\nsucceeded = "no"', "test")  # fmt: skip
    assert counts.count(Ledger(), deletes, State.SUCCEEDED).why == "pq deletes succeeded jobs"


def test_old_values_are_marked_everywhere() -> None:
    made = ledger(
        {
            PENDING: (jobs(State.PENDING, 2, age_s=60),),
            RETRYING: (),
            FAILED: (failures("EXTERNAL", 4, recent=4),),
        },
        failed={PENDING: "gone", FAILED: "gone"},
    )
    assert counts.count(made, MAPPING, State.PENDING).stale
    assert not counts.count(made, MAPPING, State.RETRYING).stale
    assert counts.oldest_pending(made, MAPPING).age_s.stale
    assert counts.longest_wait(made, MAPPING).age_s.stale
    found = failing.failures(made, MAPPING)
    assert found.total.stale
    assert found.last_hour.stale
    assert found.kinds[0].count.stale
    (line,) = queueing.queues(made, MAPPING)
    assert (line.pending.stale, line.failed.stale, line.oldest_s.stale) == (True, True, True)
    assert not line.retrying.stale


def test_an_old_age_grows_no_older() -> None:
    """The job may be done since."""
    made = ledger({PENDING: (jobs(State.PENDING, 1, age_s=60),), RETRYING: ()})
    made.take(facts({RETRYING: ()}, now=NOW + timedelta(seconds=40)))
    assert counts.oldest_pending(made, MAPPING).age_s.value == 100
    made.take(facts({}, now=NOW + timedelta(seconds=50), failed={PENDING: "gone"}))
    assert counts.oldest_pending(made, MAPPING).age_s.value == 60


def test_the_oldest_is_over_pending_and_retrying_and_the_wait_over_pending() -> None:
    made = ledger(
        {
            PENDING: (
                jobs(State.PENDING, 1, age_s=100, wait_s=20),
                jobs(State.PENDING, 1, queue="mail", age_s=50, wait_s=49),
            ),
            RETRYING: (jobs(State.RETRYING, 1, queue="r", age_s=700, wait_s=-60),),
        }
    )
    oldest, wait = counts.oldest_pending(made, MAPPING), counts.longest_wait(made, MAPPING)
    assert (oldest.age_s.value, oldest.queue, oldest.job_id) == (700, "r", "r-old")
    assert (wait.age_s.value, wait.queue, wait.job_id) == (49, "mail", "mail-ready")


def test_no_work_has_no_age_and_work_without_a_time_neither() -> None:
    made = ledger({PENDING: (), RETRYING: ()})
    assert told(counts.oldest_pending(made, MAPPING).age_s) == (0.0, Exactness.EXACT, None, False)
    made = ledger({PENDING: (jobs(State.PENDING, 5),), RETRYING: ()})
    assert counts.oldest_pending(made, MAPPING).age_s.why == "no waiting job has its created_at"
    bare = decode(
        'schema = 1\nname = "b"\n[columns]\nid = "id"\nstatus = "s"\n[status]\nwaiting = ["a"]', "t"
    )
    assert counts.oldest_pending(made, bare).age_s.why == "no column for created_at"


def test_a_job_of_the_future_is_not_younger_than_nothing() -> None:
    made = ledger({PENDING: (jobs(State.PENDING, 1, age_s=-30),), RETRYING: ()})
    assert counts.oldest_pending(made, MAPPING).age_s.value == 0


def test_an_age_beyond_the_window_comes_from_the_pass() -> None:
    made = ledger(
        {SWEEP: (jobs(State.PENDING, 9, age_s=9000),)},
        {windowed(PENDING): (jobs(State.PENDING, 3, age_s=30),), windowed(RETRYING): ()},
    )
    oldest = counts.oldest_pending(made, MAPPING).age_s
    assert (oldest.value, oldest.exactness, oldest.taken_at) == (9001, Exactness.EXACT, NOW)
    made = ledger({windowed(PENDING): (jobs(State.PENDING, 3, age_s=30),)})
    least = counts.oldest_pending(made, MAPPING).age_s
    assert (least.exactness, least.why) == (Exactness.CAPPED, "among the newest 20 000 jobs")


def test_unmapped_rows() -> None:
    panel = Panel(Signal.UNMAPPED)
    assert told(counts.unmapped(ledger({panel: (CountLine(rows=3.0),)}), MAPPING))[:2] == (
        3,
        Exactness.EXACT,
    )
    many = counts.unmapped(ledger({panel: (CountLine(rows=CAP + 1.0),)}), MAPPING)
    assert told(many) == (CAP, Exactness.CAPPED, "counted up to 10 000", False)
    some = counts.unmapped(ledger({windowed(panel): (CountLine(rows=1.0),)}), MAPPING)
    assert some.why == "among the newest 20 000 jobs"
    assert counts.unmapped(Ledger(), MAPPING).why == "not measured yet"


def test_queues_add_up_to_the_states() -> None:
    made = ledger(
        {
            SWEEP: (
                jobs(State.PENDING, 700, age_s=400),
                jobs(State.PENDING, 300, queue="mail", age_s=70),
                jobs(State.FAILED, 40, queue="mail"),
            ),
            RUNNING: (jobs(State.RUNNING, 2, queue=None),),
            FINISHED: (ended(90, last_minute=60, by_queue={"mail": 30, "": 30}),),
        },
        {
            windowed(PENDING): (jobs(State.PENDING, 5, age_s=3),),
            windowed(FAILED): (failures("X", 1),),
        },
    )
    lines = {line.queue: line for line in queueing.queues(made, MAPPING)}
    assert list(lines) == ["default", "mail", NO_QUEUE]
    assert [line.pending.value for line in lines.values()] == [700, 300, 0]
    assert (
        sum(line.pending.value or 0 for line in lines.values())
        == counts.count(made, MAPPING, State.PENDING).value
    )
    assert [line.failed.value for line in lines.values()] == [0, 40, 0]
    assert lines["mail"].pending.exactness is Exactness.EXACT
    assert lines[NO_QUEUE].running.value == 2
    assert [line.finished_per_s.value for line in lines.values()] == [0.0, 0.5, 0.5]
    assert lines["default"].oldest_s.value == 401
    assert (lines["default"].level, lines["default"].alarm_s) == (Level.CRITICAL, 300.0)
    assert (lines["mail"].level, lines["mail"].alarm_s) == (Level.CRITICAL, 60.0)
    assert lines[NO_QUEUE].oldest_s.value == 0


def test_paused_queues() -> None:
    made = ledger(
        {
            PENDING: (jobs(State.PENDING, 5, queue="mail"), jobs(State.PENDING, 1, age_s=9)),
            RETRYING: (),
            SWEEP: (jobs(State.PENDING, 5, queue="mail", age_s=9999),),
            PAUSES: (QueueName(queue="mail"), QueueName(queue="idle")),
        }
    )
    assert counts.paused(made) == {"mail", "idle"}
    assert counts.oldest_pending(made, MAPPING).age_s.value == 9
    lines = {line.queue: line for line in queueing.queues(made, MAPPING)}
    assert (lines["mail"].pending.value, lines["mail"].level, lines["mail"].paused) == (
        5,
        Level.FINE,
        True,
    )
    assert lines["mail"].oldest_s.why == "the queue is paused"
    assert lines["idle"].paused


def test_failure_kinds() -> None:
    made = ledger(
        {
            FAILED: (
                failures("EXTERNAL", 5, recent=3, minutes=50),
                failures("EXTERNAL", 2, queue="mail", recent=2, minutes=2),
                failures(None, 3, recent=1, minutes=10),
            )
        }
    )
    found = failing.failures(made, MAPPING)
    assert (found.total.value, found.last_hour.value, found.window) == (
        10,
        6,
        "all jobs that gave up",
    )
    first, second = found.kinds
    assert (first.kind, first.failure_class, first.count.value, first.share) == (
        "EXTERNAL",
        "theirs",
        7,
        0.7,
    )
    assert (first.recent, first.trend[-1], first.new) == (5, 5, False)
    assert first.last_failed_at == NOW - timedelta(minutes=2)
    assert first.first_failed_at == NOW - timedelta(minutes=50)
    assert (second.kind, second.new, second.failure_class) == (NO_KIND, True, "unclassified")


def test_nothing_is_new_under_a_cap() -> None:
    made = ledger({FAILED: (failures("EXTERNAL", CAP + 1, recent=CAP + 1, minutes=1),)})
    found = failing.failures(made, MAPPING)
    assert told(found.total) == (CAP, Exactness.CAPPED, "counted up to 10 000", False)
    assert found.last_hour.exactness is Exactness.CAPPED
    assert found.window == "the newest 10 000 jobs that gave up"
    assert not found.kinds[0].new
