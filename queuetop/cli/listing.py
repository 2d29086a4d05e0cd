"""Jobs as text: the table of ``jobs`` and the whole job of ``show``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from rich.text import Text

from queuetop.cli.grid import Cell, Column, grid, wrapped
from queuetop.model.jobs import Job, JobDetail
from queuetop.model.mapping import Mapping
from queuetop.model.states import ENDED, State
from queuetop.ui.options import TimeMode
from queuetop.ui.times import show_moment, show_time

_PAINT = {
    None: "yellow",
    State.STALLED: "yellow",
    State.FAILED: "red",
    State.QUARANTINED: "red",
    State.RUNNING: "bold",
}


class _Part(NamedTuple):
    column: Column
    needs: tuple[str, ...]
    cell: Callable[[Job], Cell]


def job_table(
    jobs: Sequence[Job], mapping: Mapping, now: datetime, width: int, times: TimeMode
) -> list[Text]:
    """A line for each job, with the columns that the mapping has."""
    parts = [
        part for part in _parts(now, times) if not part.needs or any(map(mapping.has, part.needs))
    ]
    rows = [[part.cell(job) for part in parts] for job in jobs]
    return grid([part.column for part in parts], rows, width, indent=0)


def _parts(now: datetime, times: TimeMode) -> Iterator[_Part]:
    yield _Part(Column("ID"), (), lambda job: job.id)
    yield _Part(Column("STATE"), (), lambda job: _state(job.state))
    yield _Part(Column("QUEUE", flexible=True, leaves=3), ("queue",), lambda job: job.queue or "")
    yield _Part(Column("KIND", flexible=True, leaves=4), ("kind",), lambda job: job.kind or "")
    yield _Part(Column("TRIES", right=True, leaves=2), ("attempts",), _tries)
    yield _Part(
        Column("CREATED", right=True),
        ("created_at",),
        lambda job: show_time(job.created_at, times, now),
    )
    yield _Part(
        Column("ENDED", right=True, leaves=5),
        ("finished_at", "failed_at"),
        lambda job: show_time(_ended(job), times, now) if _ended(job) else "",
    )
    yield _Part(
        Column("FAILURE", flexible=True, leaves=1),
        ("failure_kind", "failure_detail"),
        _failure,
    )


def _state(state: State | None) -> Text:
    return Text(str(state or "unmapped"), _PAINT.get(state, ""))


def _tries(job: Job) -> str:
    if job.attempts is None:
        return ""
    return (
        f"{job.attempts}/{job.max_attempts}" if job.max_attempts is not None else str(job.attempts)
    )


def _ended(job: Job) -> datetime | None:
    if job.state not in ENDED:
        return None
    given_up = job.state in {State.FAILED, State.QUARANTINED}
    return (job.failed_at or job.finished_at) if given_up else (job.finished_at or job.failed_at)


def _failure(job: Job) -> Text:
    text = Text(job.failure_kind or "")
    if job.failure_detail:
        text.append(" " if text.plain else "").append(job.failure_detail, "dim")
    return text


def job_lines(detail: JobDetail, table: str, width: int, times: TimeMode) -> list[Text]:
    """A job whole: why it waits, every column, the failure, the payload."""
    job, now = detail.job, detail.taken_at
    head = Text(f"{table} {job.id}", "bold").append("  ").append_text(_state(job.state))
    lines = [head]
    for reason in detail.why_waiting:
        lines += wrapped(Text("  ▸"), Text(reason), width, 4)
    rows: list[list[Cell]] = [
        [Text(field.name, "dim"), Text("NULL", "dim") if field.value is None else field.value]
        for field in detail.fields
    ]
    lines += [Text(), *grid([Column(""), Column("", flexible=True)], rows, width)]
    moments = [(name, getattr(job, name)) for name in _MOMENTS if getattr(job, name)]
    if moments:
        told: list[list[Cell]] = [
            [Text(name, "dim"), show_moment(moment, times, now)] for name, moment in moments
        ]
        lines += [Text(), *grid([Column(""), Column("")], told, width)]
    for title, text in (("failure", detail.failure_text), ("payload", detail.payload_text)):
        if text:
            lines += [
                Text(),
                Text(title, "bold"),
                *(Text(f"  {line}") for line in text.split("\n")),
            ]
    return lines


_MOMENTS = ("created_at", "ready_at", "lease_until", "started_at", "finished_at", "failed_at")
