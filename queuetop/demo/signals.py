"""Signals held back while something is half made or half removed, and delivered afterwards."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_TICK_S = 0.01


class Interrupted(KeyboardInterrupt):
    """A held signal asked to stop."""


class Hold:
    """What arrived while signals were held."""

    def __init__(self) -> None:
        self.caught: int | None = None

    def remember(self, number: int, _frame: FrameType | None) -> None:
        self.caught = self.caught or number

    def check(self) -> None:
        """A safe moment to stop. Raises ``Interrupted`` where a signal waits."""
        if self.caught is not None:
            raise Interrupted

    def wait(self, done: Callable[[], bool], seconds: float) -> bool:
        """Whether ``done`` became true in time. Raises ``Interrupted`` where a signal waits."""
        until = monotonic() + seconds
        while not done():
            self.check()
            if monotonic() > until:
                return False
            sleep(_TICK_S)
        return True


@contextlib.contextmanager
def held() -> Iterator[Hold]:
    """Holds the signals that end a program; the first one is delivered at the end.

    Where that delivery does not raise, an ``Interrupted`` from ``Hold.check`` goes on its way.
    Outside of the main thread, where Python handles no signals, nothing is held.
    """
    hold = Hold()
    if threading.current_thread() is not threading.main_thread():
        yield hold
        return
    before = {number: signal.getsignal(number) for number in ENDING}
    swapped = {
        number: handler
        for number, handler in before.items()
        if handler is not None and handler is not signal.SIG_IGN
    }
    try:
        for number in swapped:
            signal.signal(number, hold.remember)
        yield hold
    finally:
        for number, handler in swapped.items():
            signal.signal(number, handler)
        if hold.caught is not None:
            signal.raise_signal(hold.caught)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Makes a plain ``kill`` and a closed terminal unwind the program as Ctrl-C does.

    Handlers that somebody else installed stay.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is signal.SIG_DFL
    ]
    try:
        for number in ours:
            signal.signal(number, _stop)
        yield
    finally:
        for number in ours:
            if signal.getsignal(number) is _stop:
                signal.signal(number, signal.SIG_DFL)
