"""The terms of the filter language: one table for parsing, completion, help and docs."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from msgspec import Struct

from queuetop.model.errors import UsageError
from queuetop.model.states import FailureClass, State
from queuetop.model.text import clean


class FilterError(UsageError):
    """A filter that cannot be read. ``at`` is the offset of the place in the text, from 0."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(f"Filter, character {at + 1}: {reason}")
        self.at = at
        self.reason = reason


class Term(Struct, frozen=True, kw_only=True):
    """One term. ``column`` is the canonical column whose known values complete it."""

    name: str
    example: str
    meaning: str
    #: What the term asks of the server, in words.
    cost: str
    field: str
    column: str | None = None
    values: tuple[str, ...] = ()


TERMS = (
    Term(
        name="state",
        example="state:failed,stalled",
        meaning="where the job is in its life",
        cost="cheap: the table's own index on the state leads the search",
        field="states",
        values=tuple(State),
    ),
    Term(
        name="queue",
        example="queue:mail,reports",
        meaning="the queue's name",
        cost="cheap with an index on the queue, else every job in the window is looked at",
        field="queues",
        column="queue",
    ),
    Term(
        name="kind",
        example='kind:"send mail"',
        meaning="what sort of work it is",
        cost="every job in the window is looked at, unless an index has the kind",
        field="kinds",
        column="kind",
    ),
    Term(
        name="failure",
        example="failure:EXTERNAL_5XX",
        meaning="the stored sort of the failure",
        cost="only jobs that gave up are looked at, newest first",
        field="failures",
        column="failure_kind",
    ),
    Term(
        name="class",
        example="class:theirs",
        meaning="what the failure means for you: theirs, ours, unknown-outcome, unclassified",
        cost="as dear as the failure kinds that it stands for",
        field="classes",
        values=tuple(FailureClass),
    ),
    Term(
        name="id",
        example="id:42,43",
        meaning="the job's id",
        cost="one look-up in the primary key for each id",
        field="ids",
    ),
    Term(
        name="worker",
        example="worker:app-7",
        meaning="who claimed it",
        cost="cheap for running and stalled jobs, else every job in the window is looked at",
        field="workers",
        column="worker",
    ),
    Term(
        name="since",
        example="since:1h",
        meaning="from then on: a length of time ago, a date, or an ISO time (UTC where no zone is given)",
        cost="cheap with an index on the time, and it makes the search shorter",
        field="since",
    ),
    Term(
        name="until",
        example="until:2026-01-31T12:00Z",
        meaning="up to then, written like since; a date means its first moment",
        cost="cheap with an index on the time",
        field="until",
    ),
    Term(
        name="attempts",
        example="attempts>3",
        meaning="how often it was claimed: attempts>3, attempts>=2, attempts:1",
        cost="every job in the window is looked at",
        field="attempts",
    ),
    Term(
        name="text",
        example='timeout "two words"',
        meaning="words without a term: each must be in the failure text, the payload, the kind or the id",
        cost="dear: the text of every job in the window is read",
        field="words",
    ),
)
#: Terms that are written with their name; text has none.
NAMED = {term.name: term for term in TERMS if term.name != "text"}


def nearest(word: str, valid: Iterable[str]) -> str:
    """The end of a sentence: what the word was probably meant to be, or all that it could be."""
    names = list(valid)
    close = get_close_matches(word.lower(), names, n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else f"; there are {', '.join(names)}"


def show(text: str) -> str:
    """A typed word inside a sentence: harmless, quoted and not too long."""
    return f'"{clean(text, 40)}"'
