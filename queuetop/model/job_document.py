"""The JSON of jobs that other programs read, beside that of snapshots in ``document``."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, structs

from queuetop.model.document import SCHEMA_VERSION, MappingPart, Moment, mapping_part
from queuetop.model.jobs import Job, JobDetail
from queuetop.model.snapshot import MappingRef
from queuetop.model.states import FailureClass, State


class JobDocument(Struct):
    """``queuetop jobs --json``: one line for each job. Null is NULL, or a column that is not mapped."""

    schema_version: Literal[1]
    id: str
    state: State | None
    queue: str | None
    kind: str | None
    priority: int | None
    created_at: Moment | None
    ready_at: Moment | None
    lease_until: Moment | None
    started_at: Moment | None
    finished_at: Moment | None
    failed_at: Moment | None
    attempts: int | None
    max_attempts: int | None
    requeues: int | None
    worker: str | None
    failure_kind: str | None
    failure_class: FailureClass | None
    failure_detail: str | None
    payload: str | None
    idempotency_key: str | None
    result_key: str | None


class FieldPart(Struct):
    """One physical column as text; ``cut`` when it is longer than what is shown."""

    name: str
    type: str
    value: str | None
    cut: bool


class DetailDocument(Struct):
    """``queuetop show ID --json``. ``payload`` is masked text, pretty where it is JSON."""

    schema_version: Literal[1]
    taken_at: Moment
    mapping: MappingPart
    job: JobDocument
    fields: tuple[FieldPart, ...]
    failure_text: str | None
    payload: str | None
    why_waiting: tuple[str, ...]


def job_document(job: Job) -> JobDocument:
    """A row of a list."""
    values = {name: getattr(job, name) for name in Job.__struct_fields__}
    return JobDocument(schema_version=SCHEMA_VERSION, **values)


def detail_document(detail: JobDetail, mapping: MappingRef) -> DetailDocument:
    """A job whole."""
    return DetailDocument(
        schema_version=SCHEMA_VERSION,
        taken_at=detail.taken_at,
        mapping=mapping_part(mapping),
        job=job_document(detail.job),
        fields=tuple(FieldPart(**structs.asdict(field)) for field in detail.fields),
        failure_text=detail.failure_text,
        payload=detail.payload_text,
        why_waiting=detail.why_waiting,
    )
