"""A command line run in this process, with what it wrote and how it ended."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from queuetop.cli.settings import Settings
from queuetop.model.ports import Watch
from tests.ui.fakes import FakeWatch


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one line of JSON on stdout."""
        (line,) = self.out.splitlines()
        return json.loads(line)

    def json_lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Result]


class Opened:
    """Stands for ``wiring.open_watches``: hands out fakes and remembers with which settings."""

    def __init__(self, watches: Sequence[FakeWatch]) -> None:
        self.watches = list(watches)
        self.settings: list[Settings] = []
        self.error: BaseException | None = None

    @asynccontextmanager
    async def __call__(
        self, settings: Settings, *, once: bool = False
    ) -> AsyncIterator[Sequence[Watch]]:
        self.settings.append(settings)
        if self.error is not None:
            raise self.error
        try:
            yield self.watches
        finally:
            for watch in self.watches:
                await watch.close()
