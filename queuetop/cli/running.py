"""Runs a command's coroutine so that Ctrl-C ends it within a second, also on a link that went silent."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

#: What closing may take after Ctrl-C; a frozen link takes psycopg ten seconds.
CLOSING_S = 0.8

T = TypeVar("T")


def run_async(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result. Raises what it raises, and ``KeyboardInterrupt``."""
    loop = asyncio.SelectorEventLoop()  # the only kind that psycopg works on
    try:
        task = loop.create_task(coroutine)
        try:
            return loop.run_until_complete(task)
        except KeyboardInterrupt:
            loop.set_exception_handler(lambda _loop, _context: None)
            task.cancel()
            loop.run_until_complete(asyncio.wait({task}, timeout=CLOSING_S))
            raise
    finally:
        _close(loop)


def _close(loop: asyncio.AbstractEventLoop) -> None:
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=0.1))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
