"""Where things are written: data to stdout, narration to stderr."""

from __future__ import annotations

import io
import os
import shutil
import sys
from typing import TYPE_CHECKING

from queuetop.cli.masking import mask
from queuetop.model.text import clean_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.text import Text

#: The width of text that goes to a file or a pipe, and the widest on a terminal.
WIDTH, WIDEST = 80, 140


def say(sentence: str) -> None:
    """Narration: one line on stderr, without secrets and without control characters.

    Never fails: there is no better place to say that stderr is gone.
    """
    try:
        sys.stderr.write(f"queuetop: {mask(clean_lines(sentence))}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


def write(text: str) -> None:
    """Data as it is: UTF-8 whatever the locale says, and with its own line ends."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(text)
    else:
        stream.write(text.encode("utf-8", "replace"))


def put(line: bytes) -> None:
    """One line of data."""
    write(line.decode() + "\n")


def flush() -> None:
    sys.stdout.flush()


def on_terminal() -> bool:
    """Whether stdout is a terminal."""
    return bool(sys.stdout and sys.stdout.isatty())


def can_ask() -> bool:
    """Whether there is somebody to answer a question."""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stderr.isatty())


def width() -> int:
    """Columns of a text block: the terminal's, or 80; COLUMNS has the last word."""
    if os.environ.get("COLUMNS", "").isdigit() or on_terminal():
        return max(40, min(shutil.get_terminal_size((WIDTH, 24)).columns, WIDEST))
    return WIDTH


def print_lines(lines: Iterable[Text], *, color: bool, err: bool = False) -> None:
    """Text lines to stdout, or with ``err`` to stderr; coloured on a terminal only."""
    stream = sys.stderr if err else sys.stdout
    text = _drawn(lines, colored=color and stream.isatty())
    encoding = stream.encoding or "utf-8"
    # A locale without our glyphs is no reason to end.
    stream.write(text.encode(encoding, "replace").decode(encoding))


def _drawn(lines: Iterable[Text], *, colored: bool) -> str:
    """The lines as a terminal takes them. Rich itself would exit where a pipe is closed."""
    from rich.console import Console

    paper = io.StringIO()
    console = Console(
        file=paper,
        width=10_000,
        no_color=not colored,
        color_system="auto" if colored else None,
        force_terminal=colored,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )
    for line in lines:
        line.rstrip()
        console.print(line)
    return paper.getvalue()
