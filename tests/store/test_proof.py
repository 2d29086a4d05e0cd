"""A mapping's SQL that the server refuses is told by its key before anything is shown."""

from __future__ import annotations

import secrets

import pytest
from psycopg.conninfo import make_conninfo

from queuetop.model.errors import MappingError
from queuetop.model.states import State
from tests.store.support import opened
from tests.support.databases import execute
from tests.support.payment import payment_table

_HEAD = 'schema = 1\nname = "work"\ntable = "payment_task"\n'
_COLUMNS = '[columns]\nid = "id"\nstatus = "status"\n'
_STATUS = '[status]\nwaiting = ["PENDING"]\nfailed = ["FAILED"]\n'

REFUSED = {
    "an open bracket": ("[expressions]\nqueue = '(select '\n", "[expressions] queue", "syntax"),
    "no such column": ("[expressions]\nqueue = 'j.nope'\n", "[expressions] queue", "j.nope"),
    "not its type": ("[expressions]\nattempts = \"'x'\"\n", "[expressions] attempts", "bigint"),
    "an aggregate": ("[expressions]\nkind = 'count(*)'\n", "[expressions] kind", "aggregate"),
    "several rows": (
        "[expressions]\nkind = 'generate_series(1, 3)'\n",
        "[expressions] kind",
        "set",
    ),
    "two statements": (
        "[expressions]\nqueue = 'j.queue); drop table payment_task; --'\n",
        "[expressions] queue",
        "syntax",
    ),
    "an open quote": (
        '[states.running]\nwhere = "j.status = \'CLAIMED"\n',
        "[states.running] where",
        "unterminated quoted string at or near \"'CLAIMED",
    ),
    "no predicate": ("[states.running]\nwhere = 'j.id'\n", "[states.running] where", "boolean"),
    "no such relation": (
        "[states.running]\nfrom = 'nope as j'\nwhere = 'true'\n",
        "[states.running] from",
        '"nope"',
    ),
    "a state's expression": (
        "[states.running]\nwhere = 'true'\n[states.running.expressions]\nkind = 'x.y'\n",
        "[states.running.expressions] kind",
        '"x"',
    ),
    "no table of pauses": (
        "[queues]\nfrom = 'pauses'\nname = 'name'\npaused = 'true'\n",
        "[queues] from",
        '"pauses"',
    ),
    "no predicate of pauses": (
        "[queues]\nfrom = 'payment_task as q'\nname = 'q.queue'\npaused = 'q.nope'\n",
        "[queues] paused",
        "q.nope",
    ),
    "no source": ("[source]\nfrom = 'nope as j'\n", "[source] from", '"nope"'),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_refusal_names_the_key(database: str, case: str) -> None:
    wrong, key, reason = REFUSED[case]
    payment_table(database, [{}])
    with pytest.raises(MappingError) as caught:
        async with opened(database, mapping=_HEAD + _COLUMNS + _STATUS + wrong):
            pass
    sentence = caught.value.sentence
    assert sentence.startswith(f"mapping work: {key}: the server refuses it: ")
    assert reason in sentence
    assert "␊" not in sentence


@pytest.mark.parametrize("kind", ("json", "xml", "point"))
async def test_an_id_that_has_no_order_is_told(database: str, kind: str) -> None:
    execute(database, f"create table payment_task (id {kind}, status text)")
    with pytest.raises(MappingError, match=r"\[columns\] id: the server refuses it: .*ordering"):
        async with opened(database, mapping=_HEAD + _COLUMNS + _STATUS):
            pass


async def test_a_status_that_cannot_be_compared_is_told(database: str) -> None:
    execute(database, "create table payment_task (id int, status jsonb)")
    with pytest.raises(MappingError, match=r"\[columns\] status: the server refuses it"):
        async with opened(database, mapping=_HEAD + _COLUMNS + _STATUS):
            pass


async def test_sql_that_the_server_takes_is_taken(database: str) -> None:
    payment_table(database, [{}])
    right = (
        "[states.running]\nwhere = \"j.status like 'CL%%'\"\n"
        "[queues]\nfrom = 'payment_task as q'\nname = 'q.queue'\npaused = 'q.attempts > 3'\n"
        "[expressions]\nkind = \"case when j.attempts > 0 then 'again' end\"\n"
    )
    async with opened(database, mapping=_HEAD + _COLUMNS + _STATUS + right) as table:
        assert State.RUNNING in {panel.state for panel in table.reader.panels()}


async def test_a_right_that_is_missing_is_not_the_mapping_s_fault(database: str) -> None:
    role = f"queuetop_blind_{secrets.token_hex(4)}"
    payment_table(database, [{}])
    execute(
        database,
        "create table pauses (name text)",
        f"create role {role} login",
        f"grant select on payment_task to {role}",
    )
    try:
        pauses = "[queues]\nfrom = 'pauses as q'\nname = 'q.name'\npaused = 'true'\n"
        mapping = _HEAD + _COLUMNS + _STATUS + pauses
        async with opened(make_conninfo(database, user=role), mapping=mapping) as table:
            assert table.ref.name == "work"
    finally:
        execute(database, f"drop owned by {role}", f"drop role {role}")
