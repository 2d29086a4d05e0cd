"""PostgreSQL 18 out of a wheel, in a temporary directory, gone when its owner is gone."""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Self
from urllib.parse import quote

from queuetop.demo import launch
from queuetop.demo.place import Place
from queuetop.demo.signals import Hold, held
from queuetop.model.errors import QueuetopError
from queuetop.model.text import clean

_READY_S = 30.0
_INITDB_S = 60.0
_STOP_S = 5.0
_PORT_TRIES = 5

# The data lives as long as the demo: nothing is worth a write to disk. Shared memory is mapped from
# the data directory, so that even a killed server leaves none behind.
_SETTINGS: dict[str, str] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "128MB",
    "dynamic_shared_memory_type": "mmap",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "autovacuum_naptime": "15s",
    "jit": "off",
}


class EmbeddedServer:
    """A server in a temporary directory for a ``with`` block; as root it runs under another account.

    Connections come through a socket in that directory, which only its owner may enter; with
    ``tcp`` through 127.0.0.1 instead, where every local user may, so that is for tests.
    ``settings`` go over the demo's own. Raises ``QueuetopError`` where the wheel is missing or
    the server does not start.

    Started in the main thread, the server also ends when this process is killed (Linux).
    """

    def __init__(self, *, tcp: bool = False, settings: Mapping[str, str] | None = None) -> None:
        self._tcp = tcp
        self._settings = {**_SETTINGS, **(settings or {})}
        self._port = 0
        self._place: Place | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def dsn(self) -> str:
        """For the database and superuser ``postgres``."""
        if self._tcp:
            return f"postgresql://postgres@127.0.0.1:{self._port}/postgres"
        folder = quote(str(self._at.sockets), safe="")
        return f"postgresql://postgres@/postgres?host={folder}&port={self._port}"

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs."""
        return self._process.pid if self._process else None

    @property
    def _at(self) -> Place:
        if self._place is None:
            raise RuntimeError("the embedded server is used outside of its with block")
        return self._place

    def __enter__(self) -> Self:
        atexit.register(self._close)
        try:
            with held() as hold:
                try:
                    self._place = Place()
                    self._initialise(hold)
                    self._start_on_a_free_port(hold)
                except BaseException:
                    self._close()
                    raise
            return self
        except BaseException:
            self._close()
            raise

    def __exit__(self, *_: object) -> None:
        self._close()

    def stop(self, *, immediate: bool = False) -> None:
        """Stops the server; port and data stay. ``immediate`` is a crash, repaired at the next start."""
        with held():
            self._end(signal.SIGQUIT if immediate else signal.SIGINT)

    def start(self) -> None:
        """Starts it again where it was. Raises ``QueuetopError`` where it does not come up."""
        with held() as hold:
            self._start(hold)

    def _close(self) -> None:
        with held():
            self._end(signal.SIGQUIT)  # its data goes too, so it need not be written out
            if self._place is not None:
                self._place.remove()
                self._place = None
            atexit.unregister(self._close)

    def _initialise(self, hold: Hold) -> None:
        """Makes the cluster: half a second. A signal ends it at its next step: nothing of it stays."""
        options = (
            "--username=postgres --auth=trust --no-sync --no-instructions --encoding=UTF8 "
            "--locale=C --locale-provider=builtin --builtin-locale=C.UTF-8"
        )
        making = self._spawn(
            "initdb", f"--pgdata={self._at.data}", *options.split(), death=signal.SIGTERM
        )
        try:
            if not hold.wait(lambda: making.poll() is not None, _INITDB_S):
                raise QueuetopError("initdb takes more than a minute; is the disk that slow?")
        finally:
            making.terminate()
            making.wait()
        if making.returncode:
            raise QueuetopError(f"initdb failed: {self._last_words()}")

    def _start_on_a_free_port(self, hold: Hold) -> None:
        if not self._tcp:
            self._port = 5432  # the name of the socket, in a directory of its own
            return self._start(hold)
        for _ in range(_PORT_TRIES - 1):
            self._port = _free_port()
            with contextlib.suppress(QueuetopError):
                return self._start(hold)
        self._port = _free_port()
        return self._start(hold)

    def _start(self, hold: Hold) -> None:
        settings = {
            **self._settings,
            "listen_addresses": "127.0.0.1" if self._tcp else "",
            "unix_socket_directories": str(self._at.sockets),
            "port": str(self._port),
        }
        options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        self._process = self._spawn(
            "postgres", "-D", str(self._at.data), *options, death=signal.SIGQUIT
        )
        if not hold.wait(lambda: self._ready() or not self._running(), _READY_S):
            self._end(signal.SIGQUIT)
            raise QueuetopError(f"PostgreSQL does not start: {self._last_words()}")
        if not self._running():
            self._process = None
            raise QueuetopError(f"PostgreSQL does not start: {self._last_words()}")

    def _spawn(self, program: str, *arguments: str, death: int) -> subprocess.Popen[bytes]:
        """Runs a binary in a session of its own, where the terminal's Ctrl-C does not reach it."""
        user = self._at.account
        main_thread = threading.current_thread() is threading.main_thread()
        command = [
            *(sys.executable, "-I", "-S", str(Path(launch.__file__))),
            *((str(user.uid), str(user.gid)) if user else ("-", "-")),
            # Linux means the thread, and only the main one surely lasts as long as the process.
            *(str(os.getpid()), str(int(death) if main_thread else 0)),
            *(str(self._at.bin / program), *arguments),
        ]
        kept = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ}
        with self._at.log.open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._at.path,
                env={**kept, "LC_ALL": "C", "TZ": "UTC"},
                start_new_session=True,
            )

    def _running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _ready(self) -> bool:
        """What ``pg_ctl --wait`` looks at: the server's own pid, and ``ready`` in line 8."""
        try:
            lines = (self._at.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[0] == str(self.pid) and lines[7].strip() == "ready"

    def _end(self, how: signal.Signals) -> None:
        """Asks the server to stop; kills it where it does not."""
        if self._process is None:
            return
        for number in (how, signal.SIGQUIT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_STOP_S)
                break
        self._process = None

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            lines = self._at.log.read_text(errors="replace").strip().splitlines()
            telling = [line for line in lines if "FATAL" in line or "error" in line.lower()]
            if lines:
                return clean((telling or lines)[-1], 300)
        return "it left no message"


def _free_port() -> int:
    """Below the range that outgoing connections use, so that a restart finds it free again."""
    for _ in range(100):
        port = random.randrange(15000, 32000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                return port
    raise QueuetopError("no free port on 127.0.0.1")
