"""The keys: one table feeds bindings, footer, help and palette. Small letters look, capital ones change."""

from __future__ import annotations

from msgspec import Struct
from textual.binding import Binding, BindingType

GLOBAL = "global"
TABLE = "table"


class Key(Struct, frozen=True, kw_only=True):
    """One key. ``keys`` are Textual's names, separated by commas; the first one is shown.

    ``where`` is ``global``, ``table`` (any list) or a view's or screen's own name.
    """

    id: str
    keys: str
    action: str
    label: str
    help: str
    where: str = GLOBAL
    #: Changes jobs: exists only with write access.
    writes: bool = False
    footer: bool = True
    priority: bool = False
    #: Offered by the palette too (what moves a cursor is not).
    palette: bool = True

    @property
    def shown(self) -> str:
        return " ".join(_NAMES.get(key, key) for key in self.keys.split(",")[:2])

    @property
    def first(self) -> str:
        key = self.keys.split(",")[0]
        return _NAMES.get(key, key)


_NAMES = {
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "plus": "+",
    "minus": "-",
    "equals_sign": "=",
    "escape": "esc",
    "ctrl+p": "^p",
    "ctrl+c": "^c",
    "ctrl+q": "^q",
    "ctrl+f": "^f",
    "ctrl+b": "^b",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "pageup": "pgup",
    "pagedown": "pgdn",
}


def _view(number: int, title: str, help: str) -> Key:  # noqa: A002  # the word of the table
    return Key(
        id=f"view.{title.lower()}",
        keys=str(number),
        action=f"app.go({number})",
        label=title,
        help=help,
        footer=False,
    )


def _move(name: str, keys: str, help: str) -> Key:  # noqa: A002
    return Key(
        id=f"table.{name}",
        keys=keys,
        action=name,
        label=name.replace("_", " "),
        help=help,
        where=TABLE,
        footer=False,
        palette=False,
    )


def _list(where: str) -> tuple[Key, ...]:
    """What every list of jobs can do."""

    def key(
        name: str,
        keys: str,
        label: str,
        help: str,  # noqa: A002
        *,
        footer: bool = True,
        priority: bool = False,
    ) -> Key:
        return Key(
            id=f"{where}.{name}",
            keys=keys,
            action=name,
            label=label,
            help=help,
            where=where,
            footer=footer,
            priority=priority,
        )

    return (
        key("open", "enter", "open", "Open the job under the cursor"),
        # At once, so that what is typed right behind it is text and no command.
        key("filter", "slash", "filter", "Filter the jobs", priority=True),
        key("sort", "s", "sort", "Sort by the next column"),
        key("reverse", "S", "reverse", "Turn the sort order round", footer=False),
        key("mark", "space", "mark", "Mark the job under the cursor; esc takes all marks away"),
        key("mark_range", "v", "range", "Mark from the last mark to the cursor", footer=False),
        key("copy", "y", "copy", "Copy the job as a line, the marked ones as a table"),
        key("export", "e", "export", "Write the selection to a CSV or JSON file"),
    )


def _table(where: str, opens: str) -> tuple[Key, ...]:
    """What a small table can do. ``opens``: what ``enter`` lists the jobs of."""
    return (
        Key(
            id=f"{where}.open",
            keys="enter",
            action="open",
            label="jobs",
            help=f"List the jobs of {opens} under the cursor",
            where=where,
        ),
        Key(
            id=f"{where}.sort",
            keys="s",
            action="sort",
            label="sort",
            help="Sort by the next column",
            where=where,
        ),
        Key(
            id=f"{where}.reverse",
            keys="S",
            action="reverse",
            label="reverse",
            help="Turn the sort order round",
            where=where,
            footer=False,
        ),
    )


