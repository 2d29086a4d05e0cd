"""Why: what stands behind each finding, each number, the connection and queuetop's own cost. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from textual.content import Content

from queuetop.model.durations import show_duration
from queuetop.model.numbers import show_share
from queuetop.model.snapshot import Cost, Finding, Level, Link, LinkState, Snapshot
from queuetop.ui.marks import mark
from queuetop.ui.options import TimeMode
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
    body: Content
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
    head = Content.styled(f"{look.glyph} {look.word.upper()}", f"bold {look.style}")
    parts = [head, Content.styled(finding.verdict, "bold"), Content()]
    parts += [Content(f"• {line}") for line in finding.evidence]
    for title, text in (
        ("CAUSE", finding.cause),
        ("CHECK", finding.check),
        ("ACTION", finding.action),
    ):
        if text:
            parts += [Content(), Content.styled(title, "$text-muted"), Content(text)]
    return Evidence(
        key=f"finding:{finding.name}:{index}",
        label=finding.name.replace("_", " "),
        value=look.word,
        level=finding.level,
        body=Content("\n").join(parts),
        filter=finding.filter,
    )


def _number(signal: Signal, snapshot: Snapshot) -> Evidence:
    look = mark(signal.level)
    alarming = signal.level in {Level.WARNING, Level.CRITICAL}
    state = Content.styled(f"  {look.glyph} {look.word}", look.style) if alarming else Content()
    parts = [
        Content.styled(signal.label, "$text-muted"),
        Content.styled(signal.value, "bold") + state,
        Content(),
        Content(signal.meaning),
        Content(),
        *_rows(
            [(name, text, show_exactness(m, snapshot.taken_at)) for name, m, text in signal.lines]
        ),
    ]
    if signal.notes:
        parts += [Content(), *(Content(note) for note in signal.notes)]
    return Evidence(
        key=signal.name,
        label=signal.label.lower(),
        value=signal.value,
        level=signal.level if signal.known else Level.UNKNOWN,
        body=Content("\n").join(parts),
        filter=signal.filter,
    )


def _connection(snapshot: Snapshot | None, link: LinkState, times: TimeMode) -> Evidence:
    level = Level.CRITICAL if link.link is Link.STALE else Level.WARNING
    look = mark(level)
    parts = [
        Content.styled(f"{look.glyph} {link.link.upper()}", f"bold {look.style}"),
        Content.styled(link.sentence or "Waiting for the server", "bold"),
        Content(),
    ]
    if snapshot is None:
        parts.append(Content("No numbers have come yet."))
    else:
        taken = show_moment(
            snapshot.taken_at,
            TimeMode.LOCAL if times is TimeMode.LOCAL else TimeMode.UTC,
            snapshot.taken_at,
        )
        parts += [
            Content(
                f"The numbers are those of {taken.split('  ')[0]}; they stay until newer ones come."
            ),
            Content(f"The verdict then: {snapshot.verdict.verdict}"),
        ]
    parts += [Content(), Content("queuetop tries again by itself; r tries at once.")]
    return Evidence(
        key=LINK, label=LINK, value=str(link.link), level=level, body=Content("\n").join(parts)
    )


def _cost(cost: Cost) -> Evidence:
    parts = [
        Content.styled("WHAT LOOKING COSTS", "$text-muted"),
        Content.styled(f"{show_share(cost.budget_share)} of one backend's time", "bold"),
        Content(),
        Content(
            f"The last poll took {show_duration(cost.poll_ms / 1000)}, {show_duration(cost.db_ms / 1000)} "
            f"of it in the server, in {cost.round_trips} round trip{'s' if cost.round_trips != 1 else ''}."
        ),
    ]
    if cost.panels:
        rows = [
            (
                panel.panel,
                "–" if panel.ms is None else show_duration(panel.ms / 1000),
                " · ".join(filter(None, (f"every {show_duration(panel.every_s)}", panel.note))),
            )
            for panel in cost.panels
        ]
        parts += [Content(), *_rows(rows)]
    if cost.skipped:
        parts += [Content(), Content.styled("NOT ASKED THIS TIME", "$text-muted")]
        parts += [Content(f"• {reason}") for reason in cost.skipped]
    return Evidence(
        key=COST,
        label="queuetop's own cost",
        value=show_share(cost.budget_share),
        level=Level.FINE,
        body=Content("\n").join(parts),
    )


def _rows(rows: Sequence[tuple[str, str, str]]) -> Iterator[Content]:
    """Name, right-aligned value, how far it can be trusted."""
    names = max((len(name) for name, _, _ in rows), default=0)
    values = max((len(value) for _, value, _ in rows), default=0)
    for name, value, trust in rows:
        yield Content.assemble(
            (name.ljust(names + 2), "$text-muted"),
            value.rjust(values),
            (f"   {trust}", "$text-muted"),
        )
