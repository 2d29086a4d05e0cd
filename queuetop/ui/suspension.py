"""A process that was stopped goes on where it was."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import Any


def go_on_once(driver: Any) -> None:
    """Takes SIGCONT over from a driver that acts on it.

    After SIGTSTP the terminal was given back, and SIGCONT takes it again. Where SIGSTOP, a debugger or a
    frozen container stopped the process it was not: Textual would start a second reader of the keys
    beside the first one, and never end again. Here the terminal is given back first. That happens in the
    loop, since a handler that interrupts a write to the terminal must not write itself.
    """
    if sys.platform == "win32" or not hasattr(driver, "_must_signal_resume"):
        return

    def go_on() -> None:
        if not driver._auto_restart:  # noqa: SLF001  # another program has the terminal
            return
        if not driver._must_signal_resume:  # noqa: SLF001
            driver.suspend_application_mode()
            driver._must_signal_resume = True  # noqa: SLF001
        driver.resume_application_mode()

    asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, go_on)
