"""View 5, Queues: each queue beside its alarm, two thousand as well as none."""

from __future__ import annotations

import random

from msgspec import structs

from queuetop.model.measure import Measure
from queuetop.model.selection import Selection
from queuetop.model.snapshot import NO_QUEUE, Level, QueueLine
from queuetop.ui.app import QueueTop
from queuetop.ui.views.queues import QueuesView, jobs_of
from tests.ui.fakes import MAPPING, FakeWatch, exact, make_jobs, make_snapshot, queue_line
from tests.ui.support import make_app, screen_text, shows, until

gone = Measure.unavailable

NOTHING_KNOWN = QueueLine(
    queue="empty",
    pending=gone("took longer than 2 s"),
    scheduled=gone("took longer than 2 s"),
    retrying=gone("no column for attempts"),
    running=gone("took longer than 2 s"),
    stalled=gone("no column for lease_until"),
    failed=gone("took longer than 2 s"),
    oldest_s=gone("no column for created_at"),
    wait_s=gone("no column for ready_at"),
    finished_per_s=gone("no column for finished_at"),
    paused=False,
    alarm_s=None,
    level=Level.UNKNOWN,
)


def view(app: QueueTop) -> QueuesView:
    return app.main.query_one(QueuesView)


async def test_the_queues_beside_their_alarms() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("5")
        await shows(pilot, "default: oldest 23m 20s, over its alarm of 5m 00s")
        text = screen_text(app)
        assert "3 queues · ‖ 1 paused · ◆ 1 critical" in text
        row = next(line for line in text.split("\n") if "▌" in line)
        assert " ".join(row.split()) == (
            "▌ default ◆ crit 4 100 81.8 % 23m 20s 5m 00s 4m 02s 80 3 3 900 180 320 96.0"
        )
        await pilot.press("j")
        await shows(pilot, "reports: oldest 20m 10s, within its alarm of 1h 00m")
        await pilot.press("j")
        await shows(pilot, "mail: paused; its jobs wait on purpose and raise no age alarm")
        assert "‖ paused" in screen_text(app)


async def test_narrow_keeps_the_numbers_that_matter() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=(60, 24), notifications=True) as pilot:
        await pilot.press("5")
        await shows(pilot, "23m 20s")
        text = screen_text(app)
        assert "PENDING   OLDEST" in text
        assert "SCHEDULED" not in text


async def test_enter_lists_the_jobs_of_the_queue() -> None:
    app = make_app(FakeWatch(jobs=make_jobs(60)))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("5", "j", "enter")
        await shows(pilot, "queue:reports")
        await shows(pilot, "20 match")
        await pilot.press("escape")
        await shows(pilot, "within its alarm of 1h 00m")


async def test_two_thousand_queues_that_change_places() -> None:
    chance = random.Random(3)
    lines = [queue_line(f"queue {n:04}", pending=exact(n)) for n in range(2_000)]
    watch = FakeWatch([make_snapshot(queues=tuple(lines))])
    app = make_app(watch)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("5")
        await shows(pilot, "2 000 queues · ◆ 2 000 critical")
        await pilot.press("G")
        await shows(pilot, "▌ queue 1999")
        for seq in range(2, 6):
            chance.shuffle(lines)
            watch.push(make_snapshot(seq=seq, queues=tuple(lines)))
            await until(pilot, lambda: view(app).table.rows == tuple(lines))
            assert view(app).table.cursor_key == "queue 1999"
            assert "▌ queue 1999" in screen_text(app)
        await pilot.press("g")
        await shows(pilot, f"▌ {lines[0].queue}")


async def test_a_queue_of_which_nothing_is_known_says_why() -> None:
    app = make_app(FakeWatch([make_snapshot(queues=(NOTHING_KNOWN,))]))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("5")
        await shows(pilot, "empty: oldest age not known: no column for created_at")
        text = screen_text(app)
        assert "– PENDING, RUNNING, FAILED, SCHEDULED: took longer than 2 s" in text
        assert "– WAIT: no column for ready_at" in text
        assert "1 queue\n" in text.replace(" \n", "\n")


async def test_no_queue_and_no_numbers_yet() -> None:
    watch = FakeWatch([])
    app = make_app(watch)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("5", "enter", "s", "j")
        await shows(pilot, "Waiting for the first numbers.")
        watch.push(make_snapshot(queues=()))
        await shows(pilot, "No queue has a job that is not done.")


async def test_hostile_names_are_only_text() -> None:
    hostile = ["[/]", "[@click=app.quit]x[/]", 'a%s we"ird', "長い" * 20, "$error", ""]
    lines = tuple(queue_line(name, alarm_s=None) for name in hostile)
    app = make_app(FakeWatch([make_snapshot(queues=lines)]))
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("5")
        for name in hostile:
            await shows(pilot, f"▌ {name[:8] or '(no name)'}")
            await shows(pilot, f"{name[:40] or '(no name)'}: oldest 23m 20s; no alarm is set")
            await pilot.press("j")
        assert app.is_running


def test_jobs_without_a_queue_can_be_listed_too() -> None:
    bare = structs.replace(MAPPING, columns=structs.replace(MAPPING.columns, queue=None))
    assert jobs_of("mail", MAPPING) == Selection(queues=("mail",))
    assert jobs_of(NO_QUEUE, MAPPING) == Selection(queues=("",))
    assert jobs_of(NO_QUEUE, bare) == Selection()
