"""A selection compiled to one predicate with parameters: the same for list, count and export."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

from psycopg import sql

from queuetop.model.errors import UsageError
from queuetop.model.selection import Bound, Selection
from queuetop.model.states import FailureClass
from queuetop.model.text import CELL, HIDDEN, KIND, SHOWN, is_altered
from queuetop.store import files
from queuetop.store.compose import all_of, any_of
from queuetop.store.panels import failure_kind
from queuetop.store.shape import Field, Shape, Side

_OPERATORS = {
    "=": sql.SQL("="),
    ">": sql.SQL(">"),
    "<": sql.SQL("<"),
    ">=": sql.SQL(">="),
    "<=": sql.SQL("<="),
}
_BIGINT = range(-(2**63), 2**63)


class Compiled:
    """Predicates of a selection over one side; ``params`` are shared by all sides."""

    def __init__(self, shape: Shape, selection: Selection) -> None:
        self._shape = shape
        self._selection = selection
        self.params: dict[str, Any] = dict(shape.params)

    def on(self, side: Side) -> list[sql.Composable]:
        """Everything but the free text. Raises ``UsageError`` where the mapping lacks a column."""
        return list(self._terms(side))

    def text(self, side: Side) -> sql.Composable:
        """The predicate of the words without a term."""
        return all_of(
            self._word(side, f"word_{place}", word)
            for place, word in enumerate(self._selection.words)
            if word
        )

    def _word(self, side: Side, name: str, word: str) -> sql.Composable:
        if not _sendable(word):
            return sql.SQL("false")
        self.params[name] = word
        names = ("id", "kind", "idempotency_key", "failure_detail", "payload")
        return files.fragment("browse/text").format(
            **{name: side.value(name) for name in names},
            failure_kind=failure_kind(side),
            word=sql.Placeholder(name),
        )

    def _terms(self, side: Side) -> Iterator[sql.Composable]:
        wanted = self._selection
        for column, values in (
            ("queue", wanted.queues),
            ("kind", wanted.kinds),
            ("worker", wanted.workers),
        ):
            if values:
                yield self._among(column, _need(side, column).value, values)
        if wanted.failures:
            self._need_failures(side)
            yield self._among("failure", failure_kind(side), wanted.failures, limit=KIND)
        if wanted.classes:
            self._need_failures(side)
            yield any_of(self._class(side, name) for name in wanted.classes)
        if wanted.ids:
            yield self.ids(side, wanted.ids)
        yield from self._window(side)
        for place, compare in enumerate(wanted.attempts):
            if compare.op not in _OPERATORS:
                raise UsageError(
                    f"attempts cannot be compared by {compare.op!r}; use one of = > < >= <="
                )
            if compare.value not in _BIGINT:
                raise UsageError(f"attempts: {compare.value} is too large a number")
            name = f"attempts_{place}"
            self.params[name] = compare.value
            yield sql.SQL("{} {} {}").format(
                _need(side, "attempts").raw, _OPERATORS[compare.op], sql.Placeholder(name)
            )

    def _among(
        self, name: str, value: sql.Composable, values: tuple[str, ...], limit: int = CELL
    ) -> sql.Composable:
        """An empty value stands for a job that has none, one with marks also for what is shown so."""
        self.params[name] = [v for v in values if _sendable(v)]
        among = [sql.SQL("{} = any({})").format(value, sql.Placeholder(name))]
        if "" in values:
            among.append(sql.SQL("{} is null").format(value))
        altered = [v for v in self.params[name] if is_altered(v)]
        if altered:
            self.params |= {f"{name}_shown": altered, "hidden": HIDDEN, "shown": SHOWN, "cut": "…"}
            shown = files.fragment("browse/shown").format(value=value, limit=sql.Literal(limit))
            among.append(sql.SQL("{} = any({})").format(shown, sql.Placeholder(f"{name}_shown")))
        return any_of(among)

    def _class(self, side: Side, name: FailureClass) -> sql.Composable:
        classes = self._shape.mapping.failure_classes
        members = {
            FailureClass.THEIRS: classes.theirs,
            FailureClass.OURS: classes.ours,
            FailureClass.UNKNOWN_OUTCOME: classes.unknown_outcome,
        }
        kind = failure_kind(side)
        if name in members:
            return self._among(f"class_{name.replace('-', '_')}", kind, members[name])
        self.params["classified"] = [m for group in members.values() for m in group]
        return sql.SQL(
            "({kind} is not null or {detail} is not null) and {named} is not true"
        ).format(
            kind=kind,
            detail=side.value("failure_detail"),
            named=sql.SQL("({} = any(%(classified)s))").format(kind),
        )

    def ids(self, side: Side, values: tuple[str, ...], name: str = "ids") -> sql.Composable:
        """Ids as the column's own type, so that the primary key serves; what cannot be an id of
        that type matches nothing."""
        field = side.fields["id"]
        kind = field.column.base_type if field.column else "text"
        if field.column is not None and field.column.is_integer:
            self.params[name] = [n for n in map(_integer, values) if n is not None]
            return sql.SQL("{} = any({}::bigint[])").format(field.raw, sql.Placeholder(name))
        if kind == "uuid":
            self.params[name] = [u for u in map(_uuid, values) if u is not None]
            return sql.SQL("{} = any({}::uuid[])").format(field.raw, sql.Placeholder(name))
        return self._among(name, field.value, values)

    def _window(self, side: Side) -> Iterator[sql.Composable]:
        wanted = self._selection
        if wanted.since is None and wanted.until is None:
            return
        moments = {self._shape.moment(state) for state in wanted.states} or {"created_at"}
        field = _need(side, moments.pop() if len(moments) == 1 else "created_at")
        for name, bound, operator in (
            ("since", wanted.since, sql.SQL(">=")),
            ("until", wanted.until, sql.SQL("<=")),
        ):
            if bound is not None:
                yield sql.SQL("{} {} {}").format(
                    field.raw, operator, self._edge(field, name, bound)
                )

    def _edge(self, field: Field, name: str, bound: Bound) -> sql.Composable:
        if bound.at is not None:
            self.params[name] = bound.at
            return field.edge(sql.SQL("{}::timestamptz").format(sql.Placeholder(name)))
        self.params[name] = min(bound.ago_s or 0.0, 3.0e9)
        return field.edge(
            sql.SQL("(now() - make_interval(secs => {}))").format(sql.Placeholder(name))
        )

    @staticmethod
    def _need_failures(side: Side) -> None:
        if side.get("failure_kind") is None:
            _need(side, "failure_detail")


def _need(side: Side, column: str) -> Field:
    field = side.get(column)
    if field is None:
        raise UsageError(
            f"this table's mapping has no column for {column}, so it cannot be filtered by it"
        )
    return field


def _sendable(value: str) -> bool:
    """NUL and lone surrogates can be in no text of PostgreSQL: such a value matches nothing."""
    return not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value)


def _integer(value: str) -> int | None:
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,30}\s*", value):
        return None
    number = int(value)
    return number if number in _BIGINT else None


def _uuid(value: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(value)
    except ValueError:
        return None
