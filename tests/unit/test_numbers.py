"""Numbers and lengths of time as they are written and read."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuetop.model.measure import Exactness, Measure
from queuetop.model.numbers import show_bytes, show_count, show_measure, show_rate, show_share

NOT_KNOWN = (None, math.nan, math.inf, -math.inf)


@pytest.mark.parametrize(
    ("value", "shown"),
    (
        (0, "0"),
        (999, "999"),
        (1000, "1 000"),
        (9_974_842, "9 974 842"),
        (-1234, "-1 234"),
        (0.4, "0"),
    ),
)
def test_counts(value: float, shown: str) -> None:
    assert show_count(value) == shown


@pytest.mark.parametrize("value", NOT_KNOWN)
def test_what_is_not_known(value: float | None) -> None:
    for show in (show_count, show_rate, show_share, show_bytes):
        assert show(value) == "–"


def test_measures_carry_their_exactness() -> None:
    assert show_measure(Measure.exact(5012)) == "5 012"
    assert show_measure(Measure.estimated(9_974_842, "the planner's")) == "~9 974 842"
    assert show_measure(Measure.counted(10_001, cap=10_000, why="cap")) == "10 000+"
    assert show_measure(Measure.counted(10_000, cap=10_000)) == "10 000"
    assert show_measure(Measure.unavailable("no column")) == "–"
    assert Measure.counted(10_001, cap=10_000, why="cap").exactness is Exactness.CAPPED
    assert Measure.counted(9, cap=10, why="cap").why is None


@pytest.mark.parametrize(
    ("value", "shown"),
    (
        (0, "0.0"),
        (0.034, "0.03"),
        (0.5, "0.50"),
        (1, "1.0"),
        (12.44, "12.4"),
        (158.2, "158"),
        (99.96, "100"),
        (1234, "1 234"),
    ),
)
def test_rates(value: float, shown: str) -> None:
    assert show_rate(value) == shown


@pytest.mark.parametrize(("value", "shown"), ((0, "0.0 %"), (0.097, "9.7 %"), (1, "100.0 %")))
def test_shares(value: float, shown: str) -> None:
    assert show_share(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    ((0, "0 B"), (1023, "1023 B"), (1024, "1.0 kB"), (1_500_000, "1.4 MB"), (3 * 2**40, "3.0 TB")),
)
def test_bytes(value: float, shown: str) -> None:
    assert show_bytes(value) == shown


@given(st.integers(0, 10**15))
def test_grouping_changes_no_digit(value: int) -> None:
    assert int(show_count(value).replace(" ", "")) == value
