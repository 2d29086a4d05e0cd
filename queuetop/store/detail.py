"""One job whole, and why it is not running."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from psycopg import sql

from queuetop.model.durations import show_duration
from queuetop.model.jobs import Field, Job, JobDetail
from queuetop.model.numbers import show_count
from queuetop.model.redact import is_secret
from queuetop.model.selection import Selection
from queuetop.model.states import State
from queuetop.model.text import DETAIL, clean
from queuetop.store import files, rows
from queuetop.store.compose import TRUE, ident
from queuetop.store.paging import SHOWN
from queuetop.store.panels import failure_kind
from queuetop.store.selecting import Compiled
from queuetop.store.session import Bound, Limits, Row, Session
from queuetop.store.shape import Shape, Side

_LIMITS = Limits(statement_s=5.0)
_SERVER = Bound(files.load("observe/server"), {})
_AHEAD = 1000


async def read(session: Session, shape: Shape, job_id: str) -> JobDetail | None:
    """The job of this id, from whichever FROM item has it; None where none has."""
    sides = shape.sides()
    if not shape.one_source:
        sides = [*sides, shape.everything()]
    statements = [_statement(shape, side, job_id) for side in sides]
    server, *answers = await session.read([_SERVER, *statements], _LIMITS)
    for side, answer in zip(sides, answers, strict=True):
        for row in answer.rows:
            return await _detail(session, shape, side, row, server.rows[0].now)
    return None


def _statement(shape: Shape, side: Side, job_id: str) -> Bound:
    compiled = Compiled(shape, Selection())
    is_it = compiled.ids(side, (job_id,))
    statement = files.load("browse/job").format(
        **{name: side.value(name) for name in SHOWN},
        failure_kind=failure_kind(side),
        state=side.state,
        stored=_stored(shape, side),
        source=side.source,
        where=side.where,
        is_it=is_it,
    )
    return Bound(statement, compiled.params | {"limit": DETAIL})


def _stored(shape: Shape, side: Side) -> sql.Composable:
    """Every physical column as text, cut, in the table's order: text has no odd values.

    A state with a FROM item of its own may find its rows elsewhere: there ``j`` is whatever it says.
    """
    if side.source is not shape.source:
        return sql.SQL("to_jsonb(j)")
    texts = sql.SQL(", ").join(
        sql.SQL("left(j.{}::text, %(limit)s + 1)").format(ident(column.name))
        for column in shape.relation.columns
    )
    return sql.SQL("array[{}]::text[]").format(texts)


def _fields(shape: Shape, stored: list[str | None] | dict[str, Any]) -> Iterator[Field]:
    if isinstance(stored, dict):
        known = {column.name: column.type for column in shape.relation.columns}
        values = [(name, known.get(name, ""), _as_text(value)) for name, value in stored.items()]
    else:
        columns = shape.relation.columns
        values = [(c.name, c.type, text) for c, text in zip(columns, stored, strict=True)]
    for name, kind, text in values:
        cut = text is not None and len(text) > DETAIL
        yield Field(
            name=clean(name, 63),
            type=clean(kind, 63),
            value=rows.stored_value(text[:DETAIL] if text else text, secret=is_secret(name)),
            cut=cut,
        )


def _as_text(value: Any) -> str | None:
    return (
        value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    )


async def _detail(session: Session, shape: Shape, side: Side, row: Row, now: datetime) -> JobDetail:
    job = rows.job(row, shape.mapping)
    detail = row.failure_detail
    return JobDetail(
        job=job,
        fields=tuple(_fields(shape, row.stored)),
        failure_text=rows.stored_value(detail, secret=False),
        payload_text=rows.pretty(row.payload),
        why_waiting=tuple(await _why(session, shape, side, job, now)),
        taken_at=now,
    )


async def _why(session: Session, shape: Shape, side: Side, job: Job, now: datetime) -> list[str]:
    """The reasons why a job is not running, the deciding one first."""
    match job.state:
        case State.SCHEDULED if job.ready_at:
            wait = show_duration((job.ready_at - now).total_seconds())
            return [f"It waits for its first run, due in {wait}."]
        case State.RETRYING if job.ready_at:
            wait = show_duration((job.ready_at - now).total_seconds())
            tries = "one attempt" if job.attempts == 1 else f"{job.attempts or 0} attempts"
            return [f"It failed before ({tries}) and tries again in {wait}."]
        case State.BLOCKED:
            return [
                "It is due, but a rule of its library holds it: a lock, a limit or a dependency."
            ]
        case State.PENDING:
            return await _why_pending(session, shape, side, job, now)
        case None:
            return ["Its status is named by no rule of the mapping, so no state is known."]
        case _:
            return []


async def _why_pending(
    session: Session, shape: Shape, side: Side, job: Job, now: datetime
) -> list[str]:
    reasons = []
    ready = job.ready_at or job.created_at
    if job.max_attempts is not None and (job.attempts or 0) >= job.max_attempts:
        reasons.append(
            f"It used {job.attempts} of {job.max_attempts} attempts: workers that check pass it over."
        )
    questions = _questions(shape, side, job)
    answers = await session.read([bound for _, bound in questions], _LIMITS)
    found = {
        name: answer.rows[0].jobs for (name, _), answer in zip(questions, answers, strict=True)
    }
    if found.get("paused"):
        reasons.insert(0, f"Its queue {job.queue} is paused.")
    if found.get("running") == 0:
        reasons.append("No job of this queue is running: perhaps no worker looks at it.")
    ahead = found.get("ahead")
    if ahead:
        many = f"at least {show_count(ahead)}" if ahead >= _AHEAD else show_count(ahead)
        reasons.append(f"{many} pending jobs of this queue were ready before it.")
    elif ahead == 0:
        reasons.append("No pending job of its queue was ready before it: it is next.")
    if ready is not None:
        waited = show_duration((now - ready).total_seconds())
        reasons.append(
            f"It has been due for {waited}; workers look every {shape.mapping.pickup.poll}."
        )
    return reasons


def _questions(shape: Shape, side: Side, job: Job) -> list[tuple[str, Bound]]:
    params: dict[str, Any] = shape.params | {"queue": job.queue, "id": job.id}
    questions = []
    ahead = files.load("browse/ahead")
    field = side.get("ready_at") or side.get("created_at")
    pending = shape.side(State.PENDING)
    if field is not None:
        moment = job.ready_at or job.created_at
        earlier = sql.SQL("{} < {}").format(
            field.raw, field.edge(sql.SQL("%(moment)s::timestamptz"))
        )
        bound = ahead.format(
            source=pending.source,
            where=pending.where,
            same_queue=_same_queue(pending),
            earlier=earlier,
        )
        questions.append(("ahead", Bound(bound, params | {"moment": moment})))
    if State.RUNNING in shape.states:
        running = shape.side(State.RUNNING)
        bound = ahead.format(
            source=running.source,
            where=running.where,
            same_queue=_same_queue(running),
            earlier=TRUE,
        )
        questions.append(("running", Bound(bound, params)))
    rule = shape.mapping.queues
    if rule is not None and job.queue is not None:
        bound = ahead.format(
            source=shape.preset_sql(rule.from_, "queues.from"),
            where=shape.preset_sql(rule.paused, "queues.paused"),
            same_queue=sql.SQL("({})::text = %(queue)s").format(
                shape.preset_sql(rule.name, "queues.name")
            ),
            earlier=TRUE,
        )
        questions.append(("paused", Bound(bound, params)))
    return questions


def _same_queue(side: Side) -> sql.Composable:
    if side.get("queue") is None:
        return TRUE
    return sql.SQL("{} is not distinct from %(queue)s").format(side.value("queue"))
