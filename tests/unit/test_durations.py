"""Lengths of time as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuetop.model.durations import parse_duration, show_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    (
        ("90s", 90.0),
        ("5m", 300.0),
        ("1h30m", 5400.0),
        (" 1h 30m ", 5400.0),
        ("2d", 172800.0),
        ("1w", 604800.0),
        ("250ms", 0.25),
        ("1.5h", 5400.0),
        ("10M", 600.0),
        ("0s", 0.0),
    ),
)
def test_reading(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    ("", " ", "5", "m", "5x", "-5m", "5m!", "1h,30m", "1e3s", "ten minutes", "9" * 400 + "w"),
)
def test_what_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="write it like 90s, 5m, 1h30m or 2d"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    (
        (None, "–"),
        (0, "0 ms"),
        (0.0004, "0 ms"),
        (0.25, "250 ms"),
        (0.9996, "1.0 s"),
        (1.25, "1.2 s"),
        (9.96, "10s"),
        (59.4, "59s"),
        (59.6, "1m 00s"),
        (1400, "23m 20s"),
        (3599.7, "1h 00m"),
        (18_180, "5h 03m"),
        (86_399.9, "1d 00h"),
        (273_600, "3d 04h"),
        (-65, "-1m 05s"),
        (float("inf"), "∞"),
        (float("-inf"), "-∞"),
    ),
)
def test_writing(seconds: float | None, shown: str) -> None:
    assert show_duration(seconds) == shown


@given(st.integers(60, 10**8))
def test_what_is_written_can_be_read_again(seconds: int) -> None:
    """To the smaller of its two units."""
    again = parse_duration(show_duration(seconds))
    assert 0 <= seconds - again < (1 if seconds < 3600 else 60 if seconds < 86400 else 3600)
