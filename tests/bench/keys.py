"""From key to frame in a list of jobs: while scans run beside it, and while the jobs change under it."""

from __future__ import annotations

import random
import statistics
import threading
import time
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate

import psycopg

from tests.bench.figures import Figure, Target, missing
from tests.bench.metering import scheduled_ms, viewer
from tests.bench.tables import VIEWER
from tests.bench.terminal import Terminal

GROUP, BARE = "Interface", "Table with a primary key alone"
TARGET = Target(50.0, "≤ 50 ms")
#: Seconds between two keys: a thumb on an arrow key, and nobody's own rhythm.
_GAP_S = (0.11, 0.17)
#: Four down and four up again, so that the cursor stays in the part that is loaded. The p95 that counts
#: is the median of some rounds'.
KEYS, ROUNDS = 72, 3
#: What a terminal program costs that does nothing: each key comes back as a frame.
_ECHO = """
import os, tty
tty.setraw(0)
while (key := os.read(0, 1)) != b"q":
    os.write(1, key + b"\\x1b[?2026l")
"""
_IDLE_S = 6.0
#: Jobs that finish, and that arrive, in each second of the churn.
_THROUGH = 15


@dataclass
class Presses:
    """What became of some keys. Times are monotonic seconds, latencies milliseconds."""

    #: When each key was sent, and how long its frame took.
    latencies: list[tuple[float, float]] = field(default_factory=list)
    unanswered: int = 0
    #: How often the cursor left its job without a key.
    strays: int = 0

    def p(self, share: float) -> float:
        return percentile([ms for _, ms in self.latencies], share)


@dataclass(frozen=True)
class Rounds:
    """Several times the same keys."""

    each: list[Presses]
    #: What the program got of the machine meanwhile.
    core: str

    @property
    def p95(self) -> float:
        return statistics.median(presses.p(0.95) for presses in self.each)

    @property
    def latencies(self) -> list[tuple[float, float]]:
        return [each for presses in self.each for each in presses.latencies]

    @property
    def strays(self) -> int:
        return sum(presses.strays for presses in self.each)

    def __str__(self) -> str:
        found = [ms for _, ms in self.latencies]
        lost = sum(presses.unanswered for presses in self.each)
        rounds = ", ".join(f"{presses.p(0.95):.0f}" for presses in self.each)
        return (
            f"of {len(found)} keys p50 {percentile(found, 0.5):.0f}, p95 by round {rounds}, the worst "
            f"{max(found, default=float('nan')):.0f} ms{f', {lost} UNANSWERED' if lost else ''}{self.core}"
        )


def percentile(values: Sequence[float], share: float) -> float:
    found = sorted(values)
    return found[min(len(found) - 1, int(share * len(found)))] if found else float("nan")


def echo() -> str:
    """What the machine itself adds at this moment."""
    found = []
    with Terminal(["-c", _ECHO]) as terminal:
        time.sleep(0.5)
        for _ in range(KEYS):
            sent = terminal.write(b"j")
            frame = terminal.wait(lambda: True, 2)
            found.append((frame.at - sent) * 1000 if frame else float("inf"))
            time.sleep(0.03)
    return f"a program that only echoes has p95 {percentile(found, 0.95):.0f} ms at that time"


def press(terminal: Terminal) -> Rounds:
    """Moves the cursor and finds out when each move was seen."""
    before = scheduled_ms(terminal.pid)
    each = [_press(terminal) for _ in range(ROUNDS)]
    after = scheduled_ms(terminal.pid)
    if before is None or after is None:
        return Rounds(each, "")
    ran, waited = (now - then for now, then in zip(after, before, strict=True))
    return Rounds(each, f"; it ran {ran / 1000:.1f} s and waited {waited / 1000:.1f} s for a core")


def _press(terminal: Terminal, count: int = KEYS) -> Presses:
    dice = random.Random(7)
    sent: list[float] = []
    _catch_up(terminal)
    for number in range(count):
        sent.append(terminal.write(b"j" if _step(number) > 0 else b"k"))
        time.sleep(dice.uniform(*_GAP_S))
    time.sleep(1.0)
    return _match(terminal, sent)


def _step(number: int) -> int:
    """Four down, four up."""
    return 1 if number % 8 < 4 else -1


def _match(terminal: Terminal, sent: Sequence[float]) -> Presses:
    """Which frame answered which key: the first one whose cursor stands where the key put it, so many
    rows from where it started. A frame may answer several keys."""
    places = list(accumulate(_step(number) for number in range(len(sent))))
    found, done, place, at = Presses(), 0, 0, terminal.cursor
    while (frame := terminal.next_frame()) is not None:
        now = terminal.cursor
        if now is None or now == at:
            continue
        rows = terminal.rows
        place += rows.index(now) - rows.index(at) if at in rows else 0
        at = now
        keys = range(done, bisect(sent, frame.at))
        last = next((key for key in keys if places[key] == place), None)
        if last is None:
            found.strays += 1
            continue
        found.latencies += [(s, (frame.at - s) * 1000) for s in sent[done : last + 1]]
        done = last + 1
    found.unanswered = len(sent) - done
    return found


@dataclass
class Scans:
    """When a statement of the viewer's ran for long, looked at often."""

    spans: list[tuple[float, bool]] = field(default_factory=list)

    def during(self, at: float) -> bool:
        """Whether one was seen running within a tenth of a second."""
        return any(ran for moment, ran in self.spans if abs(moment - at) < 0.1)

    @property
    def share(self) -> float:
        return sum(ran for _, ran in self.spans) / max(1, len(self.spans))


