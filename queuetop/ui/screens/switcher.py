"""``T``: the mapped tables of this server, one of them shown."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from queuetop.model.ports import Watch
from queuetop.model.snapshot import Snapshot
from queuetop.ui import keys
from queuetop.ui.marks import mark
from queuetop.ui.screens.sheet import Sheet
from queuetop.ui.widgets.table import Column, Table

Row = tuple[int, Watch, Snapshot | None, bool]


class Switcher(Sheet):
    """Only the shown table is polled; of the others stands what was seen last."""

    where = "switcher"
    heading = "Tables"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("sheet", "switcher")
    DEFAULT_CSS = "Switcher > Table { height: 1fr; margin: 1 1 0 1; }"

    def __init__(self) -> None:
        super().__init__()
        self._list: Table[Row] = Table(
            [
                Column("TABLE", lambda row: row[1].ref.table, width=20, limit=60),
                Column("MAPPING", lambda row: row[1].ref.name, limit=30, priority=1),
                Column("", lambda row: "shown" if row[3] else "", width=5, priority=2),
                Column("LAST SEEN", _verdict, width=20, priority=3, grows=True),
            ],
            key=lambda row: str(row[0]),
        )

    def body(self) -> ComposeResult:
        yield self._list

    def draw(self) -> None:
        top = self.top
        rows = [
            (index, watch, top.last_seen(watch), watch is top.source)
            for index, watch in enumerate(top.watches)
        ]
        self._list.show(rows)

    def on_mount(self) -> None:
        super().on_mount()
        self.draw()
        self._list.move_to(str(self.top.watches.index(self.top.source)))

    @on(Table.Chosen)
    def _look(self, event: Table.Chosen) -> None:
        event.stop()
        self.app.pop_screen()
        self.top.look_at(self.top.watches[int(event.key)])


def _verdict(row: Row) -> Text:
    snapshot = row[2]
    if snapshot is None:
        return Text("not looked at yet", "$text-muted")
    look = mark(snapshot.verdict.level)
    return Text.assemble((f"{look.glyph} {look.word}  ", look.style), snapshot.verdict.verdict)
