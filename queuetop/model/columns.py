"""The canonical columns: what queuetop knows of a job, whatever its table calls it."""

from __future__ import annotations

from msgspec import Struct

TIMES = ("created_at", "ready_at", "lease_until", "started_at", "finished_at", "failed_at")
NUMBERS = ("attempts", "max_attempts", "priority", "requeues")
TEXTS = (
    "queue",
    "kind",
    "worker",
    "failure_kind",
    "failure_detail",
    "payload",
    "idempotency_key",
    "result_key",
)
CANONICAL = ("id", "status", *TIMES, *NUMBERS, *TEXTS)


class Columns(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Canonical = physical name. Only ``id`` and ``status`` are required, the latter unless
    ``[states]`` says everything; a column that is not there makes its measures unavailable."""

    id: str | None = None
    status: str | None = None
    queue: str | None = None
    kind: str | None = None
    priority: str | None = None
    created_at: str | None = None
    ready_at: str | None = None
    lease_until: str | None = None
    started_at: str | None = None
    finished_at: str | None = None
    failed_at: str | None = None
    attempts: str | None = None
    max_attempts: str | None = None
    requeues: str | None = None
    worker: str | None = None
    failure_kind: str | None = None
    failure_detail: str | None = None
    payload: str | None = None
    idempotency_key: str | None = None
    result_key: str | None = None

    def named(self) -> dict[str, str]:
        """Only what is mapped, in canonical order."""
        pairs = ((name, getattr(self, name)) for name in CANONICAL)
        return {name: value for name, value in pairs if value is not None}
