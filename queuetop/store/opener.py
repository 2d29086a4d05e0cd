"""From a DSN and what is known of the mapping to tables that can be watched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from queuetop.model.catalog import Catalog, Relation
from queuetop.model.detect import Match, detect, with_relation
from queuetop.model.errors import MappingError, StoreError, StoreFault
from queuetop.model.guess import Guess, candidates, guess
from queuetop.model.mapping import Mapping
from queuetop.model.mapping_check import check
from queuetop.model.names import split_name
from queuetop.model.nearest import hint
from queuetop.model.snapshot import MappingRef
from queuetop.model.text import clean
from queuetop.store import introspect
from queuetop.store.browser import Browser
from queuetop.store.conninfo import Conninfo
from queuetop.store.presets import presets
from queuetop.store.proof import prove
from queuetop.store.reader import Reader
from queuetop.store.session import Meter, Session
from queuetop.store.shape import Shape


@dataclass(frozen=True)
class Table:
    """One mapped table, ready to be observed and browsed."""

    mapping: Mapping
    relation: Relation
    ref: MappingRef
    reader: Reader
    browser: Browser

    @property
    def warning(self) -> str | None:
        """What the user must know before trusting what is shown."""
        if self.relation.row_security:
            return (
                f"row security is on for {clean(self.relation.label)} and this role is bound by it: "
                "rows may be hidden, and nothing says so"
            )
        return None


@dataclass(frozen=True)
class Wanted:
    """A mapping that somebody chose, and where it came from: ``preset``, ``file`` or ``guess``."""

    mapping: Mapping
    source: str


class Opener:
    """Looks at one database. Holds one connection until it is closed."""

    def __init__(self, conninfo: Conninfo) -> None:
        self.conninfo = conninfo
        self._session = Session(conninfo)
        #: Tables that were detected too, but that this role may not read.
        self.passed_over: list[str] = []

    async def open(self, wanted: Sequence[Wanted] = (), *, table: str | None = None) -> list[Table]:
        """The tables that ``wanted`` names, or all that the presets know; never none.

        Raises ``MappingError`` where no mapping fits, ``StoreError`` where the database cannot be
        read.
        """
        if not wanted:
            found = self._readable(await self.detect(table))
            return [await self._open(m.mapping, m.relation, "preset") for m in found]
        opened = []
        for choice in wanted:
            opened += await self._wanted(choice, table)
        return opened

    async def detect(self, table: str | None = None) -> list[Match]:
        """What the presets know of this database, or of one table of it; never none."""
        catalog = await introspect.catalog(self._session)
        chosen = _named(catalog, table) if table is not None else None
        matches = await self._decided(catalog, presets())
        if chosen is not None:
            matches = [match for match in matches if match.relation.label == chosen.label]
        if not matches:
            where = self.conninfo.where
            what = (
                f"{table} is known to no preset" if table else f"no preset knows a table of {where}"
            )
            raise MappingError(f"{what}; run queuetop init to write a mapping, then use --mapping")
        return matches

    async def _decided(self, catalog: Catalog, known: Sequence[Mapping]) -> list[Match]:
        """Detection, asked again with stored values where only these tell presets apart."""
        matches = detect(catalog, known)
        undecided = {(m.relation.label, m.undecided): m for m in matches if m.undecided}
        if not undecided:
            return matches
        for (_, column), match in undecided.items():
            if match.relation.readable:
                more = await introspect.indexes(self._session, match.relation)
                more = await introspect.values(self._session, more, [column or ""])
                catalog = with_relation(catalog, more)
        return detect(catalog, known)

    async def guesses(self, table: str | None = None) -> list[Guess]:
        """Guessed mappings, likeliest first; of one table, or of those that look like queues."""
        catalog = await introspect.catalog(self._session)
        likely = (
            [_named(catalog, table)]
            if table is not None
            else [found.relation for found in candidates(catalog)[:10]]
        )
        return [guess(await self._known_better(relation)) for relation in likely]

    async def _known_better(self, relation: Relation) -> Relation:
        relation = await introspect.indexes(self._session, relation)
        first = guess(relation).mapping.columns.status
        return await introspect.values(self._session, relation, [first] if first else [])

    async def sample(self, relation: Relation) -> tuple[tuple[str | None, ...], ...]:
        return await introspect.sample(self._session, relation)

    async def _wanted(self, choice: Wanted, table: str | None) -> list[Table]:
        catalog = await introspect.catalog(self._session)
        name = table or choice.mapping.table
        if name is not None:
            relation = _named(catalog, name)
            mapping = check(choice.mapping, relation, catalog)
            return [await self._open(mapping, relation, choice.source)]
        if choice.mapping.signature is None:
            raise MappingError(
                f'the mapping {choice.mapping.name} names no table; add table = "schema.name" to it, '
                "or use --table"
            )
        matches = await self._decided(catalog, [choice.mapping])
        if not matches:
            raise MappingError(
                f"no table here fits the mapping {choice.mapping.name}; name one with --table"
            )
        found = self._readable(matches)
        return [await self._open(m.mapping, m.relation, choice.source) for m in found]

    def _readable(self, matches: Sequence[Match]) -> Sequence[Match]:
        """Those that this role may read; all where it may read none, so that it is told."""
        found = [match for match in matches if match.relation.readable]
        if found:
            self.passed_over += [m.relation.label for m in matches if not m.relation.readable]
        return found or matches

    async def _open(self, mapping: Mapping, relation: Relation, source: str) -> Table:
        if not relation.readable:
            raise StoreError(
                StoreFault.NO_PERMISSION,
                f"this role may not read {clean(relation.label)}; grant SELECT on it",
            )
        relation = await introspect.indexes(self._session, relation)
        shape = Shape(mapping, relation)
        # Presets are proven; where one does not fit after all, each of its measures says why.
        if source != "preset":
            await prove(self._session, shape)
        meter = Meter()
        ref = MappingRef(name=clean(mapping.name), table=clean(relation.label), source=source)
        return Table(
            mapping=mapping,
            relation=relation,
            ref=ref,
            reader=Reader(self.conninfo, shape, ref, meter),
            browser=Browser(Session(self.conninfo, meter), shape),
        )

    async def close(self) -> None:
        await self._session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _named(catalog: Catalog, name: str) -> Relation:
    try:
        schema, table = split_name(name)
    except ValueError as error:
        raise MappingError(str(error)) from None
    found = catalog.find(schema, table)
    if found is None:
        known = (relation.label for relation in catalog.relations)
        raise MappingError(
            f"there is no table {name} in this database; {hint(name, known, what='tables')}"
        )
    return found