@contextmanager
def scans(dsn: str) -> Iterator[Scans]:
    """Looks for the viewer's long statements beside the block."""
    found, end = Scans(), threading.Event()

    def look() -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            while not end.wait(0.05):
                rows = connection.execute(
                    "select 1 from pg_stat_activity where usename = %s and state = 'active'"
                    " and query like '%%observe/%%' and now() - query_start > interval '0.05 s'",
                    [VIEWER],
                ).fetchall()
                found.spans.append((time.monotonic(), bool(rows)))

    with _beside(look, end):
        yield found


@contextmanager
def churn(dsn: str) -> Iterator[list[int]]:
    """Changes every pending job once a second beside the block. Yields how many each time."""
    done: list[int] = []
    end = threading.Event()

    def change() -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            due = time.monotonic()
            while not end.wait(max(0.0, due - time.monotonic())):
                due += 1.0
                with connection.transaction():
                    done.append(connection.execute(_CHANGE).rowcount)
                    connection.execute(_FINISH, [_THROUGH])
                    connection.execute(_ARRIVE, [_THROUGH])

    with _beside(change, end):
        yield done


@contextmanager
def _beside(work: Callable[[], None], end: threading.Event) -> Iterator[None]:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join(10)


_CHANGE = (
    "update payment_task set attempts = (attempts + 1) % 5, payload = payload || '{\"seen\": true}'"
    " where status = 'PENDING' and next_attempt_at <= now()"
)
_FINISH = (
    "update payment_task set status = 'DONE', started_at = now(), finished_at = now() where id in"
    " (select id from payment_task where status = 'PENDING' and next_attempt_at <= now()"
    " order by next_attempt_at limit %s)"
)
_ARRIVE = (
    "insert into payment_task (queue, kind, payload, idempotency_key)"
    " select 'payments', 'charge card', '{}', 'new' from generate_series(1, %s)"
)


def while_scanning(dsn: str) -> list[Figure]:
    """The list of jobs while every tick starts the dear panels again, whatever the budget says."""
    what = "p95 key to frame while dear panels run"
    idle = echo()
    with scans(dsn) as seen, _dashboard(viewer(dsn), "--interval", "1", "--dear") as terminal:
        if not _to_jobs(terminal):
            return [missing(BARE, what, f"the list never came: {terminal.last_words}", TARGET)]
        presses = press(terminal)
    beside = [ms for at, ms in presses.latencies if seen.during(at)]
    return [
        Figure(
            BARE,
            what,
            presses.p95,
            f"{presses.p95:.0f} ms",
            TARGET,
            f"{presses}; {len(beside)} keys were beside a scan, p95 {percentile(beside, 0.95):.0f} (budget "
            f"and pace lifted, so that one ran {seen.share:.0%} of the time); {idle}",
        )
    ]


def while_changing(dsn: str) -> list[Figure]:
    """The list of the pending jobs while all of them change each second."""
    what = "p95 key to frame, 5 000 jobs changing each second"
    with churn(dsn) as changes:
        idle = echo()
        with _dashboard(viewer(dsn), "--interval", "1") as terminal:
            if not _to_jobs(terminal, "state:pending"):
                return [missing(GROUP, what, f"the list never came: {terminal.last_words}", TARGET)]
            presses = press(terminal)
            held, seen = _hold(terminal)
    each = sum(changes) / max(1, len(changes))
    lost = presses.strays + (not held)
    return [
        Figure(
            GROUP,
            what,
            presses.p95,
            f"{presses.p95:.0f} ms",
            TARGET,
            f"{presses}; {len(changes)} times {each:.0f} jobs changed, {_THROUGH} left and {_THROUGH} came; "
            f"{idle}",
        ),
        Figure(
            GROUP,
            "times that the cursor left its job",
            float(lost),
            str(lost),
            Target(0, "0"),
            f"while keys were sent, and in {_IDLE_S:.0f} s without any, in which its row was drawn with "
            f"{seen} different contents",
        ),
    ]


@contextmanager
def _dashboard(dsn: str, *options: str) -> Iterator[Terminal]:
    with Terminal(["-m", "tests.bench.dashboard", dsn, *options]) as terminal:
        yield terminal


def _to_jobs(terminal: Terminal, selection: str = "") -> bool:
    """Goes to the list of jobs, filters it, and waits until it is there."""
    if not terminal.wait(lambda: "poll " in terminal.text, 30):
        return False
    terminal.write(b"3")
    if not terminal.wait(lambda: " match" in terminal.text and terminal.cursor is not None, 30):
        return False
    if selection:
        for letter in f"/{selection}\r":
            terminal.write(letter.encode())
            _settle(terminal, 0.2)
        _settle(terminal, 2.0)
    _settle(terminal, 1.0)
    return terminal.cursor is not None


def _hold(terminal: Terminal) -> tuple[bool, int]:
    """Waits without a key: whether the cursor stays on its job, and how often its row changed."""
    _catch_up(terminal)
    at, rows = terminal.cursor, {terminal.cursor_row}
    until = time.monotonic() + _IDLE_S
    held = True
    while time.monotonic() < until:
        if terminal.next_frame() is None:
            time.sleep(0.01)
            continue
        held = held and terminal.cursor == at
        rows.add(terminal.cursor_row)
    return held, len(rows)


def _settle(terminal: Terminal, seconds: float) -> None:
    time.sleep(seconds)
    _catch_up(terminal)


def _catch_up(terminal: Terminal) -> None:
    while terminal.next_frame() is not None:
        pass
