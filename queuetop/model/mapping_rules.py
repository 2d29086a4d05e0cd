"""What must hold of a mapping before any catalogue is asked."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable, Iterator

from queuetop.model.columns import CANONICAL
from queuetop.model.durations import parse_duration
from queuetop.model.located import Path, place
from queuetop.model.mapping import Action, Mapping, QueueAlarms, Variant, VariantWhen
from queuetop.model.mapping_sql import GIVEN, names_in, pieces
from queuetop.model.names import split_name
from queuetop.model.nearest import hint

Mistakes = Iterator[str]


def mistakes(mapping: Mapping) -> Mistakes:
    """A sentence for each mistake, the first one first; none where the mapping holds."""
    for rule in (_identity, _statuses, _classes, _columns, _sql, _names, _lengths, _zone, _actions):
        yield from rule(mapping)


def _identity(mapping: Mapping) -> Mistakes:
    if mapping.table is not None:
        yield from _parsed(split_name, mapping.table, ("table",))
    if not mapping.has("id"):
        yield "[columns] id is missing; it names the column that tells jobs apart"
    if not mapping.states and not mapping.status.families():
        yield "neither [status] nor [states] says what state a job is in; name the stored values in [status]"
    if mapping.status.families() and not mapping.has("status"):
        yield "[columns] status is missing, but [status] names its values"


def _statuses(mapping: Mapping) -> Mistakes:
    seen: dict[str, str] = {}
    for family, values in mapping.status.families().items():
        for value in values:
            other = seen.setdefault(str(value), family)
            if other != family:
                yield f"[status] has {value!r} in both {other} and {family}; a stored value means one thing"


def _classes(mapping: Mapping) -> Mistakes:
    seen: dict[str, str] = {}
    classes = mapping.failure_classes
    for name in ("theirs", "ours", "unknown_outcome"):
        for kind in getattr(classes, name):
            other = seen.setdefault(kind, name)
            if other != name:
                yield f"[failure_classes] has {kind!r} in both {other} and {name}; a kind has one class"


def _columns(mapping: Mapping) -> Mistakes:
    """Names of canonical columns, wherever they are keys; and one answer for each."""
    owners: list[tuple[Path, Mapping | Variant]] = [((), mapping)]
    owners += [(("variants", number), variant) for number, variant in enumerate(mapping.variants)]
    for at, owner in owners:
        yield from _canonical(owner.expressions, (*at, "expressions"))
        yield from _canonical(owner.unavailable, (*at, "unavailable"))
        for state, rule in owner.states.items():
            within = (*at, "states", state.value)
            yield from _canonical(rule.expressions, (*within, "expressions"))
            if rule.recent:
                yield from _canonical(rule.recent.expressions, (*within, "recent", "expressions"))
    for at, columns in (
        (("columns",), mapping.columns),
        (("optional_columns",), mapping.optional_columns),
    ):
        for name, column in columns.named().items():
            if not column:
                yield f"{place((*at, name))} must not be empty; leave it out where there is no such column"
            if name in mapping.expressions:
                yield f"{place((*at, name))} is given by [expressions] too; keep one"
    for name in mapping.columns.named().keys() & mapping.optional_columns.named():
        yield f"[optional_columns] {name} is in [columns] too; keep one"


def _canonical(keys: dict[str, str], at: Path) -> Mistakes:
    for name, text in keys.items():
        if name not in CANONICAL:
            yield f"{place((*at, name))} is not a column that queuetop knows; {hint(name, CANONICAL)}"
        elif not text.strip():
            yield f"{place((*at, name))} must not be empty"


def _sql(mapping: Mapping) -> Mistakes:
    known = {*GIVEN, *mapping.siblings}
    for variant in mapping.variants:
        known |= variant.siblings.keys()
    for at, text in pieces(mapping):
        try:
            used = names_in(text)
        except ValueError as mistake:
            yield f"{place(at)} {mistake}"
            continue
        for name in sorted(used - known):
            yield f"{place(at)} uses {{{name}}}, which [siblings] does not declare; {hint(name, known)}"


def _names(mapping: Mapping) -> Mistakes:
    """Patterns of names: ``{table}`` and ``{stem}`` are all that is filled in."""
    patterns: list[tuple[Path, str]] = [
        (("siblings", name), pattern) for name, pattern in mapping.siblings.items()
    ]
    for name in mapping.siblings:
        if name in GIVEN or not name.isidentifier():
            yield f"{place(('siblings', name))} cannot be the name of a sibling; use one plain word"
    if mapping.signature:
        patterns += [
            (("signature", "siblings", number), pattern)
            for number, pattern in enumerate(mapping.signature.siblings)
        ]
        if not mapping.signature.columns:
            yield "[signature] columns must name the columns by which the table is known"
        form = mapping.signature.table
        if form is not None and form.count("{stem}") != 1:
            yield "[signature] table must hold {stem} once; leave it out where the name is not fixed"
    for number, variant in enumerate(mapping.variants):
        if variant.when == VariantWhen():
            yield f"{place(('variants', number, 'when'))} asks for nothing; say what the catalogue must have"
        patterns += [
            (("variants", number, "siblings", name), pattern)
            for name, pattern in variant.siblings.items()
        ]
    for at, pattern in patterns:
        bare = pattern.replace("{table}", "").replace("{stem}", "")
        if not pattern or "{" in bare or "}" in bare:
            yield f"{place(at)} is {pattern!r}; it may fill in {{table}} and {{stem}} only"


def _lengths(mapping: Mapping) -> Mistakes:
    def length(text: str) -> object:
        return parse_duration(text)

    for at, text in _durations(mapping):
        yield from _parsed(length, text, at)
    for name in ("succeeded", "failed", "cancelled"):
        kept = getattr(mapping.keeps, name)
        if kept not in {"yes", "no"}:
            for sentence in _parsed(length, kept, ("keeps", name)):
                yield f"{sentence}, or 'yes' or 'no'"


def _durations(mapping: Mapping) -> Iterator[tuple[Path, str]]:
    alarms: list[tuple[Path, QueueAlarms]] = [(("alarms",), mapping.alarms)]
    alarms += [(("alarms", "queues", name), own) for name, own in mapping.alarms.queues.items()]
    for at, owner in alarms:
        for key in ("oldest_pending", "longest_wait"):
            if (text := getattr(owner, key)) is not None:
                yield (*at, key), text
    yield ("pickup", "poll"), mapping.pickup.poll
    if mapping.workers:
        yield ("workers", "alive_for"), mapping.workers.alive_for
    for number, variant in enumerate(mapping.variants):
        if variant.workers:
            yield ("variants", number, "workers", "alive_for"), variant.workers.alive_for


def _parsed(parse: Callable[[str], object], text: str, at: Path) -> Mistakes:
    try:
        parse(text)
    except ValueError as mistake:
        yield f"{place(at)}: {mistake}"


def _zone(mapping: Mapping) -> Mistakes:
    try:
        zoneinfo.ZoneInfo(mapping.time_zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        known = zoneinfo.available_timezones()
        if known or mapping.time_zone.upper() != "UTC":  # without a zone database only UTC is sure
            yield f"time_zone {mapping.time_zone!r} is not known; {hint(mapping.time_zone, known or {'UTC'})}"


def _actions(mapping: Mapping) -> Mistakes:
    owners: list[tuple[Path, dict[str, Action]]] = [(("actions",), mapping.actions)]
    owners += [
        (("variants", number, "actions"), variant.actions)
        for number, variant in enumerate(mapping.variants)
    ]
    for at, actions in owners:
        for name, action in actions.items():
            if (action.file is None) == (action.unsupported is None):
                yield f"{place((*at, name))} must have one of file and unsupported"
