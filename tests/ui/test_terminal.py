"""The bytes on a real terminal: nobody's escape sequences but the screen's own, and a clean end."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pyte
import pytest

ROOT = Path(__file__).parents[2]
LEAVES_SCREEN = b"\x1b[?1049l"


class Terminal:
    """A dashboard in a pty: what it wrote, and what that looks like."""

    def __init__(
        self, name: str, *, rows: int = 36, columns: int = 120, command: str = "", **env: str
    ) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        shell = ["-c", command or f'exec "$0" -m tests.ui.child {name}', sys.executable]
        self.child: Any = pexpect.spawn(
            "/bin/sh",
            shell,
            cwd=str(ROOT),
            env={**os.environ, "TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **env},
            dimensions=(rows, columns),
        )
        self.child.delaybeforesend = None

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def pump(self, seconds: float = 0.1) -> bool:
        """Reads what comes; False at the end."""
        try:
            data: bytes = self.child.read_nonblocking(1 << 16, seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.written += data
        self._stream.feed(data)
        return True

    def shows(self, text: str, patience_s: float = 20.0) -> None:
        end = time.monotonic() + patience_s
        while text not in self.text:
            assert time.monotonic() < end, f"{text!r} never came:\n{self.text}"
            assert self.pump(), f"it ended:\n{self.written[-2000:].decode(errors='replace')}"

    def press(self, *keys: str) -> None:
        """One key after the other: an escape with a key right behind it would be alt and that key."""
        for key in keys:
            self.child.send(key)
            end = time.monotonic() + 0.3
            while time.monotonic() < end and self.pump(0.05):
                pass

    def ends(self, patience_s: float = 20.0) -> int:
        """The exit code, negative for a signal."""
        end = time.monotonic() + patience_s
        while self.pump():
            assert time.monotonic() < end, f"it goes on:\n{self.text}"
        self.child.close()
        status = self.child.exitstatus
        return -self.child.signalstatus if status is None else int(status)

    def close(self) -> None:
        self.child.close(force=True)


@pytest.fixture
def terminals(state_dir: Path) -> Iterator[Any]:
    opened: list[Terminal] = []

    def open_terminal(name: str, **settings: Any) -> Terminal:
        opened.append(Terminal(name, XDG_STATE_HOME=str(state_dir), **settings))
        return opened[-1]

    yield open_terminal
    for terminal in opened:
        terminal.close()


def test_nothing_of_the_databases_text_acts_on_the_terminal(terminals: Any) -> None:
    terminal = terminals("hostile")
    terminal.shows("verdict ␛]52;c;QUFB�31m[/][@click=app.quit]x␛[2J�ab␀�")
    terminal.press(
        "w", "j", "\x1b", "2", "3", "\r", "\x1b", "4", "5", "9", "1", "?", "\x1b", ":", "\x1b"
    )
    terminal.press("q")
    assert terminal.ends() == 0
    theirs = re.sub(rb"\x1b\]22;\w*\x07", b"", terminal.written)  # Textual's pointer shapes
    for forbidden in (
        b"\x1b]52",
        b"\x1b[2Jx",
        "\x9b".encode(),
        "\u202e".encode(),
        b"\x07",
        b"\x00",
    ):
        assert forbidden not in theirs
    osc = set(re.findall(rb"\x1b\](\d+)", terminal.written))
    assert osc <= {b"22"}


def test_what_is_typed_right_behind_the_slash_is_text_and_no_command(terminals: Any) -> None:
    """A slow line delivers many keys at once: none of them may reach the list as a command."""
    terminal = terminals("hostile")
    terminal.shows("verdict")
    terminal.press("3")
    terminal.shows("every job")
    terminal.press("/state:failed queue:a/b\r")
    terminal.shows("state:failed queue:a/b")
    assert "Export" not in terminal.text
    terminal.press("q")
    assert terminal.ends() == 0


@pytest.mark.parametrize("key", ("q", "\x03"))
def test_leaves_at_once_though_the_link_is_frozen(terminals: Any, key: str) -> None:
    terminal = terminals("stuck")
    terminal.shows("CRITICAL")
    terminal.press(key)
    assert terminal.ends(patience_s=10.0) == 0  # the watch holds for a minute
    assert LEAVES_SCREEN in terminal.written


def test_a_signal_gives_the_terminal_back(terminals: Any) -> None:
    terminal = terminals("live")
    terminal.shows("CRITICAL")
    terminal.child.kill(signal.SIGTERM)
    assert terminal.ends() == 128 + signal.SIGTERM
    assert LEAVES_SCREEN in terminal.written


@pytest.mark.parametrize("stop", (signal.SIGSTOP, signal.SIGTSTP, signal.SIGCONT))
def test_a_stopped_process_goes_on_and_ends(terminals: Any, stop: signal.Signals) -> None:
    terminal = terminals("live")
    terminal.shows("CRITICAL")
    for _ in range(2):
        terminal.child.kill(stop)
        while stop is not signal.SIGCONT and not _stopped(terminal.child.pid):
            assert terminal.pump(0.05)
        terminal.child.kill(signal.SIGCONT)
        terminal.press("9")
        terminal.shows("queuetop's own cost")
        terminal.press("5")
        terminal.shows("SCHEDULED")
    terminal.press("q")
    assert terminal.ends() == 0
    assert LEAVES_SCREEN in terminal.written


def _stopped(pid: int) -> bool:
    return os.waitpid(pid, os.WUNTRACED | os.WNOHANG)[0] == pid


def test_draws_on_stdout_where_stderr_goes_elsewhere(terminals: Any, tmp_path: Path) -> None:
    terminal = terminals("live", command=f'exec "$0" -m tests.ui.child live 2>"{tmp_path}/err"')
    terminal.shows("CRITICAL")
    terminal.press("q")
    assert terminal.ends() == 0
    assert (tmp_path / "err").read_text() == ""


def test_a_crash_says_one_sentence_and_keeps_secrets(terminals: Any, state_dir: Path) -> None:
    terminal = terminals("broken")
    assert terminal.ends() == 1
    end = terminal.written.partition(LEAVES_SCREEN)[2].decode(errors="replace")
    assert "queuetop stopped by a fault of its own: KeyError at signals.py:" in end
    assert "Traceback" not in end
    log = state_dir / "queuetop" / "log"
    assert "KeyError" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0
    for text in (end, log.read_text()):
        assert "hunter2" not in text


def test_a_crash_says_so_when_its_log_cannot_be_written(terminals: Any, state_dir: Path) -> None:
    state_dir.write_text("a file where the folder should be")
    terminal = terminals("broken")
    assert terminal.ends() == 1
    end = " ".join(terminal.written.partition(LEAVES_SCREEN)[2].decode(errors="replace").split())
    assert "could not be written" in end


def test_no_color_leaves_no_colour(terminals: Any) -> None:
    terminal = terminals("live", NO_COLOR="1", COLORTERM="truecolor")
    terminal.shows("◆ CRITICAL")
    terminal.press("2", "3", "5", "9", "1", "w", "\x1b", "q")
    assert terminal.ends() == 0
    codes = {
        code
        for found in re.findall(rb"\x1b\[([\d;]*)m", terminal.written)
        for code in found.decode().split(";")
    }
    coloured = {code for code in codes if re.fullmatch(r"(3|4|9|10)[0-8]", code)}
    assert not coloured
