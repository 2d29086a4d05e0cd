"""View 4, Running: stalled first, for how long, how much of the lease is left."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from msgspec import structs
from textual.pilot import Pilot
from textual.widgets import Input

from queuetop.model.columns import Columns
from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.jobs import Job
from queuetop.model.states import State
from queuetop.ui.views.running import RunningView
from tests.ui.fakes import MAPPING, NOW, FakeWatch, make_jobs, make_snapshot
from tests.ui.shelf import Shelf
from tests.ui.support import make_app, screen_text, shows, until


def claimed(number: int, *, runs_s: float, lease_s: float, **changes: Any) -> Job:
    job = Job(
        id=str(number),
        state=State.RUNNING if lease_s >= 0 else State.STALLED,
        queue="mail",
        kind="send mail",
        worker=f"w-{number}",
        created_at=NOW - timedelta(hours=1),
        started_at=NOW - timedelta(seconds=runs_s),
        lease_until=NOW + timedelta(seconds=lease_s),
        attempts=number % 4 + 1,
        max_attempts=5,
    )
    return structs.replace(job, **changes)


JOBS = (
    claimed(1, runs_s=10, lease_s=290),
    claimed(2, runs_s=120, lease_s=150),
    claimed(3, runs_s=900, lease_s=-600),
    claimed(4, runs_s=400, lease_s=-100, worker="[/] w"),
    *(job for job in make_jobs(20) if job.state is not State.RUNNING and int(job.id) > 4),
)


@asynccontextmanager
async def running_view(
    jobs: tuple[Job, ...] = JOBS, *, size: tuple[int, int] = (120, 36), **options: Any
) -> AsyncIterator[tuple[FakeWatch, RunningView, Pilot[None]]]:
    watch = FakeWatch(**options)
    watch.browse = Shelf(jobs)
    app = make_app(watch)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("4")
        view = app.main.query_one(RunningView)
        await until(pilot, lambda: view._read_at and not view._reading)
        await pilot.pause()
        yield watch, view, pilot


def ids(view: RunningView) -> list[str]:
    return [job.id for job in view.table.rows]


@pytest.mark.parametrize("size", ((80, 24), (120, 36), (200, 60)))
async def test_stalled_first_then_the_longest_running(size: tuple[int, int]) -> None:
    async with running_view(size=size) as (_, view, pilot):
        assert ids(view) == ["3", "4", "2", "1"]
        text = screen_text(pilot.app)
        assert "2 stalled, 2 running" in text
        for part in ("▲ stalled", "15m 00s", "out 10m 00s", "▶ running", "2m 30s", "w-2"):
            assert part in text


async def test_the_bar_is_as_long_as_what_is_left() -> None:
    async with running_view(size=(160, 36)) as (_, _view, pilot):
        lines = screen_text(pilot.app).split("\n")
        bars = {
            line.split()[0 if "▌" not in line else 1]: line.count("█")
            for line in lines
            if "w-" in line
        }
        assert bars["1"] == 8
        assert bars["2"] == 4
        assert bars["3"] == 0


async def test_the_lease_counts_down_with_the_servers_clock() -> None:
    async with running_view() as (watch, view, pilot):
        watch.push(make_snapshot(seq=2, taken_at=NOW + timedelta(seconds=100)))
        await until(pilot, lambda: view._seq == 2 and not view._reading)
        await shows(pilot, "50s")
        await shows(pilot, "out 11m 40s")


async def test_the_order_can_be_changed_and_turned() -> None:
    async with running_view() as (_, view, pilot):
        assert "longest running first" in screen_text(pilot.app)
        await pilot.press("S")
        assert ids(view) == ["4", "3", "1", "2"]
        await pilot.press("s")
        assert ids(view) == ["3", "4", "2", "1"]
        assert "shortest lease first" in screen_text(pilot.app)
        await pilot.press("s")
        assert "most attempts first" in screen_text(pilot.app)
        assert ids(view) == ["3", "4", "2", "1"]


async def test_a_filter_narrows_within_what_runs() -> None:
    async with running_view() as (_, view, pilot):
        field = view.query_one(Input)
        for text, expected in (
            ("state:stalled", ["3", "4"]),
            ("worker:w-2", ["2"]),
            ("", ["3", "4", "2", "1"]),
        ):
            await pilot.press("slash")
            field.value = text
            await pilot.press("enter")
            await until(pilot, lambda: ids(view) == expected)  # noqa: B023  awaited within the turn
        await pilot.press("slash")
        field.value = "state:failed"
        await pilot.press("enter")
        await shows(pilot, "Only running and stalled jobs are here; view 3 has all states")


async def test_nothing_runs() -> None:
    async with running_view(make_jobs(4)[:1]) as (_, _view, pilot):
        await shows(pilot, "Nothing is running: no job is claimed at this moment.")


async def test_more_than_fit_are_said_to_be_cut() -> None:
    jobs = tuple(claimed(number, runs_s=number, lease_s=60) for number in range(1, 701))
    async with running_view(jobs) as (_, view, pilot):
        assert len(view.table.rows) == 500
        assert "700 running" in screen_text(pilot.app)
        assert "the first 500 of each" in screen_text(pilot.app)
        assert ids(view)[0] == "700"


async def test_a_table_without_leases_and_starts_still_lists_its_claims() -> None:
    mapping = structs.replace(MAPPING, columns=Columns(id="id", status="status"))
    jobs = (Job(id="1", state=State.RUNNING), Job(id="2", state=State.RUNNING))
    async with running_view(jobs, mapping=mapping) as (_, view, pilot):
        assert ids(view) == ["1", "2"]
        text = screen_text(pilot.app)
        assert "LEASE" not in text
        await pilot.press("s", "S", "y", "enter")
        await pilot.pause()
        assert pilot.app.is_running


async def test_a_fault_keeps_the_rows_and_the_cursor() -> None:
    async with running_view() as (watch, view, pilot):
        await pilot.press("j")
        key = view.table.cursor_key
        watch.browse.fault = StoreError(StoreFault.LOST, "The server closed the connection")
        watch.push(make_snapshot(seq=2))
        await shows(pilot, "▲ The server closed the connection")
        assert view.table.cursor_key == key
        assert ids(view) == ["3", "4", "2", "1"]


async def test_the_cursor_stays_on_a_job_that_stalls() -> None:
    async with running_view() as (watch, view, pilot):
        view.table.move_to("2")
        shelf = watch.browse
        assert isinstance(shelf, Shelf)
        shelf.change("2", state=State.STALLED)
        watch.push(make_snapshot(seq=2))
        await until(pilot, lambda: ids(view) == ["3", "4", "2", "1"] and view._seq == 2)
        assert view.table.cursor_key == "2"
