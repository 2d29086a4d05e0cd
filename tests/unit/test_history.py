"""An hour of points in memory, and what they say of a trend."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuetop.observe.history import LENGTH, History, Ring


@given(st.lists(st.floats(allow_nan=False), max_size=60), st.integers(1, 20))
def test_a_ring_keeps_the_last_points_in_order(values: list[float], length: int) -> None:
    ring = Ring(length)
    for at, value in enumerate(values):
        ring.add(float(at), value)
    assert list(ring) == [(float(at), value) for at, value in enumerate(values)][-length:]
    assert ring.since(len(values) - 2) == list(ring)[-2:]


def test_what_is_not_known_leaves_a_gap() -> None:
    history = History()
    for at, value in ((0.0, 1.0), (2.0, None), (4.0, math.nan), (6.0, math.inf), (8.0, 2.0)):
        history.add(at, {"pending": value, "other": 1.0})
    assert history.series("pending") == ((0.0, 1.0), (8.0, 2.0))
    assert len(history.series("other")) == 5
    assert history.series("nothing") == ()
    assert history.since("nothing", 0.0) == []


def test_an_hour_fits_and_no_more() -> None:
    history = History()
    for tick in range(LENGTH + 500):
        history.add(tick * 2.0, {"pending": float(tick)})
    series = history.series("pending")
    assert len(series) == LENGTH
    assert series[-1] == ((LENGTH + 499) * 2.0, LENGTH + 499.0)
    assert series[-1][0] - series[0][0] == pytest.approx(3600, abs=2)


@given(st.floats(-1000, 1000), st.floats(-100, 100), st.integers(10, 60))
def test_a_straight_line_has_its_slope(start: float, slope: float, points: int) -> None:
    history = History()
    for n in range(points):
        history.add(1e9 + n * 2.0, {"x": start + slope * n * 2.0})
    now = 1e9 + (points - 1) * 2.0
    assert history.slope("x", now, 60.0) == pytest.approx(slope, rel=1e-3, abs=1e-6)


def test_two_ticks_make_no_trend() -> None:
    history = History()
    for n in range(3):
        history.add(n * 2.0, {"x": n * 10.0})
        assert history.slope("x", n * 2.0, 120.0) is None
    for n in range(3, 16):
        history.add(n * 2.0, {"x": n * 10.0})
    assert history.slope("x", 30.0, 120.0) == pytest.approx(5.0)
    assert history.slope("x", 300.0, 120.0) is None  # all of it is too old
    assert history.slope("y", 30.0, 120.0) is None


def test_points_of_one_moment_have_no_slope() -> None:
    history = History()
    for value in (1.0, 2.0, 3.0):
        history.add(5.0, {"x": value})
    assert history.slope("x", 5.0, 0.0) is None
