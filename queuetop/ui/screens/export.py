"""The dialog that writes jobs to a file: which ones, how, and where."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static
from textual.worker import Worker

from queuetop.model.errors import QueuetopError
from queuetop.model.filters import write
from queuetop.model.jobs import Sort
from queuetop.model.measure import Measure
from queuetop.model.numbers import show_bytes, show_count, show_measure
from queuetop.model.ports import Browsed
from queuetop.model.selection import Selection
from queuetop.model.snapshot import Level
from queuetop.ui.export import FileTakenError, Format, check, export
from queuetop.ui.marks import mark
from queuetop.ui.widgets.choice import Choice
from queuetop.ui.widgets.texts import bar, content

if TYPE_CHECKING:
    from queuetop.ui.app import QueueTop

BAR = 24


class ExportScreen(ModalScreen[None]):
    """``esc`` stops an export that runs, and closes the dialog otherwise."""

    AUTO_FOCUS = "#export-path"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "stop", "Stop or close", show=False)]
    DEFAULT_CSS = """
    ExportScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 76; max-width: 100%; height: auto; max-height: 100%;
            background: $surface; padding: 1 3;
        }
        &:ansi > Vertical { border: round ansi_default; }
        & .export-row { height: 1; margin: 1 0 0 0; }
        & .export-name { width: 9; color: $text-muted; }
        & #export-path, & #export-path:focus {
            width: 1fr; height: 1; border: none; padding: 0 1; background: $panel;
        }
        & #export-note { height: auto; min-height: 2; margin: 1 0 0 0; color: $text-muted; }
        & #export-buttons { height: 1; margin: 1 0 0 0; align-horizontal: right; }
        & #export-buttons Button {
            min-width: 12; margin: 0 0 0 2; background: $panel; color: $foreground;
        }
        & #export-buttons Button:focus {
            background: $accent; color: $background; text-style: bold;
        }
    }
    """

    def __init__(
        self,
        browse: Browsed,
        selection: Selection,
        sort: Sort,
        matched: Measure,
        marked: tuple[str, ...] = (),
        *,
        name: str = "jobs",
    ) -> None:
        super().__init__()
        self._browse, self._selection, self._sort = browse, selection, sort
        self._matched, self._marked = matched, marked
        self._worker: Worker[None] | None = None
        #: The path that may be replaced, since somebody was asked and pressed again.
        self._taken: Path | None = None
        safe = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.") or "jobs"
        self._default = f"{safe}-{datetime.now(UTC):%Y%m%d-%H%M%SZ}"

    @property
    def top(self) -> QueueTop:
        return cast("QueueTop", self.app)

    # What is shown

    def compose(self) -> ComposeResult:
        chosen = write(self._selection) or "every job of the table"
        count = show_measure(self._matched)
        with Vertical():
            yield Static(content(Text("Export jobs", "bold $accent")))
            with Horizontal(classes="export-row"):
                yield Static("jobs", classes="export-name", markup=False)
                marked = [f"{show_count(len(self._marked))} marked"] if self._marked else []
                yield Choice([*marked, f"all that match: {count}"], id="export-what")
            with Horizontal(classes="export-row"):
                yield Static("as", classes="export-name", markup=False)
                yield Choice(["CSV", "JSON lines"], id="export-form")
            with Horizontal(classes="export-row"):
                yield Static("to", classes="export-name", markup=False)
                path = Input(f"{self._default}.csv", id="export-path", select_on_focus=False)
                path.cursor_blink = False
                yield path
            yield Static(
                content(
                    Text(f"{chosen}\nWritten in {Path.cwd()}. Long texts are cut as in the list.")
                ),
                id="export-note",
            )
            with Horizontal(id="export-buttons"):
                yield Button("Cancel", id="export-cancel", compact=True)
                yield Button("Write", id="export-write", compact=True)

    def _say(self, sentence: str, level: Level | None = None) -> None:
        look = mark(level) if level else None
        text = Text(f"{look.glyph} {sentence}" if look else sentence, look.style if look else "")
        self.query_one("#export-note", Static).update(content(text))

    # What is chosen

    @property
    def form(self) -> Format:
        return tuple(Format)[self.query_one("#export-form", Choice).chosen]

    @property
    def only_marked(self) -> bool:
        return bool(self._marked) and self.query_one("#export-what", Choice).chosen == 0

    @on(Choice.Changed, "#export-form")
    def _other_form(self) -> None:
        """The name follows the format as long as it ends as we proposed it."""
        path = self.query_one("#export-path", Input)
        stem, dot, ending = path.value.rpartition(".")
        if dot and ending in {str(form) for form in Format}:
            path.value = f"{stem}.{self.form}"

    @on(Input.Changed, "#export-path")
    def _other_path(self) -> None:
        self._taken = None
        self.query_one("#export-write", Button).label = "Write"

    # What is done

    @on(Input.Submitted)
    @on(Button.Pressed, "#export-write")
    def _start(self) -> None:
        if self._worker is not None and self._worker.is_running:
            return
        text = self.query_one("#export-path", Input).value.strip()
        if not text:
            self._say("Name a file to write to", Level.WARNING)
            return
        try:
            path = Path(text).expanduser()
            check(path, overwrite=path == self._taken)
        except FileTakenError as error:
            self._taken = path
            self.query_one("#export-write", Button).label = "Replace"
            self._say(f"{error.sentence}: press again to replace it", Level.WARNING)
        except QueuetopError as error:
            self._say(error.sentence, Level.CRITICAL)
        except (OSError, ValueError, RuntimeError) as error:
            self._say(f"This is no path for a file: {error}", Level.CRITICAL)
        else:
            self._worker = self._write(path)

    @work(exclusive=True, group="export", exit_on_error=False)
    async def _write(self, path: Path) -> None:
        selection = Selection(ids=self._marked) if self.only_marked else self._selection
        pages = self._browse.export(selection, self._sort)
        replace = path == self._taken
        self._progress(0)
        try:
            count = await export(pages, path, self.form, overwrite=replace, progress=self._progress)
        except asyncio.CancelledError:
            if self.is_attached:
                self._say("Stopped; no file was written", Level.WARNING)
            raise
        except QueuetopError as error:
            self._say(error.sentence, Level.CRITICAL)
        except Exception as error:  # noqa: BLE001  # the dialog lives on, the log knows
            self.top.crash_log.write(error)
            self._say(
                f"The export failed by a fault of queuetop ({type(error).__name__})", Level.CRITICAL
            )
        else:
            self._finished(path, count)

    def _progress(self, count: int) -> None:
        whole = float(len(self._marked)) if self.only_marked else self._matched.value
        share = min(1.0, count / whole) if whole else None
        of = f" of {show_count(whole)}" if whole else ""
        text = Text.assemble(
            (bar(share, BAR).ljust(BAR) if share is not None else "", "$accent"),
            f"  {show_count(count)}{of} jobs written",
            ("\nesc stops", "$text-muted"),
        )
        self.query_one("#export-note", Static).update(content(text))

    def _finished(self, path: Path, count: int) -> None:
        gone = len(self._marked) - count if self.only_marked else 0
        missing = f"; {show_count(gone)} of the marked ones are gone" if gone > 0 else ""
        try:
            size = f", {show_bytes(path.stat().st_size)}"
        except OSError:
            size = ""
        self.top.toast(
            f"Wrote {show_count(count)} jobs to {path}{size}{missing}",
            Level.WARNING if gone > 0 else Level.FINE,
        )
        self.dismiss()

    @on(Button.Pressed, "#export-cancel")
    def action_stop(self) -> None:
        if self._worker is not None and self._worker.is_running:
            self._worker.cancel()
        else:
            self.dismiss()
