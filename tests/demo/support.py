"""A temporary directory for one demo, and what is left in it: files, processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import queuetop

CHECKOUT = Path(queuetop.__file__).resolve().parents[1]
#: Folders where another account finds this Python's packages, for a Python of its own.
PACKAGES = [path for path in sys.path if path.endswith("site-packages")]


@contextmanager
def own_tmpdir() -> Iterator[Path]:
    """A ``TMPDIR`` with a short name that other accounts can use."""
    folder = Path(tempfile.mkdtemp(prefix="d-"))
    folder.chmod(0o1777)
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"], tempfile.tempdir = str(folder), None
    try:
        yield folder
    finally:
        tempfile.tempdir = None
        os.environ.pop("TMPDIR")
        if before is not None:
            os.environ["TMPDIR"] = before
        shutil.rmtree(folder, ignore_errors=True)


def processes(folder: Path) -> list[str]:
    """The command lines of living processes that know ``folder`` by argument, directory or ``TMPDIR``."""
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            command = (process / "cmdline").read_bytes()
            place = os.fsencode((process / "cwd").readlink())
            environment = (process / "environ").read_bytes()
        except OSError:  # ended meanwhile, or somebody else's
            continue
        if os.fsencode(folder) in command + b"\0" + place + b"\0" + environment:
            found.append(command.replace(b"\0", b" ").decode(errors="replace"))
    return found


def eventually(check: Callable[[], Any], seconds: float = 15.0) -> None:
    """Waits until ``check`` is true. Fails with its last value."""
    until = time.monotonic() + seconds
    while not (value := check()):
        assert time.monotonic() < until, f"still {value!r} after {seconds} s"
        time.sleep(0.1)


def left(folder: Path) -> list[str]:
    """Files and processes in ``folder``."""
    return [*(str(path) for path in folder.iterdir()), *processes(folder)]


def python(
    code: str, *, user: int | None = None, executable: str = sys.executable
) -> subprocess.Popen[bytes]:
    """Runs ``code`` in a fresh interpreter that knows this checkout."""
    path = os.pathsep.join([str(CHECKOUT), *(PACKAGES if user is not None else [])])
    return subprocess.Popen(
        [executable, "-c", code],
        cwd="/",
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        user=user,
        group=user,
        extra_groups=[] if user is not None else None,
        start_new_session=True,
    )
