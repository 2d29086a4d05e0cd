"""The export dialog: what is written reads back, nothing is replaced unasked, nothing is left half done."""

from __future__ import annotations

import asyncio
import csv
import json
import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from msgspec import structs
from textual.pilot import Pilot
from textual.widgets import Button, Input

from queuetop.model.errors import StoreError, StoreFault, UsageError
from queuetop.model.jobs import Page
from queuetop.model.selection import Selection
from queuetop.model.states import State
from queuetop.ui.export import FileTakenError, Format, export
from queuetop.ui.screens.export import ExportScreen
from queuetop.ui.views.jobs import JobsView
from queuetop.ui.widgets.choice import Choice
from tests.ui.fakes import FakeWatch, make_job, make_jobs
from tests.ui.shelf import Shelf
from tests.ui.support import make_app, screen_text, shows, until, widget_text


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@asynccontextmanager
async def dialog(
    count: int = 450, *before: str
) -> AsyncIterator[tuple[Shelf, JobsView, Pilot[None]]]:
    """View 3 with the dialog open."""
    watch = FakeWatch()
    shelf = Shelf(make_jobs(count))
    watch.browse = shelf
    app = make_app(watch)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("3")
        view = app.main.query_one(JobsView)
        await until(pilot, lambda: view._read_at and not view._reading)
        await pilot.press(*before, "e")
        await until(pilot, lambda: isinstance(app.screen, ExportScreen))
        await pilot.pause()
        yield shelf, view, pilot


def name(pilot: Pilot[None], text: str) -> None:
    pilot.app.screen.query_one("#export-path", Input).value = text


def parts(where: Path) -> list[str]:
    return [path.name for path in where.iterdir() if path.name.endswith(".part")]


def left(where: Path) -> list[Path]:
    """Everything that is in the directory."""
    return list(where.iterdir())


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


async def test_everything_that_matches_as_csv(here: Path) -> None:
    async with dialog() as (shelf, view, pilot):
        assert "all that match: 450" in screen_text(pilot.app)
        name(pilot, "jobs.csv")
        await pilot.press("enter")
        await shows(pilot, "Wrote 450 jobs to jobs.csv")
        found = rows(here / "jobs.csv")
        assert [row["id"] for row in found] == [
            job.id for job in shelf.found(Selection(), view.sort)
        ]
        assert parts(here) == []


async def test_only_the_marked_ones_as_json_lines(here: Path) -> None:
    async with dialog(50, "space", "space", "space") as (_, view, pilot):
        assert "◉ 3 marked" in screen_text(pilot.app)
        pilot.app.screen.query_one("#export-form", Choice).choose(1)
        await pilot.pause()
        path = pilot.app.screen.query_one("#export-path", Input).value
        assert path.endswith(".jsonl")
        await pilot.press("enter")
        await shows(pilot, "Wrote 3 jobs")
        lines = (here / path).read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["id"] for line in lines] == list(view.table.marks)


async def test_marked_ones_that_are_gone_are_counted(here: Path) -> None:
    async with dialog(50, "space", "space") as (shelf, view, pilot):
        shelf.take(next(iter(view.table.marks)))
        name(pilot, "jobs.csv")
        await pilot.press("enter")
        await shows(pilot, "1 of the marked")


async def test_a_filter_holds_for_the_export_too(here: Path) -> None:
    async with dialog(0) as (shelf, view, pilot):
        await pilot.press("escape")
        shelf.all = make_jobs(60)
        view.select(Selection(states=(State.FAILED,)))
        await until(pilot, lambda: view.table.rows and not view._reading)
        await pilot.press("e")
        await shows(pilot, "state:failed")
        name(pilot, "failed.csv")
        await pilot.press("enter")
        await shows(pilot, "Wrote 12 jobs")
        assert {row["state"] for row in rows(here / "failed.csv")} == {"failed"}


async def test_nothing_is_replaced_without_asking(here: Path) -> None:
    (here / "taken.csv").write_text("precious", encoding="utf-8")
    async with dialog(5) as (_, _view, pilot):
        name(pilot, "taken.csv")
        await pilot.press("enter")
        await shows(pilot, "press again to replace it")
        assert str(pilot.app.screen.query_one("#export-write", Button).label) == "Replace"
        name(pilot, "taken2.csv")
        await pilot.pause()
        assert str(pilot.app.screen.query_one("#export-write", Button).label) == "Write"
        name(pilot, "taken.csv")
        await pilot.pause()
        await pilot.press("enter")
        assert (here / "taken.csv").read_text(encoding="utf-8") == "precious"
        await pilot.press("enter")
        await shows(pilot, "Wrote 5 jobs")
        assert len(rows(here / "taken.csv")) == 5


