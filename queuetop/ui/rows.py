"""Jobs as rows of text: CSV, JSON lines and tables to paste. Safe to open wherever they land."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from queuetop.model.columns import NUMBERS, TIMES
from queuetop.model.job_document import job_document
from queuetop.model.jobs import Job

#: The columns of every export, in this order.
COLUMNS = (
    *("id", "state", "queue", "kind", *TIMES, *NUMBERS),
    *("worker", "failure_kind", "failure_class", "failure_detail", "payload"),
    *("idempotency_key", "result_key"),
)

#: What a spreadsheet would run when a cell begins with it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")


def csv_header() -> str:
    return ",".join(COLUMNS) + "\r\n"


def csv_rows(jobs: Iterable[Job]) -> str:
    """RFC 4180 lines; text that a spreadsheet would run is made plain with a ``'`` before it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for job in jobs:
        writer.writerow([inert(cell(job, name)) for name in COLUMNS])
    return out.getvalue()


def json_rows(jobs: Iterable[Job]) -> str:
    """One JSON object a line, as ``queuetop jobs --json`` writes them."""
    lines = [msgspec.json.encode(job_document(_whole(job))).decode() for job in jobs]
    return "".join(f"{line}\n" for line in lines)


def tsv(jobs: Sequence[Job]) -> str:
    """A table to paste: a header and one line a job, only the columns that say something."""
    used = [name for name in COLUMNS if any(cell(job, name) for job in jobs)]
    lines = [used, *([_flat(inert(cell(job, name))) for name in used] for job in jobs)]
    return "\n".join("\t".join(line) for line in lines) + "\n"


def sentence(job: Job) -> str:
    """One job in a line for a chat or a ticket."""
    where = [f"queue {job.queue}" if job.queue else "", f"kind {job.kind}" if job.kind else ""]
    parts = [f"job {job.id}", str(job.state or "unmapped"), *where]
    if job.attempts is not None:
        parts.append(f"attempts {job.attempts}")
    if job.failure_kind or job.failure_detail:
        parts.append(": ".join(filter(None, (job.failure_kind, job.failure_detail))))
    return _SURROGATE.sub("�", " · ".join(filter(None, parts)))


def cell(job: Job, column: str) -> str:
    """A column's value as text; nothing for NULL."""
    value = getattr(job, column)
    if value is None:
        return ""
    text = value.isoformat() if isinstance(value, datetime) else str(value)
    return _SURROGATE.sub("�", text)


def inert(text: str) -> str:
    """The same, but nothing that a spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def _flat(text: str) -> str:
    return re.sub(r"[\t\r\n]", " ", text)


def _whole(job: Job) -> Job:
    """Without halves of surrogate pairs, which no JSON may hold."""
    broken = {
        name: _SURROGATE.sub("�", value)
        for name, value in msgspec.structs.asdict(job).items()
        if type(value) is str and _SURROGATE.search(value)
    }
    return msgspec.structs.replace(job, **broken) if broken else job
