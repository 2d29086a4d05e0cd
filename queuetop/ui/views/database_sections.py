"""The words and numbers of the Database view. Pure: a snapshot in, text out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from rich.text import Text

from queuetop.model.durations import show_duration
from queuetop.model.measure import Exactness, Measure
from queuetop.model.numbers import show_bytes, show_count, show_share
from queuetop.model.snapshot import (
    Cost,
    DatabaseHealth,
    Holder,
    IndexUse,
    Level,
    PanelCost,
    Snapshot,
)
from queuetop.ui.marks import mark, number
from queuetop.ui.times import TimeMode, show_time
from queuetop.ui.widgets.columns import Column
from queuetop.ui.widgets.texts import bar, fitted, sheet

#: Where the values of a section begin.
LABEL = 17
BAR = 12
SKEW_S = 2.0
IN_STEP_S = 0.1


def server(snapshot: Snapshot, mode: TimeMode, width: int) -> Text:
    """What the server says about the table and its sessions."""
    health = snapshot.database
    if health is None:
        return _joined(
            [
                _title("Table"),
                Text("Asking the server. These statements run only while this view is seen."),
            ]
        )
    now = snapshot.taken_at
    return _joined(
        [
            _title(snapshot.mapping.table),
            *_table(health, mode, now),
            Text(),
            _title("What holds it back"),
            *_holders(health, width),
            Text(),
            _title("Connections"),
            _connections(health),
        ]
    )


def indexes(snapshot: Snapshot, width: int) -> Text:
    """Each index: how often it is used, how big it is, whether it can be used at all."""
    health = snapshot.database
    return Text() if health is None else _joined([_title("Indexes"), *_indexes(health, width)])


def own(snapshot: Snapshot, width: int) -> Text:
    """What queuetop itself costs, statement by statement."""
    cost = snapshot.cost
    return _joined(
        [
            _title("queuetop's own cost"),
            *_cost(cost, snapshot.clock_skew_s),
            Text(),
            *_panels(cost, width),
        ]
    )


def _table(health: DatabaseHealth, mode: TimeMode, now: datetime) -> Iterator[Text]:
    yield _row("table", _measured(health.table_bytes, now, show_bytes))
    yield _row("indexes", _measured(health.index_bytes, now, show_bytes))
    yield _row("live rows", _measured(health.live_rows, now))
    ratio = _ratio(health.dead_rows, health.live_rows)
    share = "" if ratio is None else f"  {show_share(ratio)} of all"
    yield _row("dead rows", _measured(health.dead_rows, now), (share, "$text-muted"))
    running = "  runs now" if health.autovacuum_running else ""
    changed = health.modified_since_analyze
    if changed is None:  # no statistics of it: a view, or a standby
        yield _row("autovacuum", "–", (running, "$accent"))
        yield _row("autoanalyze", "–")
        return
    yield _row("autovacuum", _when(health.last_autovacuum, mode, now), (running, "$accent"))
    since = f"  {show_count(changed)} rows changed since"
    yield _row("autoanalyze", _when(health.last_autoanalyze, mode, now), (since, "$text-muted"))


def _when(moment: datetime | None, mode: TimeMode, now: datetime) -> str:
    return show_time(moment, mode, now) if moment else "never"


def _holders(health: DatabaseHealth, width: int) -> Iterator[Text]:
    if health.oldest_snapshot is None:
        yield _row("oldest snapshot", "none is held")
    else:
        yield _row("oldest snapshot", (show_duration(health.oldest_snapshot.age_s), "bold"))
        yield from _holder(health.oldest_snapshot, width)
    if not health.blockers:
        yield _row("blockers", "nobody waits for a lock")
    for holder in health.blockers:
        who = "session waits" if holder.blocks == 1 else "sessions wait"
        waiting = f"{mark(Level.WARNING).glyph} {show_count(holder.blocks)} {who}"
        yield _row(
            "blocker",
            (waiting, "$warning"),
            f"; it began {show_duration(holder.age_s)} ago",
        )
        yield from _holder(holder, width)


def _holder(holder: Holder, width: int) -> Iterator[Text]:
    who = " · ".join(
        part
        for part in (f"pid {holder.pid}", holder.application, holder.user, holder.state)
        if part
    )
    for line in (Text(who), Text(holder.query, "$text-muted")):
        if line.plain:
            yield _row("", fitted(line, max(1, width - LABEL)))


def _connections(health: DatabaseHealth) -> Text:
    used, most = health.connections, health.max_connections
    share = used / most if used is not None and most else None
    return _row(
        "in use",
        f"{show_count(used)} of {show_count(most)}  ",
        (bar(share, BAR), "$accent"),
        "" if share is None else f" {show_share(share)}",
    )


def _indexes(health: DatabaseHealth, width: int) -> Iterable[Text]:
    if not health.indexes:
        return [Text("There is none, so every look at the table reads all of it.")]
    columns = (
        Column[IndexUse]("INDEX", lambda index: index.name, width=24, limit=63),
        Column[IndexUse]("SCANS", lambda index: show_count(index.scans), "right"),
        Column[IndexUse]("SIZE", lambda index: show_bytes(index.size_bytes), "right", priority=1),
        Column[IndexUse]("", _index_state, priority=2),
        Column[IndexUse]("COLUMNS", _index_columns, width=12, priority=3, grows=True),
    )
    return sheet(columns, health.indexes, width)


def _index_state(index: IndexUse) -> Text:
    if not index.valid:
        look = mark(Level.CRITICAL)
        return Text(f"{look.glyph} invalid", look.style)
    return Text() if index.scans else Text("○ unused", "$text-muted")


def _index_columns(index: IndexUse) -> Text:
    where = f" where {index.predicate}" if index.predicate else ""
    return Text.assemble(index.columns, (where, "$text-muted"))


def _cost(cost: Cost, skew: float | None) -> Iterator[Text]:
    yield _row("share", show_share(cost.budget_share), ("  of one backend's time", "$text-muted"))
    trips = "round trip" if cost.round_trips == 1 else "round trips"
    parts = f"  {show_count(cost.round_trips)} {trips}, server {_ms(cost.db_ms)}"
    yield _row("this poll", _ms(cost.poll_ms), (parts, "$text-muted"))
    yield _skew(skew)


def _skew(skew: float | None) -> Text:
    if skew is None:
        return _row("clock skew", "–", ("  not compared yet", "$text-muted"))
    look = mark(Level.WARNING)
    flag = f"{look.glyph} " if abs(skew) > SKEW_S else ""
    side = "in step with" if abs(skew) < IN_STEP_S else "ahead of" if skew > 0 else "behind"
    return _row(
        "clock skew",
        (flag, look.style),
        show_duration(abs(skew)),
        (f"  {side} the server", "$text-muted"),
    )


def _panels(cost: Cost, width: int) -> Iterator[Text]:
    columns = (
        Column[PanelCost]("STATEMENT", lambda panel: panel.panel, width=10, limit=28),
        Column[PanelCost]("TAKES", lambda panel: _ms(panel.ms), "right"),
        Column[PanelCost]("EVERY", lambda panel: show_duration(panel.every_s), "right", priority=1),
        Column[PanelCost]("WHY", lambda panel: panel.note, width=10, priority=2, grows=True),
    )
    shown = columns if any(panel.note for panel in cost.panels) else columns[:3]
    yield from sheet(shown, cost.panels, width)
    if cost.skipped:
        yield Text()
        yield Text("Left out of this poll", "$text-muted")
        yield from (Text(reason) for reason in cost.skipped)


def _ms(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds:.1f} ms"


def _measured(
    measure: Measure, now: datetime, show: Callable[[float | None], str] = show_count
) -> Text:
    if not measure.known:
        return Text.assemble("–", (f"  {measure.why or 'no reason given'}", "$text-muted"))
    guess = "~" if measure.exactness is Exactness.ESTIMATED else ""
    return number(measure, now, lambda known: f"{guess}{show(known.value)}")


def _ratio(dead: Measure, live: Measure) -> float | None:
    if dead.value is None or live.value is None or dead.value + live.value <= 0:
        return None
    return dead.value / (dead.value + live.value)


def _title(words: str) -> Text:
    return Text(words, "bold $accent")


def _row(label: str, *parts: str | Text | tuple[str, str]) -> Text:
    return Text.assemble((label.ljust(LABEL), "$text-muted"), *parts)


def _joined(lines: Iterable[Text]) -> Text:
    return Text("\n").join(lines)
