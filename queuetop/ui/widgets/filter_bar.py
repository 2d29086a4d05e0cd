"""The line in which a filter is written: completion under the cursor, mistakes shown at their place."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from rich.highlighter import Highlighter
from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from queuetop.model.filters import TERMS, Completion, FilterError, complete, parse, write
from queuetop.model.selection import Selection
from queuetop.ui.widgets.texts import content

#: Proposals shown at once.
LINES = 10
_NAMES = "|".join(term.name for term in TERMS if term.name != "text")
PLACEHOLDER = "every job   / filters: state:failed queue:mail since:1h attempts>3 words"


class FilterBar(Vertical):
    """Shows the filter that holds; ``edit`` makes it writable.

    ``enter`` applies it, or stays and says what is wrong with it; ``esc`` takes back what was typed.
    """

    DEFAULT_CSS = """
    FilterBar {
        height: auto;
        & > Horizontal { height: 1; }
        & .filter-sign { width: 3; padding: 0 1; color: $accent; }
    }
    """

    class Applied(Message):
        """Another filter holds from now on."""

        def __init__(self, selection: Selection) -> None:
            super().__init__()
            self.selection = selection

    class Mistaken(Message):
        """What is wrong with the text as it stands; empty when nothing is any more."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    class Left(Message):
        """Writing is over, applied or not: the focus may go elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.selection = Selection()
        self._known: Mapping[str, Sequence[str]] = {}
        self._lacking: Container[str] = ()
        self._marker = _Marker()
        self._input = FilterInput(self._marker)
        self._choices = Choices()

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static("/", classes="filter-sign", markup=False)
            yield self._input
        yield self._choices

    def put(self, selection: Selection) -> None:
        """Shows another filter without saying so to anybody."""
        self.selection = selection
        self._input.value = write(selection)
        self._input.cursor_position = len(self._input.value)
        self._mistake(None)

    @property
    def editing(self) -> bool:
        # The screen knows at once; the input itself only when the news reach it.
        return self.screen.focused is self._input

    def edit(self) -> None:
        # Not ``focus()``, which waits its turn while keys go on to whatever had the focus.
        self.screen.set_focus(self._input)
        self.propose()

    def know(self, values: Mapping[str, Sequence[str]], lacking: Container[str] = ()) -> None:
        """Values to propose by canonical column, and the terms that make no sense here."""
        self._known, self._lacking = values, lacking
        if self._input.has_focus:
            self.propose()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if not self._input.has_focus:
            return
        mistake = self._earlier_mistake()
        self._mistake(mistake)
        if mistake is None:
            self.propose()
        else:
            self._choices.show(())

    @on(Input.Submitted)
    def _apply(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            selection = parse(event.value)
        except FilterError as error:
            self._mistake(error)
            self._input.cursor_position = error.at
            return
        changed = selection != self.selection
        self.put(selection)
        self._end()
        if changed:
            self.post_message(self.Applied(selection))

    def cancel(self) -> None:
        """Takes back what was typed."""
        self.put(self.selection)
        self._end()

    def accept(self, completion: Completion) -> None:
        text, cursor = completion.apply(self._input.value)
        self._input.value = text
        self._input.cursor_position = cursor
        self.propose()

    def _end(self) -> None:
        self._choices.show(())
        self.post_message(self.Left())

    def propose(self) -> None:
        """Shows what could stand at the cursor."""
        value, cursor = self._input.value, self._input.cursor_position
        found = [
            each
            for each in complete(value, cursor, self._known)
            if each.insert.rstrip(":>") not in self._lacking
        ]
        self._choices.show(found)
        if found:
            before = Text(value[: found[0].start]).cell_len
            scrolled = round(self._input.scroll_x)
            self._choices.styles.offset = (max(0, before - scrolled) + 2, 0)

    def _earlier_mistake(self) -> FilterError | None:
        """A mistake in what stands before the word that is being written."""
        value = self._input.value
        try:
            parse(value)
        except FilterError as error:
            unfinished = value[error.at :].lstrip()
            return error if any(map(str.isspace, unfinished)) else None
        return None

    def _mistake(self, error: FilterError | None) -> None:
        self._marker.at = error.at if error else None
        self._input.refresh()
        self.post_message(self.Mistaken(error.sentence if error else ""))


class FilterInput(Input):
    """The input itself; its keys are those of a completing line.

    They are handled here and not by bindings, which run after whatever was typed behind them.
    """

    DEFAULT_CSS = """
    FilterInput, FilterInput:focus {
        width: 1fr;
        border: none;
        height: 1;
        padding: 0;
        background: transparent;
    }
    FilterInput:focus { background: $panel; }
    """

    def __init__(self, marker: _Marker) -> None:
        super().__init__(
            placeholder=PLACEHOLDER, highlighter=marker, select_on_focus=False, compact=True
        )
        self.cursor_blink = False

    @property
    def _bar(self) -> FilterBar:
        return next(parent for parent in self.ancestors if isinstance(parent, FilterBar))

    @property
    def _choices(self) -> Choices:
        return self._bar.query_one(Choices)

    async def on_key(self, event: events.Key) -> None:
        match event.key:
            case "tab":
                self._accept()
            case "down":
                self._choices.choose(1)
            case "up":
                self._choices.choose(-1)
            case "enter":
                await self._enter()
            case "escape":
                self._bar.cancel()
            case _:
                return
        event.stop()
        event.prevent_default()

    def _accept(self) -> None:
        """The chosen proposal, else the first one for the text as it stands by now."""
        if self._choices.chosen is None:
            self._bar.propose()
        completion = self._choices.chosen or self._choices.first
        if completion is not None:
            self._bar.accept(completion)

    async def _enter(self) -> None:
        """Takes the proposal that was chosen with the arrows, else applies the filter."""
        if self._choices.chosen is not None:
            self._bar.accept(self._choices.chosen)
        else:
            await self.action_submit()

    def on_blur(self) -> None:
        self._choices.show(())


class Choices(Widget):
    """The proposals, over what is beneath. None is chosen until an arrow says so."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Choices {
        overlay: screen;
        constrain: inside inside;
        display: none;
        width: auto;
        max-width: 100%;
        height: auto;
        padding: 0 1;
        background: $panel;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._found: tuple[Completion, ...] = ()
        self._at: int | None = None

    @property
    def chosen(self) -> Completion | None:
        return self._found[self._at] if self._at is not None else None

    @property
    def first(self) -> Completion | None:
        return self._found[0] if self._found else None

    def show(self, found: Sequence[Completion]) -> None:
        self._found, self._at = tuple(found), None
        self.display = bool(found)
        self.refresh(layout=True)

    def choose(self, step: int) -> None:
        if self._found:
            at = (-1 if step > 0 else 0) if self._at is None else self._at
            self._at = (at + step) % len(self._found)
            self.refresh()

    def render(self) -> Content:
        rows = self._window()
        width = max((len(self._found[index].insert) for index in rows), default=0)
        lines = []
        for index in rows:
            found = self._found[index]
            here = index == self._at
            line = Text(found.insert.ljust(width), "bold $accent" if here else "")
            line.append(f"  {found.hint}" if found.hint else "", "$text-muted")
            lines.append(line)
        more = len(self._found) - len(rows)
        if more:
            lines.append(Text(f"and {more} more", "$text-muted"))
        return content(Text("\n").join(lines))

    def on_click(self, event: events.Click) -> None:
        rows = self._window()
        if 0 <= event.y < len(rows):
            bar = next(parent for parent in self.ancestors if isinstance(parent, FilterBar))
            bar.accept(self._found[rows[event.y]])

    def _window(self) -> range:
        start = max(0, (self._at or 0) - LINES + 1)
        return range(start, min(len(self._found), start + LINES))


class _Marker(Highlighter):
    """Terms in bold; from a mistake on, underlined."""

    def __init__(self) -> None:
        self.at: int | None = None

    def highlight(self, text: Text) -> None:
        text.highlight_regex(rf"(?:^|(?<=\s))(?:{_NAMES})(?=[:<>=])", Style(bold=True))
        if self.at is not None and self.at < len(text.plain):
            rest = text.plain[self.at :]
            word = len(rest) - len(rest.lstrip()) + len((rest.split() or [rest])[0])
            text.stylize(Style(underline=True, reverse=True), self.at, self.at + max(1, word))
