"""One job whole: why it is not running, its times, its failure, its payload, every column."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType

from queuetop.model.errors import QueuetopError
from queuetop.model.jobs import JobDetail
from queuetop.model.snapshot import Level, Link
from queuetop.model.states import ENDED
from queuetop.ui import keys
from queuetop.ui.clipboard import copy
from queuetop.ui.job_text import copied, read, summary
from queuetop.ui.marks import mark
from queuetop.ui.screens.sheet import Sheet
from queuetop.ui.widgets.line import Line, Part, fit
from queuetop.ui.widgets.reader import Passage, Piece, Reader

#: Seconds between two reads of a job whose life is over.
ENDED_S = 15.0

#: Moves the list behind to the job that is so many rows from this one, and says which it is.
Beside = Callable[[str, int], str | None]


class JobScreen(Sheet):
    """Read again with each snapshot; the place in the text stays."""

    where = "job"
    heading = "Job"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("sheet", "job")
    DEFAULT_CSS = """
    JobScreen {
        & > #job-summary { margin: 1 2 0 2; }
        & > Reader { margin: 1 1 0 2; }
    }
    """

    def __init__(self, job_id: str, *, beside: Beside | None = None) -> None:
        super().__init__()
        self.job_id = job_id
        self.detail: JobDetail | None = None
        self._beside = beside
        self._gone = False
        self._fault = ""
        self._reading = False
        self._read_at = 0.0
        self._seq: int | None = None
        self._new = True
        self._reader = Reader()

    def body(self) -> ComposeResult:
        yield Line(id="job-summary")
        yield self._reader

    def on_mount(self) -> None:
        super().on_mount()
        self._reader.focus()
        self._read()

    def draw(self) -> None:
        snapshot = self.top.snapshot
        if snapshot is not None and snapshot.seq != self._seq:
            self._seq = snapshot.seq
            if not self.top.resting and not self._reading and self._due():
                self._read()
        self._show()

    def _due(self) -> bool:
        over = self.detail is not None and self.detail.job.state in ENDED
        return time.monotonic() - self._read_at > (ENDED_S if over else 0.0)

    @work(exclusive=True, group="job", exit_on_error=False)
    async def _read(self) -> None:
        self._reading = True
        wanted = self.job_id
        try:
            found = await self.top.source.browse.job(wanted)
        except QueuetopError as error:
            self._fault = error.sentence
        except Exception as error:  # noqa: BLE001  # the screen lives on, the log knows
            self.top.crash_log.write(error)
            self._fault = f"Reading the job failed by a fault of queuetop ({type(error).__name__})"
        else:
            self._fault, self._gone = "", found is None
            self.detail = found or self.detail
        self._reading = False
        self._read_at = time.monotonic()
        self._show()

    def _show(self) -> None:
        self._show_summary()
        if self.detail is not None:
            width = self._reader.scrollable_content_region.width
            passages = read(self.detail, self.top.source.mapping, self.top.times, width=width)
            if tuple(passages) != self._reader.passages or self._new:
                self._reader.show(passages, from_top=self._new)
            self._new = False
        elif self._gone:
            self._reader.show([Passage((Piece("There is no job of this id in the table."),))])

    def _show_summary(self) -> None:
        parts = [Part((f"job {self.job_id}",), "bold")]
        if self.detail is not None:
            roles = {"text": "", "muted": "$text-muted", "warning": "$warning", "error": "$error"}
            pieces = summary(self.detail.job)
            parts += [
                Part((piece.text, ""), roles.get(piece.role, ""), rank)
                for rank, piece in enumerate(pieces)
            ]
        end = [Part((self._trouble(), ""), mark(Level.WARNING).style, 9)]
        line = self.query_one("#job-summary", Line)
        line.put(fit(parts, end, line.size.width))

    def _trouble(self) -> str:
        glyph = mark(Level.WARNING).glyph
        if self._fault:
            return f"{glyph} {self._fault}"
        if self._gone and self.detail is not None:
            return f"{glyph} gone from the table; this is how it was"
        if self.top.link.link is Link.STALE:
            return f"{glyph} not refreshed: no connection"
        return "reading" if self.detail is None and not self._gone else ""

    # Keys

    def action_beside(self, step: int) -> None:
        found = self._beside(self.job_id, step) if self._beside is not None else None
        if found is None:
            where = "after" if step > 0 else "before"
            there = "There is no list behind this job" if self._beside is None else None
            self.top.toast(there or f"No job is loaded {where} this one", Level.UNKNOWN)
            return
        self.job_id, self.detail = found, None
        self._gone, self._fault, self._new = False, "", True
        self._reader.show(())
        self._read()
        self._show()

    def action_section(self, step: int) -> None:
        self._reader.to_section(step)

    def action_copy(self) -> None:
        if self.detail is not None:
            text = copied(self.detail, self.top.source.mapping, self.top.times)
            copy(self.top, text, f"all of job {self.job_id}")
