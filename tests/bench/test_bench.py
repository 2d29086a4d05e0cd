"""The bench's own arithmetic: its table is what it says, keys find their frames, verdicts are right."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.bench import tables
from tests.bench.figures import Figure, Target, missing, table
from tests.bench.keys import _match
from tests.bench.terminal import Frame
from tests.support.databases import query


def test_the_table_is_a_queue_with_a_past(database: str) -> None:
    tables.build(database, 70_000)
    found = query(
        database,
        "select count(*) filter (where status = 'PENDING' and next_attempt_at <= now()),"
        " count(*) filter (where status = 'PENDING' and next_attempt_at > now() and attempts = 0),"
        " count(*) filter (where status = 'PENDING' and next_attempt_at > now() and attempts > 0),"
        " count(*) filter (where status = 'CLAIMED' and claimed_until > now()),"
        " count(*) filter (where finished_at > now() - interval '1 hour') from payment_task",
    )
    pending, scheduled, retrying, running, finished = found[0]
    assert (pending, scheduled, retrying, running) == (
        tables.PENDING,
        tables.SCHEDULED,
        tables.RETRYING,
        tables.RUNNING,
    )
    assert finished == pytest.approx(tables.FINISHED_PER_HOUR, rel=0.05)
    [(indexes,)] = query(
        database, "select count(*) from pg_indexes where tablename = 'payment_task'"
    )
    tables.drop_indexes(database)
    assert query(database, "select indexname from pg_indexes where tablename = 'payment_task'") == [
        ("payment_task_pkey",)
    ]
    assert indexes == 1 + len(tables.INDEXES)


class Screens:
    """A terminal whose frames show a list of ten jobs with the cursor on the given rows."""

    rows = tuple("abcdefghij")

    def __init__(self, frames: Sequence[tuple[float, str | None]]) -> None:
        self._frames = list(frames)
        self.cursor: str | None = "a"

    def next_frame(self) -> Frame | None:
        if not self._frames:
            return None
        at, self.cursor = self._frames.pop(0)
        return Frame(at, b"")


def _latencies(frames: Sequence[tuple[float, str | None]], sent: Sequence[float]) -> list[int]:
    presses = _match(Screens(frames), sent)  # type: ignore[arg-type]
    assert (presses.unanswered, presses.strays) == (len(sent) - len(presses.latencies), 0)
    return [round(ms) for _, ms in presses.latencies]


def test_a_key_is_answered_by_the_frame_that_shows_it() -> None:
    assert _latencies([(0.5, "a"), (1.01, "b"), (1.5, "b"), (2.03, "c")], [1.0, 2.0]) == [10, 30]


def test_one_frame_may_answer_two_keys_and_the_next_key_is_its_own() -> None:
    frames = [(1.25, "c"), (2.01, "d"), (2.5, None), (3.02, "e"), (4.03, "d")]
    assert _latencies(frames, [1.0, 1.1, 2.0, 3.0, 4.0]) == [250, 150, 10, 20, 30]


def test_a_key_without_a_frame_is_unanswered() -> None:
    assert _latencies([(1.01, "b")], [1.0, 2.0]) == [10]


def test_a_cursor_that_moves_by_itself_has_left_its_job() -> None:
    presses = _match(Screens([(0.5, "b")]), [1.0])  # type: ignore[arg-type]
    assert (presses.strays, presses.unanswered) == (1, 1)


def test_verdicts() -> None:
    target = Target(2.0, "≤ 2 s")
    shown = table(
        [
            Figure("A", "one", 1.5, "1.5 s", target),
            Figure("A", "two", 3.0, "3.0 s", target, "the import"),
            Figure("A", "three", 3.0, "3.0 s", Target(2.0, "≤ 2 s at 10 M", judged=False)),
            Figure("B", "four", 1.0, "1", Target(0, "none")),
            missing("B", "five", "there is no psql", target),
        ]
    )
    lines = [" ".join(line.split()) for line in shown.splitlines() if line]
    assert lines == [
        "A",
        "one 1.5 s ≤ 2 s holds",
        "two 3.0 s ≤ 2 s MISSED by 1.50×",
        "the import",
        "three 3.0 s ≤ 2 s at 10 M (not judged)",
        "B",
        "four 1 none MISSED",
        "five – ≤ 2 s NOT MEASURED",
        "there is no psql",
    ]
