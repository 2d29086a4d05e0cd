"""Wrapping and the text of a job: nothing is lost, nothing is wider than its line."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from rich.cells import cell_len

from queuetop.model.jobs import Field, Job
from queuetop.model.numbers import GROUP
from queuetop.model.states import FailureClass, State
from queuetop.ui.job_text import LINES, SHOWN, copied, read
from queuetop.ui.times import TimeMode
from queuetop.ui.widgets.reader import Passage, Piece, wrap
from tests.ui.fakes import MAPPING, NOW, make_detail, make_job

texts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Mn", "Me", "Cf"]), max_size=200)


@given(st.lists(texts, max_size=4), st.integers(0, 30), st.integers(8, 60))
def test_wrapping_loses_nothing_and_fits(pieces: list[str], hang: int, width: int) -> None:
    passage = Passage(tuple(Piece(text) for text in pieces), hang=hang)
    lines = list(wrap(passage, width))
    assert all(cell_len(line.plain) <= width for line in lines)
    indent = " " * min(hang, width // 2)
    rest = "".join(line.plain.removeprefix(indent) for line in lines[1:])
    assert lines[0].plain + rest == passage.plain


def plain(shown: str) -> str:
    """With plain spaces between thousands."""
    return shown.replace(GROUP, " ")


def text(**changes: object) -> str:
    job = structs.replace(make_job(1), **changes)
    return copied(make_detail(job), MAPPING, TimeMode.UTC)


def test_why_comes_first_and_everything_is_there() -> None:
    whole = text(state=State.PENDING)
    assert whole.startswith("WHY IT IS NOT RUNNING\n  ▸ 4 100 jobs of its queue")
    for part in ("JOB", "TIMES", "PAYLOAD", "COLUMNS", "status", "PENDING", "NULL"):
        assert part in whole


def test_durations_say_what_they_are_measured_between() -> None:
    start = NOW - timedelta(minutes=10)
    job = Job(
        id="1",
        state=State.SUCCEEDED,
        created_at=start,
        ready_at=start + timedelta(seconds=30),
        started_at=start + timedelta(seconds=90),
        finished_at=start + timedelta(seconds=92),
    )
    whole = copied(make_detail(job), MAPPING, TimeMode.UTC)
    assert "waited        1m 00s   from ready to started" in whole
    assert "ran           2.0 s   from started to its end" in whole
    assert "in all        1m 32s   from created to its end" in whole
    running = structs.replace(job, state=State.RUNNING, finished_at=None)
    assert "runs          8m 30s   since it was started" in copied(
        make_detail(running), MAPPING, TimeMode.UTC
    )


def test_times_that_contradict_each_other_make_no_duration() -> None:
    job = Job(id="1", state=State.FAILED, created_at=NOW, failed_at=NOW - timedelta(hours=1))
    assert "in all" not in copied(make_detail(job), MAPPING, TimeMode.UTC)


def test_a_failure_keeps_its_lines_and_names_its_class() -> None:
    job = Job(
        id="1",
        state=State.FAILED,
        failure_kind="EXTERNAL_5XX",
        failure_class=FailureClass.THEIRS,
    )
    whole = copied(make_detail(job, failure_text="one\n  two\n\nthree"), MAPPING, TimeMode.UTC)
    assert "FAILURE  EXTERNAL_5XX  theirs: an outside system failed" in whole
    assert "\n  one\n    two\n\n  three\n" in whole


@pytest.mark.parametrize("width", (60, 200))
def test_a_huge_value_is_cut_on_the_screen_with_its_length_and_copied_whole(width: int) -> None:
    huge = "x" * 1_000_000
    field = Field("note", "text", huge, cut=True)
    detail = make_detail(make_job(1), fields=(field,), payload_text=huge)
    shown = "\n".join(p.plain for p in read(detail, MAPPING, TimeMode.UTC, width=width))
    assert "cut here: 100 000 of 1 000 000 characters are shown; y copies all" in plain(shown)
    assert "longer in the table" in shown
    assert len(shown) < 3 * SHOWN
    assert copied(detail, MAPPING, TimeMode.UTC).count("x") >= 2_000_000


def test_a_value_of_many_lines_is_cut_too() -> None:
    detail = make_detail(make_job(1), payload_text="a\n" * 500_000)
    passages = read(detail, MAPPING, TimeMode.UTC, width=100)
    assert len(passages) < LINES + 100
    cut = [plain(passage.plain) for passage in passages if "cut here" in passage.plain]
    assert cut == ["  cut here: 5 999 of 1 000 000 characters are shown; y copies all of them"]
    assert copied(detail, MAPPING, TimeMode.UTC).count("\n") > 500_000


def test_a_job_of_nothing_but_an_id() -> None:
    detail = make_detail(
        Job(id="1", state=None),
        fields=(Field("", "", ""), Field("長い" * 40, "text", None)),
        failure_text=None,
        payload_text=None,
        why_waiting=(),
    )
    whole = copied(detail, MAPPING, TimeMode.RELATIVE)
    assert "? unmapped" in whole
    assert "empty" in whole
