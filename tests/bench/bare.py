"""The table with a primary key alone: the first screen, and what looking at it costs over five minutes."""

from __future__ import annotations

import statistics
from time import monotonic

from tests.bench import keys
from tests.bench.figures import Figure, Target, missing
from tests.bench.metering import INTERVAL_S, Spent, observing, quiet, viewer
from tests.bench.terminal import Terminal

GROUP = keys.BARE
SPAN_S = 300
FIRST = Target(2.0, "≤ 2 s")
SHARE = Target(0.01, "≤ 1 %")
_STARTS = 3


async def figures(dsn: str, *, real: bool) -> list[Figure]:
    """All of them; ``real`` lets the five minutes pass."""
    return [_first_screen(dsn), *await _five_minutes(dsn, real=real), *keys.while_scanning(dsn)]


def _first_screen(dsn: str) -> Figure:
    what = "first screen with numbers, from the command's start"
    took = []
    for _ in range(_STARTS):
        with Terminal(["-m", "queuetop", "--dsn", viewer(dsn)]) as terminal:
            frame = terminal.wait(lambda: "poll " in terminal.text, 30)
            if frame is None:
                return missing(GROUP, what, f"it never came: {terminal.last_words}", FIRST)
            took.append(frame.at - terminal.began)
        quiet(dsn)
    return Figure(
        GROUP,
        what,
        statistics.median(took),
        f"{statistics.median(took):.2f} s",
        FIRST,
        f"on a pty, Python's start and imports included; {', '.join(f'{s:.2f}' for s in took)} s",
    )


async def _five_minutes(dsn: str, *, real: bool) -> list[Figure]:
    began = monotonic()
    async with observing(dsn, real=real) as observation:
        opened = monotonic() - began
        spent = await observation.run(round(SPAN_S / INTERVAL_S))
        first = opened + observation.polls_s[0]
        later = await observation.run(round(SPAN_S / INTERVAL_S)) if not real else None
    how = "in real time" if real else "ticks on a simulated clock, every due statement really run"
    return [
        Figure(
            GROUP,
            "first snapshot, from connecting",
            first,
            f"{first:.2f} s",
            note=f"detection {opened:.2f} s, plans and the first poll {observation.polls_s[0]:.2f} s",
        ),
        _share("share of one backend, the first five minutes whole", spent, how),
        *([_share("the five minutes after", later, how)] if later else []),
    ]


def _share(what: str, spent: Spent, how: str) -> Figure:
    share = sum(spent.ticks) / 1000 / SPAN_S
    dearest = "; ".join(
        f"{panel} {len(runs)} × {statistics.median(runs):.0f} ms"
        for panel, runs in list(spent.by_panel.items())[:4]
    )
    cpu = "" if spent.cpu_ms is None else f", {spent.cpu_ms / 10 / SPAN_S:.2f} % by CPU time"
    failed = f"; FAILED: {spent.failed[0]}" if spent.failed else ""
    return Figure(
        GROUP,
        what,
        share,
        f"{share:.2%}".replace("%", " %"),
        SHARE,
        f"{how}; {dearest}; {spent.statements_ms / 10 / SPAN_S:.2f} % by pg_stat_statements{cpu}{failed}",
    )
