"""Why: what stands behind each finding, each number, the connection and queuetop's own cost. Pure."""

from __future__ import annotations

from msgspec import Struct

from queuetop.model.durations import show_duration
from queuetop.model.numbers import show_share
from queuetop.model.snapshot import Cost, Finding, Level, Link, LinkState, Snapshot
from queuetop.ui.marks import mark
from queuetop.ui.options import TimeMode
from queuetop.ui.prose import Paragraph, bullet, rows, title
from queuetop.ui.signals import Signal, show_exactness, signals
from queuetop.ui.times import show_moment

LINK = "connection"
COST = "cost"


class Evidence(Struct, frozen=True, kw_only=True):
    """One thing that can be asked about. ``filter`` lists the jobs behind it."""

    key: str
    label: str
    value: str
    level: Level
    body: tuple[Paragraph, ...]
    filter: str | None = None


def evidence(snapshot: Snapshot | None, link: LinkState, times: TimeMode) -> tuple[Evidence, ...]:
    """Everything, the worst first: a lost connection, the findings, the numbers, the cost."""
    found = [] if link.link is Link.LIVE else [_connection(snapshot, link, times)]
    if snapshot is not None:
        found += [_finding(finding, index) for index, finding in enumerate(snapshot.findings)]
        found += [_number(signal, snapshot) for signal in signals(snapshot)]
        found.append(_cost(snapshot.cost))
    return tuple(found)


def _finding(finding: Finding, index: int) -> Evidence:
    look = mark(finding.level)
    parts = [_flag(finding.level, look.word), Paragraph(finding.verdict, "bold"), Paragraph()]
    parts += [bullet(line) for line in finding.evidence]
    for name, text in (
        ("CAUSE", finding.cause),
        ("CHECK", finding.check),
        ("ACTION", finding.action),
    ):
        if text:
            parts += [Paragraph(), title(name), Paragraph(text)]
    return Evidence(
        key=f"finding:{finding.name}:{index}",
        label=finding.name.replace("-", " "),
        value=look.word,
        level=finding.level,
        body=tuple(parts),
        filter=finding.filter,
    )


def _number(signal: Signal, snapshot: Snapshot) -> Evidence:
    look = mark(signal.level)
    alarming = signal.level in {Level.WARNING, Level.CRITICAL}
    now = snapshot.taken_at
    parts = [
        title(signal.label),
        Paragraph(
            f"{look.glyph} {look.word}" if alarming else "",
            look.style,
            ((signal.value + "   ", "bold"),),
        ),
        Paragraph(),
        Paragraph(signal.meaning),
        Paragraph(),
        *rows([(name, text, show_exactness(m, now)) for name, m, text in signal.lines]),
    ]
    if signal.notes:
        parts += [Paragraph(), *map(Paragraph, signal.notes)]
    return Evidence(
        key=signal.name,
        label=signal.label.lower(),
        value=signal.value,
        level=signal.level if signal.known else Level.UNKNOWN,
        body=tuple(parts),
        filter=signal.filter,
    )


def _connection(snapshot: Snapshot | None, link: LinkState, times: TimeMode) -> Evidence:
    level = Level.CRITICAL if link.link is Link.STALE else Level.WARNING
    parts = [
        _flag(level, str(link.link)),
        Paragraph(link.sentence or "Waiting for the server", "bold"),
        Paragraph(),
    ]
    if snapshot is None:
        parts.append(Paragraph("No numbers have come yet."))
    else:
        mode = TimeMode.LOCAL if times is TimeMode.LOCAL else TimeMode.UTC
        taken = show_moment(snapshot.taken_at, mode, snapshot.taken_at).split("  ")[0]
        parts += [
            Paragraph(f"The numbers are those of {taken}; they stay until newer ones come."),
            Paragraph(f"The verdict then: {snapshot.verdict.verdict}"),
        ]
    parts += [Paragraph(), Paragraph("queuetop tries again by itself; r tries at once.")]
    return Evidence(key=LINK, label=LINK, value=str(link.link), level=level, body=tuple(parts))


def _cost(cost: Cost) -> Evidence:
    trips = f"{cost.round_trips} round trip{'' if cost.round_trips == 1 else 's'}"
    poll, db = show_duration(cost.poll_ms / 1000), show_duration(cost.db_ms / 1000)
    parts = [
        title("WHAT LOOKING COSTS"),
        Paragraph(f"{show_share(cost.budget_share)} of one backend's time", "bold"),
        Paragraph(),
        Paragraph(f"The last poll took {poll}, {db} of it in the server, in {trips}."),
    ]
    if cost.panels:
        table = [
            (
                panel.panel,
                "–" if panel.ms is None else show_duration(panel.ms / 1000),
                " · ".join(filter(None, (f"every {show_duration(panel.every_s)}", panel.note))),
            )
            for panel in cost.panels
        ]
        parts += [Paragraph(), *rows(table)]
    if cost.skipped:
        parts += [Paragraph(), title("NOT ASKED THIS TIME"), *map(bullet, cost.skipped)]
    return Evidence(
        key=COST,
        label="queuetop's cost",
        value=show_share(cost.budget_share),
        level=Level.FINE,
        body=tuple(parts),
    )


def _flag(level: Level, word: str) -> Paragraph:
    look = mark(level)
    return Paragraph(f"{look.glyph} {word.upper()}", f"bold {look.style}")
