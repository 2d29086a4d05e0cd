"""The one table of keys: what it promises, and that bindings, footer, help and palette follow it."""

from __future__ import annotations

import pytest

from queuetop.ui import keys
from tests.ui.fakes import FakeWatch, make_jobs
from tests.ui.support import SIZE, make_app, screen_text, shows, until, widget_text

LOOKING_CAPITALS = {"G", "S", "T"}


def test_no_key_means_two_things_in_one_place() -> None:
    for where in {key.where for key in keys.KEYS} - {keys.GLOBAL}:
        seen: dict[str, str] = {}
        for key in keys.of(where):
            for name in key.keys.split(","):
                assert seen.setdefault(name, key.id) == key.id


def test_every_key_has_an_id_a_label_and_a_sentence() -> None:
    assert len({key.id for key in keys.KEYS}) == len(keys.KEYS)
    assert all(key.label and key.help for key in keys.KEYS)


def test_capital_letters_change_jobs_and_small_ones_look() -> None:
    for key in keys.KEYS:
        for name in key.keys.split(","):
            if len(name) == 1 and name.isupper() and name not in LOOKING_CAPITALS:
                assert key.writes, key.id
    assert not [key for key in keys.of(*{key.where for key in keys.KEYS}) if key.writes]


async def test_the_app_binds_the_table_and_nothing_else() -> None:
    app = make_app(FakeWatch(), FakeWatch())
    bound = {binding.id for _, binding in app._bindings}
    assert bound == {key.id for key in keys.of(keys.GLOBAL)}


async def test_without_write_access_no_key_changes_anything() -> None:
    app = make_app(FakeWatch(jobs=make_jobs(5)))
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "CRITICAL")
        for number in ["12345", "9"]:
            await pilot.press(*number)
            capitals = {key for key in app.active_bindings if len(key) == 1 and key.isupper()}
            assert capitals <= LOOKING_CAPITALS
            assert not {"6", "7", "8"} & set(app.active_bindings)


@pytest.mark.parametrize("size", ((60, 15), (80, 24), (120, 36)))
async def test_the_footer_keeps_help_and_quit(size: tuple[int, int]) -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=size) as pilot:
        await shows(pilot, "CRITICAL")
        for number in "12345":
            await pilot.press(number)
            line = widget_text(app, "#footer")
            assert "? help" in line
            assert "q quit" in line
            assert "\n" not in line


async def test_help_lists_the_keys_of_the_view_that_is_seen() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=(140, 50)) as pilot:
        await shows(pilot, "CRITICAL")
        await pilot.press("3", "question_mark")
        await shows(pilot, "Filter the jobs")
        text = screen_text(app)
        assert "JOBS" in text
        assert "an estimate, not a count" in text
        assert "Look at another mapped table" not in text
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        await pilot.press("1", "question_mark")
        await until(pilot, lambda: "Filter the jobs" not in screen_text(app))


async def test_the_palette_runs_commands_by_name() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "CRITICAL")
        await pilot.press("colon")
        await pilot.press(*"theme light")
        await until(pilot, lambda: "Theme light" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.theme == "queuetop-light")
        await pilot.press("ctrl+p")
        await pilot.press(*"queues")
        await until(pilot, lambda: "Each queue's numbers" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: app.main.shown == 5)


async def test_the_palette_offers_nothing_that_has_no_use() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=(120, 60)) as pilot:
        await shows(pilot, "CRITICAL")
        await pilot.press("colon")
        await shows(pilot, "Overview  (1)")
        text = screen_text(app)
        assert "Tables  (T)" not in text
        assert "Workers  (6)" not in text
        assert "Journal  (8)" not in text
