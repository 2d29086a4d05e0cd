"""Rows of lists and details as jobs, with text made harmless and secrets masked."""

from __future__ import annotations

import json
from functools import lru_cache

from queuetop.model.jobs import Cursor, Job
from queuetop.model.mapping import Mapping
from queuetop.model.redact import mask, mask_text
from queuetop.model.states import State
from queuetop.model.text import clean, clean_lines
from queuetop.store.session import Row

_CELL = 300


def job(row: Row, mapping: Mapping) -> Job:
    """A list's row."""
    kind = _text(row.failure_kind, 120)
    gave_up = kind is not None or row.failure_detail is not None
    return Job(
        id=row.id,
        state=State(row.state) if row.state else None,
        queue=_text(row.queue),
        kind=_text(row.kind),
        priority=row.priority,
        created_at=row.created_at,
        ready_at=row.ready_at,
        lease_until=row.lease_until,
        started_at=row.started_at,
        finished_at=row.finished_at,
        failed_at=row.failed_at,
        attempts=row.attempts,
        max_attempts=row.max_attempts,
        requeues=row.requeues,
        worker=_text(row.worker),
        failure_kind=kind,
        failure_class=mapping.failure_classes.of(row.failure_kind) if gave_up else None,
        failure_detail=_secretless(telling_line(row.failure_detail)),
        payload=_secretless(decoded(row.payload)),
        idempotency_key=_text(row.idempotency_key),
        result_key=_text(row.result_key),
    )


def place(row: Row) -> Cursor:
    """Where a row stands in its list."""
    return Cursor(value=row.sort_text, id=row.id)


def telling_line(detail: str | None) -> str | None:
    """The line of a failure text that says most: a Python traceback's last, otherwise the first."""
    if detail is None:
        return None
    lines = [line for line in detail.splitlines() if line.strip()]
    if not lines:
        return detail
    return lines[-1] if lines[0].startswith("Traceback ") else lines[0]


def decoded(payload: str | None) -> str | None:
    """Text of a bytea payload where it is UTF-8; other text as it is."""
    if payload is None or not payload.startswith("\\x"):
        return payload
    try:
        digits = payload[2:]
        return bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8")
    except ValueError:
        return payload


def pretty(payload: str | None) -> str | None:
    """A payload for reading: indented JSON with secrets masked, or its text."""
    text = decoded(payload)
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return clean_lines(mask_text(text))
    if not isinstance(value, dict | list):
        return clean_lines(mask_text(text))
    try:
        return clean_lines(json.dumps(mask(value), indent=2, ensure_ascii=False))
    except (ValueError, RecursionError):
        return clean_lines(mask_text(text))


def stored_value(text: str | None, *, secret: bool) -> str | None:
    """One physical column's text for the detail view."""
    if text is None:
        return None
    return "••••" if secret else clean_lines(_masked(text))


def _masked(text: str) -> str:
    """JSON is masked by structure, other text by pattern."""
    if text[:1] in "{[":
        try:
            return json.dumps(mask(json.loads(text)), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    return mask_text(text)


def _text(value: object, limit: int = _CELL) -> str | None:
    return None if value is None else clean(value, limit)


@lru_cache(maxsize=4096)
def _secretless(text: str | None) -> str | None:
    """A cell of a list; remembered, because a list that is looked at is read again every tick."""
    return None if text is None else clean(mask_text(text[: 2 * _CELL]), _CELL)
