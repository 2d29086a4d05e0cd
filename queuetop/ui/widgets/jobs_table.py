"""A live list of jobs: the cursor and the marks belong to jobs, not to rows."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from rich.text import Text
from textual import events
from textual.message import Message

from queuetop.model.jobs import Job, Sort
from queuetop.ui.widgets.columns import Column
from queuetop.ui.widgets.grid import GUTTER, Grid
from queuetop.ui.widgets.job_columns import SORTS, sort_column

#: Rows from the end at which the next page is wanted.
NEAR = 60


class JobsTable(Grid[Job]):
    """As long as nobody has moved the cursor, it rides on the first row; from then on it stays on
    its job through every refresh, and where that is gone, on the nearest one that is still there."""

    DEFAULT_CSS = """
    JobsTable {
        height: 1fr;
        &.-stale { text-opacity: 60%; }
    }
    """

    class NearEnd(Message):
        """The last rows that are loaded come into sight."""

    class TopWanted(Message):
        """Somebody went to the first row, and may want what came before it since."""

    class SortWanted(Message):
        """A header was clicked; ``column`` is the canonical one."""

        def __init__(self, column: str) -> None:
            super().__init__()
            self.column = column

    class Marked(Message):
        """Marks were set or taken away."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  Textual's own word
        super().__init__((), attrgetter("id"), id=id)
        #: The marked jobs by id, as they were last seen.
        self.marks: dict[str, Job] = {}
        self.marked = self.marks
        self.order: Sort | None = None
        self._touched = False
        self._last_mark: str | None = None

    # What is shown

    @property
    def touched(self) -> bool:
        """Whether somebody has moved: the list must not run away from where they look."""
        return self._touched or self.scroll_y > 0

    @property
    def seen(self) -> range:
        """The rows on the screen."""
        return self._window()

    def rearrange(self, columns: Sequence[Column[Job]]) -> None:
        """Other columns from now on."""
        self.columns = tuple(columns)
        self.forget_widths()

    def show(self, rows: Sequence[Job]) -> None:
        if not self.touched:
            self._at, self._key = 0, None
        elif self._key is not None:
            self._key = self._nearest(rows)
        top = self._top_row()
        super().show(rows)
        self._hold(top)
        if self.marks:
            self.marks.update((job.id, job) for job in self.rows if job.id in self.marks)
        self._ask_for_more()

    def restart(self, *, keep_job: bool = False) -> None:
        """Another list comes: from its top, unless the cursor's job shall be found again in it."""
        self._touched = keep_job and self._touched
        if not self._touched:
            self.scroll_to(y=0, animate=False, force=True)

    def caption(self, column: Column[Job]) -> str:
        order = self.order
        if order is None or not column.title or sort_column(column.title) != order.column:
            return column.title
        return f"{column.title} {'▾' if order.descending else '▴'}"

    # Marks

    def toggle_mark(self) -> None:
        """Marks the job under the cursor, or takes its mark away, and goes one down."""
        job = self.cursor_row
        if job is not None:
            self._toggle(job)
            self.action_cursor_down()

    def mark_range(self) -> None:
        """Marks everything from the last mark to the cursor."""
        job = self.cursor_row
        if job is None:
            return
        here = self._keys[job.id]
        start = self._keys.get(self._last_mark or "", here)
        low, high = min(start, here), max(start, here)
        self.marks.update((each.id, each) for each in self.rows[low : high + 1])
        self._last_mark = job.id
        self._touch_marks()

    def clear_marks(self) -> bool:
        """Takes all marks away; False where there are none."""
        if not self.marks:
            return False
        self.marks.clear()
        self._last_mark = None
        self._touch_marks()
        return True

    def chosen(self) -> tuple[Job, ...]:
        """The marked jobs, in the list's order where they are in it; else the one under the cursor."""
        if not self.marks:
            return (self.cursor_row,) if self.cursor_row is not None else ()
        here = [job for job in self.rows if job.id in self.marks]
        return (*here, *(job for job in self.marks.values() if job.id not in self._keys))

    def beside(self, job_id: str, step: int) -> str | None:
        """Moves to the job that is ``step`` rows from this one; None at the ends."""
        index = self._keys.get(job_id)
        if index is None or not 0 <= index + step < len(self.rows):
            return None
        self._go(index + step)
        return self.cursor_key

    def _toggle(self, job: Job) -> None:
        if self.marks.pop(job.id, None) is None:
            self.marks[job.id] = job
            self._last_mark = job.id
        self._touch_marks()

    def _touch_marks(self) -> None:
        self._touched = True
        self.refresh()
        self.post_message(self.Marked())

    # Moving

    def action_first(self) -> None:
        super().action_first()
        self.post_message(self.TopWanted())

    def action_choose(self) -> None:
        self._touched = True
        super().action_choose()

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        column = self.column_at(event)
        wanted = sort_column(column.title) if column is not None and column.title else None
        if wanted is not None:
            self.post_message(self.SortWanted(wanted))
            return
        index, offset = self._index_at(event), event.get_content_offset(self)
        if index is not None and offset is not None and offset.x < GUTTER:
            self._go(index)
            self._toggle(self.rows[index])
            return
        super().on_click(event)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._ask_for_more()

    def _go(self, index: int) -> None:
        self._touched = True
        super()._go(index)
        self._ask_for_more()

    def _nearest(self, rows: Sequence[Job]) -> str | None:
        """The cursor's job, or the one that stood nearest to it, among those that are there now."""
        there = {job.id for job in rows}
        if self._key in there:
            return self._key
        below = range(self._at + 1, len(self.rows))
        above = range(self._at - 1, -1, -1)
        for index in _taking_turns(below, above):
            if self.rows[index].id in there:
                return self.rows[index].id
        return None

    def _top_row(self) -> str | None:
        """The first row on the screen, where somebody scrolled away from the cursor."""
        seen = self._window()
        return self.rows[seen.start].id if seen and self._at not in seen else None

    def _hold(self, top: str | None) -> None:
        """Keeps that row where it was on the screen."""
        if top is not None and top in self._keys:
            self.scroll_to(y=self._keys[top], animate=False, force=True)

    def _gutter(self, row: Job, index: int) -> Text:
        """A mark stands where the cursor's sign does: the cursor has its ground besides."""
        if row.id in self.marks:
            return Text("•", "bold $accent")
        return super()._gutter(row, index)

    def _ask_for_more(self) -> None:
        if self.rows and max(self._at, self._window().stop) + NEAR >= len(self.rows):
            self.post_message(self.NearEnd())


def default_sort(column: str) -> Sort:
    """This column in the direction that people mean first."""
    return Sort(column, SORTS.get(column, True))


def _taking_turns(one: range, other: range) -> list[int]:
    turns = [index for pair in zip(one, other, strict=False) for index in pair]
    shorter = min(len(one), len(other))
    return [*turns, *one[shorter:], *other[shorter:]]
