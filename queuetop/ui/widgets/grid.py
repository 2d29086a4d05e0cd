"""The ground of every table: rows drawn line by line from an immutable tuple, a cursor that keeps
to its row's key while rows come, go and change places, columns that leave when there is no room."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, ClassVar, Generic

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Span, Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style as ThemeStyle

from queuetop.ui import keys
from queuetop.ui.widgets.columns import GAP, Column, Placed, Row, place
from queuetop.ui.widgets.texts import fitted, text_of, width_of

#: Left of the first column: where the cursor is, and whether the row is marked.
GUTTER = 2
HEADER = 1


class Grid(ScrollView, Generic[Row], can_focus=True):
    """Rows of one sort under a header that stays.

    ``show`` hands over the rows; the cursor stays on its key, and where that is gone, on its place.
    Styles in cells may name colours of the theme (``$success``).
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "grid--header",
        "grid--cursor",
        "grid--marked",
        "grid--empty",
    }
    DEFAULT_CSS = """
    Grid {
        background: transparent;
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        & > .grid--header { color: $text-muted; text-style: none; }
        & > .grid--cursor {
            background: $block-cursor-blurred-background;
            text-style: $block-cursor-blurred-text-style;
        }
        & > .grid--marked { color: $accent; }
        & > .grid--empty { color: $text-muted; }
        &:focus > .grid--cursor {
            background: $block-cursor-background;
            text-style: $block-cursor-text-style;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(keys.TABLE),
        Binding("enter", "choose", "Open", show=False),
    ]

    class Moved(Message):
        """The cursor is on another row now."""

        def __init__(self, grid: Grid[Any], key: str | None) -> None:
            super().__init__()
            self.grid, self.key = grid, key

        @property
        def control(self) -> Grid[Any]:
            return self.grid

    class Chosen(Message):
        """``enter``, or a click on the row under the cursor."""

        def __init__(self, grid: Grid[Any], key: str) -> None:
            super().__init__()
            self.grid, self.key = grid, key

        @property
        def control(self) -> Grid[Any]:
            return self.grid

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], str],
        *,
        empty: str = "",
        id: str | None = None,  # noqa: A002  Textual's own word
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.columns = tuple(columns)
        self.empty = empty
        #: Keys of the rows that carry a mark.
        self.marked: Container[str] = ()
        self._key_of = key
        self._rows: tuple[Row, ...] = ()
        self._keys: dict[str | None, int] = {}
        self._at = 0
        self._key: str | None = None
        self._needed = [0] * len(self.columns)
        self._placed: tuple[Placed[Row], ...] = ()
        self._styles_by_name: dict[str, Style] = {}

    # What is shown

    @property
    def rows(self) -> tuple[Row, ...]:
        return self._rows

    @property
    def cursor_key(self) -> str | None:
        return self._key

    @property
    def cursor_row(self) -> Row | None:
        return self._rows[self._at] if self._rows else None

    def show(self, rows: Sequence[Row]) -> None:
        """These rows now. What the cursor was on keeps its line on the screen where it was seen."""
        before, seen = self._at, self._at in self._window()
        self._rows = tuple(rows)
        self._keys = dict(zip(map(self._key_of, self._rows), range(len(self._rows)), strict=True))
        after = self._keys.get(self._key, min(before, max(0, len(self._rows) - 1)))
        self.virtual_size = Size(self._room, len(self._rows) + HEADER)
        self._put(after)
        if seen and after != before:
            self.scroll_to(y=self.scroll_y + after - before, animate=False, force=True)
        self._keep_in_sight(seen)
        self._arrange()
        self.refresh()

    def move_to(self, key: str) -> bool:
        """Puts the cursor on the row with this key; False where there is none."""
        if key not in self._keys:
            return False
        self._go(self._keys[key])
        return True

    def caption(self, column: Column[Row]) -> str:
        """The header of a column."""
        return column.title

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """With ``height: auto``: all rows, or room for the sentence that says there are none."""
        return max(super().get_content_height(container, viewport, width), HEADER + 3)

    # Moving

    def action_cursor_up(self) -> None:
        self._go(self._at - 1)

    def action_cursor_down(self) -> None:
        self._go(self._at + 1)

    def action_page_up(self) -> None:
        self._go(self._at - self._page)

    def action_page_down(self) -> None:
        self._go(self._at + self._page)

    def action_first(self) -> None:
        self._go(0)

    def action_last(self) -> None:
        self._go(len(self._rows) - 1)

    def action_choose(self) -> None:
        if self._key is not None:
            self.post_message(self.Chosen(self, self._key))

    def on_click(self, event: events.Click) -> None:
        index = self._index_at(event)
        if index is None:
            return
        if index == self._at:
            self.action_choose()
        else:
            self._go(index)

    def _go(self, index: int) -> None:
        if self._rows:
            before = self._at
            self._put(min(max(index, 0), len(self._rows) - 1))
            self._keep_in_sight(True)
            for changed in {before, self._at}:
                self.refresh_line(changed + HEADER)

    def _put(self, index: int) -> None:
        self._at = index
        key = self._key_of(self._rows[index]) if self._rows else None
        if key != self._key:
            self._key = key
            self.post_message(self.Moved(self, key))

    def _keep_in_sight(self, wanted: bool) -> None:
        top, lines = round(self.scroll_y), max(1, self._height - HEADER)
        if wanted and not top <= self._at < top + lines:
            y = self._at if self._at < top else self._at - lines + 1
            self.scroll_to(y=y, animate=False, force=True)

    # Geometry

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _height(self) -> int:
        return self.scrollable_content_region.height

    @property
    def _page(self) -> int:
        """Rows to a page, one of the last one kept."""
        return max(1, self._height - HEADER - 1)

    def _window(self) -> range:
        """The rows on the screen."""
        top = round(self.scroll_y)
        return range(top, min(len(self._rows), top + max(0, self._height - HEADER)))

    def _index_at(self, event: events.MouseEvent) -> int | None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y < HEADER:
            return None
        index = offset.y - HEADER + round(self.scroll_y)
        return index if index < len(self._rows) else None

    def column_at(self, event: events.MouseEvent) -> Column[Row] | None:
        """The column whose header was clicked."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= HEADER:
            return None
        x = offset.x - GUTTER
        return next((p.column for p in self._placed if p.x <= x < p.x + p.width + GAP), None)

    def _arrange(self) -> None:
        """Widths only grow while the columns are the same, so that nothing shakes."""
        rows = [self._rows[index] for index in self._window()]
        for index, column in enumerate(self.columns):
            widths = [width_of(column.cell(row)) for row in rows]
            caption = cell_len(self.caption(column))
            self._needed[index] = max(self._needed[index], caption, *widths, 0)
        placed = place(self.columns, self._needed, self._room - GUTTER)
        if placed != self._placed:
            self._placed = placed
            self.refresh()

    def measure_again(self) -> None:
        """After something that every cell tells changed, like the time: no number may be cut."""
        self._arrange()
        self.refresh()

    def forget_widths(self) -> None:
        """Measures anew: after other columns, another order or another size."""
        self._needed = [0] * len(self.columns)
        self._arrange()

    def on_resize(self) -> None:
        self.virtual_size = Size(self._room, len(self._rows) + HEADER)
        self._keep_in_sight(True)
        self.forget_widths()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._arrange()

    # Drawing

    def render_line(self, y: int) -> Strip:
        width = self._room
        if y < HEADER:
            style = self.get_component_rich_style("grid--header")
            return self._strip(self._line(self._captions(), style), width, style)
        if not self._rows:
            return self._empty_line(y, width)
        index = y - HEADER + round(self.scroll_y)
        if index >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        style = self.rich_style
        if index == self._at:
            style += self.get_component_rich_style("grid--cursor")
        row = self._rows[index]
        cells = [text_of(placed.column.cell(row)) for placed in self._placed]
        return self._strip(self._line(cells, style, self._gutter(row, index)), width, style)

    def _gutter(self, row: Row, index: int) -> Text:
        gutter = Text("▌" if index == self._at else " ", "$accent" if self.has_focus else "dim")
        if self._key_of(row) in self.marked:
            gutter.append("•", self.get_component_rich_style("grid--marked", partial=True))
        return gutter

    def _captions(self) -> list[Text]:
        return [Text(self.caption(placed.column)) for placed in self._placed]

    def _line(self, cells: Sequence[Text], style: Style, gutter: Text | None = None) -> Text:
        line = Text(style=style, no_wrap=True, end="")
        line.append_text(fitted(self._themed(gutter or Text()), GUTTER, "left"))
        for placed, cell in zip(self._placed, cells, strict=True):
            if placed.x:
                line.append(" " * GAP)
            line.append_text(fitted(self._themed(cell), placed.width, placed.column.align))
        return line

    def _empty_line(self, y: int, width: int) -> Strip:
        style = self.get_component_rich_style("grid--empty")
        sentence = Text(self.empty).wrap(self.app.console, max(1, width - 2 * GUTTER))
        line = y - HEADER - 1
        text = sentence[line] if 0 <= line < len(sentence) else Text()
        return self._strip(Text(" " * GUTTER, end="").append_text(text), width, style)

    def _strip(self, line: Text, width: int, style: Style) -> Strip:
        segments = Segment.apply_style(line.render(self.app.console), style)
        return Strip(segments).adjust_cell_length(width, style)

    def _themed(self, text: Text) -> Text:
        """The same with names of styles made into styles."""
        spans = [Span(span.start, span.end, self._style(span.style)) for span in text.spans]
        return Text(text.plain, self._style(text.style), spans=spans, end="")

    def _style(self, style: Style | str) -> Style:
        if not isinstance(style, str):
            return style
        if style not in self._styles_by_name:
            parsed = ThemeStyle.parse(style).rich_style if "$" in style else Style.parse(style)
            self._styles_by_name[style] = parsed
        return self._styles_by_name[style]

    def notify_style_update(self) -> None:
        self._styles_by_name.clear()
        super().notify_style_update()
