"""The last gate before the terminal: no control character leaves, whatever a widget was given.

Text is clean when a snapshot is built; this holds for names, sentences and mistakes as well.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from queuetop.model.text import clean


class Guard(LineFilter):
    """Shows control and bidi characters as pictures. Cheap for text that has none."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(segment.text.isascii() and segment.text.isprintable() for segment in segments):
            return segments
        return [
            Segment(clean(text, len(text)), style, control) for text, style, control in segments
        ]
