"""What levels, states and measures look like: a glyph and a word beside every colour."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct
from rich.style import Style
from rich.text import Text

from queuetop.model.durations import show_age, show_duration
from queuetop.model.measure import Exactness, Measure
from queuetop.model.numbers import show_measure, show_rate, show_share
from queuetop.model.snapshot import Level
from queuetop.model.states import FailureClass, State


class Mark(Struct, frozen=True):
    """A level's look. ``style`` is a theme variable, for ``Content`` and CSS; ``paint`` for Rich."""

    glyph: str
    word: str
    short: str
    style: str
    paint: str


MARKS = {
    Level.FINE: Mark("●", "fine", "ok", "$success", "success"),
    Level.WARNING: Mark("▲", "warning", "warn", "$warning", "warning"),
    Level.CRITICAL: Mark("◆", "critical", "crit", "$error", "error"),
    Level.UNKNOWN: Mark("○", "unknown", "?", "$text-muted", "muted"),
}

#: Which level a state's own colour speaks for. Only states that want a person's eye have one.
STATES = {
    State.STALLED: Level.WARNING,
    State.FAILED: Level.CRITICAL,
    State.QUARANTINED: Level.CRITICAL,
}

STATE_GLYPHS = {
    State.PENDING: "○",
    State.SCHEDULED: "◷",
    State.RETRYING: "↻",
    State.BLOCKED: "⊘",
    State.RUNNING: "▶",
    State.STALLED: "▲",
    State.SUCCEEDED: "✓",
    State.FAILED: "◆",
    State.QUARANTINED: "◆",
    State.CANCELLED: "–",
}

CLASS_MEANING = {
    FailureClass.THEIRS: "an outside system failed: retry once it is repaired",
    FailureClass.OURS: "bad data or a missing entity: a retry cannot help",
    FailureClass.UNKNOWN_OUTCOME: "nobody knows whether the effect happened: look before a retry",
    FailureClass.UNCLASSIFIED: "no rule of the mapping names this kind",
}


def mark(level: Level) -> Mark:
    return MARKS[level]


class Paint(Struct, frozen=True, kw_only=True):
    """The theme's colours as Rich styles, for widgets that draw ``Text`` or strips themselves."""

    text: Style
    muted: Style
    accent: Style
    success: Style
    warning: Style
    error: Style
    cursor: Style
    #: The cursor of a table that has not the focus.
    resting: Style
    marked: Style

    def level(self, level: Level) -> Style:
        style: Style = getattr(self, MARKS[level].paint)
        return style

    def state(self, state: State | None) -> Style:
        if state is None:
            return self.muted
        if state in STATES:
            return self.level(STATES[state])
        return self.muted if state in {State.SUCCEEDED, State.CANCELLED} else self.text


def number(
    measure: Measure, now: datetime | None = None, show: Callable[[Measure], str] = show_measure
) -> Text:
    """A measure, right-aligned: ``~`` and ``+`` for its exactness, dimmed when stale or missing.

    ``now`` (the snapshot's time) dims what is older than a minute as well.
    """
    old = measure.stale or (now is not None and measure.age_s(now) > 60)
    style = "dim" if old or not measure.known else ""
    return Text(show(measure), style, justify="right", no_wrap=True)


def age(measure: Measure, now: datetime | None = None) -> Text:
    """The age of the oldest work; ``none`` where nothing waits."""
    return number(measure, now, lambda m: _marked(m, show_age(m.value)))


def duration(measure: Measure, now: datetime | None = None) -> Text:
    return number(measure, now, lambda m: _marked(m, show_duration(m.value)))


def share(measure: Measure, now: datetime | None = None) -> Text:
    return number(measure, now, lambda m: _marked(m, show_share(m.value)))


def rate(measure: Measure, now: datetime | None = None) -> Text:
    return number(measure, now, lambda m: _marked(m, show_rate(m.value)))


def _marked(measure: Measure, text: str) -> str:
    match measure.exactness:
        case Exactness.ESTIMATED:
            return f"~{text}"
        case Exactness.CAPPED:
            return f"{text}+"
        case _:
            return text
