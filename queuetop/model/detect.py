"""Which presets know which relations of a database: by their columns, never by a name alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from queuetop.model.catalog import Catalog, Relation, RelationKind
from queuetop.model.errors import MappingError
from queuetop.model.mapping import Mapping, Signature, stem_of
from queuetop.model.mapping_check import check, fill_in
from queuetop.model.stored import stored_values

_TABLES = (RelationKind.TABLE, RelationKind.PARTITIONED)


class Match(Struct, frozen=True, kw_only=True):
    """A preset that knows a relation, bound to it."""

    mapping: Mapping
    relation: Relation
    #: The status column whose stored values would decide between this preset and others, where the
    #: catalogue tells none.
    undecided: str | None = None


def detect(catalog: Catalog, presets: Iterable[Mapping]) -> list[Match]:
    """Every preset that knows a relation. One match is used, several are offered.

    Partitions are not to be in the catalogue. Presets that differ by their status values alone need
    ``Column.common_values`` of the columns that ``Match.undecided`` names, and are asked again then.
    """
    known = list(presets)
    matches: list[Match] = []
    for relation in catalog.relations:
        if relation.kind in _TABLES:
            found = (_match(preset, relation, catalog) for preset in known)
            matches += _likeliest([match for match in found if match is not None])
    return matches


def with_relation(catalog: Catalog, relation: Relation) -> Catalog:
    """The catalogue with more known of one relation."""
    changed = [
        relation if (known.schema, known.name) == (relation.schema, relation.name) else known
        for known in catalog.relations
    ]
    return structs.replace(catalog, relations=tuple(changed))


def _match(preset: Mapping, relation: Relation, catalog: Catalog) -> Match | None:
    signature = preset.signature
    if signature is None or not _shaped(signature, preset, relation, catalog):
        return None
    try:
        bound = check(preset, relation, catalog)
    except MappingError:  # the signature fits, the rest does not: not this library
        return None
    column = relation.column(bound.columns.status or "")
    if not signature.status_values or column is None:
        return Match(mapping=bound, relation=relation)
    seen = stored_values(relation, column)
    if not set(seen) <= set(signature.status_values):
        return None
    return Match(mapping=bound, relation=relation, undecided=None if seen else column.name)


def _shaped(signature: Signature, preset: Mapping, relation: Relation, catalog: Catalog) -> bool:
    """Columns, forbidden columns, the form of the name, and the relations beside it."""
    names = relation.column_names
    if not names.issuperset(signature.columns) or not names.isdisjoint(signature.forbidden):
        return False
    if signature.table is not None and stem_of(signature.table, relation.name) is None:
        return False
    siblings = (fill_in(pattern, preset, relation.name) for pattern in signature.siblings)
    return all(catalog.find(relation.schema, sibling) is not None for sibling in siblings)


def _likeliest(matches: Sequence[Match]) -> Sequence[Match]:
    """Of presets that fit equally well, the one that the table is called after."""
    named = [match for match in matches if match.mapping.name == match.relation.name]
    return named if len(named) == 1 and len(matches) > 1 else matches
