"""One job whole, and why it is not running."""

from __future__ import annotations

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
from queuetop.store.loaders import FAR_FUTURE, FAR_PAST
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
        return files.fragment("browse/stored")
    texts = sql.SQL(", ").join(
        sql.SQL("array[{}, left(j.{}::text, %(limit)s + 1)]").format(
            sql.Literal(column.name.replace("%", "%%")), ident(column.name)
        )
        for column in shape.relation.columns
    )
    return sql.SQL("array[{}]::text[]").format(texts)


def _fields(shape: Shape, stored: list[list[str | None]]) -> Iterator[Field]:
    known = {column.name: column.type for column in shape.relation.columns}
    for name, text in stored:
        cut = text is not None and len(text) > DETAIL
        yield Field(
            name=clean(name, 63),
            type=clean(known.get(name or "", ""), 63),
            value=rows.stored_value(text[:DETAIL] if text else text, secret=is_secret(name or "")),
            cut=cut,
        )


async def _detail(session: Session, shape: Shape, side: Side, row: Row, now: datetime) -> JobDetail:
    job = rows.job(row, shape.mapping)
    return JobDetail(
        job=job,
        fields=tuple(_fields(shape, row.stored or [])),
        failure_text=rows.stored_value(row.failure_detail, secret=False),
        payload_text=rows.pretty(row.payload),
        why_waiting=tuple(await _why(session, shape, job, row.whole_queue, now)),
        taken_at=now,
    )


async def _why(
    session: Session, shape: Shape, job: Job, queue: str | None, now: datetime
) -> list[str]:
    """The reasons why a job is not running, the deciding one first."""
    match job.state:
        case State.SCHEDULED if job.ready_at:
            return [f"It waits for its first run, {_due(job.ready_at, now)}."]
        case State.RETRYING if job.ready_at:
            tries = "one attempt" if job.attempts == 1 else f"{job.attempts or 0} attempts"
            return [f"It failed before ({tries}); its next try is {_due(job.ready_at, now)}."]
        case State.BLOCKED:
            return [
                "It is due, but a rule of its library holds it: a lock, a limit or a dependency."
            ]
        case State.PENDING:
            return await _why_pending(session, shape, job, queue, now)
        case None:
            return ["Its status is named by no rule of the mapping, so no state is known."]
        case _:
            return []


def _due(ready: datetime, now: datetime) -> str:
    if ready >= FAR_FUTURE:
        return "due at the end of time: something must set another time"
    return f"due in {show_duration((ready - now).total_seconds())}"


async def _why_pending(
    session: Session, shape: Shape, job: Job, queue: str | None, now: datetime
) -> list[str]:
    reasons = []
    if job.max_attempts is not None and (job.attempts or 0) >= job.max_attempts:
        reasons.append(
            f"It used {job.attempts} of {job.max_attempts} attempts: workers that check pass it over."
        )
    questions = _questions(shape, job, queue)
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
        noun = "job of this queue was" if ahead == 1 else "jobs of this queue were"
        reasons.append(f"{many} pending {noun} ready before it.")
    elif ahead == 0:
        reasons.append("No pending job of its queue was ready before it: it is next.")
    ready = job.ready_at or job.created_at
    if ready is not None:
        waited = show_duration((now - ready).total_seconds())
        since = f"for {waited}" if ready > FAR_PAST else "since ever"
        reasons.append(f"It has been due {since}; workers look every {shape.mapping.pickup.poll}.")
    return reasons


def _questions(shape: Shape, job: Job, queue: str | None) -> list[tuple[str, Bound]]:
    params: dict[str, Any] = shape.params | {"queue": queue}
    questions = []
    pending = shape.side(State.PENDING)
    moment = job.ready_at or job.created_at
    field = pending.get("ready_at" if job.ready_at else "created_at")
    if field is not None and moment is not None:
        earlier = sql.SQL("{} < {}").format(
            field.raw, field.edge(sql.SQL("%(moment)s::timestamptz"))
        )
        bound = _how_many(pending.source, pending.where, _same_queue(pending), earlier)
        questions.append(("ahead", Bound(bound, params | {"moment": moment})))
    if State.RUNNING in shape.states:
        running = shape.side(State.RUNNING)
        bound = _how_many(running.source, running.where, _same_queue(running))
        questions.append(("running", Bound(bound, params)))
    rule = shape.mapping.queues
    if rule is not None and queue is not None:
        name = shape.preset_sql(rule.name, "queues.name")
        bound = _how_many(
            shape.preset_sql(rule.from_, "queues.from"),
            shape.preset_sql(rule.paused, "queues.paused"),
            sql.SQL("({})::text = %(queue)s").format(name),
        )
        questions.append(("paused", Bound(bound, params)))
    return questions


def _how_many(
    source: sql.Composable,
    where: sql.Composable,
    same_queue: sql.Composable,
    earlier: sql.Composable = TRUE,
) -> sql.Composed:
    """Rows up to a thousand."""
    return files.load("browse/ahead").format(
        source=source, where=where, same_queue=same_queue, earlier=earlier
    )


def _same_queue(side: Side) -> sql.Composable:
    if side.get("queue") is None:
        return TRUE
    return sql.SQL("{} is not distinct from %(queue)s").format(side.value("queue"))
