"""Hostile text is made harmless, and nothing else changes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuetop.model.text import HIDDEN, SHOWN, clean, clean_lines, is_altered

ANYTHING = st.text(st.characters(exclude_categories=()), max_size=400)
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
INVISIBLE = "\u00ad\u180e\u200b\u200c\u200d\u2028\u2029\u2060\ufeff\ufff9\U000e0001\U000e0041"


@pytest.mark.parametrize(
    ("text", "shown"),
    (
        ("", ""),
        ("plain [/] text", "plain [/] text"),
        ("größe 🐘 漢", "größe 🐘 漢"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;x\x07", "␛]52;c;x␇"),
        ("\x9b31m\x7f", "�31m�"),
        ("a\tb\nc\r\nd\0", "a␉b␊c␍␊d␀"),
        ("\u202egnp.exe", "�gnp.exe"),
        ("half \ud800", "half �"),
        ("x" * 301, "x" * 300 + "…"),
        ("x" * 300, "x" * 300),
    ),
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_what_is_no_text_is_written_out() -> None:
    assert clean(None) == ""
    assert clean(7) == "7"
    assert clean(ValueError("a\x1b")) == "a␛"


def test_lines_stay_where_they_are_read_whole() -> None:
    assert clean_lines("a\nb\r\nc\rd\x1b\n") == "a\nb\nc␍d␛\n"


@given(ANYTHING)
def test_nothing_dangerous_is_left(text: str) -> None:
    for shown, allowed in ((clean(text), ""), (clean_lines(text), "\n")):
        for character in shown.replace(allowed, "") if allowed else shown:
            assert unicodedata.category(character) not in {"Cc", "Cs"}
            assert character not in BIDI + INVISIBLE
        shown.encode("utf-8")


@given(ANYTHING)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text), 1000) == clean(text)
    assert clean_lines(clean_lines(text)) == clean_lines(text)


@given(ANYTHING, st.integers(0, 50))
def test_it_is_cut_to_the_limit_and_says_so(text: str, limit: int) -> None:
    shown = clean(text, limit)
    assert len(shown) == min(len(text), limit) + (len(text) > limit)
    assert shown.endswith("…") or len(text) <= limit


@given(ANYTHING)
def test_what_was_changed_is_known_by_its_marks(text: str) -> None:
    if clean(text) != text:
        assert is_altered(clean(text))
    if not is_altered(text):
        assert is_altered(clean(text)) is (clean(text) != text)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=300))
def test_the_server_can_do_the_same(text: str) -> None:
    """``translate(text, HIDDEN, SHOWN)``, character by character."""
    assert len(HIDDEN) == len(SHOWN) == len(set(HIDDEN))
    assert text.translate(str.maketrans(HIDDEN, SHOWN)) == clean(text)


def test_a_huge_text_is_cut_before_it_is_looked_at() -> None:
    assert clean("\x1b" * 50_000_000, 10) == "␛" * 10 + "…"
