"""The lines of the chrome: they fit every width, and lose the least first."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from rich.cells import cell_len
from textual.content import Content

from queuetop.model.measure import Measure
from queuetop.model.snapshot import Level, Link, LinkState
from queuetop.ui.options import TimeMode
from queuetop.ui.prose import Paragraph, bullet, lay, rows
from queuetop.ui.signals import signals, trend
from queuetop.ui.widgets import header, numbers
from queuetop.ui.widgets.header import HeaderFacts, show_interval
from queuetop.ui.widgets.line import LONG_WORD, Part, cut, fit
from queuetop.ui.widgets.sparkline import spark
from tests.ui.fakes import NOW, REF, SERVER, FakeHistory, make_snapshot


def header_line(width: int, **changes: Any) -> str:
    facts = HeaderFacts(
        ref=REF,
        server=SERVER,
        snapshot=make_snapshot(),
        link=LinkState(link=Link.LIVE),
        interval_s=2.0,
        times=TimeMode.UTC,
    )
    facts = structs.replace(facts, **changes)
    return fit(header._left(facts), header._right(facts), width).plain


class TestHeader:
    def test_says_all_where_there_is_room(self) -> None:
        line = header_line(118)
        assert line.startswith("payment_task · db1:5432/app · PG 16.4 primary · READ-ONLY ")
        assert line.endswith("2s · poll 4 ms · db 0.2 % · 14:03:22Z")

    def test_drops_the_cost_of_a_poll_first_and_never_what_may_be_done(self) -> None:
        assert "poll" not in header_line(78)
        assert "PG 16.4" not in header_line(78)
        assert "db1:5432/app · primary · READ-ONLY" in header_line(78)
        assert header_line(40).startswith("payment_task · READ-ONLY")

    @given(st.integers(20, 220))
    def test_never_gets_too_wide(self, width: int) -> None:
        assert cell_len(header_line(width)) <= width

    def test_marks_a_standby_a_profile_and_write_access(self) -> None:
        line = header_line(
            118, server=structs.replace(SERVER, standby=True), profile="production", writes=True
        )
        assert line.startswith(
            "production · payment_task · db1:5432/app · PG 16.4 standby · WRITES"
        )
        assert "READ-ONLY" not in line

    def test_counts_down_to_the_next_try_when_it_is_stale(self) -> None:
        link = LinkState(link=Link.STALE, sentence="lost", retry_in_s=8.0)
        line = header_line(78, link=link, age_s=14.2, link_age_s=3.1)
        assert "◆ STALE 14s" in line
        assert line.endswith("retry in 5s")
        assert header_line(78, link=link, age_s=14.2, link_age_s=9.0).endswith("trying now")

    def test_says_that_it_connects_before_any_number(self) -> None:
        link = LinkState(link=Link.CONNECTING)
        line = header_line(78, link=link, snapshot=None, server=None)
        assert "▲ CONNECTING" in line

    def test_shows_that_the_tables_rest(self) -> None:
        assert "‖ PAUSED" in header_line(78, resting=True)

    def test_shows_a_skew_of_more_than_two_seconds(self) -> None:
        assert "clock" not in header_line(118, snapshot=make_snapshot(clock_skew_s=-1.9))
        assert "▲ clock -3.2 s" in header_line(118, snapshot=make_snapshot(clock_skew_s=-3.2))

    def test_its_clock_is_the_servers(self) -> None:
        assert header_line(118, age_s=5.0).endswith("14:03:27Z")

    @pytest.mark.parametrize(
        ("seconds", "text"), ((0.5, "0.5s"), (2.0, "2s"), (60.0, "1m"), (90.0, "90s"))
    )
    def test_writes_intervals_shortly(self, seconds: float, text: str) -> None:
        assert show_interval(seconds) == text


class TestNumbers:
    def line(self, width: int, **changes: Any) -> str:
        found = signals(make_snapshot(**changes))
        rich, needed = numbers.richness(found, [], width)
        places = numbers.layout(needed[rich], width)
        return numbers._low(found, places, FakeHistory(), rich).plain.split("\n")[0]

    @given(
        st.integers(58, 220),
        st.lists(st.floats(0, 1e9), min_size=6, max_size=6),
    )
    def test_no_number_is_ever_cut(self, width: int, values: list[float]) -> None:
        oldest, pending, running, stalled, finished, p95 = map(Measure.exact, values)
        snapshot = make_snapshot()
        found = signals(
            structs.replace(
                snapshot,
                oldest_pending=structs.replace(snapshot.oldest_pending, age_s=oldest),
                states=snapshot.states
                | {"pending": pending, "running": running, "stalled": stalled},
                flow=structs.replace(snapshot.flow, finished=finished),
                durations=structs.replace(snapshot.durations, run_p95=p95),
            )
        )
        rich, needed = numbers.richness(found, [], width)
        places = numbers.layout(needed[rich], width)
        line = numbers._low(found, places, FakeHistory(), rich).plain.split("\n")[0]
        assert all(found[index].value in line for index, _, _ in places)
        assert "…" not in line
        if sum(needed[0][index] for index in (0, 2, 3)) <= width:
            assert {0, 2, 3} <= {index for index, _, _ in places}
            assert cell_len(line.rstrip()) <= width + 1

    def test_words_stand_beside_colours_where_there_is_room(self) -> None:
        assert "23m 20s ◆ crit" in self.line(118)
        assert "5 012 ▲ warn" in self.line(118)
        assert "23m 20s ◆ 4m 02s ▲" in self.line(78)

    def test_widths_only_grow(self) -> None:
        small = signals(make_snapshot(levels={}))
        large = signals(make_snapshot())
        _, before = numbers.richness(large, [], 200)
        _, after = numbers.richness(small, before, 200)
        assert after == before

    def test_an_unavailable_number_is_a_dash(self) -> None:
        why = "no column for finished_at"
        snapshot = make_snapshot()
        found = signals(
            make_snapshot(
                retry_ratio=structs.replace(
                    snapshot.retry_ratio, share=Measure.unavailable(why), retried=None
                )
            )
        )
        ratio = next(signal for signal in found if signal.name == "retry_ratio")
        assert ratio.value == "–"
        assert not ratio.known

    def test_marks_estimates_and_caps(self) -> None:
        snapshot = make_snapshot()
        found = signals(
            make_snapshot(
                states=snapshot.states
                | {
                    "pending": Measure.counted(12_000, cap=10_000),
                    "running": Measure.estimated(100, "a sample"),
                }
            )
        )
        shown = {signal.name: signal.value for signal in found}
        assert shown["pending"] == "10 000+"
        assert shown["running"] == "~100 +3 st."


def test_a_trend_compares_with_a_minute_ago() -> None:
    rising = [(float(t), float(t)) for t in range(0, 200, 2)]
    assert trend(rising) == "↑"
    assert trend([(t, -v) for t, v in rising]) == "↓"
    assert trend([(t, 100.0) for t, _ in rising]) == ""
    assert trend(rising[-10:]) == ""
    assert trend([]) == ""


def test_a_sparkline_leaves_out_what_is_not_finite() -> None:
    assert spark([0.0, 1.0, float("nan"), float("inf"), 2.0]) == "▁▅█"
    assert spark([]) == ""
    assert spark([5.0, 5.0]) == "▅▅"


@given(st.text(alphabet="ab 12,", max_size=60), st.integers(4, 40))
def test_a_cut_sentence_fits_and_ends_between_words(text: str, width: int) -> None:
    found = cut(text, width)
    assert cell_len(found) <= width
    if found != text and found.endswith(" …") and max(map(len, text.split(" "))) <= LONG_WORD:
        assert text.startswith(found.removesuffix(" …"))


def test_a_cut_sentence_keeps_its_number_behind_a_long_name() -> None:
    sentence = f"The oldest job not done in {'漢x' * 100} is 11h 06m old, alarm at 5m 00s"
    found = cut(sentence, 90)
    assert (
        found
        == "The oldest job not done in 漢x漢x漢x漢x漢x漢x漢x漢… is 11h 06m old, alarm at 5m 00s"
    )
    assert (
        cut(sentence, 70) == "The oldest job not done in 漢x漢x漢x漢x漢x漢x漢x漢… is 11h 06m old …"
    )


def test_parts_shorten_in_the_order_of_their_ranks() -> None:
    parts = [Part(("stays",)), Part(("first to go", ""), "", 9), Part(("second", ""), "", 1)]
    assert fit(parts, [], 40).plain == "stays · first to go · second"
    assert fit(parts, [], 20).plain == "stays · second"
    assert fit(parts, [], 8).plain == "stays"


class TestProse:
    def test_hangs_behind_its_head_and_breaks_no_number(self) -> None:
        text = lay(
            [bullet("the oldest of 5 012 jobs waited 23m 20s, that is 9.7 % more")], 22
        ).plain
        assert text.split("\n")[1:] == [
            "  jobs waited 23m 20s,",
            "  that is 9.7 % more",
        ]

    def test_rows_stand_in_columns(self) -> None:
        text = lay(rows([("pending", "5 012", "exact"), ("x", "1", "an estimate")]), 60).plain
        assert text == "pending  5 012   exact\nx            1   an estimate"

    def test_keeps_markup_as_it_is(self) -> None:
        content = lay([Paragraph("[@click=app.quit]a [/] b[/]")], 60)
        assert isinstance(content, Content)
        assert content.plain == "[@click=app.quit]a [/] b[/]"
        assert not content.spans


def test_levels_of_running_and_stalled_are_one() -> None:
    found = signals(make_snapshot(levels={"stalled": Level.CRITICAL}))
    assert next(signal for signal in found if signal.name == "running").level is Level.CRITICAL


def test_the_snapshots_time_is_what_ages_count_from() -> None:
    measure = Measure.exact(1, taken_at=NOW - timedelta(seconds=30), cost_ms=1.5)
    from queuetop.ui.signals import show_exactness

    assert show_exactness(measure, NOW) == "exact · 30s old · cost 2 ms"
    assert show_exactness(Measure.unavailable("no column"), NOW) == "no column"
