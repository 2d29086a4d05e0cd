"""View 2, Failures: kinds and their meaning, good news when there is none."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec import structs

from queuetop.model.measure import Measure
from queuetop.model.selection import Selection
from queuetop.model.snapshot import NO_KIND, FailureKind, Failures, Snapshot
from queuetop.model.states import FailureClass, State
from queuetop.ui.app import QueueTop
from queuetop.ui.options import TimeMode
from queuetop.ui.views.failures import FailuresView, jobs_of
from tests.ui.fakes import KINDS, MAPPING, NOW, FakeWatch, exact, make_jobs, make_snapshot
from tests.ui.support import make_app, screen_text, shows, until

NOTHING_KNOWN = FailureKind(
    kind="",
    failure_class=FailureClass.UNCLASSIFIED,
    count=Measure.unavailable("took longer than 2 s"),
    share=float("nan"),
    first_failed_at=None,
    last_failed_at=None,
    recent=0,
    new=False,
    trend=(),
    example="",
    example_id=None,
)


def failing(*kinds: FailureKind, **changes: Any) -> Snapshot:
    given: dict[str, Any] = {
        "kinds": kinds,
        "total": exact(len(kinds)),
        "last_hour": exact(0),
        "window": "the newest 10 000 jobs that gave up",
    }
    return make_snapshot(failures=Failures(**(given | changes)))


def _selection(call: tuple[str, Any]) -> Selection | None:
    name, given = call
    return given[0] if name == "jobs" else None


def view(app: QueueTop) -> FailuresView:
    return app.main.query_one(FailuresView)


async def test_the_kinds_and_what_the_first_one_means() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("2")
        await shows(pilot, "EXTERNAL_5XX · theirs – an outside system failed")
        text = screen_text(app)
        for part in (
            "EXTERNAL_5XX     NEW  theirs           3 312  71.0 %  ████▎   +2 940  ▁▁▂▁▂▂▂▂▂▅▇█",
            "3 312 jobs, 71.0 % of 4 665 that gave up; 2 940 in the last hour",
            "first 9m 00s ago, last 12s ago, new in the last 15 minutes",
            "Example, job 81231",
            "HTTP 503 from limits service: upstream connect error or disconnect/reset before headers",
            "Looked at: all that gave up",
        ):
            assert part in text


@pytest.mark.parametrize("size", ((80, 24), (200, 60)))
async def test_every_size_shows_kind_class_count_and_the_example(size: tuple[int, int]) -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("2", "j")
        await shows(pilot, "UNKNOWN_OUTCOME · unknown-outcome")
        text = screen_text(app)
        assert "unknown-outcome    840  18.0 %" in text
        assert "the transfer may have been made" in text
        assert "NOT_FOUND" in text


async def test_the_cursor_keeps_to_its_kind_and_the_words_below_follow() -> None:
    watch = FakeWatch([make_snapshot()])
    app = make_app(watch)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("2", "j", "j")
        await shows(pilot, "VALIDATION · ours")
        kinds = (structs.replace(KINDS[2], count=exact(99_999)), *KINDS[:2], *KINDS[3:])
        watch.push(make_snapshot(seq=2, failures=failing(*kinds).failures))
        await shows(pilot, "99 999")
        assert view(app).table.cursor_key == "VALIDATION"
        assert "99 999 jobs" in screen_text(app)
        watch.push(make_snapshot(seq=3, failures=failing(*KINDS[:2]).failures))
        await shows(pilot, "EXTERNAL_5XX · theirs")


async def test_enter_lists_the_jobs_of_the_kind() -> None:
    watch = FakeWatch(jobs=make_jobs(60))
    app = make_app(watch)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("2", "j", "enter")
        await shows(pilot, "failure:UNKNOWN_OUTCOME")
        wanted = Selection(states=(State.FAILED, State.QUARANTINED), failures=("UNKNOWN_OUTCOME",))
        await until(pilot, lambda: any(_selection(call) == wanted for call in watch.browse.calls))
        await pilot.press("escape")
        await shows(pilot, "UNKNOWN_OUTCOME · unknown-outcome")


async def test_no_failure_is_good_news_with_its_window() -> None:
    app = make_app(FakeWatch([failing(total=exact(0))]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("2")
        await shows(pilot, "● No job gave up. Looked at: the newest 10 000 jobs that gave up.")


async def test_what_is_not_known_says_why() -> None:
    gone = failing(total=Measure.unavailable("no rule of the mapping says which jobs failed"))
    app = make_app(FakeWatch([gone]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("2")
        await shows(pilot, "Failures are not known: no rule of the mapping says which jobs failed")


async def test_before_the_first_numbers_it_says_that_it_waits() -> None:
    app = make_app(FakeWatch([]))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("2", "j", "enter", "s", "S", "G")
        await shows(pilot, "Waiting for the first numbers.")


async def test_a_kind_of_which_nothing_is_known() -> None:
    app = make_app(FakeWatch([failing(NOTHING_KNOWN)]))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("2")
        await shows(pilot, "No message is stored with these jobs.")
        text = screen_text(app)
        assert "– jobs, – of 1 that gave up; 0 in the last hour" in text
        assert "–: took longer than 2 s" in text
        assert "first –, last –" in text


async def test_hostile_kinds_and_messages_are_only_text() -> None:
    hostile = ["[/]", "[@click=app.quit]x[/]", "[red]y[/red]", 'a%s we"ird', "長い" * 10, "$error"]
    kinds = [
        structs.replace(KINDS[0], kind=name, example=f"{name} said {name}", example_id=name)
        for name in hostile
    ]
    app = make_app(FakeWatch([failing(*kinds)]))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.press("2")
        for name in hostile:
            await shows(pilot, name[:8])
            assert f"Example, job {name[:20]}" in screen_text(app)
            await pilot.press("j")
        assert app.is_running


async def test_times_can_be_clock_times() -> None:
    app = make_app(FakeWatch(), times=TimeMode.UTC)
    async with app.run_test(size=(200, 40), notifications=True) as pilot:
        await pilot.press("2")
        moment = NOW - timedelta(seconds=12)
        await shows(pilot, f"last {moment:%H:%M:%S}Z")
        await pilot.press("t", "t")
        await shows(pilot, "last 12s ago")


async def test_sorting_keeps_the_cursor_on_its_kind() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("2", "s")
        await shows(pilot, "KIND ▴")
        assert view(app).table.cursor_key == "EXTERNAL_5XX"
        assert [kind.kind for kind in view(app).table.rows][:2] == ["EXTERNAL_5XX", "NOT_FOUND"]
        await pilot.press("S")
        await shows(pilot, "KIND ▾")


def test_failures_without_a_kind_can_be_listed_too() -> None:
    columns = structs.replace(MAPPING.columns, failure_kind=None, failure_detail=None)
    bare = structs.replace(MAPPING, columns=columns)
    gave_up = (State.FAILED, State.QUARANTINED)
    assert jobs_of(NO_KIND, MAPPING) == Selection(states=gave_up, failures=("",))
    assert jobs_of(NO_KIND, bare) == Selection(states=gave_up)
