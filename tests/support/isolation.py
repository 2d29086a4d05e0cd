"""One temporary folder for everything that a run makes, and nothing of the developer's own settings.

The folder is ``TMPDIR`` of every process that a test starts. So what is left behind at the end, file or
process, is known by it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

#: The environment as it was given, for what needs the developer's own settings: pip and its index.
GIVEN: dict[str, str] = dict(os.environ)

_OURS = "QUEUETOP_TEST_"
_PREFIXES = ("PG", "QUEUETOP_", "XDG_", "TEXTUAL")
_NAMES = {"DATABASE_URL", "NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES", "ESCDELAY"}


def scrub() -> None:
    """Takes the developer's settings for PostgreSQL, queuetop and the terminal out of ``os.environ``."""
    for name in list(os.environ):
        if name in _NAMES or (name.startswith(_PREFIXES) and not name.startswith(_OURS)):
            del os.environ[name]


def heed_ctrl_c() -> None:
    """A shell ignores SIGINT for what it starts in the background, and every child inherits that: the
    tests of Ctrl-C would wait for ever."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def open_root() -> Path:
    """Makes the run's folder and points ``TMPDIR`` at it.

    Its name is short, because a socket's path may have no more than 107 bytes, and it lets others
    pass, because a server that root starts runs as somebody else.
    """
    root = Path(tempfile.mkdtemp(prefix="qt-"))
    root.chmod(0o755)
    os.environ["TMPDIR"] = str(root)
    tempfile.tempdir = None
    return root


def close_root(root: Path, *, patience_s: float = 5.0) -> list[str]:
    """Ends and removes what tests left behind, and says what that was: processes, files outside pytest's."""
    deadline = time.monotonic() + patience_s
    while (processes := dict(_processes(root))) and time.monotonic() < deadline:
        time.sleep(0.1)
    files = [path for path in root.iterdir() if not path.name.startswith("pytest-of-")]
    for pid in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(root, ignore_errors=True)
    return [
        *(f"process {pid}: {command}" for pid, command in processes.items()),
        *(f"file {path}" for path in files),
    ]


def _processes(root: Path) -> Iterator[tuple[int, str]]:
    """Processes that know the folder by their arguments, their working directory or their ``TMPDIR``."""
    proc = Path("/proc")
    mine = _ancestry()
    for folder in proc.iterdir() if proc.is_dir() else ():
        if not folder.name.isdigit() or int(folder.name) in mine:
            continue
        try:
            command = (folder / "cmdline").read_bytes()
            signs = (
                command,
                os.fsencode((folder / "cwd").readlink()),
                (folder / "environ").read_bytes(),
            )
        except OSError:  # gone meanwhile, or somebody else's
            continue
        if any(os.fsencode(root) in sign for sign in signs):
            shown = command.replace(b"\0", b" ").decode(errors="replace")
            yield int(folder.name), shown.strip()[:200]


def _ancestry() -> set[int]:
    """This process and those it was started by."""
    pids, pid = set(), os.getpid()
    while pid > 1 and pid not in pids:
        pids.add(pid)
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            break
        pid = int(stat.rpartition(")")[2].split()[1])
    return pids
