"""The dashboard from its first paint to its end, on watches that do all that real ones can."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from queuetop.model.measure import Measure
from queuetop.model.snapshot import Level, Link, LinkState, MappingRef, Snapshot
from queuetop.ui.options import TimeMode
from queuetop.ui.run import run
from tests.ui.fakes import (
    FINDINGS,
    KINDS,
    NOW,
    FakeWatch,
    healthy_snapshot,
    make_jobs,
    make_snapshot,
)
from tests.ui.support import SIZE, make_app, screen_text, shows, until, widget_text

OTHER = MappingRef(name="job", table="app.job", source="file")
HOSTILE = "[/] [red]x[/red] [@click=app.quit]go[/] a\\[b ␛]52;c;AAAA␇ \\"


async def test_shows_verdict_numbers_and_failures_at_once() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "EXTERNAL_5XX")
        text = screen_text(app)
        assert "◆ CRITICAL  Workers cannot keep up" in text
        assert "23m 20s ◆" in text
        assert "READ-ONLY" in text
        assert "3 312" in text
        assert all(len(line) <= 80 for line in text.split("\n"))


async def test_says_that_it_connects_until_numbers_come() -> None:
    watch = FakeWatch([LinkState(link=Link.CONNECTING, sentence="Connecting to db1:5432/app")])
    app = make_app(watch)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "▲ CONNECTING  Connecting to db1:5432/app")
        await pilot.press("1", "2", "3", "4", "5", "9", "w", "escape", "question_mark", "escape")
        watch.push(healthy_snapshot())
        await pilot.press("1")
        await shows(pilot, "● FINE  Nothing is wrong")


async def test_keeps_the_last_numbers_when_the_link_is_lost_and_comes_back_by_itself() -> None:
    watch = FakeWatch()
    app = make_app(watch)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "CRITICAL")
        watch.lose("The server closed the connection")
        await shows(pilot, "◆ STALE  The server closed the connection")
        text = screen_text(app)
        assert "retry in" in text
        assert "23m 20s" in text
        assert "EXTERNAL_5XX" in text
        assert "CRITICAL" not in text
        await pilot.press("enter")
        await shows(pilot, "The verdict then: Workers cannot keep up")
        await pilot.press("escape")
        watch.push(make_snapshot(seq=2))
        await shows(pilot, "◆ CRITICAL")
        assert "STALE" not in screen_text(app)


async def test_a_watch_that_raises_is_tried_again_and_logged(
    state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("queuetop.ui.app.AGAIN_S", 0.05)
    watch = FakeWatch([make_snapshot(), RuntimeError("password=hunter2")])
    app = make_app(watch)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "Observing stopped by a fault of queuetop (RuntimeError)")
        watch.push(healthy_snapshot())
        await shows(pilot, "Nothing is wrong")
    log = (state_dir / "queuetop" / "log").read_text()
    assert "RuntimeError" in log
    assert "hunter2" not in log


class TestViews:
    async def test_numbers_go_to_views_and_escape_goes_back(self) -> None:
        app = make_app(FakeWatch(jobs=make_jobs(5)))
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "CRITICAL")
            for number in "23459":
                await pilot.press(number)
                await until(pilot, lambda n=int(number): app.main.shown == n)  # type: ignore[misc]
            await pilot.press("6", "7", "8")
            assert app.main.shown == 9
            await pilot.press("escape")
            await until(pilot, lambda: app.main.shown == 5)

    async def test_a_click_on_a_tab_goes_there(self) -> None:
        app = make_app(FakeWatch())
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "CRITICAL")
            x = widget_text(app, "#tabs").index("5 Queues")
            await pilot.click("#tabs", offset=(x + 1, 0))
            await until(pilot, lambda: app.main.shown == 5)

    async def test_only_the_view_that_is_seen_draws(self) -> None:
        watch = FakeWatch()
        app = make_app(watch)
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "CRITICAL")
            drawn: list[tuple[int, int]] = []
            for number, view in app.main.views.items():
                draw = view.draw

                def spy(snapshot: Snapshot, n: int = number, draw: object = draw) -> None:
                    drawn.append((n, snapshot.seq))
                    draw(snapshot)  # type: ignore[operator]

                view.draw = spy  # type: ignore[method-assign]
            watch.push(make_snapshot(seq=2))
            await until(pilot, lambda: drawn)
            assert set(drawn) == {(1, 2)}
            await pilot.press("w")
            await pilot.pause()
            drawn.clear()
            watch.push(make_snapshot(seq=3))
            await until(pilot, lambda: app.snapshot is not None and app.snapshot.seq == 3)
            assert not drawn
            await pilot.press("escape")
            await until(pilot, lambda: (1, 3) in drawn)

    async def test_a_failure_kind_leads_to_its_jobs(self) -> None:
        app = make_app(FakeWatch(jobs=make_jobs(40)))
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "EXTERNAL_5XX")
            await pilot.press("down", "j", "enter")
            await until(pilot, lambda: app.main.shown == 3)
            await shows(pilot, "failure:UNKNOWN_OUTCOME")


class TestWhy:
    async def test_enter_on_the_verdict_shows_its_evidence_and_lists_its_jobs(self) -> None:
        app = make_app(FakeWatch(jobs=make_jobs(40)))
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "enter ▸ why")
            await pilot.press("enter")
            await shows(pilot, "More work arrives than the workers that are there can finish.")
            text = screen_text(app)
            assert "158 jobs/s arrived and 120 jobs/s finished" in text
            assert "Add workers, or slow the producer down." in text
            await pilot.press("enter")
            await until(pilot, lambda: app.main.shown == 3 and app.screen is app.main)
            await shows(pilot, "state:pending,retrying")

    async def test_every_number_says_how_far_it_can_be_trusted(self) -> None:
        snapshot = make_snapshot()
        why = "the library deletes finished jobs"
        watch = FakeWatch(
            [
                make_snapshot(
                    retry_ratio=structs.replace(
                        snapshot.retry_ratio, share=Measure.unavailable(why), retried=None
                    )
                )
            ]
        )
        app = make_app(watch)
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "RETRY RATIO")
            await pilot.press("w")
            await shows(pilot, "backlog")
            for _ in range(8):
                await pilot.press("down")
            await shows(pilot, why)
            await pilot.press("down", "down", "down")
            await shows(pilot, "0.2 % of one backend's time")

    async def test_a_click_on_a_number_asks_for_it(self) -> None:
        app = make_app(FakeWatch())
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "LONGEST WAIT")
            x = widget_text(app, "#numbers").split("\n")[0].index("LONGEST WAIT")
            await pilot.click("#numbers", offset=(x + 1, 1))
            await shows(pilot, "How long claimable work has waited for a worker")

    async def test_stays_on_its_finding_when_others_come(self) -> None:
        watch = FakeWatch()
        app = make_app(watch)
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "CRITICAL")
            await pilot.press("w", "down")
            await shows(pilot, "Is the limits service up?")
            first = structs.replace(FINDINGS[0], name="first", verdict="something worse")
            watch.push(make_snapshot(seq=2, findings=(first, FINDINGS[1])))
            await shows(pilot, "◆ first")
            await shows(pilot, "Is the limits service up?")


async def test_pause_lets_the_table_rest_and_the_header_go_on() -> None:
    watch = FakeWatch()
    app = make_app(watch)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "3 312")
        await pilot.press("p")
        await shows(pilot, "‖ PAUSED")
        failures = make_snapshot().failures
        more = structs.replace(KINDS[0], count=Measure.exact(9999))
        changed = make_snapshot(
            seq=2,
            failures=structs.replace(failures, kinds=(more, *KINDS[1:])),
            findings=(structs.replace(FINDINGS[0], verdict="it got worse"),),
        )
        watch.push(changed)
        await shows(pilot, "it got worse")
        assert "3 312" in screen_text(app)
        await pilot.press("p")
        await shows(pilot, "9 999")
        assert "PAUSED" not in screen_text(app)


async def test_plus_and_minus_change_the_interval_and_r_polls() -> None:
    watch = FakeWatch()
    app = make_app(watch, interval_s=2.0)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, " 2s ·")
        await pilot.press("plus")
        await shows(pilot, " 5s ·")
        await pilot.press("minus", "minus", "minus", "minus")
        await shows(pilot, " 0.5s ·")
        assert watch.interval_s == 0.5
        await pilot.press("r")
        await until(pilot, lambda: watch.polls_asked == 1)


async def test_t_goes_through_the_ways_to_write_times(monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "2m 00s")
        await pilot.press("t")
        await shows(pilot, "14:01:22Z")
        assert app.times is TimeMode.UTC
        await pilot.press("t", "t")
        await shows(pilot, "2m 00s")


async def test_under_60_by_15_it_says_what_it_needs() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "CRITICAL")
        await pilot.press("question_mark")
        await pilot.resize_terminal(59, 20)
        await shows(pilot, "queuetop needs 60×15")
        await shows(pilot, "here are 59×20")
        await pilot.resize_terminal(30, 5)
        await shows(pilot, "here are 30×5")
        await pilot.resize_terminal(60, 15)
        await shows(pilot, "OVERVIEW")
        await pilot.press("escape")
        await shows(pilot, "◆ CRITICAL")


async def test_starts_in_a_terminal_that_is_too_small() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=(20, 5)) as pilot:
        await shows(pilot, "here are 20×5")
        await pilot.resize_terminal(80, 24)
        await shows(pilot, "CRITICAL")


@pytest.mark.parametrize("theme", ("dark", "light", "colour-blind", "ansi", "mono"))
async def test_every_theme_draws_every_view(theme: str) -> None:
    app = make_app(FakeWatch(jobs=make_jobs(20)), theme=theme)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "CRITICAL")
        await pilot.press("2", "3", "4", "5", "9", "w", "escape", "question_mark", "escape")
        assert app.theme == f"queuetop-{theme}"


async def test_levels_have_a_glyph_and_a_word_without_colour() -> None:
    app = make_app(FakeWatch(), no_color=True)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "◆ CRITICAL")
        assert app.theme == "queuetop-mono"
        text = screen_text(app)
        assert "◆ crit" in text
        assert "▲ warn" in text


class TestSeveralTables:
    async def test_switches_and_shows_nothing_of_the_other(self) -> None:
        first, second = FakeWatch(), FakeWatch([], ref=OTHER)
        app = make_app(first, second)
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "EXTERNAL_5XX")
            await pilot.press("T")
            await shows(pilot, "not looked at yet")
            await pilot.press("down", "enter")
            await shows(pilot, "app.job")
            await until(pilot, lambda: "EXTERNAL_5XX" not in screen_text(app))
            second.push(healthy_snapshot(mapping=OTHER))
            await shows(pilot, "● FINE")
            first.push(make_snapshot(seq=9))
            await pilot.press("T")
            await shows(pilot, "◆ critical  Workers cannot keep up")
            await pilot.press("up", "enter")
            await shows(pilot, "◆ CRITICAL")
            await until(pilot, lambda: app.snapshot is not None and app.snapshot.seq == 9)

    async def test_one_table_has_no_switch(self) -> None:
        app = make_app(FakeWatch())
        async with app.run_test(size=SIZE) as pilot:
            await shows(pilot, "CRITICAL")
            await pilot.press("T")
            assert app.screen is app.main
            assert "T tables" not in screen_text(app)


async def test_hostile_text_is_shown_as_it_is_and_never_obeyed() -> None:
    finding = structs.replace(
        FINDINGS[0],
        verdict=HOSTILE,
        evidence=(HOSTILE,),
        cause=HOSTILE,
        check=HOSTILE,
        action=HOSTILE,
        filter="state:[/]",
    )
    kind = structs.replace(KINDS[0], kind=HOSTILE, example=HOSTILE * 40)
    snapshot = make_snapshot()
    watch = FakeWatch(
        [
            make_snapshot(
                findings=(finding,),
                failures=structs.replace(snapshot.failures, kinds=(kind,), window=HOSTILE),
                oldest_pending=structs.replace(
                    snapshot.oldest_pending, job_id=HOSTILE, queue=HOSTILE
                ),
                server=structs.replace(snapshot.server, where=HOSTILE, version=HOSTILE),
                retry_ratio=structs.replace(
                    snapshot.retry_ratio, share=Measure.unavailable(HOSTILE)
                ),
            )
        ],
        ref=MappingRef(name=HOSTILE, table=HOSTILE, source="file"),
    )
    other = FakeWatch([], ref=MappingRef(name=HOSTILE, table=HOSTILE + "2", source="file"))
    app = make_app(watch, other, profile=HOSTILE)
    async with app.run_test(size=(200, 60), notifications=True) as pilot:
        await shows(pilot, "◆ CRITICAL  " + HOSTILE)
        for key in (
            "2",
            "5",
            "9",
            "1",
            "enter",
            "down",
            "down",
            "escape",
            "T",
            "escape",
            "question_mark",
        ):
            await pilot.press(key)
        await pilot.press("escape", "w", "enter")
        await until(pilot, lambda: app.screen.query("Toast"))
        app.toast(HOSTILE, Level.CRITICAL)
        watch.lose(HOSTILE)
        await pilot.press("escape")
        await shows(pilot, "◆ STALE  " + HOSTILE)
        await pilot.hover("#numbers", offset=(4, 1))
        await pilot.pause(0.6)
        assert app.is_running


async def test_control_characters_never_get_through() -> None:
    nasty = "a\x1b]52;c;AAAA\x07b\x9bc\x00d\u202ee"
    watch = FakeWatch([make_snapshot(findings=(structs.replace(FINDINGS[0], verdict=nasty),))])
    app = make_app(watch)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "a␛]52;c;AAAA")
        assert not set("\x1b\x07\x9b\x00\u202e") & set(screen_text(app))


@pytest.mark.parametrize(
    "pressed",
    ("q", "ctrl+c", "question_mark ctrl+c", "colon ctrl+c", "w q", "3 slash ctrl+c"),
)
async def test_q_and_ctrl_c_leave_from_everywhere(pressed: str) -> None:
    app = make_app(FakeWatch(jobs=make_jobs(3)))
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "CRITICAL")
        await pilot.press(*pressed.split())
        await until(pilot, lambda: app._exit)
    assert app.return_code == 0


async def test_memory_and_work_do_not_grow_with_snapshots() -> None:
    watch = FakeWatch()
    app = make_app(watch)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "CRITICAL")
        before = len(app.screen.query("*"))
        for seq in range(2, 40):
            watch.push(make_snapshot(seq=seq, taken_at=NOW + timedelta(seconds=seq)))
        await until(pilot, lambda: app.snapshot is not None and app.snapshot.seq == 39)
        assert len(app.screen.query("*")) == before
        assert len(app._last) == 1
        assert len([task for task in asyncio.all_tasks() if "follow" in repr(task)]) <= 1


def test_run_dashboard_is_what_the_command_line_uses() -> None:
    from queuetop.ui import run_dashboard

    assert run_dashboard.__module__ == "queuetop.ui"
    assert callable(run)
