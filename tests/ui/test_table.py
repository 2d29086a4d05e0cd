"""The live table: the cursor keeps to its key, hostile text stays text, nothing wraps."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from queuetop.ui.widgets.table import Column, Table


@dataclass(frozen=True)
class Line:
    name: str
    count: int | None = 0
    example: str = ""


COLUMNS = (
    Column[Line]("NAME", lambda line: line.name, limit=24, sort=lambda line: line.name),
    Column[Line](
        "COUNT",
        lambda line: Text("–" if line.count is None else f"{line.count}", "$error"),
        "right",
        sort=lambda line: line.count,
        descending=True,
    ),
    Column[Line]("EXAMPLE", lambda line: line.example, width=10, priority=1, grows=True),
)


class Board(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.chosen: list[str] = []

    def compose(self) -> ComposeResult:
        yield Table(COLUMNS, key=lambda line: line.name, empty="Nothing failed, good.")

    def on_mount(self) -> None:
        self.table.focus()

    @property
    def table(self) -> Table[Line]:
        return self.query_one(Table)

    @on(Table.Chosen)
    def remember(self, event: Table.Chosen) -> None:
        self.chosen.append(event.key)

    def lines(self) -> list[str]:
        table = self.table
        return [table.render_line(y).text for y in range(table.size.height)]


@asynccontextmanager
async def board(width: int = 80, height: int = 12) -> AsyncIterator[tuple[Board, Pilot[None]]]:
    app = Board()
    async with app.run_test(size=(width, height)) as pilot:
        yield app, pilot


def some(count: int) -> list[Line]:
    return [Line(f"line {number:04}", number, "an example") for number in range(count)]


async def test_the_cursor_keeps_to_its_key_and_its_place_on_the_screen() -> None:
    async with board() as (app, pilot):
        table, rows = app.table, some(2_000)
        table.show(rows)
        await pilot.press("G", "k", "k", "pageup")
        key = table.cursor_key
        assert key == "line 1987"
        place = next(y for y, text in enumerate(app.lines()) if str(key) in text)
        chance = random.Random(7)
        for _ in range(20):
            chance.shuffle(rows)
            table.show(rows)
            assert table.cursor_key == key
            y = next(y for y, text in enumerate(app.lines()) if str(key) in text)
            edge = rows.index(Line("line 1987", 1987, "an example"))
            assert y == place or edge < 12 or edge > 1_988


async def test_a_row_that_goes_hands_the_cursor_to_its_place() -> None:
    async with board() as (app, _):
        table, rows = app.table, some(5)
        table.show(rows)
        table.move_to("line 0002")
        keys = []
        for left in ([*rows[:2], *rows[3:]], rows[:1], []):
            table.show(left)
            keys.append(table.cursor_key)
        assert keys == ["line 0003", "line 0000", None]
        assert table.cursor_row is None


async def test_keys_move_and_choose() -> None:
    async with board() as (app, pilot):
        app.table.show(some(50))
        await pilot.press("j", "j", "k", "enter", "G", "enter", "g", "enter", "down", "enter")
        assert app.chosen == ["line 0001", "line 0049", "line 0000", "line 0001"]


async def test_sorting_goes_round_and_unknown_values_stay_last() -> None:
    async with board() as (app, pilot):
        table = app.table
        table.show([Line("b", 2), Line("c", None), Line("a", 3)])
        table.move_to("b")
        for keys, order in (
            ("s", "abc"),
            ("s", "abc"),
            ("S", "bac"),
            ("s", "bca"),
        ):
            await pilot.press(keys)
            assert "".join(line.name for line in table.rows) == order
            assert table.cursor_key == "b"
        table.sort_by(COLUMNS[1], descending=True)
        assert "COUNT ▾" in app.lines()[0]


async def test_a_click_sorts_moves_and_opens() -> None:
    async with board() as (app, pilot):
        app.table.show([Line("b", 1), Line("a", 2)])
        await pilot.pause()
        await pilot.click(Table, offset=(3, 0))
        assert [line.name for line in app.table.rows] == ["a", "b"]
        await pilot.click(Table, offset=(5, 1))
        assert app.table.cursor_key == "a"
        assert app.chosen == []
        await pilot.click(Table, offset=(5, 1))
        assert app.chosen == ["a"]
        await pilot.click(Table, offset=(5, 9))
        assert app.chosen == ["a"]


@pytest.mark.parametrize("width", (20, 40, 80, 200))
async def test_hostile_text_is_text_and_stays_on_its_line(width: int) -> None:
    async with board(width) as (app, pilot):
        hostile = ["[/]", "[@click=app.quit]x[/]", "a%s", 'we"ird', "長い名前" * 40, "$error", ""]
        app.table.show([Line(name, 5_000_000, name * 3) for name in hostile])
        await pilot.pause()
        lines = app.lines()
        assert all(app.table.render_line(y).cell_length == width for y in range(12))
        for y, name in enumerate(hostile, start=1):
            assert name[:4] in lines[y]
            assert "5000000" in lines[y]


async def test_no_rows_say_so() -> None:
    async with board(40) as (app, _):
        app.table.show([])
        assert "Nothing failed, good." in "\n".join(app.lines())


async def test_numbers_keep_their_width_when_they_grow_and_when_scrolled_to() -> None:
    async with board() as (app, pilot):
        rows = [Line(f"{n}", 1, "x" * 200) for n in range(30)] + [Line("end", 10**15)]
        app.table.show(rows)
        await pilot.press("G")
        assert f" {10**15} " in app.lines()[-1]
