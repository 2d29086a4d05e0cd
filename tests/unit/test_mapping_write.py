"""Mappings written as TOML: whatever they hold, reading gives it back."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from queuetop.model.columns import Columns
from queuetop.model.mapping import (
    Alarms,
    Mapping,
    QueueAlarms,
    Signature,
    StateRule,
    StatusValues,
    Variant,
    VariantWhen,
)
from queuetop.model.mapping_toml import decode, encode
from queuetop.model.states import State

SMALL = Mapping(
    schema=1,
    name="jobs",
    table="public.jobs",
    columns=Columns(id="id", status="status", ready_at="run_at"),
    status=StatusValues(waiting=("NEW", 0, True), failed=('we\'ird "one"',)),
)

WORDS = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="{}%"), min_size=1
).filter(lambda word: word.strip())


@given(WORDS, WORDS, st.lists(WORDS | st.integers(-(2**63), 2**63 - 1), unique_by=str, max_size=20))
def test_any_text_comes_back(column: str, sql: str, values: list[str | int]) -> None:
    mapping = structs.replace(
        SMALL,
        columns=Columns(id=column, status=column),
        status=StatusValues(waiting=tuple(values)),
        states={State.FAILED: StateRule(where=sql, expressions={"payload": sql})},
        alarms=Alarms(queues={column: QueueAlarms(oldest_pending="1h")}),
        variants=(
            Variant(when=VariantWhen(column=column), expressions={"worker": sql}),
            Variant(when=VariantWhen(type=sql, column="x"), columns=Columns(worker=column)),
        ),
        signature=Signature(columns=(column,), forbidden=(sql,)),
    )
    assert decode(encode(mapping), "again") == mapping


@given(st.text(st.characters(blacklist_categories=["Cs"])))
def test_comments_never_become_keys(text: str) -> None:
    written = encode(SMALL, {"[columns] ready_at": text, "[status]": text}, head=text)
    assert decode(written, "again") == SMALL


def test_it_reads_as_a_person_would_write_it() -> None:
    written = encode(
        SMALL, {"[columns] ready_at": "likely: a guess", "[status]": "0: unsure"}, head="A guess."
    )
    assert (
        written
        == """\
# A guess.
schema = 1
name = "jobs"
table = "public.jobs"

[columns]
id       = "id"
status   = "status"
ready_at = "run_at"  # likely: a guess

# 0: unsure
[status]
waiting = ["NEW", 0, true]
failed  = ["we'ird \\"one\\""]
"""
    )


def test_sql_of_several_lines_keeps_them() -> None:
    sql = "j.status = 'NEW'\n  and j.run_at <= now()\n"
    written = encode(structs.replace(SMALL, states={State.PENDING: StateRule(where=sql)}))
    assert f"where = '''\n{sql}'''" in written
    assert tomllib.loads(written)["states"]["pending"]["where"] == sql
