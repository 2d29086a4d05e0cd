"""Moments in every mode, at every edge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from queuetop.ui.times import WIDTH, TimeMode, show_age, show_clock, show_moment, show_time

NOW = datetime(2026, 1, 31, 14, 3, 22, 250_000, tzinfo=UTC)
BERLIN = timezone(timedelta(hours=1), "CET")


@pytest.mark.parametrize(
    ("ago_s", "relative", "utc", "local"),
    (
        (0, "0 ms ago", "14:03:22Z", "15:03:22"),
        (12, "12s ago", "14:03:10Z", "15:03:10"),
        (-242, "in 4m 02s", "14:07:24Z", "15:07:24"),
        (86400, "1d 00h ago", "2026-01-30 14:03Z", "2026-01-30 15:03"),
        (-9.5 * 3600, "in 9h 30m", "23:33:22Z", "2026-02-01 00:33"),
    ),
)
def test_a_moment(ago_s: float, relative: str, utc: str, local: str) -> None:
    moment = NOW - timedelta(seconds=ago_s)
    assert show_time(moment, TimeMode.RELATIVE, NOW) == relative
    assert show_time(moment, TimeMode.UTC, NOW) == utc
    assert show_time(moment, TimeMode.LOCAL, NOW, zone=BERLIN) == local


@pytest.mark.parametrize("mode", TimeMode)
@pytest.mark.parametrize(
    "moment",
    (
        None,
        datetime.max.replace(tzinfo=UTC),
        datetime.min.replace(tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, tzinfo=UTC),
        datetime(1, 1, 1, 0, 1, tzinfo=UTC),
    ),
)
@pytest.mark.parametrize("zone", (BERLIN, timezone(timedelta(hours=-12)), None))
def test_the_ends_of_time_are_shown(
    moment: datetime | None, mode: TimeMode, zone: timezone | None
) -> None:
    text = show_time(moment, mode, NOW, zone=zone)
    assert text
    assert "\n" not in text
    assert show_moment(moment, mode, NOW)


def test_widths_are_what_they_say() -> None:
    for ago_s in (0.5, 59, 3599, 86_399, 86_400 * 99, -86_400 * 99):
        moment = NOW - timedelta(seconds=ago_s)
        for mode in TimeMode:
            assert len(show_time(moment, mode, NOW, zone=BERLIN)) <= WIDTH[mode]


def test_a_column_that_looks_back_needs_no_ago() -> None:
    assert show_age(NOW - timedelta(seconds=12), TimeMode.RELATIVE, NOW) == "12s"
    assert show_age(None, TimeMode.RELATIVE, NOW) == "–"


def test_a_moment_whole_and_the_clock() -> None:
    assert show_moment(NOW, TimeMode.RELATIVE, NOW) == "2026-01-31 14:03:22.250Z  (0 ms ago)"
    assert show_clock(NOW, TimeMode.RELATIVE) == "14:03:22Z"
    assert show_clock(NOW, TimeMode.LOCAL, zone=BERLIN) == "15:03:22 CET"
