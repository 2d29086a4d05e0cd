"""A mapping for a table that no preset knows, guessed from names, types, enum labels and stored values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

from queuetop.model.catalog import Catalog, Column, Relation, RelationKind
from queuetop.model.columns import CANONICAL, NUMBERS, TIMES, Columns
from queuetop.model.guess_words import (
    COLUMNS,
    DOUBTFUL_COLUMNS,
    DOUBTFUL_STATUSES,
    FLAGS,
    STATUSES,
    TABLES,
)
from queuetop.model.mapping import Mapping, StatusValues, Value
from queuetop.model.names import join_name
from queuetop.model.stored import stored_values
from queuetop.model.text import clean

_NUMERIC = ("smallint", "integer", "bigint", "numeric")
_TEXTUAL = ("text", "character", "name", "citext", "bpchar")
#: A status has few values; a column with more of them is something else.
_MOST_VALUES = 30


class Confidence(StrEnum):
    SURE = "sure"
    LIKELY = "likely"
    UNSURE = "unsure"


class ColumnGuess(Struct, frozen=True, kw_only=True):
    """Which column is the canonical one, and why."""

    name: str
    column: str
    confidence: Confidence
    reason: str


class ValueGuess(Struct, frozen=True, kw_only=True):
    """What a stored status value means, and why; no family: no rule names it."""

    value: Value
    family: str | None
    confidence: Confidence
    reason: str


class Guess(Struct, frozen=True, kw_only=True):
    """The guess for one relation. ``score`` is how much it looks like a queue: 0 not at all, 1 fully."""

    relation: Relation
    mapping: Mapping
    columns: tuple[ColumnGuess, ...]
    values: tuple[ValueGuess, ...]
    #: Sentences: what has to be filled in before the mapping holds.
    missing: tuple[str, ...]
    score: float

    @property
    def complete(self) -> bool:
        """Whether the mapping can be used as it is."""
        return not self.missing

    @property
    def looks_like_queue(self) -> bool:
        return self.score >= 0.5

    @property
    def unnamed(self) -> tuple[Value, ...]:
        """Stored status values that the mapping does not name."""
        return tuple(guess.value for guess in self.values if guess.family is None)

    def notes(self) -> dict[str, str]:
        """The doubts, as comments for ``encode``."""
        notes = {
            f"[columns] {guess.name}": f"{guess.confidence}: {guess.reason}"
            for guess in self.columns
            if guess.confidence is not Confidence.SURE
        }
        lines = [
            f"{clean(guess.value)}: {guess.confidence}, {guess.reason}"
            for guess in self.values
            if guess.confidence is not Confidence.SURE
        ]
        return notes | ({"[status]": "\n".join(lines)} if lines else {})


def guess(relation: Relation) -> Guess:
    """The best guess. With the indexes and ``common_values`` of ``relation`` it is a better one."""
    columns = tuple(_columns(relation))
    physical = {found.name: found.column for found in columns}
    status = relation.column(physical.get("status", ""))
    values = tuple(_values(relation, status)) if status else ()
    families: dict[str, Any] = {}
    for value in values:
        if value.family is not None:
            families.setdefault(value.family, []).append(value.value)
    mapping = Mapping(
        schema=1,
        name=clean(relation.name, 60),
        table=join_name(relation.schema, relation.name),
        columns=Columns(**physical),
        status=StatusValues(**{family: tuple(known) for family, known in families.items()}),
    )
    return Guess(
        relation=relation,
        mapping=mapping,
        columns=columns,
        values=values,
        missing=tuple(_missing(relation, mapping, values)),
        score=_score(relation, mapping),
    )


def candidates(catalog: Catalog) -> list[Guess]:
    """The relations that look like queues, the likeliest first; behind them what may not be read."""
    guesses = [
        guess(relation)
        for relation in catalog.relations
        if relation.kind in {RelationKind.TABLE, RelationKind.PARTITIONED, RelationKind.VIEW}
    ]
    return sorted(
        (found for found in guesses if found.looks_like_queue),
        key=lambda found: (not found.relation.readable, -found.score, found.relation.label),
    )


def _columns(relation: Relation) -> Iterator[ColumnGuess]:
    """One column for each canonical one, and each column once."""
    taken: set[str] = set()
    plain = {_plain(column.name, relation.name): column for column in reversed(relation.columns)}
    for name in CANONICAL:
        found = _identity(relation) if name == "id" else _by_name(name, plain, taken)
        if found is None and name == "status":
            found = _flag(plain, taken)
        if found is not None:
            taken.add(found.column)
            yield found


def _identity(relation: Relation) -> ColumnGuess | None:
    """The column of a unique index of its own, the one of a usual name first."""
    unique = {
        index.columns[0]
        for index in relation.indexes
        if index.unique and len(index.columns) == 1 and not index.predicate
    }
    named = [column for word in COLUMNS["id"] if (column := _named(word, relation)) is not None]
    for column in named:
        if column.name in unique:
            return _guessed("id", column, Confidence.SURE, "unique, and called so")
    for column in relation.columns:
        if column.name in unique and column.not_null:
            return _guessed(
                "id", column, Confidence.LIKELY, "the only unique column that is never NULL"
            )
    for column in named[:1]:
        sure = Confidence.LIKELY if relation.kind is not RelationKind.VIEW else Confidence.UNSURE
        return _guessed("id", column, sure, "called so, though no index says that it is unique")
    return None


def _named(word: str, relation: Relation) -> Column | None:
    known = {_snake(column.name): column for column in reversed(relation.columns)}
    return known.get(word)


def _by_name(name: str, plain: dict[str, Column], taken: set[str]) -> ColumnGuess | None:
    for number, word in enumerate(COLUMNS[name]):
        column = plain.get(word)
        if column is None or column.name in taken or not _fits(name, column):
            continue
        if name == "status" and not _could_be_status(column):
            continue
        if word in DOUBTFUL_COLUMNS:
            return _guessed(
                name, column, Confidence.UNSURE, "called so, which can mean other things too"
            )
        if number == 0 and _snake(column.name) == word:
            return _guessed(name, column, Confidence.SURE, "called so")
        return _guessed(name, column, Confidence.LIKELY, f"{name} is often called {word}")
    return None


def _flag(plain: dict[str, Column], taken: set[str]) -> ColumnGuess | None:
    for word in FLAGS:
        column = plain.get(word)
        if column is not None and column.base_type == "boolean" and column.name not in taken:
            return _guessed(
                "status", column, Confidence.UNSURE, "a yes or no that may say that work is done"
            )
    return None


def _fits(name: str, column: Column) -> bool:
    if name in TIMES:
        return column.is_time
    if name in NUMBERS:
        return column.base_type.startswith(_NUMERIC)
    return True


def _could_be_status(column: Column) -> bool:
    kind = bool(column.enum_labels) or column.is_integer or column.base_type.startswith(_TEXTUAL)
    return kind and len(column.common_values) <= _MOST_VALUES


def _guessed(name: str, column: Column, confidence: Confidence, reason: str) -> ColumnGuess:
    return ColumnGuess(name=name, column=column.name, confidence=confidence, reason=reason)


def _values(relation: Relation, column: Column) -> Iterator[ValueGuess]:
    if column.base_type == "boolean":
        reason = f"{clean(column.name)} reads like a yes or no about the work"
        yield ValueGuess(value=False, family="waiting", confidence=Confidence.UNSURE, reason=reason)
        yield ValueGuess(
            value=True, family="succeeded", confidence=Confidence.UNSURE, reason=reason
        )
        return
    for value in stored_values(relation, column)[:_MOST_VALUES]:
        yield _number(value) if column.is_integer else _word(value)


def _number(value: str) -> ValueGuess:
    whole = int(value) if value.removeprefix("-").isdecimal() else value
    reason = "a number says nothing by itself; look in the application for what it means"
    return ValueGuess(value=whole, family=None, confidence=Confidence.UNSURE, reason=reason)


def _word(value: str) -> ValueGuess:
    word = _snake(value)
    for family, words in STATUSES.items():
        if word in words:
            doubtful = word in DOUBTFUL_STATUSES
            return ValueGuess(
                value=value,
                family=family,
                confidence=Confidence.LIKELY if doubtful else Confidence.SURE,
                reason="usual for it, though it can mean other things"
                if doubtful
                else "usual for it",
            )
    return ValueGuess(
        value=value,
        family=None,
        confidence=Confidence.UNSURE,
        reason="no rule names it; put it where it belongs",
    )


def _missing(relation: Relation, mapping: Mapping, values: Sequence[ValueGuess]) -> Iterator[str]:
    if mapping.columns.id is None:
        yield "no column tells jobs apart: set id in [columns]"
    status = mapping.columns.status
    if status is None:
        yield "no column looks like a status: set status in [columns], or write [states] as predicates"
    elif not values:
        yield f"no stored value of {clean(status)} is known: write them into [status]"
    elif not mapping.status.families():
        seen = ", ".join(clean(value.value, 40) for value in values)
        yield f"what the values of {clean(status)} mean is not known ({seen}): write them into [status]"
    elif not mapping.status.waiting:
        yield f"no value of {clean(status)} stands for waiting work: set waiting in [status]"
    if relation.kind is RelationKind.VIEW and mapping.columns.id is None:
        yield "a view has no primary key: name a column that is unique"


#: What speaks for a queue, and how much.
_SPEAKS = {
    "ready_at": 0.2,
    "lease_until": 0.2,
    "attempts": 0.2,
    "max_attempts": 0.1,
    "worker": 0.1,
    "failure_detail": 0.1,
    "failed_at": 0.1,
    "started_at": 0.1,
    "payload": 0.1,
    "created_at": 0.05,
    "queue": 0.05,
}


def _score(relation: Relation, mapping: Mapping) -> float:
    named = mapping.columns.named()
    score = sum(weight for name, weight in _SPEAKS.items() if name in named)
    families = mapping.status.families()
    if "waiting" in families:
        score += (
            0.1
            + 0.2 * ("claimed" in families)
            + 0.1 * bool({"failed", "quarantined"} & families.keys())
        )
    elif "status" in named:
        score += 0.1
    score += 0.15 * bool(TABLES & set(_snake(relation.name).split("_")))
    return round(min(score, 1.0), 2)


def _snake(name: str) -> str:
    """``createdAt``, ``Created-At`` and ``CREATED AT`` as ``created_at``."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", parted.lower()).strip("_")


def _plain(name: str, table: str) -> str:
    """The name without the table's own name or a usual one before it: ``job_status`` is ``status``."""
    word = _snake(name)
    if any(word in words for words in COLUMNS.values()):
        return word
    own = _snake(table)
    for prefix in (own, own.removesuffix("s"), "job", "task", "message", "event"):
        if prefix and word.startswith(f"{prefix}_"):
            return word.removeprefix(f"{prefix}_")
    return word
