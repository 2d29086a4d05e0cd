"""The first line: which queue, which server, what may be done, what looking costs, what time it is there."""

from __future__ import annotations

from datetime import timedelta

from msgspec import Struct
from textual.content import Content

from queuetop.model.durations import show_duration
from queuetop.model.numbers import show_share
from queuetop.model.snapshot import Link, LinkState, MappingRef, Server, Snapshot
from queuetop.model.text import clean
from queuetop.ui.options import TimeMode
from queuetop.ui.times import show_clock
from queuetop.ui.widgets.line import Line, Part, fit

#: Seconds of clock skew that are worth a word.
SKEW_S = 2.0


class HeaderFacts(Struct, frozen=True, kw_only=True):
    """What the header is made of. Ages are seconds of the client's monotonic clock."""

    ref: MappingRef
    server: Server | None
    snapshot: Snapshot | None
    link: LinkState
    interval_s: float
    times: TimeMode
    profile: str | None = None
    writes: bool = False
    resting: bool = False
    #: Since the last snapshot came.
    age_s: float = 0.0
    #: Since the link became what it is.
    link_age_s: float = 0.0


class Header(Line):
    """Never wraps; at 80 columns only what an operator must not miss is left."""

    def show(self, facts: HeaderFacts) -> None:
        width = self.size.width - 2
        self.put(Content(" ") + fit(_left(facts), _right(facts), width))


def _left(facts: HeaderFacts) -> list[Part]:
    table = clean(facts.ref.table).removeprefix("public.")
    parts = [Part((facts.profile,), "bold $accent", 0)] if facts.profile else []
    parts.append(Part((table, _shorter(table, 24)), "bold" if facts.profile else "bold $accent", 1))
    if facts.server is not None:
        role = "standby" if facts.server.standby else "primary"
        version = facts.server.version.split(" ")[0]
        where = clean(facts.server.where)
        parts.append(Part((where, _shorter(where, 22), ""), "", 5))
        parts.append(Part((f"PG {version} {role}", role, ""), "$text-muted", 6))
    if facts.writes:
        parts.append(Part(("WRITES",), "bold reverse $accent"))
    else:
        parts.append(Part(("READ-ONLY",), "$text-muted"))
    return parts


def _right(facts: HeaderFacts) -> list[Part]:
    paused = [Part((" ‖ PAUSED ",), "bold reverse $warning")] if facts.resting else []
    if facts.link.link is not Link.LIVE:
        return paused + _trouble(facts)
    parts = [*paused, Part((show_interval(facts.interval_s), ""), "$text-muted", 4)]
    snapshot = facts.snapshot
    if snapshot is None:
        return parts
    cost = snapshot.cost
    parts.append(Part((f"poll {show_duration(cost.poll_ms / 1000)}", ""), "$text-muted", 7))
    parts.append(Part((f"db {show_share(cost.budget_share)}", ""), "$text-muted", 4))
    skew = snapshot.clock_skew_s
    if skew is not None and abs(skew) > SKEW_S:
        parts.append(Part((f"▲ clock {skew:+.1f} s", "▲ clock"), "$warning", 3))
    clock = show_clock(snapshot.taken_at + timedelta(seconds=facts.age_s), facts.times)
    parts.append(Part((clock, clock.split(" ")[0]), "", 2))
    return parts


def _trouble(facts: HeaderFacts) -> list[Part]:
    """The numbers are not live: how old they are, and when the next try is. Never in colour alone."""
    link = facts.link
    if link.link is Link.CONNECTING:
        parts = [Part((" ▲ CONNECTING ",), "bold reverse $warning")]
    else:
        age = f" {_seconds(facts.age_s)}" if facts.snapshot is not None else ""
        parts = [Part((f" ◆ STALE{age} ",), "bold reverse $error")]
    if link.retry_in_s is not None:
        left = link.retry_in_s - facts.link_age_s
        parts.append(Part((f"retry in {_seconds(left)}" if left >= 0.5 else "trying now",), ""))
    return parts


def _seconds(seconds: float) -> str:
    """Whole seconds, so that a countdown counts."""
    return f"{round(seconds)}s" if seconds < 59.5 else show_duration(round(seconds))


def show_interval(seconds: float) -> str:
    """``2s``, ``0.5s``, ``1m``."""
    if seconds >= 60 and seconds % 60 == 0:
        return f"{seconds / 60:g}m"
    return f"{seconds:g}s"


def _shorter(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
