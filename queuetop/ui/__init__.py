"""The terminal: draws snapshots, sends intents, keeps no truth."""

from __future__ import annotations

from collections.abc import Sequence

from queuetop.model.ports import Watch
from queuetop.ui.options import Options, TimeMode

__all__ = ["Options", "TimeMode", "run_dashboard"]


def run_dashboard(watches: Sequence[Watch], options: Options) -> int:
    """Shows the watches until the user quits, closes them, and returns the exit code.

    0 after a normal end, 1 after a crash (its traceback is in the log, a sentence on stderr),
    128 + signal when a signal ended it.
    """
    from queuetop.ui.run import run

    return run(watches, options)
