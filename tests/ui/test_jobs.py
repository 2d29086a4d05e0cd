"""View 3, Jobs: filter, order, pages, refresh, marks, copies, and what is said when it goes wrong."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from msgspec import structs
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from queuetop.model.errors import StoreError, StoreFault
from queuetop.model.jobs import Job, Sort
from queuetop.model.selection import Selection
from queuetop.model.snapshot import Link
from queuetop.model.states import State
from queuetop.ui.app import QueueTop
from queuetop.ui.views.jobs import JobsView
from tests.ui.fakes import NOW, REF, FakeWatch, make_job, make_jobs, make_snapshot
from tests.ui.shelf import Shelf
from tests.ui.support import make_app, screen_text, shows, until

REFUSED = StoreError(StoreFault.TIMED_OUT, "The list took longer than 5 s; narrow the filter")


class Stage:
    """The app on view 3 with a shelf of jobs behind it."""

    def __init__(self, jobs: tuple[Job, ...], **options: Any) -> None:
        self.watch = FakeWatch(jobs=jobs)
        self.shelf = Shelf(jobs)
        self.watch.browse = self.shelf
        self.app: QueueTop = make_app(self.watch, **options)
        self.seq = 1

    @property
    def view(self) -> JobsView:
        return self.app.main.query_one(JobsView)

    @property
    def text(self) -> str:
        return screen_text(self.app)

    async def tick(self, pilot: Pilot[None]) -> None:
        """A new snapshot, and the refresh that follows it."""
        self.seq += 1
        self.watch.push(make_snapshot(seq=self.seq, taken_at=NOW + timedelta(seconds=2 * self.seq)))
        await until(pilot, lambda: self.view._seq == self.seq and not self.view._reading)


@asynccontextmanager
async def jobs_view(
    count: int = 40, size: tuple[int, int] = (120, 36), *, jobs: tuple[Job, ...] | None = None
) -> AsyncIterator[tuple[Stage, Pilot[None]]]:
    stage = Stage(make_jobs(count) if jobs is None else jobs)
    async with stage.app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("3")
        await until(pilot, lambda: stage.view._read_at and not stage.view._reading)
        await pilot.pause()
        yield stage, pilot


async def write(pilot: Pilot[None], stage: Stage, text: str, *keys: str) -> None:
    """Types a filter; the last keys are pressed after it."""
    await pilot.press("slash")
    field = stage.view.query_one(Input)
    field.value = text
    field.cursor_position = len(text)
    await pilot.pause()
    await pilot.press(*keys)
    await pilot.pause()


def asked(stage: Stage) -> list[tuple[Selection, Sort]]:
    return [call[1][:2] for call in stage.shelf.calls if call[0] == "jobs"]  # type: ignore[index]


async def test_the_newest_jobs_and_what_was_looked_at() -> None:
    async with jobs_view() as (stage, _):
        assert "40 match · all jobs" in stage.text
        assert "CREATED ▾" in stage.text
        assert stage.view.table.rows == tuple(stage.shelf.found(Selection(), Sort("created_at")))
        assert stage.app.focused is stage.view.table


@pytest.mark.parametrize("size", ((80, 24), (120, 36), (200, 60)))
async def test_each_size_shows_the_state_in_words(size: tuple[int, int]) -> None:
    async with jobs_view(size=size) as (stage, _):
        for part in ("◆ failed", "▶ running", "ATTEMPTS", "enter open", "EXTERNAL_5XX"):
            assert part in stage.text


async def test_a_filter_narrows_the_list_and_the_table_has_the_focus_again() -> None:
    async with jobs_view() as (stage, pilot):
        await write(pilot, stage, "state:failed queue:mail", "enter")
        await shows(pilot, "match")
        await until(pilot, lambda: {job.state for job in stage.view.table.rows} == {State.FAILED})
        assert stage.view.selection == Selection(states=(State.FAILED,), queues=("mail",))
        assert {job.queue for job in stage.view.table.rows} == {"mail"}
        assert stage.app.focused is stage.view.table
        assert f"{len(stage.view.table.rows)} match" in stage.text


async def test_a_mistake_is_named_and_the_last_good_list_stays() -> None:
    async with jobs_view() as (stage, pilot):
        await write(pilot, stage, "state:failed", "enter")
        await until(pilot, lambda: stage.view.selection.states == (State.FAILED,))
        await until(pilot, lambda: not stage.view._reading)
        rows = stage.view.table.rows
        await write(pilot, stage, "state:faild", "enter")
        assert 'Filter, character 7: there is no state "faild"; did you mean failed?' in stage.text
        assert stage.view.table.rows is rows
        assert stage.view.query_one(Input).cursor_position == 6
        await pilot.press("escape")
        await pilot.pause()
        assert "did you mean" not in stage.text
        assert stage.view.query_one(Input).value == "state:failed"
        assert stage.view.table.rows is rows


async def test_a_mistake_in_a_finished_word_is_named_while_writing_goes_on() -> None:
    async with jobs_view() as (stage, pilot):
        await write(pilot, stage, "stat:failed que")
        await shows(pilot, 'there is no term "stat"; did you mean state?')
        await write(pilot, stage, "state:failed que")
        assert "there is no term" not in stage.text


async def test_completion_proposes_terms_and_known_values() -> None:
    async with jobs_view() as (stage, pilot):
        await pilot.press("slash", "q")
        await shows(pilot, "queue:  the queue's name")
        await pilot.press("tab")
        await shows(pilot, "reports")
        await pilot.press("down", "down", "enter")
        assert stage.view.query_one(Input).value == "queue:mail"
        await pilot.press("enter")
        await until(pilot, lambda: stage.view.selection == Selection(queues=("mail",)))


async def test_what_is_typed_faster_than_it_is_handled_keeps_its_order() -> None:
    async with jobs_view() as (stage, pilot):
        await pilot.press("slash", *"queue", "colon")
        await shows(pilot, "reports")
        for character in "re\t state:failed\r":
            key = {"\t": "tab", "\r": "enter", " ": "space", ":": "colon"}.get(character, character)
            stage.app.post_message(events.Key(key, character))
        wanted = Selection(queues=("reports",), states=(State.FAILED,))
        await until(pilot, lambda: stage.view.selection == wanted)


async def test_terms_that_the_mapping_lacks_are_not_proposed() -> None:
    async with jobs_view() as (stage, pilot):
        columns = structs.replace(stage.watch.mapping.columns, kind=None, worker=None)
        stage.watch.mapping = structs.replace(stage.watch.mapping, columns=columns)
        await pilot.press("slash")
        await shows(pilot, "queue:")
        assert "kind:" not in stage.text.split("every job", 1)[1].split("sort", 1)[0]


async def test_letters_are_written_not_obeyed_while_a_filter_is_written() -> None:
    async with jobs_view() as (stage, pilot):
        await pilot.press("slash", *"quit59")
        assert stage.app.is_running
        assert stage.view.query_one(Input).value == "quit59"


async def test_sorting_goes_round_turns_and_keeps_the_job() -> None:
    async with jobs_view(400) as (stage, pilot):
        view = stage.view
        await pilot.press("j", "j", "j")
        key = view.table.cursor_key
        for column, caption in (("ready_at", "READY ▴"), ("finished_at", "FINISHED ▾")):
            await pilot.press("s")
            await until(pilot, lambda: not view._reading)
            assert view.sort.column == column
            assert caption in stage.text
            assert list(view.table.rows) == stage.shelf.found(Selection(), view.sort)[:200]
        await pilot.press("S")
        await until(pilot, lambda: not view._reading)
        assert view.sort == Sort("finished_at", descending=False)
        in_list = key in {job.id for job in view.table.rows}
        assert (view.table.cursor_key == key) is in_list


async def test_the_list_goes_on_before_its_end_is_reached() -> None:
    async with jobs_view(1_000) as (stage, pilot):
        view = stage.view
        assert len(view.table.rows) == 200
        await pilot.press("G")
        await until(pilot, lambda: len(view.table.rows) >= 400)
        cursor = view.table.cursor_key
        assert cursor == view.table.rows[199].id
        for _ in range(12):
            await pilot.press("G")
            await until(pilot, lambda: not view._reading)
        assert [j.id for j in view.table.rows] == [
            j.id for j in stage.shelf.found(Selection(), view.sort)
        ]


async def test_a_refresh_brings_what_changed_and_moves_neither_cursor_nor_screen() -> None:
    async with jobs_view(600) as (stage, pilot):
        view = stage.view
        await pilot.press("pagedown", "pagedown", "k", "space")
        key, top = view.table.cursor_key, view.table.scroll_y
        assert key is not None
        stage.shelf.change(key, attempts=4, max_attempts=9)
        await stage.tick(pilot)
        assert view.table.cursor_key == key
        assert view.table.scroll_y == top
        row = view.table.cursor_row
        assert row is not None
        assert row.attempts == 4
        assert "4/9" in stage.text


async def test_the_cursor_stays_on_its_job_through_churn() -> None:
    chance = random.Random(5)
    async with jobs_view(300) as (stage, pilot):
        view, fresh = stage.view, 1_000
        await pilot.press("pagedown", "j", "space")
        marks = set(view.table.marks)
        for step in range(40):
            key = view.table.cursor_key
            assert key is not None
            for _ in range(chance.randrange(300)):
                fresh += 1
                stage.shelf.put(
                    structs.replace(make_job(fresh), created_at=NOW + timedelta(seconds=fresh))
                )
            gone = {job.id for job in chance.sample(stage.shelf.all, 5)}
            stage.shelf.take(*gone)
            stage.shelf.churn(step)
            stage.shelf.put(
                *(
                    structs.replace(j, created_at=NOW + timedelta(seconds=int(j.id)))
                    for j in stage.shelf.all
                    if int(j.id) > 1_000
                )
            )
            await stage.tick(pilot)
            if key not in gone:
                assert view.table.cursor_key == key
            assert set(view.table.marks) == marks


async def test_at_rest_nothing_is_read_again() -> None:
    async with jobs_view() as (stage, pilot):
        await pilot.press("p")
        before = stage.shelf.asked
        stage.watch.push(make_snapshot(seq=9))
        await until(pilot, lambda: stage.app.snapshot is not None and stage.app.snapshot.seq == 9)
        assert stage.shelf.asked == before
        assert "resting" in stage.text


async def test_a_dear_list_is_not_read_with_every_snapshot() -> None:
    async with jobs_view() as (stage, pilot):
        stage.shelf.cost_ms = 2_000.0
        await stage.tick(pilot)
        before = stage.shelf.asked
        await stage.tick(pilot)
        assert stage.shelf.asked == before


async def test_a_fault_is_a_sentence_and_the_rows_stay() -> None:
    async with jobs_view() as (stage, pilot):
        stage.shelf.fault = REFUSED
        await stage.tick(pilot)
        assert "▲ The list took longer than 5 s; narrow the filter" in stage.text
        assert "◆ failed" in stage.text
        stage.shelf.fault = None
        await stage.tick(pilot)
        assert "longer than 5 s" not in stage.text


async def test_a_fault_of_our_own_leaves_the_screen_alive(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with jobs_view() as (stage, pilot):
        stage.shelf._ranks = None  # type: ignore[assignment]
        await stage.tick(pilot)
        assert "a fault of queuetop" in stage.text
        await pilot.press("j")
        assert stage.app.is_running


async def test_an_empty_table_and_a_filter_that_matches_nothing_say_so() -> None:
    async with jobs_view(jobs=()) as (stage, pilot):
        await shows(pilot, "There are no jobs in this table.")
        await write(pilot, stage, 'queue:"[/] none"', "enter")
        await shows(pilot, 'No job matches queue:"[/] none".')
        assert "Looked at: all jobs." in stage.text


async def test_a_lost_link_dims_the_list_and_keeps_it() -> None:
    async with jobs_view() as (stage, pilot):
        stage.watch.lose()
        await until(pilot, lambda: stage.app.link.link is Link.STALE)
        assert stage.view.table.has_class("-stale")
        assert "◆ failed" in stage.text
        await stage.tick(pilot)
        assert not stage.view.table.has_class("-stale")


async def test_marks_are_counted_and_escape_takes_them_away_first() -> None:
    async with jobs_view() as (stage, pilot):
        await pilot.press("space", "j", "v")
        await shows(pilot, "3 marked")
        await pilot.press("escape")
        assert "marked" not in stage.text
        assert stage.app.main.shown == 3
        await pilot.press("escape")
        assert stage.app.main.shown == 1


async def test_copying_one_and_several() -> None:
    async with jobs_view() as (stage, pilot):
        await pilot.press("y")
        first = stage.view.table.rows[0]
        assert stage.app.clipboard.startswith(f"job {first.id} · {first.state}")
        await shows(pilot, f"Copied job {first.id}")
        await pilot.press("space", "space", "y")
        await shows(pilot, "Copied 2 jobs as a table")
        head, *rows = stage.app.clipboard.rstrip("\n").split("\n")
        assert head.startswith("id\tstate\tqueue")
        assert [row.split("\t")[0] for row in rows] == [j.id for j in stage.view.table.rows[:2]]


async def test_too_much_to_copy_is_said() -> None:
    jobs = tuple(structs.replace(job, payload="x" * 300) for job in make_jobs(190))
    async with jobs_view(jobs=jobs) as (_, pilot):
        await pilot.press("space", "G", "v", "y")
        await shows(pilot, "many terminals")


async def test_nothing_to_copy_is_said() -> None:
    async with jobs_view(jobs=()) as (_, pilot):
        await pilot.press("y", "enter", "space", "v")
        await shows(pilot, "There is no job to copy")


async def test_hostile_text_is_shown_as_it_is() -> None:
    hostile = ("[/]", "[@click=app.quit]x[/]", "a%s", 'we"ird', "$error")
    jobs = tuple(
        structs.replace(make_job(number), queue=text, kind=text, failure_kind=text)
        for number, text in enumerate(hostile)
    )
    async with jobs_view(jobs=jobs, size=(220, 36)) as (stage, pilot):
        for text in hostile:
            assert text in stage.text
        await write(pilot, stage, 'queue:"[/]","we\\"ird"', "enter")
        await until(pilot, lambda: len(stage.view.table.rows) == 2)
        await pilot.press("space", "space", "y", "enter")
        await pilot.pause()
        assert stage.app.is_running


async def test_another_view_lists_its_jobs_here() -> None:
    async with jobs_view() as (stage, pilot):
        await pilot.press("1")
        stage.app.show_jobs(Selection(states=(State.RUNNING,)))
        await until(pilot, lambda: stage.view.selection.states == (State.RUNNING,))
        await until(pilot, lambda: {j.state for j in stage.view.table.rows} == {State.RUNNING})
        assert stage.app.main.shown == 3
        assert "state:running" in stage.text


async def test_stalled_jobs_are_listed_with_their_leases() -> None:
    async with jobs_view() as (stage, pilot):
        stage.app.show_jobs(Selection(states=(State.STALLED,)))
        await until(pilot, lambda: stage.app.main.shown == 4)
        await shows(pilot, "state:stalled")
        await shows(pilot, "LEASE")


async def test_a_jump_may_bring_its_order_and_the_next_one_has_the_newest_first() -> None:
    async with jobs_view() as (stage, pilot):
        waiting = Selection(states=(State.PENDING,))
        stage.app.show_jobs(waiting, Sort("ready_at", descending=False))
        await until(pilot, lambda: stage.view.selection == waiting)
        await shows(pilot, "READY ▴")
        stage.app.show_jobs(Selection(states=(State.FAILED,)))
        await shows(pilot, "CREATED ▾")


async def test_a_list_read_after_the_snapshot_tells_ages_by_its_own_time() -> None:
    stage = Stage(make_jobs(40))
    stage.watch.events.get_nowait()
    stage.watch.push(make_snapshot(taken_at=NOW - timedelta(seconds=30)))
    async with stage.app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("3")
        await until(pilot, lambda: stage.view.look.now == NOW)


async def test_a_jump_before_the_first_snapshot_keeps_its_filter() -> None:
    stage = Stage(make_jobs(40))
    stage.watch.events.get_nowait()
    async with stage.app.run_test(size=(120, 36), notifications=True) as pilot:
        stage.app.show_jobs(Selection(states=(State.FAILED,)))
        await pilot.pause()
        await stage.tick(pilot)
        await until(pilot, lambda: {j.state for j in stage.view.table.rows} == {State.FAILED})


async def test_a_list_needs_no_snapshot() -> None:
    stage = Stage(make_jobs(40))
    stage.watch.events.get_nowait()
    async with stage.app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("3")
        await shows(pilot, "40 match")
        await shows(pilot, "22m 40s")


async def test_another_table_starts_anew() -> None:
    stage = Stage(make_jobs(40))
    other = FakeWatch(
        jobs=(structs.replace(make_job(7), id="only"),), ref=structs.replace(REF, table="other")
    )
    stage.app = make_app(stage.watch, other)
    async with stage.app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("3")
        await shows(pilot, "40 match")
        await write(pilot, stage, "attempts>0", "enter")
        await pilot.press("space")
        stage.app.look_at(other)
        await shows(pilot, "only")
        assert stage.view.selection == Selection()
        assert not stage.view.table.marks
        assert [job.id for job in stage.view.table.rows] == ["only"]


async def test_leaving_the_view_stops_its_reading() -> None:
    async with jobs_view() as (stage, pilot):
        stage.shelf.delay_s = 60.0
        await pilot.press("s")
        await until(pilot, lambda: stage.view._reading)
        await pilot.press("1")
        await until(
            pilot, lambda: not any(w.group == "list" and w.is_running for w in stage.app.workers)
        )
        stage.shelf.delay_s = 0.0
        await pilot.press("3")
        await until(pilot, lambda: not stage.view._reading)
        assert stage.view.table.rows
