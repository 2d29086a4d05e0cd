"""Copies to the terminal's own clipboard (OSC 52), which works through ssh and tmux too."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING

from queuetop.model.jobs import Job
from queuetop.model.numbers import show_bytes, show_count
from queuetop.model.snapshot import Level
from queuetop.ui.rows import sentence, tsv

if TYPE_CHECKING:
    from queuetop.ui.app import QueueTop

#: Bytes of the encoded text that common terminals still take; longer ones are dropped in silence.
LIMIT = 74_994


def copy_jobs(app: QueueTop, jobs: Sequence[Job]) -> None:
    """One job as a line of text, several as a table to paste; says what was copied."""
    if not jobs:
        app.toast("There is no job to copy", Level.WARNING)
    elif len(jobs) == 1:
        copy(app, sentence(jobs[0]), f"job {jobs[0].id}")
    else:
        copy(app, tsv(jobs), f"{show_count(len(jobs))} jobs as a table")


def copy(app: QueueTop, text: str, what: str) -> None:
    """Copies ``text`` and says so, with a warning where a terminal may refuse it."""
    safe = text.encode("utf-8", "replace").decode()
    app.copy_to_clipboard(safe)
    size = len(b64encode(safe.encode()))
    if size > LIMIT:
        app.toast(
            f"Copied {what}, {show_bytes(size)}: many terminals take no more than 75 kB; "
            "export with e instead",
            Level.WARNING,
        )
    else:
        app.toast(f"Copied {what}")
