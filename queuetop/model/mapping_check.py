"""A mapping against the catalogue: bound to its relation, its variants chosen, every column found."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import structs

from queuetop.model.catalog import Catalog, Column, Relation
from queuetop.model.columns import NUMBERS, TIMES, Columns
from queuetop.model.errors import MappingError
from queuetop.model.mapping import Mapping, StatusValues, Value, Variant, VariantWhen
from queuetop.model.mapping_sql import names_in, pieces
from queuetop.model.names import join_name
from queuetop.model.nearest import hint
from queuetop.model.states import State
from queuetop.model.text import clean

_NUMERIC = {"smallint", "integer", "bigint", "numeric", "real", "double precision"}


def check(mapping: Mapping, relation: Relation, catalog: Catalog) -> Mapping:
    """The mapping bound to ``relation``: nothing optional is left in it, and its siblings have their
    names. Raises ``MappingError`` for what the catalogue does not have."""
    bound = _with_variants(mapping, relation, catalog)
    bound = _bind(bound, relation)
    for column in _columns(bound, relation):
        _fits(bound, relation, *column)
    _check_status(bound, relation)
    _check_siblings(bound, relation, catalog)
    return bound


def fill_in(pattern: str, mapping: Mapping, table: str) -> str:
    """A sibling's name, for a job table called ``table``."""
    return pattern.replace("{table}", table).replace("{stem}", mapping.stem(table))


def holds(when: VariantWhen, mapping: Mapping, relation: Relation, catalog: Catalog) -> bool:
    """Whether the catalogue has all that a variant asks for."""
    column = relation.column(when.column) if when.column else None
    status = relation.column(mapping.columns.status or "")
    sibling = fill_in(when.relation, mapping, relation.name) if when.relation else ""
    tests: tuple[tuple[object, Callable[[], bool]], ...] = (
        (when.column, lambda: column is not None),
        (when.no_column, lambda: relation.column(when.no_column or "") is None),
        (when.type, lambda: column is not None and when.type in {column.type, column.base_type}),
        (when.function, lambda: _has_function(catalog, when.function or "")),
        (when.enum_label, lambda: status is not None and when.enum_label in status.enum_labels),
        (when.relation, lambda: catalog.find(relation.schema, sibling) is not None),
    )
    return all(test() for asked, test in tests if asked is not None)


def _has_function(catalog: Catalog, name: str) -> bool:
    return any(known == name or known.endswith(f".{name}") for known in catalog.functions)


def _with_variants(mapping: Mapping, relation: Relation, catalog: Catalog) -> Mapping:
    bound = mapping
    for variant in mapping.variants:
        if holds(variant.when, mapping, relation, catalog):
            bound = _apply(bound, variant)
    return structs.replace(bound, variants=())


def _apply(mapping: Mapping, variant: Variant) -> Mapping:
    """Later keys win; a column given anew is no expression any more, and the other way round."""
    named = variant.columns.named()
    old = {k: v for k, v in mapping.columns.named().items() if k not in variant.expressions}
    expressions = {k: v for k, v in mapping.expressions.items() if k not in named}
    states = mapping.states | variant.states
    for state in variant.without_states:
        states.pop(state, None)
    given = {*named, *variant.expressions}
    reasons = {k: v for k, v in mapping.unavailable.items() if k not in given}
    return structs.replace(
        mapping,
        columns=Columns(**(old | named)),
        expressions=expressions | variant.expressions,
        states=states,
        unmapped=variant.unmapped or mapping.unmapped,
        status=_without(mapping.status, variant.without_states),
        actions=mapping.actions | variant.actions,
        workers=variant.workers or mapping.workers,
        queues=variant.queues or mapping.queues,
        siblings=mapping.siblings | variant.siblings,
        unavailable=reasons | variant.unavailable,
    )


def _without(status: StatusValues, states: Iterable[State]) -> StatusValues:
    gone = {state.value: () for state in states if state.value in StatusValues.__struct_fields__}
    return structs.replace(status, **gone)


def _bind(mapping: Mapping, relation: Relation) -> Mapping:
    optional = {
        name: column
        for name, column in mapping.optional_columns.named().items()
        if column in relation.column_names and not mapping.has(name)
    }
    return structs.replace(
        mapping,
        table=join_name(relation.schema, relation.name),
        columns=Columns(**(mapping.columns.named() | optional)),
        optional_columns=Columns(),
        siblings={
            name: fill_in(pattern, mapping, relation.name)
            for name, pattern in mapping.siblings.items()
        },
    )


def _columns(mapping: Mapping, relation: Relation) -> list[tuple[str, Column]]:
    """Canonical name and column of each that is mapped. Raises where the relation has it not."""
    found = []
    for name, physical in mapping.columns.named().items():
        column = relation.column(physical)
        if column is None:
            raise MappingError(
                f"mapping {mapping.name}: [columns] {name} is {clean(physical)!r}, which "
                f"{_name(relation)} does not have; {_near(physical, relation)}"
            )
        found.append((name, column))
    return found


def _near(word: str, relation: Relation) -> str:
    return hint(clean(word), (clean(name) for name in relation.column_names), what="columns")


def _fits(mapping: Mapping, relation: Relation, name: str, column: Column) -> None:
    """A time must be a time, a number a number: queuetop computes with them."""
    if name in TIMES and not column.is_time:
        wanted, example = "a time", f'{name} = "to_timestamp(j.{clean(column.name)})"'
    elif name in NUMBERS and not column.base_type.startswith(tuple(_NUMERIC)):
        wanted, example = "a number", f'{name} = "j.{clean(column.name)}::int"'
    else:
        return
    raise MappingError(
        f"mapping {mapping.name}: [columns] {name} is {clean(column.name)!r} of {_name(relation)}, "
        f"which is {clean(column.type)} and not {wanted}; give it in [expressions], "
        f"for example {example}"
    )


def _check_status(mapping: Mapping, relation: Relation) -> None:
    column = relation.column(mapping.columns.status or "")
    if column is None:
        return
    for family, values in mapping.status.families().items():
        for value in values:
            wrong = _unlike(value, column)
            if wrong:
                raise MappingError(
                    f"mapping {mapping.name}: [status] {family} has {value!r}, but "
                    f"{clean(column.name)!r} of {_name(relation)} {wrong}"
                )


def _unlike(value: Value, column: Column) -> str | None:
    """Why the column cannot hold the value."""
    if column.enum_labels and value not in column.enum_labels:
        labels = (clean(label) for label in column.enum_labels)
        return f"is the enum {clean(column.type)} without it; {hint(str(value), labels)}"
    whole = isinstance(value, int) and not isinstance(value, bool)
    if column.is_integer and not whole and not _is_whole(str(value)):
        return f"is {clean(column.type)}; give whole numbers"
    if column.base_type == "boolean" and not isinstance(value, bool):
        return "is boolean; give true and false"
    return None


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _check_siblings(mapping: Mapping, relation: Relation, catalog: Catalog) -> None:
    """The siblings that the SQL really uses must be there."""
    used = {name: at for at, text in pieces(mapping) for name in sorted(names_in(text))}
    for name, at in used.items():
        sibling = mapping.siblings.get(name)
        if sibling is not None and catalog.find(relation.schema, sibling) is None:
            known = (r.name for r in catalog.relations if r.schema == relation.schema)
            raise MappingError(
                f"mapping {mapping.name}: {'.'.join(map(str, at))} reads "
                f"{clean(join_name(relation.schema, sibling))}, which is not there; "
                f"{hint(sibling, map(clean, known), what='relations')}"
            )


def _name(relation: Relation) -> str:
    return clean(join_name(relation.schema, relation.name))
