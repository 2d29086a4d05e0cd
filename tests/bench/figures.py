"""Figures, and the one table that they end in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import wrap

WIDTH = 118


@dataclass(frozen=True)
class Target:
    """At most ``most``. ``judged`` is off where the target is meant for a bigger table."""

    most: float
    shown: str
    judged: bool = True


@dataclass(frozen=True)
class Figure:
    """One measured number. ``value`` is what the target bounds; ``shown`` is how people read it."""

    group: str
    what: str
    value: float | None
    shown: str
    target: Target | None = None
    #: What it is made of, how it was measured, what dominates it.
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """None where nothing is promised, the promise is for a bigger table, or nothing was measured."""
        if self.target is None or not self.target.judged or self.value is None:
            return None
        return self.value <= self.target.most

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "NOT MEASURED"
        if self.target is None:
            return ""
        if not self.target.judged:
            return "(not judged)"
        if self.holds:
            return "holds"
        return f"MISSED by {self.value / self.target.most:.2f}×" if self.target.most else "MISSED"


def missing(group: str, what: str, why: str, target: Target | None = None) -> Figure:
    """What could not be measured, and why."""
    return Figure(group, what, None, "–", target, why)


def table(figures: Sequence[Figure]) -> str:
    """All figures as text, a group under its own line, notes below their figure."""
    what = max(len(f.what) for f in figures)
    shown = max(len(f.shown) for f in figures)
    lines, group = [], ""
    for figure in figures:
        if figure.group != group:
            group = figure.group
            lines += ["", group]
        target = figure.target.shown if figure.target else ""
        row = f"  {figure.what:{what}}  {figure.shown:>{shown}}  {target:18}  {figure.verdict}"
        lines.append(row.rstrip())
        lines += [f"      {line}" for line in wrap(figure.note, WIDTH - 6)]
    return "\n".join(lines)


def write(path: Path, figures: Iterable[Figure], about: dict[str, object]) -> None:
    """The same as JSON."""
    rows = [asdict(f) | {"holds": f.holds, "verdict": f.verdict} for f in figures]
    path.write_text(json.dumps(about | {"figures": rows}, indent=1, ensure_ascii=False) + "\n")
