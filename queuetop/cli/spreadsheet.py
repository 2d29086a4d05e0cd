"""Jobs as CSV that a spreadsheet can open without running what a job's text says."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime

from queuetop.model.jobs import Job

FIELDS = Job.__struct_fields__
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
#: How formulas start; a tab or a carriage return is skipped by some programs before they look.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def header() -> bytes:
    """The first line, without its end."""
    return _line(FIELDS)


def record(job: Job) -> bytes:
    """A job's line, without its end."""
    return _line([_cell(getattr(job, name)) for name in FIELDS])


def protected(text: str) -> str:
    """Text that no spreadsheet takes for a formula: an apostrophe before what looks like one."""
    if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case str():
            return protected(str(value))
        case _:
            return str(value)


def _line(cells: tuple[str, ...] | list[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue().encode("utf-8", "replace")
