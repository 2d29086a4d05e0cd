"""One run of the dashboard: the loop, the signals, the end of the watches, the exit code."""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import Any, TypeVar

from queuetop.model.ports import Watch
from queuetop.ui.app import QueueTop
from queuetop.ui.options import Options

#: Seconds that the watches get to close; what takes longer is left behind.
CLOSING_S = 0.4

T = TypeVar("T")


def run(watches: Sequence[Watch], options: Options) -> int:
    """See ``queuetop.ui.run_dashboard``."""
    app = QueueTop(watches, options)
    loop = _new_loop()
    try:
        with _signals(app, loop), _on_the_terminal():
            app.run(loop=loop)
    except KeyboardInterrupt:
        return 130
    finally:
        _close(loop, watches)
    return app.return_code or 0


def _new_loop() -> asyncio.AbstractEventLoop:
    """A loop on a selector (the only kind that psycopg works on), whose threads do not hold up the
    exit of the process."""
    loop = asyncio.SelectorEventLoop(selectors.DefaultSelector())
    loop.set_default_executor(_Threads())
    return loop


class _Threads(ThreadPoolExecutor):
    """A daemon thread for each call: a name server that never answers must not keep the process."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001  # it belongs to whoever awaits the call
                future.set_exception(error)

        Thread(target=call, daemon=True).start()
        return future


@contextlib.contextmanager
def _signals(app: QueueTop, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """A signal that ends the process gives the terminal back first."""
    if sys.platform == "win32":
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in numbers:
        loop.add_signal_handler(number, app.exit, None, 128 + number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


@contextlib.contextmanager
def _on_the_terminal() -> Iterator[None]:
    """Textual draws on stderr; where that is redirected (``queuetop 2>log``), stdout has the screen."""
    stderr, stdout = sys.__stderr__, sys.__stdout__
    if stdout is not None and stdout.isatty() and not (stderr is not None and stderr.isatty()):
        setattr(sys, "__stderr__", stdout)  # noqa: B010  # typed as final
    try:
        yield
    finally:
        setattr(sys, "__stderr__", stderr)  # noqa: B010


def _close(loop: asyncio.AbstractEventLoop, watches: Sequence[Watch]) -> None:
    """Closes the watches in the time they have; a hanging one is left behind without a word."""
    loop.set_exception_handler(lambda _loop, _context: None)
    with contextlib.suppress(Exception):
        closing = [loop.create_task(_quiet(watch)) for watch in watches]
        loop.run_until_complete(asyncio.wait(closing, timeout=CLOSING_S))
    for task in asyncio.all_tasks(loop):
        task.cancel()
    with contextlib.suppress(Exception):
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


async def _quiet(watch: Watch) -> None:
    with contextlib.suppress(Exception):
        await watch.close()
