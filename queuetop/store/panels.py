"""Panels as statements: what each signal asks of this mapping, and how its rows become facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from psycopg import sql

from queuetop.model.facts import CAP, WINDOW, Line, Panel, Signal
from queuetop.model.states import GAVE_UP, LIVE, State
from queuetop.store import facts as read
from queuetop.store import files
from queuetop.store.session import Bound, Row
from queuetop.store.shape import Shape, Side

_NOW = sql.SQL("now()")
_MINUTE_AGO = sql.SQL("(now() - interval '1 minute')")
_HOUR_AGO = sql.SQL("(now() - interval '1 hour')")

#: The states whose jobs have an age that counts.
_AGED = (State.PENDING, State.RETRYING)


class Panels:
    """The statements of one mapping, composed once."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._bound: dict[Panel, Bound] = {}

    def every(self) -> tuple[Panel, ...]:
        """What can be asked, most important first."""
        return tuple(self._every())

    def _every(self) -> Iterator[Panel]:
        shape = self.shape
        yield from (Panel(Signal.STATE, state) for state in LIVE if state in shape.states)
        yield from (Panel(Signal.FAILURES, state) for state in GAVE_UP if state in shape.states)
        if (
            State.SUCCEEDED in shape.states
            and "finished_at" in shape.recent(State.SUCCEEDED).fields
        ):
            yield Panel(Signal.FINISHED, State.SUCCEEDED)
        created = shape.fields.get("created_at")
        if created is not None and (created.column is not None or shape.grows):
            yield Panel(Signal.ARRIVALS)
        yield from (Panel(Signal.ESTIMATE, state) for state in shape.states)
        yield Panel(Signal.ACTIVITY)
        if shape.mapping.queues is not None:
            yield Panel(Signal.PAUSES)
        if shape.indexed("queue"):
            yield Panel(Signal.QUEUES)
        if shape.unmapped() is not None:
            yield Panel(Signal.UNMAPPED)

    def windowed(self, panel: Panel) -> Panel | None:
        """The same question to the newest jobs only, where that means something."""
        if panel.signal not in {Signal.STATE, Signal.FAILURES, Signal.FINISHED, Signal.UNMAPPED}:
            return None
        return Panel(panel.signal, panel.state, window=True) if self.shape.windowable else None

    def sweep(self) -> Panel | None:
        """One pass over all states at once, where they share a FROM item."""
        return Panel(Signal.SWEEP) if self.shape.one_source else None

    def bind(self, panel: Panel) -> Bound:
        """The statement of a panel with its values."""
        if panel not in self._bound:
            params = self.shape.params | {"cap": CAP}
            if panel.window:
                params["window"] = WINDOW
            self._bound[panel] = self._COMPOSE[panel.signal](self, panel, params)
        return self._bound[panel]

    def read(self, panel: Panel, rows: Iterable[Row]) -> tuple[Line, ...]:
        """A panel's rows as facts."""
        return tuple(read.READ[panel.signal](panel, rows))

    def _side(self, panel: Panel) -> Side:
        assert panel.state is not None  # noqa: S101 - a panel about a state always names it
        return self.shape.side(panel.state, window=panel.window)

    def _state(self, panel: Panel, params: dict[str, Any]) -> Bound:
        side = self._side(panel)
        ages = _values(side, "id", "queue", "created_at", "ready_at")
        parts = {"source": side.source, "state": side.where, "order": self._order(panel, side)}
        not_paused = self._not_paused(side) if panel.state in _AGED else None
        waiting: sql.Composable = sql.SQL("")
        if not_paused is not None:
            fragment = files.fragment("observe/waiting")
            waiting = fragment.format(**ages, **parts, not_paused=not_paused)
            ages |= {name: sql.SQL("null::timestamptz") for name in ("created_at", "ready_at")}
        return Bound(
            files.load("observe/state").format(
                **ages, **parts, started_at=side.value("started_at"), waiting=waiting
            ),
            params,
        )

    def _order(self, panel: Panel, side: Side) -> sql.Composable:
        """The order that keeps the longest waiting jobs under the cap, only where an index has it:
        without one it would sort the whole backlog at every tick."""
        if panel.window:
            return sql.SQL("")
        lease = panel.state in {State.RUNNING, State.STALLED}
        candidates = ("lease_until", "started_at") if lease else ("ready_at", "created_at")
        for name in candidates:
            field = side.get(name)
            if (
                field is not None
                and field.column is not None
                and self.shape.indexed(name, panel.state)
            ):
                return sql.SQL("order by {}").format(field.raw)
        return sql.SQL("")

    def _not_paused(self, side: Side) -> sql.Composable | None:
        """Paused work raises no age. None where nothing can be paused."""
        rule = self.shape.mapping.queues
        if rule is None or "queue" not in side.fields:
            return None
        return files.fragment("observe/not_paused").format(
            source=self.shape.preset_sql(rule.from_, "queues.from"),
            paused=self.shape.preset_sql(rule.paused, "queues.paused"),
            name=self.shape.preset_sql(rule.name, "queues.name"),
            queue=side.value("queue"),
        )

    def _sweep(self, panel: Panel, params: dict[str, Any]) -> Bound:
        side = self.shape.everything()
        return Bound(
            files.load("observe/sweep").format(
                **_values(side, "queue", "created_at", "ready_at", "started_at"),
                source=side.source,
                state_case=side.state,
                not_history=self.shape.not_ended_well(),
            ),
            params,
        )

    def _failures(self, panel: Panel, params: dict[str, Any]) -> Bound:
        side = self._side(panel)
        moment = self.shape.moment(panel.state)
        field = side.get(moment)
        ordered = field is not None and not panel.window
        return Bound(
            files.load("observe/failures").format(
                **_values(side, "id", "queue", "attempts"),
                message=message(side),
                raw_id=side.fields["id"].raw,
                failure_kind=failure_kind(side),
                failed_at=side.value(moment),
                source=side.source,
                state=side.where,
                order=sql.SQL("order by {} desc").format(field.raw)
                if ordered and field is not None
                else sql.SQL(""),
            ),
            params,
        )

    def _finished(self, panel: Panel, params: dict[str, Any]) -> Bound:
        side = self._side(panel) if panel.window else self.shape.recent(State.SUCCEEDED)
        finished = side.fields["finished_at"]
        names = ("queue", "attempts", "created_at", "ready_at", "started_at", "finished_at")
        return Bound(
            files.load("observe/finished").format(
                **_values(side, *names),
                source=side.source,
                state=side.where,
                finished_raw=finished.raw,
                hour_ago=finished.edge(_HOUR_AGO),
                now=finished.edge(_NOW),
            ),
            params,
        )

    def _arrivals(self, panel: Panel, params: dict[str, Any]) -> Bound:
        side = self.shape.everything()
        created = side.fields["created_at"]
        if self.shape.grows and not self.shape.indexed("created_at"):
            return Bound(
                files.load("observe/arrivals_by_id").format(
                    created_at=created.value, source=side.source, raw_id=side.fields["id"].raw
                ),
                params,
            )
        return Bound(
            files.load("observe/arrivals").format(
                created_at=created.value,
                created_raw=created.raw,
                source=side.source,
                minute_ago=created.edge(_MINUTE_AGO),
                now=created.edge(_NOW),
            ),
            params,
        )

    def _estimate(self, panel: Panel, params: dict[str, Any]) -> Bound:
        side = self._side(panel)
        statement = files.load("observe/estimate").format(source=side.source, state=side.where)
        return Bound(statement, params)

    def _unmapped(self, panel: Panel, params: dict[str, Any]) -> Bound:
        side = self.shape.everything(window=panel.window)
        unmapped = self.shape.unmapped() or sql.SQL("false")
        statement = files.load("observe/unmapped").format(source=side.source, unmapped=unmapped)
        return Bound(statement, params)

    def _queues(self, panel: Panel, params: dict[str, Any]) -> Bound:
        side = self.shape.everything()
        raw = side.fields["queue"].raw
        statement = files.load("observe/queues").format(raw=raw, source=side.source)
        return Bound(statement, params)

    def _pauses(self, panel: Panel, params: dict[str, Any]) -> Bound:
        rule = self.shape.mapping.queues
        assert rule is not None  # noqa: S101 - the panel exists only with the rule
        return Bound(
            files.load("observe/pauses").format(
                name=sql.SQL("({})::text").format(self.shape.preset_sql(rule.name, "queues.name")),
                source=self.shape.preset_sql(rule.from_, "queues.from"),
                paused=self.shape.preset_sql(rule.paused, "queues.paused"),
            ),
            params,
        )

    def _activity(self, panel: Panel, params: dict[str, Any]) -> Bound:
        relation = self.shape.relation
        names = {"schema": relation.schema, "table": relation.name}
        parts = files.fragment("observe/parts")
        return Bound(files.load("observe/activity").format(parts=parts), params | names)

    _COMPOSE: ClassVar[dict[Signal, Callable[[Panels, Panel, dict[str, Any]], Bound]]] = {
        Signal.STATE: _state,
        Signal.SWEEP: _sweep,
        Signal.FAILURES: _failures,
        Signal.FINISHED: _finished,
        Signal.ARRIVALS: _arrivals,
        Signal.ESTIMATE: _estimate,
        Signal.UNMAPPED: _unmapped,
        Signal.QUEUES: _queues,
        Signal.PAUSES: _pauses,
        Signal.ACTIVITY: _activity,
    }


def failure_kind(side: Side) -> sql.Composable:
    """The stored kind, else one derived from the failure text."""
    stored, detail = side.get("failure_kind"), side.get("failure_detail")
    if detail is None:
        return side.value("failure_kind")
    derived = files.fragment("browse/failure_kind").format(detail=detail.value)
    if stored is None:
        return derived
    return sql.SQL("coalesce(nullif({}, ''), {})").format(stored.value, derived)


def message(side: Side) -> sql.Composable:
    """As much of the failure text as a list shows."""
    return files.fragment("browse/message").format(detail=side.value("failure_detail"))


def _values(side: Side, *names: str) -> dict[str, sql.Composable]:
    return {name: side.value(name) for name in names}
