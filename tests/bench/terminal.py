"""The dashboard on a real pty: keys go in as bytes, frames come out as bytes and are timed when they arrive.

From key to frame is the time from writing the key to the pty until the last byte of the first frame that
shows its effect can be read from it. That includes the terminal's line discipline, Textual's parser, the
handling, the layout, the drawing and the write; only the terminal emulator's own painting is left out.
Frames are told apart by the marks of synchronized output (mode 2026), which every frame ends with. What
they show is found out afterwards by ``pyte``, so that reading the screen does not slow the reading down.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import pexpect
import pyte

WIDTH, HEIGHT = 120, 36
_FRAME_ENDS = b"\x1b[?2026l"
_ASKS_SYNC, _SYNC = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
_ROW = re.compile(r"^([▌ ])[• ]\s*(\d+)  ", re.MULTILINE)


@dataclass(frozen=True)
class Frame:
    """One frame, when its last byte came, in monotonic seconds."""

    at: float
    data: bytes


class Terminal:
    """A process on a pty of its own for a ``with`` block."""

    #: Whether it comes before everything else that wants a core, where the system lets us say so.
    first: ClassVar[bool] = False

    def __init__(self, arguments: Sequence[str]) -> None:
        environment = {
            **os.environ,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "TEXTUAL_DISABLE_KITTY_KEY": "1",  # pyte would print its sequences
        }
        self.began = time.monotonic()
        self._process = pexpect.spawn(
            sys.executable,
            list(arguments),
            dimensions=(HEIGHT, WIDTH),
            env=environment,
        )
        if self.first:
            _favour(self.pid)
        self._screen = pyte.Screen(WIDTH, HEIGHT)
        self._stream = pyte.ByteStream(self._screen)
        self._frames: list[Frame] = []
        self._shown = 0
        #: Bytes after the last whole frame.
        self._tail = b""
        self._closing = False
        self._reader = threading.Thread(target=self._read, name="pty", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    @property
    def alive(self) -> bool:
        return self._reader.is_alive()

    def write(self, data: bytes) -> float:
        """Sends bytes as a keyboard would. Returns when."""
        at = time.monotonic()
        os.write(self._process.child_fd, data)
        return at

    def next_frame(self) -> Frame | None:
        """The next frame that was not looked at yet; ``text`` shows the screen after it."""
        if self._shown >= len(self._frames):
            return None
        frame = self._frames[self._shown]
        self._shown += 1
        self._stream.feed(frame.data)
        return frame

    def drop(self) -> int:
        """Forgets the frames that came until now. Returns how many."""
        count, self._shown = len(self._frames), 0
        del self._frames[:count]
        return count

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)

    @property
    def rows(self) -> tuple[str, ...]:
        """The ids in a list of jobs."""
        return tuple(job_id for _, job_id in _ROW.findall(self.text))

    @property
    def cursor(self) -> str | None:
        """The id of the job under the cursor of a list of jobs."""
        return next((job_id for sign, job_id in _ROW.findall(self.text) if sign == "▌"), None)

    @property
    def cursor_row(self) -> str:
        """The whole row under the cursor."""
        return next((line for line in self._screen.display if line.startswith("▌")), "")

    @property
    def last_words(self) -> str:
        """What an error left on the screen, on one line."""
        said = self._tail.decode(errors="replace")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        return lines[-1][:200] if lines else " ".join(self.text.split())[:200]

    def wait(self, condition: Callable[[], bool], seconds: float) -> Frame | None:
        """The frame that first made it so; None where none does in that time."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            frame = self.next_frame()
            if frame is None:
                if not self.alive:
                    return None
                time.sleep(0.005)
            elif condition():
                return frame
        return None

    def _read(self) -> None:
        """Cuts what comes into frames. A plain read, so that a frame is timed when it is there."""
        part = b""
        handle = self._process.child_fd
        with selectors.DefaultSelector() as selector:
            selector.register(handle, selectors.EVENT_READ)
            while not self._closing:
                if not selector.select(0.2):
                    continue
                try:
                    chunk = os.read(handle, 1 << 16)
                except OSError:
                    return
                at = time.monotonic()
                if not chunk:
                    return
                if _ASKS_SYNC in chunk:
                    os.write(handle, _SYNC)
                *ended, part = (part + chunk).split(_FRAME_ENDS)
                self._frames += [Frame(at, data) for data in ended]
                self._tail = part

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.alive:
            self.write(b"q")
            self._reader.join(3)
        self._closing = True
        self._reader.join(3)
        self._process.close(force=True)


def _favour(pid: int) -> None:
    """Linux shares its cores among sessions before it shares them among processes. Needs root."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text("-15")
        os.setpriority(os.PRIO_PROCESS, pid, -15)
