"""A snapshot as text, as ``top -b -n 1`` prints: verdict first, then the numbers, then where to look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.text import Text

from queuetop.cli.grid import Column, grid, wrapped
from queuetop.model.measure import Measure
from queuetop.model.numbers import show_count, show_rate, show_share
from queuetop.model.snapshot import FailureKind, Finding, Level, Oldest, QueueLine, Snapshot
from queuetop.model.states import ENDED, LIVE, State
from queuetop.ui.marks import age, duration, mark, number, rate, share
from queuetop.ui.options import TimeMode
from queuetop.ui.times import show_age, show_clock

#: Levels as the terminal's own colours, whatever its theme.
_PAINT = {
    Level.FINE: "green",
    Level.WARNING: "yellow",
    Level.CRITICAL: "bold red",
    Level.UNKNOWN: "dim",
}
_ALARMED = {Level.WARNING, Level.CRITICAL}
_VERDICT_INDENT = 12
_QUEUES, _KINDS = 20, 15
#: The width from which an example message has room beside its kind.
_BESIDE = 110


def report(snapshot: Snapshot, width: int, times: TimeMode = TimeMode.UTC) -> list[Text]:
    """The lines of a snapshot, at most ``width`` cells each."""
    blocks = [
        _head(snapshot, width, times),
        *(draw(snapshot, width) for draw in (_signals, _states, _queues, _failures, _cost)),
    ]
    lines: list[Text] = []
    for block in filter(None, blocks):
        lines += [Text(), *block] if lines else block
    return lines


def _head(snapshot: Snapshot, width: int, times: TimeMode) -> list[Text]:
    server = snapshot.server
    now = snapshot.taken_at
    day = f"{(now.astimezone() if times is TimeMode.LOCAL else now).date()}"
    parts = [
        snapshot.mapping.name,
        server.where,
        f"PG {server.version} {'standby' if server.standby else 'primary'}",
        f"{day} {show_clock(now, times)}",
    ]
    if snapshot.mapping.table not in (snapshot.mapping.name, f"public.{snapshot.mapping.name}"):
        parts.insert(1, snapshot.mapping.table)
    head = Text(" · ".join(parts), "bold")
    lines = [head] if head.cell_len <= width else _two_lines(parts, width)
    for place, finding in enumerate(snapshot.findings):
        if place == 0 or finding.level in _ALARMED:
            lines += _finding(finding, width)
    return lines


def _two_lines(parts: list[str], width: int) -> list[Text]:
    """Names first, and what is of a known length on the second line."""
    lines = [Text(" · ".join(parts[:-2]), "bold"), Text(" · ".join(parts[-2:]))]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def _finding(finding: Finding, width: int) -> list[Text]:
    look = mark(finding.level)
    label = Text(f"{look.glyph} {look.word.upper()}", _PAINT[finding.level])
    return wrapped(label, Text(finding.verdict), width, _VERDICT_INDENT)


def _signals(snapshot: Snapshot, width: int) -> list[Text]:
    """One line a signal: name, value, level, and what the value rests on."""
    rows: list[list[Text | str]] = []

    def row(name: str, value: Text, measure: Measure, note: str, level: str = "") -> None:
        found = snapshot.levels.get(level, Level.UNKNOWN)
        told = Text(mark(found).glyph, _PAINT[found]) if found in _ALARMED else Text("")
        reason = note if measure.known else measure.why or ""
        rows.append([name, value, told, Text(reason, "dim")])

    now = snapshot.taken_at
    oldest, wait = snapshot.oldest_pending, snapshot.longest_wait
    row(
        "oldest pending",
        age(oldest.age_s, now),
        oldest.age_s,
        _whose(oldest),
        "oldest_pending",
    )
    row("longest wait", age(wait.age_s, now), wait.age_s, _whose(wait), "longest_wait")
    ratio = snapshot.retry_ratio
    row("retry ratio", share(ratio.share, now), ratio.share, _of_finished(snapshot), "retry_ratio")
    flow = snapshot.flow
    for name, measure in (
        ("arrived /s", flow.arrived),
        ("finished /s", flow.finished),
        ("failed /s", flow.failed),
    ):
        note = _backlog(flow.drain) if name == "finished /s" else f"in {flow.window_s:.0f}s"
        row(name, rate(measure, now), measure, note)
    times = snapshot.durations
    row(
        "run time p95",
        duration(times.run_p95, now),
        times.run_p95,
        _percentiles(snapshot, "run"),
        "p95",
    )
    row(
        "wait time p95",
        duration(times.wait_p95, now),
        times.wait_p95,
        _percentiles(snapshot, "wait"),
    )
    columns = [Column(""), Column("", right=True), Column(""), Column("", least=20)]
    return grid(columns, rows, width)


def _backlog(drain: str) -> str:
    """The forecast as a sentence of its own: what grows or drains is the backlog."""
    if not drain or drain == "not known":
        return ""
    return drain if drain == "nothing waits" else f"the backlog {drain}"


def _whose(oldest: Oldest) -> str:
    if oldest.job_id is None:
        return ""
    return f"job {oldest.job_id}" + (f" in {oldest.queue}" if oldest.queue else "")


def _of_finished(snapshot: Snapshot) -> str:
    ratio = snapshot.retry_ratio
    if ratio.retried is None or ratio.finished is None:
        return ""
    hours = ratio.window_s / 3600
    return f"{show_count(ratio.retried)} of {show_count(ratio.finished)} finished in {hours:g}h"


def _percentiles(snapshot: Snapshot, which: str) -> str:
    times = snapshot.durations
    p50, p99 = getattr(times, f"{which}_p50"), getattr(times, f"{which}_p99")
    return f"p50 {duration(p50).plain}, p99 {duration(p99).plain}; {times.window}"


def _states(snapshot: Snapshot, width: int) -> list[Text]:
    """Two bands of counts, work not done and work ended, each with its change per minute."""
    now = snapshot.taken_at
    lines: list[Text] = []
    for states in (LIVE, ENDED):
        names: list[State] = [s for s in states if s in snapshot.states and _matters(snapshot, s)]
        titles = [str(s).upper() for s in names]
        values = [number(snapshot.states[s], now) for s in names]
        changes = [Text(_change(snapshot.states_per_min.get(s)), "dim") for s in names]
        if states is ENDED and (snapshot.unmapped.value or 0) > 0:
            titles.append("UNMAPPED")
            values.append(number(snapshot.unmapped, now))
            changes.append(Text(""))
        if titles:
            rows: list[list[Text | str]] = [list(values)]
            if any(change.plain for change in changes):
                rows.append(list(changes))
            columns = [Column(title, right=True) for title in titles]
            lines += grid(columns, rows, width)
    return lines


def _matters(snapshot: Snapshot, state: State) -> bool:
    """A state that this table cannot have takes no room."""
    return snapshot.states[state].known or state in {State.PENDING, State.RUNNING, State.FAILED}


def _change(per_minute: float | None) -> str:
    if per_minute is None or round(per_minute) == 0:
        return ""
    return f"{'+' if per_minute > 0 else '−'}{show_count(abs(per_minute))}/min"


def _queues(snapshot: Snapshot, width: int) -> list[Text]:
    now = snapshot.taken_at
    columns = [
        Column("QUEUE", least=12),
        Column("PENDING", right=True),
        Column("RETRYING", right=True, leaves=2),
        Column("RUNNING", right=True),
        Column("STALLED", right=True, leaves=1),
        Column("FAILED", right=True),
        Column("OLDEST", right=True),
        Column("OUT/S", right=True, leaves=3),
        Column(""),
    ]

    def cells(line: QueueLine) -> Iterator[Text | str]:
        yield line.queue
        for measure in (line.pending, line.retrying, line.running, line.stalled, line.failed):
            yield number(measure, now)
        yield age(line.oldest_s, now)
        yield rate(line.finished_per_s, now)
        if line.paused:
            yield Text("paused", "yellow")
        else:
            yield Text(mark(line.level).glyph if line.level in _ALARMED else "", _PAINT[line.level])

    return _limited(
        columns, [list(cells(line)) for line in snapshot.queues], width, _QUEUES, "queues"
    )


def _failures(snapshot: Snapshot, width: int) -> list[Text]:
    """A line a kind, with an example beside it, or below it where there is too little room."""
    now = snapshot.taken_at
    beside = width >= _BESIDE
    columns = [
        Column("FAILURE KIND", least=16),
        Column("CLASS"),
        Column("COUNT", right=True),
        Column("SHARE", right=True, leaves=1),
        Column("1H", right=True, leaves=2),
        Column("LAST", right=True),
        *([Column("EXAMPLE", least=20, yields=1)] if beside else []),
    ]
    kinds = snapshot.failures.kinds
    rows = [[*_kind(kind, now), Text(kind.example, "dim")][: len(columns)] for kind in kinds]
    lines = _limited(columns, rows, width, _KINDS, "kinds")
    if not lines:
        return []
    if not beside:
        lines = _with_examples(lines, kinds, width)
    if snapshot.failures.window:
        lines.append(Text(f"  {snapshot.failures.window}", "dim"))
        lines[-1].truncate(width, overflow="ellipsis")
    return lines


def _with_examples(lines: list[Text], kinds: Sequence[FailureKind], width: int) -> list[Text]:
    told = [lines[0]]
    for place, line in enumerate(lines[1:]):
        told.append(line)
        if place < min(len(kinds), _KINDS) and kinds[place].example:
            example = Text(f"    {kinds[place].example}", "dim")
            example.truncate(width, overflow="ellipsis")
            told.append(example)
    return told


def _kind(kind: FailureKind, now: datetime) -> Iterator[Text | str]:
    yield Text(kind.kind).append(" NEW" if kind.new else "", "bold red")
    yield str(kind.failure_class)
    yield number(kind.count, now)
    yield show_share(kind.share)
    yield show_count(kind.recent)
    yield show_age(kind.last_failed_at, TimeMode.RELATIVE, now)


def _limited(
    columns: list[Column], rows: list[list[Text | str]], width: int, limit: int, what: str
) -> list[Text]:
    if not rows:
        return []
    lines = grid(columns, rows[:limit], width)
    if len(rows) > limit:
        lines.append(Text(f"  and {len(rows) - limit} more {what}", "dim"))
    return lines


def _cost(snapshot: Snapshot, width: int) -> list[Text]:
    cost = snapshot.cost
    trips = "1 round trip" if cost.round_trips == 1 else f"{cost.round_trips} round trips"
    parts = [trips, f"{cost.db_ms:.1f} ms on the server", f"{cost.poll_ms:.0f} ms in all"]
    parts.append(f"{cost.budget_share * 100:.2g} % of one backend")
    if snapshot.clock_skew_s is not None and abs(snapshot.clock_skew_s) > 2:
        parts.append(f"this clock is {show_rate(snapshot.clock_skew_s)} s off the server's")
    lines = wrapped(Text("cost", "dim"), Text(" · ".join(parts), "dim"), width, 6)
    if cost.skipped:
        note = Text(f"not asked this time: {'; '.join(cost.skipped)}", "dim")
        lines += wrapped(Text(), note, width, 6)
    return lines
