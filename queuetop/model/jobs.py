"""Jobs as lists and the detail view show them. All text is clean when these are built."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from queuetop.model.measure import Measure
from queuetop.model.states import FailureClass, State


class Job(Struct, frozen=True, kw_only=True):
    """One row of a list. ``id`` is the id's own text and survives a round trip to the server."""

    id: str
    state: State | None
    queue: str | None = None
    kind: str | None = None
    priority: int | None = None
    created_at: datetime | None = None
    ready_at: datetime | None = None
    lease_until: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    failed_at: datetime | None = None
    attempts: int | None = None
    max_attempts: int | None = None
    requeues: int | None = None
    worker: str | None = None
    failure_kind: str | None = None
    failure_class: FailureClass | None = None
    #: The first line, cut.
    failure_detail: str | None = None
    #: The first characters, masked.
    payload: str | None = None
    idempotency_key: str | None = None
    result_key: str | None = None


class Sort(Struct, frozen=True):
    """The order of a list: a canonical column, ties broken by id."""

    column: str = "created_at"
    descending: bool = True


class Cursor(Struct, frozen=True):
    """Where a page ended: the sort value at full precision as text (None for NULL), and the id."""

    value: str | None
    id: str


class Page(Struct, frozen=True, kw_only=True, eq=False):
    """One page of jobs. ``window`` says in words which jobs were looked at, always."""

    jobs: tuple[Job, ...]
    next: Cursor | None
    window: str
    taken_at: datetime
    cost_ms: float
    matched: Measure
    #: Where each job stands in the order, so that a list can be read again from any of them.
    places: tuple[Cursor, ...] = ()


class Field(Struct, frozen=True):
    """One physical column of a job, as text. ``value`` None is NULL."""

    name: str
    type: str
    value: str | None
    cut: bool = False


class JobDetail(Struct, frozen=True, kw_only=True, eq=False):
    """A job whole: every column, the failure text, and why it is not running."""

    job: Job
    fields: tuple[Field, ...]
    #: The whole failure text, lines kept.
    failure_text: str | None
    #: Pretty JSON where the payload is JSON, else its text; masked.
    payload_text: str | None
    #: Sentences, the deciding one first; empty for a job that is not waiting.
    why_waiting: tuple[str, ...]
    taken_at: datetime
