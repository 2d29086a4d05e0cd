"""The mapping can say the other libraries: states in JSON arrays, locks, partitions, odd dates, joins.

Each ``others/<name>.toml`` is a mapping, each ``.sql`` the tables it is for, with rows whose kind is the
name of the state that they are in.
"""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from queuetop.model.detect import Match, detect
from queuetop.model.mapping import Mapping
from queuetop.model.mapping_toml import decode, encode
from queuetop.model.snapshot import MappingRef
from queuetop.model.states import State
from queuetop.store import introspect
from queuetop.store.conninfo import Conninfo
from queuetop.store.presets import presets
from queuetop.store.reader import Reader
from queuetop.store.session import Session
from queuetop.store.shape import Shape
from tests.engines.support import by_state, run
from tests.support.databases import execute

OTHERS = Path(__file__).with_name("others")
HELD = "-- held by a session:\n"


ALL = [
    decode(path.read_text(encoding="utf-8"), path.name) for path in sorted(OTHERS.glob("*.toml"))
]


async def match(database: str) -> Match:
    """The one mapping, of those that ship and these here, that knows a table of the database."""
    session = Session(Conninfo(database))
    try:
        catalog = await introspect.catalog(session)
    finally:
        await session.close()
    (found,) = detect(catalog, [*presets(), *ALL])
    return found


@pytest.mark.parametrize("mapping", ALL, ids=lambda mapping: str(mapping.name))
def test_it_can_be_written_and_read(mapping: Mapping) -> None:
    assert decode(encode(mapping), "again") == mapping


@pytest.mark.parametrize("name", sorted(path.stem for path in OTHERS.glob("*.sql")))
async def test_every_row_is_in_its_state(database: str, name: str) -> None:
    made, _, held = (OTHERS / f"{name}.sql").read_text(encoding="utf-8").partition(HELD)
    with psycopg.connect(database, autocommit=True) as worker:
        worker.execute(made.encode())
        if held:
            worker.execute(held.encode())
        found = await match(database)
        assert name.startswith(found.mapping.name)
        shape = Shape(found.mapping, found.relation)
        kinds = by_state(database, shape, "kind")
        assert {state: set(rows) for state, rows in kinds.items()} == {
            state: {state.value} for state in shape.states
        }
        ids = [job for jobs in by_state(database, shape).values() for job in jobs]
        assert len(ids) == len(set(ids))
        unmapped = shape.unmapped()
        if unmapped is not None:
            count = sql.SQL("select count(*) from {} where {}").format(shape.source, unmapped)
            assert run(database, count, shape.params) == [(0,)]

        reader = Reader(Conninfo(database), shape, MappingRef(name=name, table="", source="file"))
        try:
            facts = await reader.ask(reader.panels())
        finally:
            await reader.close()
        assert facts.failed == {}


@pytest.mark.parametrize(
    ("name", "detail"),
    (
        ("oban_elixir", "** (Mail.Timeout) no answer"),
        ("oban_python", "Traceback\n  x\nMail.Timeout: no answer"),
    ),
)
async def test_the_type_of_a_column_chooses(database: str, name: str, detail: str) -> None:
    execute(database, (OTHERS / f"{name}.sql").read_text(encoding="utf-8"))
    found = await match(database)
    shape = Shape(found.mapping, found.relation)
    assert by_state(database, shape, "failure_detail")[State.FAILED] == [detail]
    assert by_state(database, shape, "failure_kind")[State.FAILED] == ["Mail.Timeout"]
