"""What queuetop makes of a queue library's own tables: found by detection, asked by the store."""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

from psycopg import sql

from queuetop.model.facts import (
    CountLine,
    Facts,
    FailureLine,
    FinishedLine,
    Panel,
    QueueName,
    Signal,
    StateLine,
)
from queuetop.model.mapping import Mapping
from queuetop.model.states import State
from queuetop.store.conninfo import Conninfo
from queuetop.store.opener import Opener, Table
from queuetop.store.shape import Shape
from tests.support.databases import query


@dataclass
class Seen:
    """Everything that the panels of one table said, without a mapping given."""

    mapping: Mapping
    facts: Facts
    shape: Shape
    table: Table = field(repr=False)

    def states(self) -> dict[State, int]:
        """Jobs by state, as the counting panels have them. Estimates are not among them."""
        counts: Counter[State] = Counter()
        for lines in self.facts.lines.values():
            for line in lines:
                if isinstance(line, StateLine | FailureLine):
                    counts[line.state] += line.jobs
        return {state: jobs for state, jobs in counts.items() if jobs}

    def lines(self, state: State) -> list[StateLine]:
        found = self.facts.lines.get(Panel(Signal.STATE, state), ())
        return [line for line in found if isinstance(line, StateLine)]

    def failures(self) -> dict[str | None, FailureLine]:
        found = self.facts.lines.get(Panel(Signal.FAILURES, State.FAILED), ())
        return {line.kind: line for line in found if isinstance(line, FailureLine)}

    def finished(self) -> FinishedLine:
        (line,) = self.facts.lines[Panel(Signal.FINISHED, State.SUCCEEDED)]
        assert isinstance(line, FinishedLine)
        return line

    def unmapped(self) -> float:
        (line,) = self.facts.lines[Panel(Signal.UNMAPPED)]
        assert isinstance(line, CountLine)
        return line.rows

    def paused(self) -> set[str]:
        found = self.facts.lines[Panel(Signal.PAUSES)]
        return {line.queue for line in found if isinstance(line, QueueName)}


async def look(dsn: str, preset: str, stack: AsyncExitStack) -> Seen:
    """Detects the one table of ``preset`` and asks every panel."""
    opener = await stack.enter_async_context(Opener(Conninfo(dsn)))
    tables = [table for table in await opener.open() if table.mapping.name == preset]
    (table,) = tables
    stack.push_async_callback(table.reader.close)
    stack.push_async_callback(table.browser.close)
    facts = await table.reader.ask(table.reader.panels())
    assert not facts.failed
    return Seen(table.mapping, facts, Shape(table.mapping, table.relation), table)


def by_state(dsn: str, shape: Shape, column: str = "id") -> dict[State, list[Any]]:
    """A canonical column of the jobs in each state, by the state's own predicate and FROM item."""
    found: dict[State, list[Any]] = {}
    for state in shape.states:
        side = shape.side(state)
        statement = sql.SQL("select {} from {} where {} order by {}").format(
            side.value(column), side.source, side.where, side.fields["id"].raw
        )
        found[state] = [value for (value,) in run(dsn, statement, shape.params)]
    return found


def run(dsn: str, statement: sql.Composed, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Rows in a session as queuetop's: UTC."""
    import psycopg

    with psycopg.connect(dsn, autocommit=True, options="-c timezone=UTC") as connection:
        return connection.execute(statement, params).fetchall()


def plain(dsn: str, statement: str) -> list[tuple[Any, ...]]:
    """What plain SQL says."""
    return query(dsn, statement)
