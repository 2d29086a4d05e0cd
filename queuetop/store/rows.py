"""Rows of lists and details as jobs, with text made harmless and secrets masked."""

from __future__ import annotations

import json
from codecs import getincrementaldecoder
from decimal import Decimal
from functools import lru_cache

import msgspec

from queuetop.model.jobs import Cursor, Job
from queuetop.model.mapping import Mapping
from queuetop.model.redact import MASK, mask, mask_text
from queuetop.model.states import State
from queuetop.model.text import CELL, KIND, clean, clean_lines
from queuetop.store.session import Row

_EXACT = msgspec.json.Encoder(decimal_format="number")


def job(row: Row, mapping: Mapping) -> Job:
    """A list's row."""
    kind = _text(row.failure_kind, KIND)
    gave_up = kind is not None or row.failure_detail is not None
    return Job(
        id=clean(row.id),
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
        failure_detail=_secretless(_line(row.failure_detail)),
        payload=_secretless(decoded(row.payload)),
        idempotency_key=_text(row.idempotency_key),
        result_key=_text(row.result_key),
    )


def place(row: Row) -> Cursor:
    """Where a row stands in its list."""
    return Cursor(value=row.sort_text, id=row.id)


def telling_line(detail: str) -> str:
    """The line of a failure text that says most: a Python traceback's last, otherwise the first."""
    lines = [line for line in detail.splitlines() if line.strip()]
    if not lines:
        return detail
    return lines[-1] if lines[0].startswith("Traceback ") else lines[0]


def _line(detail: str | None) -> str | None:
    return None if detail is None else telling_line(detail)


def decoded(payload: str | None) -> str | None:
    """Text of a bytea payload where it is UTF-8, also one that was cut; other text as it is."""
    if payload is None or not payload.startswith("\\x"):
        return payload
    try:
        digits = payload[2:]
        data = bytes.fromhex(digits[: len(digits) // 2 * 2])
        return getincrementaldecoder("utf-8")().decode(data)
    except ValueError:
        return payload


def pretty(payload: str | None) -> str | None:
    """A payload for reading: indented JSON with secrets masked, or its text."""
    text = decoded(payload)
    return None if text is None else clean_lines(_masked(text, indent=2))


def stored_value(text: str | None, *, secret: bool) -> str | None:
    """One physical column's text for the detail view."""
    if text is None:
        return None
    return MASK if secret else clean_lines(_masked(text, indent=0))


def _masked(text: str, *, indent: int) -> str:
    """JSON is masked by structure, with every number as it is written; other text by pattern."""
    if text.lstrip()[:1] not in {"{", "["}:
        return mask_text(text)
    try:
        value = json.loads(text, parse_float=Decimal, parse_int=Decimal, parse_constant=_refuse)
        encoded = _EXACT.encode(mask(value))
        return msgspec.json.format(encoded, indent=indent).decode()
    except (ValueError, ArithmeticError, RecursionError):
        return mask_text(text)


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _text(value: object, limit: int = CELL) -> str | None:
    return None if value is None else clean(value, limit)


@lru_cache(maxsize=4096)
def _secretless(text: str | None) -> str | None:
    """A cell of a list; remembered, because a list that is looked at is read again every tick."""
    return None if text is None else clean(mask_text(text[: 2 * CELL]), CELL)
