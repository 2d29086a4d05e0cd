"""Columns: who stays, who leaves first, how wide each one is."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from queuetop.ui.widgets.columns import GAP, Column, place

NAME = Column[str]("NAME", str, limit=20)
COUNT = Column[str]("COUNT", str, "right")
LAST = Column[str]("LAST", str, "right", priority=1)
EXAMPLE = Column[str]("EXAMPLE", str, width=10, priority=2, grows=True)
ALL = (NAME, COUNT, LAST, EXAMPLE)


def shown(needed: list[int], room: int) -> list[tuple[str, int]]:
    return [(p.column.title, p.width) for p in place(ALL, needed, room)]


def test_the_growing_column_takes_what_is_left() -> None:
    assert shown([8, 7, 4, 200], 80) == [("NAME", 8), ("COUNT", 7), ("LAST", 4), ("EXAMPLE", 55)]


def test_columns_leave_in_the_stated_order() -> None:
    needed = [8, 7, 9, 200]
    assert [title for title, _ in shown(needed, 36)] == ["NAME", "COUNT", "LAST", "EXAMPLE"]
    assert [title for title, _ in shown(needed, 35)] == ["NAME", "COUNT", "LAST"]
    assert [title for title, _ in shown(needed, 20)] == ["NAME", "COUNT"]
    assert [title for title, _ in shown(needed, 10)] == ["NAME"]


def test_a_text_gives_way_before_a_column_leaves_and_stops_at_its_limit() -> None:
    assert shown([30, 7, 4, 10], 80)[0] == ("NAME", 20)
    assert shown([30, 7, 4, 10], 4 + 7 + 4 + 10 + 3 * GAP)[0] == ("NAME", 4)


@given(
    needed=st.lists(st.integers(0, 60), min_size=4, max_size=4),
    room=st.integers(1, 250),
)
def test_nothing_overflows_and_no_number_is_cut(needed: list[int], room: int) -> None:
    placed = place(ALL, needed, room)
    assert placed[0].column is NAME
    assert placed[-1].x + placed[-1].width <= room
    for left, right in pairwise(placed):
        assert left.x + left.width + GAP == right.x
    for one in placed[1:]:
        if one.column.align == "right":
            assert one.width >= needed[ALL.index(one.column)]
