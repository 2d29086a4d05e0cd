"""A signal at any moment: nothing is left behind, and the program says that it was interrupted."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from itertools import cycle
from pathlib import Path

import pytest

from tests.demo.support import eventually, left, python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

#: As the command does it: an event loop in the body, one word at the end of each part.
DEMO = """
import asyncio, sys
try:
    from queuetop.demo.run import Demo
    with Demo():
        asyncio.run(asyncio.sleep({seconds}))
except KeyboardInterrupt:
    sys.exit(130)
"""
# From the first import over initdb, start and history to the body and the end.
MOMENTS_S = (0.1, 0.3, 0.5, 0.7, 0.9, 1.2, 1.6, 2.0, 2.4, 3.0, 3.1, 3.2)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _interrupted_after(
    seconds: float, number: signal.Signals, folder: Path, **options: object
) -> None:
    demo = python(DEMO.format(seconds=1.0), **options)  # type: ignore[arg-type]
    time.sleep(seconds)
    demo.send_signal(number)
    _, errors = demo.communicate(timeout=30)
    # Before the demo begins, the signal's own meaning holds.
    assert demo.returncode in {0, 130, -number}, errors.decode()
    if demo.returncode == 130:
        assert errors == b""
    eventually(lambda: not left(folder))


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "number"), tuple(zip(MOMENTS_S, cycle(SIGNALS), strict=False)))
def test_leaves_nothing(seconds: float, number: signal.Signals, tmpdir_of_demo: Path) -> None:
    _interrupted_after(seconds, number, tmpdir_of_demo)


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "number"), tuple(zip((0.4, 1.0, 1.8), SIGNALS, strict=True)))
def test_leaves_nothing_of_another_user(
    seconds: float, number: signal.Signals, tmpdir_of_demo: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root becomes another user")
    executable = _python_for_everyone()
    if executable is None:
        pytest.skip("no Python of this version that another user can run")
    _interrupted_after(seconds, number, tmpdir_of_demo, user=65534, executable=executable)


def test_an_impatient_second_signal_changes_nothing(tmpdir_of_demo: Path) -> None:
    demo = python(DEMO.format(seconds=30.0))
    eventually(lambda: list(tmpdir_of_demo.rglob("postmaster.pid")))
    for _ in range(3):
        demo.send_signal(signal.SIGINT)
        time.sleep(0.02)
    demo.communicate(timeout=30)
    eventually(lambda: not left(tmpdir_of_demo))


def test_a_killed_demo_leaves_no_process(tmpdir_of_demo: Path) -> None:
    demo = python(DEMO.format(seconds=30.0))
    eventually(lambda: list(tmpdir_of_demo.rglob("postmaster.pid")))
    time.sleep(1.0)
    demo.kill()
    demo.communicate(timeout=30)
    [folder] = tmpdir_of_demo.iterdir()
    eventually(lambda: left(tmpdir_of_demo) == [str(folder)])
    shutil.rmtree(folder)


def test_ctrl_c_in_a_terminal_reaches_only_the_demo(tmpdir_of_demo: Path) -> None:
    """The terminal signals the whole foreground group: server and simulation are not in it."""
    demo = python(DEMO.format(seconds=30.0))
    eventually(lambda: list(tmpdir_of_demo.rglob("postmaster.pid")))
    os.killpg(demo.pid, signal.SIGINT)
    _, errors = demo.communicate(timeout=30)
    assert (demo.returncode, errors) == (130, b"")
    eventually(lambda: not left(tmpdir_of_demo))


def _python_for_everyone() -> str | None:
    """A Python of our version that ``nobody`` can run, with our packages."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for executable in (sys.executable, f"/usr/bin/python{version}"):
        if _runs(Path(executable)):
            tried = python("import psycopg, msgspec", user=65534, executable=executable)
            tried.communicate(timeout=30)
            if tried.returncode == 0:
                return executable
    return None


def _runs(executable: Path) -> bool:
    """Whether ``nobody`` may pass every folder to it."""
    path = executable.resolve()
    return path.exists() and all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents))
