"""The client's log: redacted, without locals, and never a reason to fail."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from queuetop.ui.crash import MAX_BYTES, CrashLog


def fault(message: str) -> Exception:
    password_in_a_local = "correct horse"  # noqa: F841
    try:
        raise ValueError(message)
    except ValueError as error:
        return error


def test_masks_secrets_and_shows_no_locals(tmp_path: Path) -> None:
    log = CrashLog(tmp_path / "a" / "log")
    assert log.write(fault("cannot use postgresql://ann:hunter2@db1/app?x=1 or password='hunter2'"))
    text = log.path.read_text()
    assert "ValueError" in text
    assert "test_crash.py" in text
    assert "hunter2" not in text
    assert "correct horse" not in text.replace('password_in_a_local = "correct horse"', "")
    assert log.path.stat().st_mode & 0o077 == 0


def test_keeps_the_newer_half_when_it_is_full(tmp_path: Path) -> None:
    log = CrashLog(tmp_path / "log")
    log.path.write_bytes(b"old\n" * MAX_BYTES)
    log.write(fault("new"))
    assert log.path.stat().st_size < MAX_BYTES
    assert "new" in log.path.read_text()


def test_a_full_disk_or_a_folder_that_is_none_loses_lines_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    log = CrashLog(tmp_path / "file" / "log")
    assert not log.write(fault("x"))
    assert "could not be written" in log.sentence(fault("x"), written=False)

    def full(*_args: Any, **_kwargs: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    assert not CrashLog(tmp_path / "log").write(fault("x"))
