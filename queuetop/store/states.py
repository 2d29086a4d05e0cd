"""States of a home-made table: families of stored values, split by due time, attempts and lease."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg import sql

from queuetop.model.catalog import Column
from queuetop.model.mapping import Mapping, Value
from queuetop.model.states import State
from queuetop.store.compose import all_of

if TYPE_CHECKING:
    from queuetop.store.shape import Field

_NOW = sql.SQL("now()")


def derive(
    mapping: Mapping, fields: dict[str, Field]
) -> tuple[dict[State, sql.Composable], dict[str, Any]]:
    """The predicates that ``[status]`` stands for (DESIGN.md §1), and their parameters."""
    status = fields.get("status")
    if status is None:
        return {}, {}
    predicates: dict[State, sql.Composable] = {}
    params: dict[str, Any] = {}
    for family, values in mapping.status.families().items():
        is_family = _one_of(status, family, values, params)
        match family:
            case "waiting":
                predicates |= _waiting(is_family, fields)
            case "claimed":
                predicates |= _claimed(is_family, fields)
            case _:
                predicates[State(family)] = is_family
    return {state: predicates[state] for state in State if state in predicates}, params


def stored_in(mapping: Mapping, state: State) -> set[str]:
    """The status values, as text, that a job in ``state`` may have."""
    family = {
        State.PENDING: "waiting",
        State.SCHEDULED: "waiting",
        State.RETRYING: "waiting",
        State.RUNNING: "claimed",
        State.STALLED: "claimed",
    }.get(state, state.value)
    return {str(value) for value in getattr(mapping.status, family)}


def _one_of(
    status: Field, family: str, values: tuple[Value, ...], params: dict[str, Any]
) -> sql.Composable:
    """``status = value`` for one, ``= any(values)`` for several: an index on the status keeps its
    order only under the first form."""
    name = f"status_{family}"
    stored = [_stored(value, status.column) for value in values]
    if len(stored) == 1:
        params[name] = stored[0]
        return sql.SQL("{} = {}").format(status.raw, sql.Placeholder(name))
    params[name] = stored
    return sql.SQL("{} = any({})").format(status.raw, sql.Placeholder(name))


def _stored(value: Value, column: Column | None) -> Any:
    """The value in a Python type that compares with the column without a cast."""
    if column is not None and column.base_type == "boolean":
        return value if isinstance(value, bool) else str(value).lower() in {"true", "t", "1"}
    if column is not None and column.is_integer:
        return int(value)
    return str(value)


def _waiting(is_waiting: sql.Composable, fields: dict[str, Field]) -> dict[State, sql.Composable]:
    ready = fields.get("ready_at")
    if ready is None:
        return {State.PENDING: is_waiting}
    now = ready.edge(_NOW)
    due = sql.SQL("{} <= {}").format(ready.raw, now)
    if not ready.not_null:
        due = sql.SQL("({} is null or {})").format(ready.raw, due)
    later = sql.SQL("{} > {}").format(ready.raw, now)
    states = {State.PENDING: all_of([is_waiting, due])}
    attempts = fields.get("attempts")
    if attempts is None:
        return states | {State.SCHEDULED: all_of([is_waiting, later])}
    tried = sql.SQL("coalesce({}, 0) > 0").format(attempts.raw)
    untried = sql.SQL("coalesce({}, 0) <= 0").format(attempts.raw)
    return states | {
        State.SCHEDULED: all_of([is_waiting, later, untried]),
        State.RETRYING: all_of([is_waiting, later, tried]),
    }


def _claimed(is_claimed: sql.Composable, fields: dict[str, Field]) -> dict[State, sql.Composable]:
    lease = fields.get("lease_until")
    if lease is None:
        return {State.RUNNING: is_claimed}
    now = lease.edge(_NOW)
    valid = sql.SQL("{} >= {}").format(lease.raw, now)
    if not lease.not_null:
        valid = sql.SQL("({} is null or {})").format(lease.raw, valid)
    return {
        State.RUNNING: all_of([is_claimed, valid]),
        State.STALLED: all_of([is_claimed, sql.SQL("{} < {}").format(lease.raw, now)]),
    }
