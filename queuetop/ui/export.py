"""Writes jobs to a file page by page. The file appears whole or not at all."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from enum import StrEnum
from pathlib import Path

from queuetop.model.errors import UsageError
from queuetop.model.jobs import Job, Page
from queuetop.ui.rows import csv_header, csv_rows, json_rows


class Format(StrEnum):
    """How an export is written."""

    CSV = "csv"
    JSONL = "jsonl"


class FileTakenError(UsageError):
    """Something is there under this name, and nobody said that it may go."""


async def export(
    pages: AsyncIterator[Page],
    path: Path,
    form: Format,
    *,
    overwrite: bool = False,
    progress: Callable[[int], None] = lambda _count: None,
) -> int:
    """Writes all jobs of ``pages`` to ``path``; ``progress`` hears how many there are so far.

    Written beside it first and moved in its place at the end, so that an export that is cancelled
    or fails leaves nothing behind and replaces nothing. Raises ``FileTakenError``, ``UsageError``
    where the file cannot be written, and whatever the pages raise.
    """
    check(path, overwrite=overwrite)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        count = await _write(pages, part, form, progress)
        _move(part, path, overwrite=overwrite)
    except OSError as error:
        raise UsageError(_why(path, error)) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(pages, AsyncGenerator):
            await pages.aclose()
    return count


def check(path: Path, *, overwrite: bool = False) -> None:
    """Refuses what cannot be written, before anything is read. Raises as ``export`` does."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:  # a name that is too long, or no name
        raise UsageError(_why(path, error)) from None
    if stat.S_ISDIR(mode):
        raise UsageError(f"{path} is a directory; name a file in it")
    if not stat.S_ISREG(mode):  # a device, which root would replace for everybody
        raise UsageError(f"{path} is no plain file; name another")
    if not overwrite:
        raise FileTakenError(f"{path} exists already; confirm to replace it, or name another")


async def _write(
    pages: AsyncIterator[Page], part: Path, form: Format, progress: Callable[[int], None]
) -> int:
    count = 0
    with part.open("x", encoding="utf-8", newline="") as file:
        file.write(csv_header() if form is Format.CSV else "")
        async for page in pages:  # each is written in pieces, so that keys are answered meanwhile
            for start in range(0, len(page.jobs), 500):
                some = page.jobs[start : start + 500]
                file.write(_rows(some, form))
                file.flush()
                count += len(some)
                progress(count)
                await asyncio.sleep(0)
        os.fsync(file.fileno())
    return count


def _rows(jobs: tuple[Job, ...], form: Format) -> str:
    return csv_rows(jobs) if form is Format.CSV else json_rows(jobs)


def _move(part: Path, path: Path, *, overwrite: bool) -> None:
    if overwrite:
        part.replace(path)
        return
    try:
        os.link(part, path)  # unlike a rename it fails where somebody was faster
    except FileExistsError:
        raise FileTakenError(
            f"{path} exists by now; confirm to replace it, or name another"
        ) from None
    except OSError:  # a file system without hard links
        part.rename(path)


def _why(path: Path, error: OSError | ValueError) -> str:
    reasons = {
        "FileNotFoundError": f"the directory {path.parent} does not exist",
        "NotADirectoryError": f"{path.parent} is not a directory",
        "PermissionError": f"no right to write in {path.parent}",
    }
    said = getattr(error, "strerror", None) or "the write failed"
    reason = reasons.get(type(error).__name__) or said.lower()
    return f"{path} was not written: {reason}; choose another place"
