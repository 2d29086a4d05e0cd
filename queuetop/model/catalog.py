"""What the server's catalogue says of a relation: the ground that a mapping is checked against."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class RelationKind(StrEnum):
    TABLE = "table"
    PARTITIONED = "partitioned table"
    VIEW = "view"
    MATERIALIZED = "materialized view"
    FOREIGN = "foreign table"


class Column(Struct, frozen=True, kw_only=True):
    """One column. ``base_type`` is the type under a domain; ``enum_labels`` those of an enum."""

    name: str
    type: str
    base_type: str
    not_null: bool = False
    generated: bool = False
    enum_labels: tuple[str, ...] = ()
    #: The commonest stored values, as text, where somebody looked.
    common_values: tuple[str, ...] = ()
    #: The default's expression, as the catalogue writes it.
    default: str = ""

    @property
    def is_naive_time(self) -> bool:
        return self.base_type.startswith(("timestamp without", "date")) or (
            self.base_type.startswith("timestamp(") and "without time zone" in self.base_type
        )

    @property
    def is_time(self) -> bool:
        return self.base_type.startswith(("timestamp", "date"))

    @property
    def is_integer(self) -> bool:
        return self.base_type in {"smallint", "integer", "bigint"}


class Index(Struct, frozen=True, kw_only=True):
    """One index: its columns in order (an expression is an empty name) and its predicate's text."""

    name: str
    columns: tuple[str, ...]
    predicate: str = ""
    unique: bool = False
    valid: bool = True


class Relation(Struct, frozen=True, kw_only=True):
    """A table, a partitioned table or a view. ``rows`` is the planner's estimate, -1 unknown."""

    schema: str
    name: str
    kind: RelationKind = RelationKind.TABLE
    columns: tuple[Column, ...] = ()
    indexes: tuple[Index, ...] = ()
    rows: float = -1.0
    readable: bool = True
    row_security: bool = False

    @property
    def label(self) -> str:
        return f"{self.schema}.{self.name}"

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)

    @property
    def column_names(self) -> frozenset[str]:
        return frozenset(column.name for column in self.columns)


class Catalog(Struct, frozen=True, kw_only=True):
    """The relations of a database that could be queues, and the functions that presets look for."""

    relations: tuple[Relation, ...] = ()
    #: ``schema.name`` of functions outside the system schemas.
    functions: frozenset[str] = frozenset()
    search_path: tuple[str, ...] = ("public",)

    def find(self, schema: str | None, name: str) -> Relation | None:
        """The relation by name; without a schema the first one on the search path."""
        found = [r for r in self.relations if r.name == name and schema in (None, r.schema)]
        if schema is None:
            order = {path: place for place, path in enumerate(self.search_path)}
            found.sort(key=lambda r: order.get(r.schema, len(order)))
        return found[0] if found else None
