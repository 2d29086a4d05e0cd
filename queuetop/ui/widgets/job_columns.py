"""What a job looks like in a list: the columns, which of them leave first, and what they sort by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct
from rich.text import Text

from queuetop.model.durations import show_duration
from queuetop.model.jobs import Job, Sort
from queuetop.model.mapping import Mapping
from queuetop.model.states import ENDED, State
from queuetop.ui.marks import MARKS, STATE_GLYPHS, STATES
from queuetop.ui.times import TimeMode, show_age, show_time
from queuetop.ui.widgets.columns import Column
from queuetop.ui.widgets.texts import bar

MUTED = "$text-muted"
#: Canonical columns that lists sort by, in the order of the key ``s``, and whether the greatest
#: come first.
SORTS = {
    "created_at": True,
    "ready_at": False,
    "finished_at": True,
    "failed_at": True,
    "attempts": True,
    "id": True,
}
BAR = 8


class Look(Struct):
    """What cells need beside the job: the server's now, how times are written, a lease's length."""

    now: datetime | None = None
    times: TimeMode = TimeMode.RELATIVE
    #: Seconds, the longest lease on the screen: what a full bar is.
    lease_s: float = 0.0


class Heading(Struct, frozen=True):
    """A column of jobs before it is placed. ``column`` is the canonical one it shows."""

    title: str
    column: str
    cell: Callable[[Job], Text | str]
    #: The higher, the earlier it leaves.
    leaves: int = 0
    numeric: bool = False
    width: int = 1
    limit: int | None = None
    grows: bool = False


def jobs_columns(
    mapping: Mapping, look: Look, sort: Sort, *, numeric_ids: bool
) -> Sequence[Column[Job]]:
    """The list of any jobs. The column that it is sorted by stays to the last."""
    headings = (
        _id(numeric_ids),
        Heading("STATE", "status", lambda job: state_cell(job.state), width=11),
        Heading("QUEUE", "queue", lambda job: job.queue or "", 4, width=13, limit=24),
        Heading("KIND", "kind", lambda job: job.kind or "", 2, width=16, limit=28),
        Heading("ATTEMPTS", "attempts", attempts_cell, 1, numeric=True),
        _time("CREATED", "created_at", look, 3),
        _time("READY", "ready_at", look, 8),
        _time("STARTED", "started_at", look, 10),
        _time("FINISHED", "finished_at", look, 9),
        _time("FAILED", "failed_at", look, 6),
        Heading("PRIORITY", "priority", lambda job: _number(job.priority), 12, numeric=True),
        Heading("WORKER", "worker", lambda job: job.worker or "", 11, width=10, limit=20),
        Heading("FAILURE", "failure_kind", failure_cell, 2, width=15, limit=24),
        Heading("DETAIL", "failure_detail", detail_cell, 5, width=16, grows=True),
    )
    return tuple(
        _column(heading, keep=heading.column == sort.column)
        for heading in headings
        if _shown(heading.column, mapping)
    )


def running_columns(mapping: Mapping, look: Look, *, numeric_ids: bool) -> Sequence[Column[Job]]:
    """Running and stalled jobs: for how long, by whom, and how much of the lease is left."""
    headings = (
        _id(numeric_ids),
        Heading("STATE", "status", lambda job: state_cell(job.state), width=9),
        Heading("FOR", "started_at", lambda job: running_for(job, look), 0, numeric=True),
        Heading("LEASE", "lease_until", lambda job: lease_left(job, look), 0, numeric=True),
        Heading("", "lease_until", lambda job: lease_bar(job, look), 5, width=BAR),
        Heading("WORKER", "worker", lambda job: job.worker or "", 2, width=12, limit=28),
        Heading("KIND", "kind", lambda job: job.kind or "", 3, width=15, limit=28),
        Heading("QUEUE", "queue", lambda job: job.queue or "", 6, width=10, limit=24),
        Heading("ATTEMPTS", "attempts", attempts_cell, 1, numeric=True),
        _time("STARTED", "started_at", look, 11),
        _time("CREATED", "created_at", look, 7),
        Heading("LAST FAILURE", "failure_kind", failure_cell, 9, width=12, limit=24),
        Heading("DETAIL", "failure_detail", detail_cell, 5, width=16, grows=True),
    )
    return tuple(_column(heading) for heading in headings if _shown(heading.column, mapping))


def sort_column(title: str) -> str | None:
    """The canonical column that a click on this header sorts by."""
    found = {"ID": "id", "ATTEMPTS": "attempts"}.get(title, f"{title.lower()}_at")
    return found if found in SORTS else None


def sorts(mapping: Mapping) -> tuple[str, ...]:
    """What lists of this mapping can be sorted by."""
    return tuple(column for column in SORTS if mapping.has(column))


# ── cells ───────────────────────────────────────────────────────────────────────────────────────


def state_cell(state: State | None) -> Text:
    """A state with its glyph and word, coloured where it wants a person's eye."""
    if state is None:
        return Text("? unmapped", "$warning")
    level = STATES.get(state)
    quiet = MUTED if state in ENDED else ""
    return Text(f"{STATE_GLYPHS[state]} {state}", MARKS[level].style if level else quiet)


