"""A mapping bound to its relation, as SQL: where jobs are, what they say, which state they are in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from psycopg import sql

from queuetop.model.catalog import Column, Index, Relation
from queuetop.model.columns import CANONICAL, NUMBERS, TIMES
from queuetop.model.mapping import Mapping
from queuetop.model.states import State
from queuetop.model.stored import compared
from queuetop.store import files
from queuetop.store.compose import TRUE, all_of, any_of, ident, template
from queuetop.store.states import derive, stored_in


@dataclass(frozen=True)
class Field:
    """One canonical column within a FROM item.

    ``raw`` is what an index may hold: compare and order by it. ``value`` is what is shown. They
    differ for times without a zone.
    """

    raw: sql.Composable
    value: sql.Composable
    #: The physical column, where it is one.
    column: Column | None = None
    zone: str | None = None

    def edge(self, moment: sql.Composable) -> sql.Composable:
        """A timestamptz expression as something to compare ``raw`` with."""
        if self.zone is None:
            return moment
        return sql.SQL("({} at time zone {})").format(moment, _literal(self.zone))

    @property
    def not_null(self) -> bool:
        return self.column is not None and self.column.not_null


@dataclass(frozen=True)
class Side:
    """A FROM item, which of its rows count, and the canonical columns within it."""

    source: sql.Composable
    where: sql.Composable
    state: sql.Composable
    fields: dict[str, Field] = field(repr=False)

    def value(self, name: str) -> sql.Composable:
        """The canonical column's value, a typed NULL where the mapping has none."""
        found = self.fields.get(name)
        return found.value if found else _null(name)

    def get(self, name: str) -> Field | None:
        return self.fields.get(name)