@pytest.mark.parametrize(
    ("path", "sentence"),
    (
        ("", "Name a file to write to"),
        (".", "is a directory; name a file in it"),
        ("/dev/null", "/dev/null is no plain file; name another"),
        ("no/such/place.csv", "does not exist; choose another place"),
        ("[/]/x.csv", "does not exist; choose another place"),
        ("x" * 400, "too long"),
    ),
)
async def test_a_path_that_cannot_be_is_a_sentence(here: Path, path: str, sentence: str) -> None:
    async with dialog(5) as (_, _view, pilot):
        name(pilot, path)
        await pilot.press("enter")
        await until(
            pilot, lambda: sentence in " ".join(widget_text(pilot.app, "#export-note").split())
        )
        assert left(here) == []


async def test_escape_stops_and_leaves_nothing(here: Path) -> None:
    async with dialog() as (shelf, _view, pilot):
        name(pilot, "jobs.csv")
        shelf.delay_s = 0.2
        await pilot.press("enter")
        await shows(pilot, "jobs written")
        await pilot.press("escape")
        await shows(pilot, "Stopped; no file was written")
        await until(pilot, lambda: left(here) == [])
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, ExportScreen))


async def test_a_fault_in_the_middle_leaves_nothing(here: Path) -> None:
    async with dialog() as (shelf, _view, pilot):
        shelf.fault = StoreError(StoreFault.LOST, "The server closed the connection")
        name(pilot, "jobs.csv")
        await pilot.press("enter")
        await shows(pilot, "◆ The server closed the connection")
        assert left(here) == []


async def test_cancel_closes(here: Path) -> None:
    async with dialog(5) as (_, _view, pilot):
        await pilot.click("#export-cancel")
        await until(pilot, lambda: not isinstance(pilot.app.screen, ExportScreen))
        assert left(here) == []


# Without the dialog


async def pages(shelf: Shelf, view_sort: object = None) -> AsyncIterator[Page]:
    async for page in shelf.export(Selection(), JobsView().sort):
        yield page


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may grow beyond ``size`` bytes: what a full disk feels like."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_is_a_sentence_and_leaves_nothing(here: Path) -> None:
    with room_for(4_000), pytest.raises(UsageError, match=r"was not written: .*; choose another"):
        await export(pages(Shelf(make_jobs(500))), here / "jobs.csv", Format.CSV)
    assert left(here) == []


async def test_an_old_file_survives_an_export_that_fails(here: Path) -> None:
    path = here / "jobs.csv"
    path.write_text("precious", encoding="utf-8")
    with room_for(4_000), pytest.raises(UsageError):
        await export(pages(Shelf(make_jobs(500))), path, Format.CSV, overwrite=True)
    assert path.read_text(encoding="utf-8") == "precious"


async def test_who_was_faster_is_not_replaced(here: Path) -> None:
    path = here / "jobs.csv"

    def someone_else(count: int) -> None:
        path.write_text("theirs", encoding="utf-8")

    with pytest.raises(FileTakenError):
        await export(pages(Shelf(make_jobs(5))), path, Format.CSV, progress=someone_else)
    assert path.read_text(encoding="utf-8") == "theirs"
    assert parts(here) == []


async def test_progress_counts_up_and_hostile_text_reads_back(here: Path) -> None:
    hostile = ("[/]", 'a"b,c', "=1+1", "长い", "a%s", "\ud800")
    jobs = [structs.replace(make_job(n + 1), kind=text) for n, text in enumerate(hostile)]
    seen: list[int] = []
    count = await export(pages(Shelf(jobs)), here / "a.csv", Format.CSV, progress=seen.append)
    assert count == len(jobs) == seen[-1]
    kinds = {row["kind"] for row in rows(here / "a.csv")}
    assert kinds == {"[/]", 'a"b,c', "'=1+1", "长い", "a%s", "�"}
    await export(pages(Shelf(jobs)), here / "a.jsonl", Format.JSONL)
    lines = (here / "a.jsonl").read_bytes().decode().splitlines()
    assert {json.loads(line)["kind"] for line in lines} == {*hostile[:-1], "�"}


async def test_an_export_that_is_cancelled_leaves_nothing(here: Path) -> None:
    shelf = Shelf(make_jobs(500))
    shelf.delay_s = 0.05
    task = asyncio.create_task(export(pages(shelf), here / "jobs.csv", Format.CSV))
    await asyncio.sleep(0.08)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert left(here) == []
