"""What is left of a crash: one sentence on the terminal, a traceback without secrets in the log."""

from __future__ import annotations

import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
from rich.text import Text

from queuetop.model.redact import mask_text

if TYPE_CHECKING:
    from textual.app import App

#: Bytes of log kept; the older half goes when it is full.
MAX_BYTES = 512_000


class CrashLog:
    """The client's log: ``<user state dir>/queuetop/log``. Never raises: a full disk loses lines."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or platformdirs.user_state_path("queuetop", appauthor=False) / "log"

    def write(self, error: BaseException) -> bool:
        """Appends the traceback of ``error``, redacted and without locals; says whether it could."""
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        return self._append(mask_text("".join(lines)))

    def crashed(self, app: App[None]) -> None:
        """Logs the exception being handled; the first one leaves a sentence for the terminal."""
        error = sys.exc_info()[1]
        if error is None:
            return
        written = self.write(error)
        if not app._exit_renderables:  # noqa: SLF001  # what Textual prints when it is gone
            app._exit_renderables.append(Text(self.sentence(error, written=written)))  # noqa: SLF001

    def sentence(self, error: BaseException, *, written: bool) -> str:
        place = traceback.extract_tb(error.__traceback__)[-1:]
        where = f" at {Path(place[0].filename).name}:{place[0].lineno}" if place else ""
        log = (
            f"The traceback is in {self.path}; please report it."
            if written
            else f"The traceback could not be written to {self.path}."
        )
        return f"queuetop stopped by a fault of its own: {type(error).__name__}{where}. {log}"

    def _append(self, text: str) -> bool:
        stamp = f"--- {datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._trim()
            with self.path.open("a", encoding="utf-8", errors="backslashreplace") as log:
                log.write(stamp + text)
            self.path.chmod(0o600)
        except OSError:
            return False
        return True

    def _trim(self) -> None:
        if self.path.exists() and self.path.stat().st_size > MAX_BYTES:
            kept = self.path.read_bytes()[-MAX_BYTES // 2 :]
            self.path.write_bytes(kept)
