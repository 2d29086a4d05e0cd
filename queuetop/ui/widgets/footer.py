"""The last line: the keys that matter here, out of the one table of keys."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from queuetop.ui.keys import Key
from queuetop.ui.widgets.line import Line


class Footer(Line):
    """Keys that do not fit are left out from the end, except help and quit, which stay."""

    def show(self, entries: Sequence[Key]) -> None:
        room = self.size.width - 2
        shown = [key for key in entries if key.footer]
        last = [key for key in shown if key.id in {"help", "quit"}]
        first = [key for key in shown if key not in last]
        used = sum(map(_width, last))
        kept = []
        for key in first:
            used += _width(key)
            if used > room:
                break
            kept.append(key)
        self.put(Content(" ") + Content().join(map(_entry, [*kept, *last])))


def _width(key: Key) -> int:
    return len(key.first) + len(key.label) + 4


def _entry(key: Key) -> Content:
    return Content.assemble((f" {key.first}", "bold $accent"), (f" {key.label}  ", "$text-muted"))
