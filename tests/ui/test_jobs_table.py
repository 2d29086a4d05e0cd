"""The live list: cursor and marks belong to jobs through every kind of churn."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from msgspec import structs
from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from queuetop.model.jobs import Job, Sort
from queuetop.model.states import State
from queuetop.ui.options import TimeMode
from queuetop.ui.widgets.grid import Grid
from queuetop.ui.widgets.job_columns import Look, jobs_columns, running_columns
from queuetop.ui.widgets.jobs_table import JobsTable
from tests.ui.fakes import MAPPING, NOW, make_job, make_jobs

HOSTILE = ("[/]", "[@click=app.quit]x[/]", "a%s", 'we"ird', "長い名前" * 40, "$error", "x" * 300)


class Board(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.chosen: list[str] = []
        self.sorts: list[str] = []
        self.near_ends = 0
        self.table = JobsTable()

    def compose(self) -> ComposeResult:
        yield self.table

    def on_mount(self) -> None:
        self.arrange()
        self.table.focus()

    def arrange(self, sort: Sort | None = None, *, numeric: bool = True) -> None:
        self.table.order = sort or Sort()
        look = Look(now=NOW, times=TimeMode.RELATIVE)
        columns = jobs_columns(MAPPING, look, self.table.order, numeric_ids=numeric)
        self.table.rearrange(columns)

    @on(Grid.Chosen)
    def _chosen(self, event: Grid.Chosen) -> None:
        self.chosen.append(event.key)

    @on(JobsTable.SortWanted)
    def _sort(self, event: JobsTable.SortWanted) -> None:
        self.sorts.append(event.column)

    @on(JobsTable.NearEnd)
    def _near_end(self) -> None:
        self.near_ends += 1

    def lines(self) -> list[str]:
        return [self.table.render_line(y).text for y in range(self.table.size.height)]

    def place(self, job_id: str) -> int | None:
        """The line on which a job is, None where it is not on the screen."""
        shown = [line.lstrip("▌• ").split(" ")[0] for line in self.lines()]
        return shown.index(job_id) if job_id in shown else None


@asynccontextmanager
async def board(width: int = 120, height: int = 20) -> AsyncIterator[tuple[Board, Pilot[None]]]:
    app = Board()
    async with app.run_test(size=(width, height)) as pilot:
        yield app, pilot


def nearest(before: Sequence[Job], at: int, after: Sequence[Job]) -> set[str]:
    """The ids, among those that are left, that stood nearest to row ``at``."""
    left = {job.id for job in after}
    by_distance: dict[int, set[str]] = {}
    for index, job in enumerate(before):
        if job.id in left:
            by_distance.setdefault(abs(index - at), set()).add(job.id)
    return by_distance[min(by_distance)] if by_distance else set()


async def test_the_cursor_keeps_its_job_through_two_hundred_changes() -> None:
    chance = random.Random(3)
    async with board() as (app, pilot):
        table, jobs, fresh = app.table, list(make_jobs(400)), 1_000
        table.show(jobs)
        await pilot.press("pagedown", "pagedown", "j", "space", "k")
        marked = set(table.marks)
        for step in range(200):
            key, at, before = table.cursor_key, table._at, list(jobs)
            for _ in range(chance.randrange(6)):
                fresh += 1
                jobs.insert(chance.randrange(len(jobs)), make_job(fresh))
            for _ in range(chance.randrange(8)):
                jobs.pop(chance.randrange(len(jobs)))
            jobs = [make_job(int(job.id), seed=step) for job in jobs]
            if step % 10 == 0:
                chance.shuffle(jobs)
            table.show(jobs)
            if any(job.id == key for job in jobs):
                assert table.cursor_key == key
            else:
                assert table.cursor_key in nearest(before, at, jobs)
            assert set(table.marks) == marked
            assert table.cursor_row is not None
            assert app.place(str(table.cursor_key)) is not None
            if step % 20 == 0:
                await pilot.press(chance.choice(["j", "k", "pagedown", "pageup"]))


async def test_the_cursor_stays_on_its_line_while_jobs_come_in_above() -> None:
    async with board() as (app, pilot):
        table, jobs = app.table, list(make_jobs(200))
        table.show(jobs)
        await pilot.press("j", "j", "j")
        place = app.place("197")
        for number in range(1_000, 1_100):
            jobs.insert(0, make_job(number))
            table.show(jobs)
            assert table.cursor_key == "197"
            assert app.place("197") == place


async def test_before_anybody_moves_the_newest_job_is_first() -> None:
    async with board() as (app, pilot):
        app.table.show(make_jobs(100))
        app.table.show([make_job(500), *make_jobs(100)])
        assert app.table.cursor_key == "500"
        await pilot.press("j", "k")
        app.table.show([make_job(501), make_job(500), *make_jobs(100)])
        assert app.table.cursor_key == "500"


async def test_who_scrolls_away_from_the_cursor_keeps_what_they_look_at() -> None:
    async with board() as (app, pilot):
        table, jobs = app.table, list(make_jobs(300))
        table.show(jobs)
        await pilot.press("j")
        table.scroll_to(y=100, animate=False)
        await pilot.pause()
        first = app.lines()[1]
        table.show([*(make_job(number) for number in range(1_000, 1_040)), *jobs])
        await pilot.pause()
        assert app.lines()[1].split()[0] == first.split()[0]
        assert table.cursor_key == "299"


async def test_marks_one_by_one_by_range_and_none() -> None:
    async with board() as (app, pilot):
        table = app.table
        table.show(make_jobs(50))
        await pilot.press("j")
        table.toggle_mark()
        assert list(table.marks) == ["49"]
        assert table.cursor_key == "48"
        table.move_to("45")
        table.mark_range()
        assert list(table.marks) == ["49", "48", "47", "46", "45"]
        assert "•" in app.lines()[2]
        table.move_to("49")
        table.toggle_mark()
        assert list(table.marks) == ["48", "47", "46", "45"]
        table.show([job for job in make_jobs(50, seed=2) if job.id != "46"])
        assert [job.id for job in table.chosen()] == ["48", "47", "45", "46"]
        assert table.marks["48"] == make_job(48, seed=2)
        assert table.clear_marks()
        assert not table.clear_marks()
        assert [job.id for job in table.chosen()] == [str(table.cursor_key)]


async def test_nothing_to_mark_in_an_empty_list() -> None:
    async with board() as (app, _):
        table = app.table
        table.empty = "No job matches."
        table.show([])
        table.toggle_mark()
        table.mark_range()
        assert table.chosen() == ()
        assert table.beside("1", 1) is None
        assert "No job matches." in "\n".join(app.lines())


async def test_stepping_to_the_neighbours() -> None:
    async with board() as (app, _):
        app.table.show(make_jobs(3))
        assert app.table.beside("3", 1) == "2"
        assert app.table.cursor_key == "2"
        assert app.table.beside("1", 1) is None
        assert app.table.beside("3", -1) is None
        assert app.table.beside("77", 1) is None


async def test_the_mouse_moves_opens_marks_and_sorts() -> None:
    async with board() as (app, pilot):
        app.table.show(make_jobs(30))
        await pilot.pause()
        await pilot.click(JobsTable, offset=(20, 4))
        assert app.table.cursor_key == "27"
        assert app.chosen == []
        await pilot.click(JobsTable, offset=(20, 4))
        assert app.chosen == ["27"]
        await pilot.click(JobsTable, offset=(0, 6))
        assert list(app.table.marks) == ["25"]
        for title in ("CREATED", "ATTEMPTS", "ID", "KIND"):
            await pilot.click(JobsTable, offset=(app.lines()[0].index(title) + 1, 0))
        assert app.sorts == ["created_at", "attempts", "id"]


async def test_the_end_is_announced_before_it_is_reached() -> None:
    async with board() as (app, pilot):
        app.table.show(make_jobs(200))
        await pilot.pause()
        assert app.near_ends == 0
        await pilot.press(*["pagedown"] * 8)
        assert app.near_ends > 0


async def test_the_sorted_column_says_so_and_stays() -> None:
    async with board(80) as (app, pilot):
        app.arrange(Sort("failed_at", descending=True))
        app.table.show(make_jobs(30))
        await pilot.pause()
        assert "FAILED ▾" in app.lines()[0]
        app.arrange(Sort("ready_at", descending=False))
        await pilot.pause()
        assert "READY ▴" in app.lines()[0]
        assert "FAILED" not in app.lines()[0].split()


@pytest.mark.parametrize("width", (60, 80, 120, 200))
async def test_columns_leave_in_their_order_and_use_the_room(width: int) -> None:
    order = ["ID", "STATE", "ATTEMPTS", "KIND", "FAILURE", "CREATED", "QUEUE", "DETAIL", "FAILED"]
    async with board(width) as (app, pilot):
        app.table.show(make_jobs(15))
        await pilot.pause()
        shown = set(app.lines()[0].replace("▾", "").split())
        assert {"ID", "STATE", "ATTEMPTS", "CREATED"} <= shown
        kept = [title in shown for title in order if title != "CREATED"]
        assert kept == sorted(kept, reverse=True)
        if width >= 120:
            assert set(order) <= shown
        if width >= 200:
            assert {"READY", "STARTED", "FINISHED", "WORKER"} <= shown
        assert all(app.table.render_line(y).cell_length == width for y in range(20))


@pytest.mark.parametrize("width", (60, 120, 200))
async def test_hostile_text_is_text_and_stays_in_its_cell(width: int) -> None:
    async with board(width) as (app, pilot):
        app.arrange(numeric=False)
        jobs = [
            structs.replace(
                make_job(number),
                id=f"{number} {text}",
                queue=text,
                kind=text,
                worker=text,
                failure_kind=text,
                failure_detail=text,
                payload=text,
            )
            for number, text in enumerate(HOSTILE)
        ]
        app.table.show(jobs)
        await pilot.pause()
        for y, text in enumerate(HOSTILE, start=1):
            assert f"{y - 1} {text}"[:4] in app.lines()[y]
            assert app.table.render_line(y).cell_length == width
        await pilot.press("enter")
        assert app.chosen == ["0 [/]"]


async def test_times_beyond_all_times_are_shown() -> None:
    far = NOW + timedelta(days=400_000)
    odd = Job(id="1", state=None, created_at=far, ready_at=far, attempts=-1, max_attempts=0)
    look = Look(now=NOW)
    async with board() as (app, pilot):
        app.table.show([odd, Job(id="2", state=State.RUNNING)])
        await pilot.pause()
        assert "? unmapped" in app.lines()[1]
        app.table.rearrange(running_columns(MAPPING, look, numeric_ids=True))
        await pilot.pause()
        assert "▶ running" in app.lines()[2]


async def test_an_uuid_is_as_wide_as_there_is_room() -> None:
    uuid = "0191f3a2-7d5e-7c1a-9b1e-2f6f3f1c9d77"
    async with board(200) as (app, pilot):
        app.arrange(numeric=False)
        app.table.show([structs.replace(make_job(1), id=uuid)])
        await pilot.pause()
        assert uuid in app.lines()[1]
