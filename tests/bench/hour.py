"""An hour of two-second ticks on the real store, history and screen, on a hurried clock: its memory."""

from __future__ import annotations

import json
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.bench.figures import Figure, Target, missing
from tests.bench.metering import viewer
from tests.bench.terminal import Terminal

GROUP = "Interface"
WHAT = "memory over an hour of 2 s ticks"
TARGET = Target(150, "< 150 MB")
TICKS = 1800
#: The views are gone through all the time; the list of jobs, a job and the help among them.
_WALK = (b"1", b"2", b"3", b"j", b"j", b"\r", b"\x1b", b"4", b"5", b"9", b"?", b"\x1b")
_STEP_S = 0.4
_PATIENCE_S = 1200.0


class Hour:
    """Runs beside what is not timed; ``figure`` waits for its end."""

    def __init__(self, dsn: str) -> None:
        self._dsn = viewer(dsn)
        self._found = missing(GROUP, WHAT, "it did not end", TARGET)
        self._thread = threading.Thread(target=self._run, name="hour", daemon=True)
        self._thread.start()

    def figure(self) -> Figure:
        self._thread.join(_PATIENCE_S + 60)
        return self._found

    def _run(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "memory.json"
            arguments = ["-m", "tests.bench.dashboard", self._dsn]
            hurry = ["--hurry", str(TICKS), "--report", str(report)]
            with Terminal([*arguments, *hurry]) as terminal:
                self._found = _watch(terminal, report)


def _watch(terminal: Terminal, report: Path) -> Figure:
    if terminal.wait(lambda: "poll " in terminal.text, 60) is None:
        return missing(GROUP, WHAT, f"no screen came: {terminal.last_words}", TARGET)
    began, frames, step = time.monotonic(), 0, 0
    while terminal.alive and not report.exists() and time.monotonic() - began < _PATIENCE_S:
        terminal.write(_WALK[step % len(_WALK)])
        step += 1
        time.sleep(_STEP_S)
        frames += terminal.drop()
    if not report.exists():
        return missing(GROUP, WHAT, f"it ended early: {terminal.last_words}", TARGET)
    return _figure(json.loads(report.read_text()), frames, time.monotonic() - began)


def _figure(said: dict[str, Any], frames: int, seconds: float) -> Figure:
    return Figure(
        GROUP,
        WHAT,
        said["peak_mb"],
        f"{said['peak_mb']:.0f} MB",
        TARGET,
        f"the most that was resident; {said['first_mb']:.0f} MB after the first tick, "
        f"{said['last_mb']:.0f} MB after the last of {said['ticks']}, {frames} frames "
        f"and {said['points']} points of history later; simulated clock, {seconds:.0f} s",
    )