class Shape:
    """The fragments of one mapping. Raises ``MappingError`` where they cannot be composed."""

    def __init__(self, mapping: Mapping, relation: Relation) -> None:
        self.mapping = mapping
        self.relation = relation
        self.params: dict[str, Any] = {}
        self.table = ident(relation.schema, relation.name)
        stem = mapping.stem(relation.name)
        self._names = {"table": self.table, "stem": _literal(stem)} | {
            name: ident(
                relation.schema,
                pattern.replace("{table}", relation.name).replace("{stem}", stem),
            )
            for name, pattern in mapping.siblings.items()
        }
        self._plain_source = mapping.source is None
        self.source = self._sql(
            mapping.source.from_ if mapping.source else "{table} as j", "source.from"
        )
        self.fields = self._base_fields()
        derived, self.params = derive(mapping, self.fields)
        self._where: dict[State, sql.Composable] = dict(derived)
        self._own: dict[State, Side] = {}
        for state, rule in mapping.states.items():
            where = self._sql(rule.where, f"states.{state}.where")
            if rule.from_ is None and not rule.expressions:
                self._where[state] = where
                continue
            self._where.pop(state, None)
            origin = f"states.{state}"
            own = self._over(rule.expressions, origin)
            source = self._sql(rule.from_, f"{origin}.from") if rule.from_ else self.source
            self._own[state] = Side(source, where, _literal(state), own)

    @property
    def states(self) -> tuple[State, ...]:
        """The states that this mapping can tell, in the order of their definition."""
        return tuple(state for state in State if state in self._where or state in self._own)

    @property
    def one_source(self) -> bool:
        """Whether every state is found in the same FROM item, so that one pass sees them all."""
        return not self._own

    @property
    def windowable(self) -> bool:
        """Whether "the newest N by id" means something: a table of its own with a growing id."""
        return self._plain_source and self.one_source and self.grows

    @property
    def grows(self) -> bool:
        """Whether an index gives the newest rows by id."""
        column = self.fields["id"].column
        return column is not None and column.is_integer and self.indexed("id")

    def side(self, state: State, *, window: bool = False) -> Side:
        """The rows in one state. ``window`` looks at the newest ``%(window)s`` rows by id only."""
        if state in self._own:
            return self._own[state]
        source = self._windowed() if window else self.source
        return Side(source, self._where[state], _literal(state), self.fields)

    def recent(self, state: State) -> Side:
        """Where the jobs that entered ``state`` lately are found by time: the state's rows, unless
        the mapping knows a cheaper place."""
        rule = self.mapping.states.get(state)
        if rule is None or rule.recent is None:
            return self.side(state)
        origin = f"states.{state}.recent"
        return Side(
            self._sql(rule.recent.from_, f"{origin}.from"),
            self._sql(rule.recent.where, f"{origin}.where"),
            _literal(state),
            self._over(rule.expressions | rule.recent.expressions, origin),
        )

    def sides(self, states: Iterable[State] = (), *, window: bool = False) -> list[Side]:
        """The rows in any of ``states``, or all rows: as few FROM items as it takes."""
        wanted = tuple(states)
        chosen = wanted or self.states
        own = [self._own[state] for state in chosen if state in self._own]
        shared = [state for state in chosen if state in self._where]
        if not shared and own:
            return own
        if not shared and wanted:  # a list of jobs in a state that nobody can tell is empty
            return [Side(self.source, sql.SQL("false"), sql.SQL("null::text"), self.fields)]
        predicates = [self._where[state] for state in shared]
        unmapped = self.unmapped() if own and not wanted else None
        if unmapped is not None:
            predicates.append(unmapped)
        # The main FROM item may hold the rows of a state that has one of its own, too.
        where = all_of([any_of(predicates)]) if wanted or own else TRUE
        source = self._windowed() if window else self.source
        return [Side(source, where, self.state_case(), self.fields), *own]

    def everything(self, *, window: bool = False) -> Side:
        """All rows of the main FROM item, whatever their state."""
        source = self._windowed() if window else self.source
        return Side(source, TRUE, self.state_case(), self.fields)

    def state_case(self) -> sql.Composable:
        """The state's name as text; NULL for a row that no rule names."""
        if not self._where:
            return sql.SQL("null::text")
        branches = sql.SQL(" ").join(
            sql.SQL("when {} then {}").format(where, _literal(state))
            for state, where in self._where.items()
        )
        return sql.SQL("case {} end").format(branches)

    def unmapped(self) -> sql.Composable | None:
        """Rows in no state; None where states have tables of their own and nothing says it."""
        if self.mapping.unmapped is not None:
            return self._sql(self.mapping.unmapped, "unmapped")
        if self._own or not self._where:
            return None
        return sql.SQL("({}) is not true").format(any_of(self._where.values()))

    def not_ended_well(self) -> sql.Composable:
        """Rows that are not history: what a whole pass has to look at."""
        history = [self._where[s] for s in (State.SUCCEEDED, State.CANCELLED) if s in self._where]
        return sql.SQL("({}) is not true").format(any_of(history)) if history else TRUE

    def moment(self, state: State | None) -> str:
        """The canonical time that a state is about: what ``since:`` bounds and lists sort by."""
        match state:
            case State.FAILED | State.QUARANTINED:
                wanted: tuple[str, ...] = ("failed_at", "finished_at")
            case State.SUCCEEDED | State.CANCELLED:
                wanted = ("finished_at",)
            case State.RUNNING | State.STALLED:
                wanted = ("started_at",)
            case _:
                wanted = ()
        fields = self.side(state).fields if state in self.states else self.fields
        return next((name for name in wanted if name in fields), "created_at")

    def indexed(self, name: str, state: State | None = None) -> bool:
        """Whether a valid index leads with the canonical column and holds the jobs of ``state``, or
        all jobs."""
        found = self.fields.get(name)
        if found is None or found.column is None:
            return False
        return any(
            index.valid and index.columns[:1] == (found.column.name,) and self._holds(index, state)
            for index in self.relation.indexes
        )

    def _holds(self, index: Index, state: State | None) -> bool:
        """Where a partial index does not say it plainly, the planner will see."""
        status = self.mapping.columns.status
        if not index.predicate or state is None or status is None or "<>" in index.predicate:
            return not index.predicate or state is not None
        named = set(compared(index.predicate, status))
        return not named or not named.isdisjoint(stored_in(self.mapping, state))

    def preset_sql(self, text: str, origin: str) -> sql.Composed:
        """SQL of the mapping with its names filled in."""
        return self._sql(text, origin)

    def _windowed(self) -> sql.Composable:
        physical = self.mapping.columns.id or ""
        return files.fragment("observe/newest").format(table=self.table, id=ident(physical))

    def _over(self, expressions: dict[str, str], origin: str) -> dict[str, Field]:
        """The base fields with some of them said differently."""
        return self.fields | {
            name: self._expression(name, text, f"{origin}.expressions.{name}")
            for name, text in expressions.items()
        }

    def _base_fields(self) -> dict[str, Field]:
        fields: dict[str, Field] = {}
        for name, physical in self.mapping.columns.named().items():
            column = self.relation.column(physical)
            raw = sql.SQL("j.{}").format(ident(physical))
            fields[name] = self._physical(name, raw, column)
        for name, text in self.mapping.expressions.items():
            fields[name] = self._expression(name, text, f"expressions.{name}")
        return {name: fields[name] for name in CANONICAL if name in fields}

    def _physical(self, name: str, raw: sql.Composable, column: Column | None) -> Field:
        if name in TIMES and column is not None and column.is_naive_time:
            zone = self.mapping.time_zone
            value = sql.SQL("({} at time zone {})").format(
                sql.SQL("({})::timestamp").format(raw), _literal(zone)
            )
            return Field(raw, value, column, zone)
        if name in NUMBERS and column is not None and not column.is_integer:
            return Field(raw, _whole(raw), column)
        return Field(raw, _typed(name, raw), column)

    def _expression(self, name: str, text: str, origin: str) -> Field:
        raw = sql.SQL("({})").format(self._sql(text, origin))
        return Field(raw, _typed(name, raw))

    def _sql(self, text: str, origin: str) -> sql.Composed:
        return template(text, self._names, f"mapping {self.mapping.name}: {origin}")


def _literal(text: str) -> sql.Composable:
    """A constant of ours or of the mapping (a state, a zone) inside a fragment."""
    return sql.SQL("{}::text").format(sql.Literal(text.replace("%", "%%")))


def _typed(name: str, raw: sql.Composable) -> sql.Composable:
    """A canonical value in its canonical type, whatever the column's own type is."""
    if name in TIMES:
        return sql.SQL("({})::timestamptz").format(raw)
    if name in NUMBERS:
        return sql.SQL("({})::bigint").format(raw)
    return sql.SQL("({})::text").format(raw)


def _whole(raw: sql.Composable) -> sql.Composable:
    """A number with a fraction as a whole one; NULL for what none can say, like NaN and infinity."""
    return sql.SQL("case when {0} between -9e18 and 9e18 then ({0})::bigint end").format(raw)


def _null(name: str) -> sql.Composable:
    if name in TIMES:
        return sql.SQL("null::timestamptz")
    return sql.SQL("null::bigint") if name in NUMBERS else sql.SQL("null::text")
