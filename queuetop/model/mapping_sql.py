"""The SQL that a mapping states: where each piece stands, and which names it fills in."""

from __future__ import annotations

import string
from collections.abc import Iterator

from queuetop.model.mapping import (
    Mapping,
    QueuesRule,
    Recent,
    StateRule,
    Variant,
    WorkersRule,
)
from queuetop.model.states import State

#: Filled in for every mapping, besides its own ``[siblings]``.
GIVEN = ("table", "stem")

Path = tuple[str | int, ...]
Piece = tuple[Path, str]


def pieces(mapping: Mapping) -> Iterator[Piece]:
    """Every piece of SQL, with its place."""
    if mapping.source:
        yield ("source", "from"), mapping.source.from_
    yield from _shared(mapping, ())
    for number, variant in enumerate(mapping.variants):
        yield from _shared(variant, ("variants", number))


def _shared(owner: Mapping | Variant, at: Path) -> Iterator[Piece]:
    """What a mapping and a variant of it both have."""
    if owner.unmapped:
        yield (*at, "unmapped"), owner.unmapped
    for name, text in owner.expressions.items():
        yield (*at, "expressions", name), text
    yield from _states(owner.states, (*at, "states"))
    if owner.queues:
        yield from _queues(owner.queues, (*at, "queues"))
    if owner.workers:
        yield from _workers(owner.workers, (*at, "workers"))


def _states(states: dict[State, StateRule], at: Path) -> Iterator[Piece]:
    for state, rule in states.items():
        yield from _rule(rule, (*at, state.value))
        if rule.recent:
            yield from _rule(rule.recent, (*at, state.value, "recent"))


def _rule(rule: StateRule | Recent, at: Path) -> Iterator[Piece]:
    yield (*at, "where"), rule.where
    if rule.from_:
        yield (*at, "from"), rule.from_
    for name, text in rule.expressions.items():
        yield (*at, "expressions", name), text


def _queues(rule: QueuesRule, at: Path) -> Iterator[Piece]:
    yield (*at, "from"), rule.from_
    yield (*at, "name"), rule.name
    yield (*at, "paused"), rule.paused


def _workers(rule: WorkersRule, at: Path) -> Iterator[Piece]:
    yield (*at, "from"), rule.from_
    yield (*at, "name"), rule.name
    if rule.heartbeat:
        yield (*at, "heartbeat"), rule.heartbeat
    if rule.alive:
        yield (*at, "alive"), rule.alive


def names_in(text: str) -> frozenset[str]:
    """The names that a piece of SQL fills in. Raises ``ValueError`` with a sentence for one that
    is not written as a template is."""
    if "%" in text.replace("%%", ""):
        raise ValueError("has a single percent sign; double it")
    try:
        fields = [part[1:] for part in string.Formatter().parse(text) if part[1] is not None]
    except ValueError:
        raise ValueError("has a single brace; double it where it is meant literally") from None
    names = set()
    for name, form, conversion in fields:
        if not name or not name.isidentifier() or form or conversion:
            raise ValueError(f"has {{{name}}}, which is not a name; double braces that are literal")
        names.add(name)
    return frozenset(names)
