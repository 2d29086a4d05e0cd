"""A small live table: all rows at hand, sorted here. For failures, queues and their like.

table = Table(
    [
        Column("KIND", lambda row: row.kind, limit=24, sort=lambda row: row.kind),
        Column("COUNT", lambda row: number(row.count), "right", sort=…, descending=True),
        Column("EXAMPLE", lambda row: row.example, priority=1, grows=True),
    ],
    key=lambda row: row.kind,
    empty="No job gave up.",
)
table.show(rows)            # for each snapshot; the cursor keeps to its key

@on(Table.Chosen, "#kinds")     # enter: event.key
@on(Table.Moved, "#kinds")      # the cursor is elsewhere: event.key, or None
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType

from queuetop.ui.widgets.columns import Column, Row
from queuetop.ui.widgets.grid import Grid

__all__ = ["Column", "Table"]


class Table(Grid[Row]):
    """Rows in the order given, until ``s`` or a click on a header sorts by a column."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort_next", "Sort", show=False),
        Binding("S", "sort_reverse", "Reverse", show=False),
    ]

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], str],
        *,
        empty: str = "",
        id: str | None = None,  # noqa: A002  Textual's own word
        classes: str | None = None,
    ) -> None:
        super().__init__(columns, key, empty=empty, id=id, classes=classes)
        self._given: tuple[Row, ...] = ()
        self._by: Column[Row] | None = None
        self._descending = False

    def show(self, rows: Sequence[Row]) -> None:
        self._given = tuple(rows)
        super().show(self._sorted())

    def caption(self, column: Column[Row]) -> str:
        if column is not self._by:
            return column.title
        return f"{column.title} {'▾' if self._descending else '▴'}"

    def sort_by(self, column: Column[Row] | None, *, descending: bool = False) -> None:
        """Sorts by this column from now on; None is the order in which the rows are given."""
        self._by, self._descending = column, descending
        super().show(self._sorted())
        self.forget_widths()

    def action_sort_next(self) -> None:
        """The next sortable column on the screen, then the given order again."""
        shown = [placed.column for placed in self._placed if placed.column.sort]
        choices = [None, *shown]
        at = choices.index(self._by) if self._by in choices else 0
        column = choices[(at + 1) % len(choices)]
        self.sort_by(column, descending=bool(column and column.descending))

    def action_sort_reverse(self) -> None:
        if self._by is not None:
            self.sort_by(self._by, descending=not self._descending)

    def on_click(self, event: events.Click) -> None:
        column = self.column_at(event)
        if column is None or column.sort is None:
            return
        same = column is self._by
        self.sort_by(column, descending=not self._descending if same else column.descending)

    def _sorted(self) -> Sequence[Row]:
        if self._by is None or self._by.sort is None:
            return self._given
        value: Callable[[Row], Any] = self._by.sort
        known = [row for row in self._given if value(row) is not None]
        unknown = [row for row in self._given if value(row) is None]
        return [*sorted(known, key=value, reverse=self._descending), *unknown]