KEYS: tuple[Key, ...] = (
    *_list("jobs"),
    *_list("running"),
    *_table("failures", "the kind"),
    *_table("queues", "the queue"),
    Key(
        id="overview.open",
        keys="enter",
        action="open",
        label="why / jobs",
        help="Why, or a kind's jobs",
        where="overview",
        palette=False,
    ),
    Key(
        id="evidence.open",
        keys="enter",
        action="open",
        label="these jobs",
        help="List the jobs behind it",
        where="evidence",
    ),
    Key(
        id="evidence.more",
        keys="space",
        action="more",
        label="read on",
        help="Scroll the text",
        where="evidence",
    ),
    Key(
        id="switcher.open",
        keys="enter",
        action="open",
        label="look at it",
        help="Look at this table",
        where="switcher",
    ),
    Key(
        id="job.next",
        keys="right_square_bracket,n,right,l",
        action="beside(1)",
        label="next",
        help="The next job of the list",
        where="job",
    ),
    Key(
        id="job.previous",
        keys="left_square_bracket,left,h",
        action="beside(-1)",
        label="previous",
        help="The job before it in the list",
        where="job",
    ),
    Key(
        id="job.section",
        keys="tab",
        action="section(1)",
        label="section",
        help="To the next part of the text",
        where="job",
    ),
    Key(
        id="job.section_back",
        keys="shift+tab",
        action="section(-1)",
        label="section before",
        help="To the part before it",
        where="job",
        footer=False,
    ),
    Key(
        id="job.copy",
        keys="y",
        action="copy",
        label="copy",
        help="Copy everything that is known of the job",
        where="job",
    ),
    Key(
        id="sheet.back",
        keys="escape",
        action="dismiss_sheet",
        label="back",
        help="Back to where you came from",
        where="sheet",
        palette=False,
    ),
    _move("cursor_up", "up,k", "One line up"),
    _move("cursor_down", "down,j", "One line down"),
    _move("cursor_left", "left,h", "Left"),
    _move("cursor_right", "right,l", "Right"),
    _move("page_up", "pageup,ctrl+b", "One page up"),
    _move("page_down", "pagedown,ctrl+f", "One page down"),
    _move("first", "home,g", "First line"),
    _move("last", "end,G", "Last line"),
    _view(1, "Overview", "Is it healthy, and why not"),
    _view(2, "Failures", "Jobs that gave up, by kind"),
    _view(3, "Jobs", "Find and open jobs"),
    _view(4, "Running", "Who works on what, and for how long"),
    _view(5, "Queues", "Each queue's numbers"),
    _view(9, "Database", "What the table costs the server"),
    Key(
        id="why",
        keys="w",
        action="app.why",
        label="why",
        help="The evidence of every finding and number",
    ),
    Key(
        id="pause",
        keys="p",
        action="app.pause",
        label="pause",
        help="Let the tables rest; the header goes on",
    ),
    Key(id="refresh", keys="r", action="app.poll", label="refresh", help="Ask the server now"),
    Key(
        id="slower",
        keys="plus,equals_sign",
        action="app.slower",
        label="slower",
        help="Poll less often",
        footer=False,
    ),
    Key(
        id="faster",
        keys="minus",
        action="app.faster",
        label="faster",
        help="Poll more often",
        footer=False,
    ),
    Key(
        id="times",
        keys="t",
        action="app.times",
        label="times",
        help="Relative times, UTC, local time",
        footer=False,
    ),
    Key(
        id="charts",
        keys="c",
        action="app.charts",
        label="charts",
        help="Show or hide the charts",
        footer=False,
    ),
    Key(
        id="switch",
        keys="T",
        action="app.switch",
        label="tables",
        help="Look at another mapped table",
    ),
    Key(
        id="help",
        keys="question_mark",
        action="app.help",
        label="help",
        help="This page: keys and marks",
    ),
    Key(
        id="palette",
        keys="colon,ctrl+p",
        action="app.command_palette",
        label="commands",
        help="Find a command by name",
        palette=False,
    ),
    Key(
        id="back",
        keys="escape",
        action="app.go_back",
        label="back",
        help="Back to where you came from",
        footer=False,
        palette=False,
    ),
    Key(id="quit", keys="q", action="app.leave", label="quit", help="Quit"),
    Key(
        id="quit.now",
        keys="ctrl+c,ctrl+q",
        action="app.leave",
        label="quit",
        help="Quit, whatever has the focus",
        footer=False,
        priority=True,
        palette=False,
    ),
)


def of(*where: str, writes: bool = False) -> tuple[Key, ...]:
    """The keys of these places, in the table's order."""
    return tuple(key for key in KEYS if key.where in where and (writes or not key.writes))


def bindings(*where: str) -> list[BindingType]:
    """Textual bindings of these places, for a class's ``BINDINGS``."""
    return [_binding(key) for key in KEYS if key.where in where]


def _binding(key: Key) -> Binding:
    return Binding(
        key.keys,
        key.action,
        key.label,
        show=key.footer,
        priority=key.priority,
        tooltip=key.help,
        id=key.id,
    )
