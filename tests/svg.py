"""Textual's screenshots made small, and right wherever they are looked at."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from rich.cells import cell_len

#: Pixels of one cell, and from the top of a cell down to its text's baseline.
WIDTH, HEIGHT, BASELINE = 12.2, 24.4, 18.5
_TEXT = re.compile(
    r'<text class="(?P<style>[^"]+)" x="(?P<x>[^"]+)" y="(?P<y>[^"]+)"'
    r' textLength="(?P<length>[^"]+)" clip-path="(?P<clip>[^"]+)">(?P<text>[^<]*)</text>'
)
_BRAILLE = re.compile("[\u2800-\u28ff]")
#: Column and row of each bit of a braille pattern.
_DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
_FONTS = "'Fira Code', ui-monospace, Menlo, Consolas, monospace"


def tidy(svg: str) -> str:
    """No font from elsewhere, spaces that stay, and dots that need no font at all."""
    svg = re.sub(r"@font-face \{.*?\}\n?", "", svg, flags=re.DOTALL)
    svg = svg.replace("font-family: Fira Code, monospace", f"font-family: {_FONTS}")
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)
    return _TEXT.sub(_drawn, svg).replace("&#160;", "\u00a0")


def word_by_word(svg: str) -> str:
    """For renderers that know no ``textLength``: each word where its cells are."""
    return _TEXT.sub(lambda found: "".join(_words(found)), svg)


def _drawn(found: re.Match[str]) -> str:
    """A text whose braille patterns are drawn."""
    text = html.unescape(found["text"])
    dots = "".join(_dots(text, float(found["x"]), float(found["y"])))
    if not dots:
        return found[0]
    path = f'<path class="{found["style"]}" d="{dots}"/>'
    rest = _BRAILLE.sub("\u00a0", text)
    return path if not rest.strip("\u00a0 ") else path + _element(found, float(found["x"]), rest)


def _dots(text: str, left: float, baseline: float) -> Iterator[str]:
    for place, char in enumerate(text):
        if _BRAILLE.match(char):
            x, y = left + place * WIDTH, baseline - BASELINE
            for bit, (column, row) in enumerate(_DOTS):
                if (ord(char) - 0x2800) >> bit & 1:
                    right, down = x + (column + 0.5) * WIDTH / 2, y + (row + 0.5) * HEIGHT / 4
                    yield f"M{right - 1.2:.1f} {down - 1.2:.1f}h2.4v2.4h-2.4z"


def _words(found: re.Match[str]) -> Iterator[str]:
    text = html.unescape(found["text"])
    for word in re.finditer(r"[^\s\u00a0\u202f]+", text):
        x = float(found["x"]) + cell_len(text[: word.start()]) * WIDTH
        yield _element(found, x, word[0])


def _element(found: re.Match[str], x: float, text: str) -> str:
    return (
        f'<text class="{found["style"]}" x="{x:g}" y="{found["y"]}"'
        f' textLength="{cell_len(text) * WIDTH:g}" clip-path="{found["clip"]}">'
        f"{html.escape(text)}</text>"
    )
