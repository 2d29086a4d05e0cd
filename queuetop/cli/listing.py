"""Jobs as text: the table of ``jobs`` and the whole job of ``show``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from rich.text import Text

from queuetop.cli.grid import Cell, Column, grid, wrapped
from queuetop.model.columns import TIMES
from queuetop.model.jobs import Job, JobDetail
from queuetop.model.mapping import Mapping
from queuetop.model.states import State
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
    """A line for each job, with the columns that the mapping has and that say something here."""
    cells = [
        (part.column, [part.cell(job) for job in jobs])
        for part in _parts(now, times)
        if not part.needs or any(map(mapping.has, part.needs))
    ]
    told = [(column, texts) for column, texts in cells if any(map(len, texts))]
    rows = list(zip(*(texts for _, texts in told), strict=True))
    return grid([column for column, _ in told], rows, width, indent=0)


def _parts(now: datetime, times: TimeMode) -> Iterator[_Part]:
    yield _Part(Column("ID"), (), lambda job: job.id)
    yield _Part(Column("STATE"), (), lambda job: _state(job.state))
    yield _Part(
        Column("QUEUE", least=8, yields=2, leaves=2), ("queue",), lambda job: job.queue or ""
    )
    yield _Part(Column("KIND", least=8, yields=3, leaves=3), ("kind",), lambda job: job.kind or "")
    yield _Part(Column("ATTEMPTS", right=True, leaves=1), ("attempts",), _tries)
    yield _Part(Column("TIME", right=True), TIMES, lambda job: _time(job, times, now))
    yield _Part(
        Column("FAILURE", least=16, yields=4),
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


def _time(job: Job, times: TimeMode, now: datetime) -> str:
    """The time of what the state is about, which ``since`` and ``until`` bound too."""
    match job.state:
        case State.FAILED | State.QUARANTINED:
            moment = job.failed_at or job.finished_at
        case State.SUCCEEDED | State.CANCELLED:
            moment = job.finished_at
        case State.RUNNING | State.STALLED:
            moment = job.started_at
        case _:
            moment = None
    moment = moment or job.created_at
    return show_time(moment, times, now) if moment else ""


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
    lines += [Text(), *grid([Column(""), Column("", least=8)], rows, width)]
    moments = [(name, getattr(job, name)) for name in TIMES if getattr(job, name)]
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
