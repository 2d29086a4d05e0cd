"""The command palette: the same keys by name, and the themes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from queuetop.ui import keys, themes

if TYPE_CHECKING:
    from queuetop.ui.app import QueueTop

Command = tuple[str, str, str]


class Commands(Provider):
    """Labels are queuetop's own words: nothing of them comes from the database."""

    @property
    def _top(self) -> QueueTop:
        return cast("QueueTop", self.app)

    def _commands(self) -> Iterator[Command]:
        """Label, help and action of everything that can be done now."""
        top = self._top
        where = getattr(self.screen, "where", top.main.where)
        for key in keys.of(where, keys.GLOBAL, writes=top.options.writes):
            if key.palette and top.offers(key):
                yield f"{key.label.capitalize()}  ({key.first})", key.help, key.action
        for name in themes.NAMES:
            yield f"Theme {name}", "Change the colours", f"app.theme({name!r})"

    async def discover(self) -> Hits:
        for label, help_, action in self._commands():
            yield DiscoveryHit(label, partial(self._run, action), help=help_)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for label, help_, action in self._commands():
            score = max(matcher.match(label), matcher.match(help_) * 0.7)
            if score > 0:
                yield Hit(score, matcher.highlight(label), partial(self._run, action), help=help_)

    async def _run(self, action: str) -> None:
        await self._top.perform(action)
