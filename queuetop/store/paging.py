"""The statements of a page of jobs: as many FROM items as the states need, joined by keyset order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import sql

from queuetop.model.columns import CANONICAL, NUMBERS, TIMES
from queuetop.model.errors import UsageError
from queuetop.model.facts import CAP
from queuetop.model.jobs import Cursor, Sort
from queuetop.model.selection import Selection
from queuetop.store import files
from queuetop.store.compose import all_of
from queuetop.store.panels import failure_kind, message
from queuetop.store.selecting import Compiled
from queuetop.store.session import Bound
from queuetop.store.shape import Field, Shape, Side

#: How many of the newest jobs a list looks at where no index serves its filter.
WINDOW = 100_000

SORTABLE = ("id", *TIMES, *NUMBERS)

_DIRECTION = {True: sql.SQL("desc"), False: sql.SQL("asc")}
_AFTER = {True: sql.SQL("<"), False: sql.SQL(">")}
_UNION = sql.SQL(" union all ")
SHOWN = tuple(name for name in CANONICAL if name not in {"status", "failure_kind"})


class Paging:
    """One list: a selection in an order, whole or among the newest jobs by id."""

    def __init__(self, shape: Shape, selection: Selection, sort: Sort, *, window: bool) -> None:
        if sort.column not in SORTABLE:
            raise UsageError(f"jobs cannot be sorted by {sort.column}; use {', '.join(SORTABLE)}")
        self.selection = selection
        self._sort = sort
        self._compiled = Compiled(shape, selection)
        self._window = window and shape.windowable
        self.sides = shape.sides(selection.states, window=self._window)
        keys = [side.fields.get(sort.column) for side in self.sides]
        #: Times with and without a zone in one list are only comparable as what they mean.
        self._by_value = len({key.zone for key in keys if key is not None}) > 1
        # Composed once: it also fills the parameters, and refuses what the mapping cannot filter.
        self._where = [[s.where, *self._compiled.on(s), self._compiled.text(s)] for s in self.sides]
        if sort.column != "id" and not any(s.get(sort.column) for s in shape.sides()):
            raise UsageError(
                f"this table's mapping has no column for {sort.column}; sort by another one"
            )

    @property
    def windowed(self) -> bool:
        return self._window

    def page(self, after: Cursor | None, limit: int) -> Bound:
        """Jobs from behind ``after`` on: those that have the sort column's value, or, where ``after``
        has none, those that have none."""
        rest = self._rest(after, limit) if self._in_rest(after) else None
        if rest is not None:
            return rest
        branches = [
            self._branch(side, where, [*self._named(side), *self._known(side, after)])
            for side, where in zip(self.sides, self._where, strict=True)
            if self._sort.column == "id" or side.get(self._sort.column)
        ]
        return self._statement(branches, after, limit)

    def tail(self, after: Cursor | None, limit: int) -> list[Bound]:
        """What comes behind the last of ``page``: jobs whose sort column is NULL, by id, and then
        jobs without an id, which no cursor can name."""
        rest = None if self._in_rest(after) else self._rest(None, limit)
        return [bound for bound in (rest, self._nameless(limit)) if bound is not None]

    def _in_rest(self, after: Cursor | None) -> bool:
        """Whether what comes next has no value to sort by, or nothing has."""
        if self._sort.column == "id":
            return False
        if after is not None and after.value is None:
            return True
        return not any(side.get(self._sort.column) for side in self.sides)

    def _rest(self, after: Cursor | None, limit: int) -> Bound | None:
        """None where the sort column can have no NULL."""
        if self._sort.column == "id":
            return None
        branches = []
        for side, where in zip(self.sides, self._where, strict=True):
            field = side.get(self._sort.column)
            if field is not None and field.not_null:
                continue
            extra: list[sql.Composable] = [sql.SQL("{} is null").format(field.raw)] if field else []
            if after is not None:
                extra.append(self._beyond_id(side))
            branches.append(self._branch(side, where, [*self._named(side), *extra]))
        return self._statement(branches, after, limit) if branches else None

    def _nameless(self, limit: int) -> Bound | None:
        branches = [
            self._branch(side, where, [sql.SQL("{} is null").format(side.fields["id"].raw)])
            for side, where in zip(self.sides, self._where, strict=True)
            if not side.fields["id"].not_null
        ]
        return self._statement(branches, None, limit) if branches else None

    @staticmethod
    def _named(side: Side) -> list[sql.Composable]:
        field = side.fields["id"]
        return [] if field.not_null else [sql.SQL("{} is not null").format(field.raw)]

    def count(self) -> Bound:
        """How many match, up to the cap."""
        branches = _UNION.join(
            files.fragment("browse/count_branch").format(source=side.source, where=all_of(where))
            for side, where in zip(self.sides, self._where, strict=True)
        )
        statement = files.load("browse/count").format(branches=branches)
        return Bound(statement, self._params() | {"cap": CAP})

    def _known(self, side: Side, after: Cursor | None) -> list[sql.Composable]:
        field = side.fields[self._sort.column]
        if self._sort.column == "id":
            return [self._beyond_id(side)] if after is not None else []
        known: list[sql.Composable] = (
            [] if field.not_null else [sql.SQL("{} is not null").format(field.raw)]
        )
        if after is None:
            return known
        beyond = sql.SQL("({}, {}) {} (%(after_value)s, %(after_id)s)").format(
            self._key(field), side.fields["id"].raw, _AFTER[self._sort.descending]
        )
        return [*known, beyond]

    def _beyond_id(self, side: Side) -> sql.Composable:
        return sql.SQL("{} {} %(after_id)s").format(
            side.fields["id"].raw, _AFTER[self._sort.descending]
        )

    def _key(self, field: Field) -> sql.Composable:
        return field.value if self._by_value else field.raw

    def _branch(
        self, side: Side, where: list[sql.Composable], extra: list[sql.Composable]
    ) -> sql.Composable:
        key = side.get(self._sort.column)
        return files.fragment("browse/jobs_branch").format(
            **{name: side.value(name) for name in SHOWN},
            id_key=side.fields["id"].raw,
            sort_key=self._key(key) if key else side.value(self._sort.column),
            state=side.state,
            failure_kind=failure_kind(side),
            message=message(side),
            source=side.source,
            where=all_of([*where, *extra]),
            direction=_DIRECTION[self._sort.descending],
        )

    def _statement(
        self, branches: Sequence[sql.Composable], after: Cursor | None, limit: int
    ) -> Bound:
        statement = files.load("browse/jobs").format(
            branches=_UNION.join(branches), direction=_DIRECTION[self._sort.descending]
        )
        params = self._params() | {"limit": limit}
        if after is not None:
            params |= {"after_value": after.value, "after_id": after.id}
        return Bound(statement, params)

    def _params(self) -> dict[str, Any]:
        return self._compiled.params | ({"window": WINDOW} if self._window else {})