def attempts_cell(job: Job) -> Text:
    if job.attempts is None:
        return _number(None)
    most = job.max_attempts
    text = f"{job.attempts}/{most}" if most is not None else str(job.attempts)
    last = most is not None and job.attempts >= most and job.state not in ENDED
    return Text(text, "$warning" if last else "")


def failure_cell(job: Job) -> Text:
    kind = job.failure_kind or ""
    given_up = job.state is not None and STATES.get(job.state) is not None
    return Text(kind, "" if given_up else MUTED)


def detail_cell(job: Job) -> Text:
    """The failure's first line; without one, how the payload begins."""
    if job.failure_detail:
        return Text(job.failure_detail)
    return Text(job.payload or "", MUTED)


def running_for(job: Job, look: Look) -> Text:
    if job.started_at is None or look.now is None:
        return _number(None)
    return Text(show_duration(max(0.0, (look.now - job.started_at).total_seconds())))


def lease_s(job: Job, now: datetime | None) -> float | None:
    """Seconds until the lease runs out; negative for one that did."""
    if job.lease_until is None or now is None:
        return None
    return (job.lease_until - now).total_seconds()


def lease_left(job: Job, look: Look) -> Text:
    left = lease_s(job, look.now)
    if left is None:
        return _number(None)
    if left < 0:
        return Text(f"out {show_duration(-left)}", "$warning")
    return Text(show_duration(left))


def lease_bar(job: Job, look: Look) -> Text:
    left = lease_s(job, look.now)
    if left is None or left <= 0 or look.lease_s <= 0:
        return Text()
    return Text(bar(left / look.lease_s, BAR), "$accent")


def _number(value: int | None) -> Text:
    return Text("–", MUTED) if value is None else Text(str(value))


# ── headings → columns ──────────────────────────────────────────────────────────────────────────


def _id(numeric: bool) -> Heading:
    width, limit = (1, None) if numeric else (8, 36)
    return Heading("ID", "id", lambda job: job.id, 0, numeric, width, limit)


def _time(title: str, column: str, look: Look, leaves: int) -> Heading:
    def cell(job: Job) -> Text:
        moment: datetime | None = getattr(job, column)
        if moment is None or look.now is None:
            return _number(None)
        show = show_time if moment > look.now else show_age
        return Text(show(moment, look.times, look.now))

    return Heading(title, column, cell, leaves, numeric=True)


def _shown(column: str, mapping: Mapping) -> bool:
    return (
        column == "status"
        or mapping.has(column)
        or (column == "failure_detail" and mapping.has("payload"))
    )


def _column(heading: Heading, *, keep: bool = False) -> Column[Job]:
    return Column(
        heading.title,
        heading.cell,
        "right" if heading.numeric else "left",
        width=heading.width,
        limit=heading.limit,
        priority=0 if keep else heading.leaves,
        grows=heading.grows,
    )
