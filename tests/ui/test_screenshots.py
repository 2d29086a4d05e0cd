"""The pictures of ``make screenshots``: all of them, well-formed, and nothing fetched from elsewhere."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tests.screenshots import IN_README, SHOTS, SIZES, take_all
from tests.svg import WIDTH, tidy, word_by_word
from tests.ui.fakes import DATABASE, FakeWatch, make_jobs, make_snapshot
from tests.ui.support import make_app

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><style>.a-matrix {}</style>%s</svg>'
LINE = '<text class="r1" x="12.2" y="20" textLength="61" clip-path="url(#line)">%s</text>'


@pytest.mark.slow
async def test_every_shot_can_be_taken() -> None:
    watch = FakeWatch([make_snapshot(database=DATABASE)], jobs=make_jobs(400))
    app = make_app(watch)
    async with app.run_test(size=(80, 24)) as pilot:
        pictures = await take_all(pilot, [(80, 24)])
    assert list(pictures) == [f"{shot.name}-80x24" for shot in SHOTS]
    for svg in pictures.values():
        ET.fromstring(svg)
        ET.fromstring(word_by_word(svg))
        assert "url(http" not in svg
        assert "@font-face" not in svg


def test_the_readme_shows_what_is_made() -> None:
    names = {f"{shot.name}-{width}x{height}" for shot in SHOTS for width, height in SIZES}
    assert set(IN_README) <= names


def test_braille_is_drawn_and_the_rest_stays_text() -> None:
    svg = tidy(SVG % LINE % "a⣀&lt;⠁")
    root = ET.fromstring(svg)
    path, text = root[1], root[2]
    assert path.attrib["d"].count("M") == 3
    assert text.text == "a\u00a0<\u00a0"


def test_words_stand_where_their_cells_are() -> None:
    root = ET.fromstring(word_by_word(SVG % LINE % "\u00a0\u00a05\u202f012 長い &amp;"))
    found = [(text.text, round(float(text.attrib["x"]) / WIDTH)) for text in list(root)[1:]]
    assert found == [("5", 3), ("012", 5), ("長い", 9), ("&", 14)]
