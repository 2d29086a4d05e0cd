"""One job whole: why it waits, what it says, and the place in the text through refreshes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec import structs
from textual.pilot import Pilot

from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.jobs import Field, JobDetail
from queuetop.model.states import State
from queuetop.ui.app import QueueTop
from queuetop.ui.screens.job import JobScreen
from queuetop.ui.views.jobs import JobsView
from tests.ui.fakes import NOW, FakeWatch, make_detail, make_job, make_jobs, make_snapshot
from tests.ui.shelf import Shelf
from tests.ui.support import make_app, screen_text, shows, until


@asynccontextmanager
async def job_screen(
    detail: JobDetail | None = None, *, job_id: str = "1", size: tuple[int, int] = (120, 36)
) -> AsyncIterator[tuple[FakeWatch, QueueTop, Pilot[None]]]:
    watch = FakeWatch(jobs=make_jobs(30))
    if detail is not None:
        watch.browse.details[job_id] = detail
    app = make_app(watch)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        app.open_job(job_id)
        await until(pilot, lambda: isinstance(app.screen, JobScreen) and not app.screen._reading)
        await pilot.pause()
        yield watch, app, pilot


PENDING = structs.replace(make_job(1), state=State.PENDING, finished_at=None)


def screen(app: QueueTop) -> JobScreen:
    assert isinstance(app.screen, JobScreen)
    return app.screen


@pytest.mark.parametrize("size", ((80, 24), (120, 36), (200, 60)))
async def test_what_matters_comes_first(size: tuple[int, int]) -> None:
    job = structs.replace(make_job(5), state=State.PENDING)
    async with job_screen(make_detail(job), job_id="5", size=size) as (_, app, _pilot):
        text = screen_text(app)
        assert "job 5 · ○ pending" in text
        assert "▸ 4 100 jobs of its queue are due before it" in text
        assert text.index("WHY IT IS NOT RUNNING") < text.index(
            "JOB\n" if size[0] < 110 else "TIMES"
        )
        assert "2026-01-31 13:40:07.000Z" in text or size[1] < 30


async def test_a_failed_job_shows_its_text_whole_and_scrolls() -> None:
    lines = "\n".join(f"line {number}" for number in range(200))
    detail = make_detail(structs.replace(make_job(1), state=State.FAILED), failure_text=lines)
    async with job_screen(detail) as (_, app, pilot):
        assert "line 0" in screen_text(app)
        assert "line 150" not in screen_text(app)
        for _ in range(30):
            if "line 199" in screen_text(app):
                break
            await pilot.press("pagedown")
        assert "line 199" in screen_text(app)
        await pilot.press("G")
        await shows(pilot, "NULL")
        await pilot.press("g", "j", "k")
        assert "job 1" in screen_text(app)


async def test_tab_goes_from_section_to_section() -> None:
    text = "\n".join(f"line {number}" for number in range(300))
    job = structs.replace(make_job(1), state=State.FAILED)
    async with job_screen(make_detail(job, failure_text=text, payload_text=text)) as (
        _,
        app,
        pilot,
    ):
        for title in ("JOB", "FAILURE", "PAYLOAD"):
            await pilot.press("tab")
            top = screen(app)._reader.render_line(0).text
            assert top.startswith(title)
        await pilot.press("shift+tab")
        assert screen(app)._reader.render_line(0).text.startswith("FAILURE")


async def test_a_refresh_keeps_the_place() -> None:
    text = "\n".join(f"line {number}" for number in range(300))
    detail = make_detail(PENDING, failure_text=text)
    async with job_screen(detail) as (watch, app, pilot):
        await pilot.press("pagedown", "pagedown")
        place = screen(app)._reader.scroll_y
        assert place > 0
        changed = structs.replace(make_job(1), attempts=3, state=State.RUNNING)
        watch.browse.details["1"] = make_detail(changed, failure_text=text)
        watch.push(make_snapshot(seq=2))
        await shows(pilot, "attempts 3 of 5")
        assert screen(app)._reader.scroll_y == place


async def test_a_job_that_goes_stays_on_the_screen_and_says_so() -> None:
    async with job_screen(make_detail(PENDING)) as (watch, app, pilot):
        del watch.browse.details["1"]
        watch.browse.all = ()
        watch.push(make_snapshot(seq=2))
        await shows(pilot, "gone from the table; this is how it was")
        assert "PAYLOAD" in screen_text(app)


async def test_a_job_that_never_was() -> None:
    async with job_screen(job_id="[/] 77") as (_, app, _pilot):
        assert "There is no job of this id in the table." in screen_text(app)
        assert "job [/] 77" in screen_text(app)


async def test_a_fault_is_a_sentence() -> None:
    async with job_screen(make_detail(PENDING)) as (watch, app, pilot):
        watch.browse.fault = StoreError(StoreFault.NO_PERMISSION, "The role may not read it")
        watch.push(make_snapshot(seq=2))
        await shows(pilot, "▲ The role may not read it")
        assert "PAYLOAD" in screen_text(app)


async def test_times_follow_the_mode() -> None:
    async with job_screen(make_detail(make_job(1))) as (_, app, pilot):
        assert "2026-01-31 13:40:03.000Z" in screen_text(app)
        await pilot.press("t", "t")
        assert app.times.value == "local"
        await pilot.pause()
        assert "13:40:03.000Z" not in screen_text(app)


async def test_copying_takes_everything() -> None:
    huge = "x" * 300_000
    async with job_screen(make_detail(make_job(1), failure_text=huge)) as (_, app, pilot):
        await pilot.press("y")
        assert app.clipboard.count("x") >= 300_000
        await shows(pilot, "many terminals")


async def test_huge_and_hostile_values_are_drawn_and_the_keys_answer() -> None:
    hostile = '[/] [@click=app.quit]x[/] $error a%s we"ird 長い名前'
    fields = (
        Field("[/]", "text", hostile),
        Field("長い" * 60, "[b]type", "y" * 1_000_000, cut=True),
        Field("lines", "text", "\n" * 1_000_000),
    )
    detail = make_detail(
        structs.replace(make_job(1), queue=hostile, kind=hostile, worker=hostile, id="1"),
        fields=fields,
        failure_text=hostile,
        payload_text='{"' + "z" * 1_000_000,
        why_waiting=(hostile,),
    )
    async with job_screen(detail) as (_, app, pilot):
        assert "▸ [/] [@click=app.quit]x[/] $error a%s" in screen_text(app)
        await pilot.press("G", "pageup", "g")
        assert app.is_running
        assert all(len(line) <= 120 for line in screen_text(app).split("\n"))


async def test_the_next_and_the_previous_job_of_the_list() -> None:
    watch = FakeWatch()
    watch.browse = Shelf(make_jobs(300))
    app = make_app(watch)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("3")
        table = app.main.query_one(JobsView).table
        await until(pilot, lambda: table.rows)
        await pilot.press("j", "enter")
        await shows(pilot, f"job {table.rows[1].id}")
        await pilot.press("right_square_bracket", "n")
        await shows(pilot, f"job {table.rows[3].id}")
        assert table.cursor_key == table.rows[3].id
        await pilot.press("left_square_bracket")
        await shows(pilot, f"job {table.rows[2].id}")
        await pilot.press("h", "h", "h")
        await shows(pilot, "No job is loaded before this one")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        assert table.cursor_key == table.rows[0].id


async def test_without_a_list_there_is_no_next_one() -> None:
    async with job_screen(make_detail(make_job(1))) as (_, _app, pilot):
        await pilot.press("n")
        await shows(pilot, "There is no list behind this job")


async def test_a_job_whose_life_is_over_is_not_read_with_every_snapshot() -> None:
    done = structs.replace(make_job(1), state=State.SUCCEEDED, finished_at=NOW)
    async with job_screen(make_detail(done)) as (watch, app, pilot):
        before = len(watch.browse.calls)
        watch.push(make_snapshot(seq=2))
        await until(pilot, lambda: screen(app)._seq == 2)
        assert len(watch.browse.calls) == before
