"""The whole demo: a server with a living queue, for as long as a ``with`` block."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import IO, Self

import queuetop
from queuetop.demo.scenarios import Scenario
from queuetop.demo.server import EmbeddedServer
from queuetop.demo.signals import Hold, ended_like_ctrl_c, held
from queuetop.model.errors import QueuetopError
from queuetop.model.text import clean

_READY_S = 60.0


class Demo:
    """An embedded server with the table ``payment_task``, its history, and a simulation at work on it.

    Without a scenario incidents come by a schedule. Raises ``QueuetopError`` where the server or the
    simulation does not start. While it lasts, SIGTERM and SIGHUP raise ``KeyboardInterrupt`` as Ctrl-C
    does, so that nothing is left behind.
    """

    def __init__(self, scenario: Scenario | None = None, *, seed: int = 7) -> None:
        self._scenario = scenario
        self._seed = seed
        self._server = EmbeddedServer()
        self._simulation = _Simulation()
        self._stack = contextlib.ExitStack()

    @property
    def dsn(self) -> str:
        """For the superuser of the embedded server."""
        return self._server.dsn

    def __enter__(self) -> Self:
        try:
            self._stack.enter_context(ended_like_ctrl_c())
            with held() as hold:
                # Its imports take as long as the server's start.
                self._stack.enter_context(self._simulation)
                self._stack.enter_context(self._server)
                self._simulation.order(dsn=self.dsn, scenario=self._scenario, seed=self._seed)
                self._simulation.wait_until_ready(hold)
            return self
        except BaseException:
            self._stack.close()
            raise

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stops everything. Raises ``QueuetopError`` where the simulation had ended before."""
        with held():
            self._stack.close()
        if kind is None and self._simulation.failure is not None:
            raise QueuetopError(f"the demo's simulation ended early: {self._simulation.failure}")

    def play(self, scenario: Scenario | None) -> None:
        """Goes over to another scenario within a second; None goes by the schedule."""
        self._simulation.order(scenario=scenario)


class _Simulation:
    """The handle of the process ``queuetop.demo.simulate``."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._said = b""
        #: What it said last where it ended before it was told to.
        self.failure: str | None = None

    def __enter__(self) -> Self:
        package = str(Path(queuetop.__file__).resolve().parents[1])
        path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "queuetop.demo.simulate"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,  # silent, but for a traceback
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # the terminal's Ctrl-C is for us alone
        )
        return self

    def __exit__(self, *_: object) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        early = process.poll() is not None
        process.kill()  # it has nothing to save
        process.wait()
        with contextlib.suppress(OSError):
            _pipe(process.stdin).close()
        with _pipe(process.stdout) as pipe:
            self._said += pipe.read()
        self.failure = self._last_words() if early else None

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the simulation is used outside of its with block")
        return self._process

    def order(self, **order: object) -> None:
        """Writes one line of orders."""
        pipe = _pipe(self._running.stdin)
        with contextlib.suppress(BrokenPipeError):  # what it said before it ended tells more
            pipe.write(json.dumps(order).encode() + b"\n")
            pipe.flush()

    def wait_until_ready(self, hold: Hold) -> None:
        """Raises ``QueuetopError`` with what the simulation said where it does not get ready."""
        if not hold.wait(self._has_answered, _READY_S):
            raise QueuetopError(f"the demo's history takes more than {_READY_S:.0f} s to make")
        if self._last_words() != "ready":
            raise QueuetopError(f"the demo's history cannot be made: {self._last_words()}")

    def _last_words(self) -> str:
        lines = self._said.decode(errors="replace").strip().splitlines()
        return clean(lines[-1].removeprefix("error: ")) if lines else "it left no message"

    def _has_answered(self) -> bool:
        """Whether a whole line came, or the process ended."""
        pipe = _pipe(self._running.stdout)
        if not select.select([pipe], [], [], 0)[0]:
            return False
        piece = os.read(pipe.fileno(), 4096)
        self._said += piece
        return not piece or self._said.endswith(b"\n")


def _pipe(end: IO[bytes] | None) -> IO[bytes]:
    if end is None:
        raise RuntimeError("the simulation was started without pipes")
    return end
