"""Charts: pure drawing, exact sizes, nothing that is not finite, drawn again only when it would differ."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from queuetop.ui.axis import show_tick, top_of
from queuetop.ui.marks import Paint
from queuetop.ui.series import resample
from queuetop.ui.widgets.chart import Chart, Curve, Plot, apart, draw
from tests.ui.fakes import FakeWatch, make_snapshot
from tests.ui.support import SIZE, make_app, shows, until

PLAIN = Paint(
    text=Style(),
    muted=Style(),
    accent=Style.parse("#6cb6d9"),
    success=Style(),
    warning=Style.parse("#e3b04b"),
    error=Style.parse("red"),
    cursor=Style(),
    resting=Style(),
    marked=Style(),
)


def plot(*values: float, **settings_: object) -> Plot:
    series = tuple((10.0 * place, value) for place, value in enumerate(values))
    return Plot(curves=(Curve("pending", series, "accent"),), **settings_)  # type: ignore[arg-type]


@settings(max_examples=40)
@given(
    st.integers(20, 120),
    st.integers(5, 24),
    st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), max_size=40),
)
def test_fills_its_size_and_survives_any_number(
    width: int, height: int, values: list[float]
) -> None:
    text = draw(plot(*map(abs, values)), width, height, PLAIN)
    if text.plain != "n/a":
        lines = text.plain.split("\n")
        assert len(lines) == height
        assert all(cell_len(line) <= width for line in lines)


def test_says_that_it_has_no_room_or_nothing_to_draw() -> None:
    assert draw(plot(1, 2, 3), 19, 10, PLAIN).plain == "n/a"
    assert draw(plot(1, 2, 3), 60, 4, PLAIN).plain == "n/a"
    assert draw(plot(), 60, 10, PLAIN).plain == "n/a"
    assert draw(plot(math.nan, math.inf), 60, 10, PLAIN).plain == "n/a"


def test_draws_the_alarm_where_it_is_near_and_leaves_it_out_where_it_is_far() -> None:
    assert "╌" in draw(plot(10, 200, 250, time=True, alarm=300), 60, 10, PLAIN).plain
    assert "╌" not in draw(plot(1, 2, 1, time=True, alarm=300), 60, 10, PLAIN).plain


def test_writes_each_name_at_the_end_of_its_curve() -> None:
    series = ((0.0, 5.0), (10.0, 5.0))
    both = Plot(curves=(Curve("pending", series, "accent"), Curve("running", series, "text")))
    lines = draw(both, 60, 10, PLAIN).plain.split("\n")
    assert sum("pending" in line for line in lines) == 1
    assert sum("running" in line for line in lines) == 1


def test_uses_the_colours_that_it_is_given() -> None:
    text = draw(plot(1, 5, 3), 60, 10, PLAIN)
    colours = {str(span.style) for span in text.spans}
    assert any("#6cb6d9" in colour for colour in colours)


@given(st.lists(st.floats(0, 9), max_size=10).map(sorted))
def test_names_are_a_row_apart(wanted: list[float]) -> None:
    places = apart(wanted, 9)
    assert places == sorted(set(places))
    assert all(0 <= place <= 9 for place in places)


@given(st.floats(1e-6, 8e9))
def test_the_axis_ends_above_the_highest_value(highest: float) -> None:
    assert top_of(highest, time=False) >= highest * 0.999
    assert top_of(highest, time=True) >= highest
    for time in (True, False):
        assert len(show_tick(top_of(highest, time=time), time=time)) <= 7


@pytest.mark.parametrize(
    ("seconds", "text"),
    ((0.0, "0"), (0.05, "50ms"), (30, "30s"), (90, "1m 30s"), (1800, "30m"), (5400, "1h 30m")),
)
def test_writes_lengths_of_time_shortly(seconds: float, text: str) -> None:
    assert show_tick(seconds, time=True) == text


@pytest.mark.parametrize(
    ("count", "text"),
    ((0, "0"), (2.5, "2.5"), (5000, "5 000"), (250_000, "250 k"), (1.5e6, "1.5 M")),
)
def test_writes_counts_shortly(count: float, text: str) -> None:
    assert show_tick(count, time=False) == text


class TestResample:
    def test_takes_the_greatest_of_each_step(self) -> None:
        series = [(float(t), float(t % 10)) for t in range(101)]
        assert resample(series, 100.0, 10) == [9.0] * 10

    def test_repeats_over_gaps_and_leaves_out_the_time_before(self) -> None:
        assert resample([(60.0, 4.0), (100.0, 6.0)], 100.0, 10) == [4.0, 4.0, 4.0, 6.0]

    def test_knows_nothing_of_nothing(self) -> None:
        assert resample([], 100.0, 10) == []
        assert resample([(1.0, math.nan)], 100.0, 10) == []


async def test_is_not_drawn_again_while_it_would_look_the_same() -> None:
    watch = FakeWatch()
    app = make_app(watch)
    async with app.run_test(size=SIZE) as pilot:
        await shows(pilot, "alarm 5m 00s")
        chart = app.screen.query_one("#chart-age", Chart)
        drawn = chart._drawn
        watch.push(make_snapshot(seq=2, clock_skew_s=4.0))
        await shows(pilot, "clock +4.0 s")
        assert chart._drawn is drawn
        watch.history.all["oldest_pending"] += (
            (watch.history.all["oldest_pending"][-1][0] + 60, 9.0),
        )
        watch.push(make_snapshot(seq=3))
        await until(pilot, lambda: chart._drawn is not drawn)


async def test_gives_way_at_80_by_24_and_on_request() -> None:
    app = make_app(FakeWatch())
    async with app.run_test(size=(80, 24)) as pilot:
        await shows(pilot, "EXTERNAL_5XX")
        assert not app.screen.query_one("#charts").display
        await pilot.resize_terminal(120, 36)
        await shows(pilot, "jobs by state")
        await pilot.press("c")
        await until(pilot, lambda: not app.screen.query_one("#charts").display)
