"""What a standby cancels because replay needs the rows away is asked again."""

from __future__ import annotations

import asyncio

import pytest
from psycopg import sql

from queuetop.model.errors import StoreError, StoreFault
from queuetop.store.conninfo import Conninfo
from queuetop.store.session import Bound, Limits, Session
from tests.support.databases import execute

# A primary has no such conflicts; to the client they are nothing but this SQLSTATE.
_REPLAY = """
create function replay() returns int language plpgsql as $$
begin
    if exists (select from replaying) then
        raise exception 'canceling statement due to conflict with recovery' using errcode = '40001';
    end if;
    return 7;
end $$
"""
_ASKED = Bound(sql.SQL("select replay() as answer"), {})


@pytest.fixture
def standby(database: str) -> str:
    execute(database, "create table replaying as select 1 as busy", _REPLAY)
    return database


async def test_a_conflict_that_passes_is_not_seen(standby: str) -> None:
    session = Session(Conninfo(standby))
    try:
        await session.ready()
        asking = asyncio.create_task(session.read([_ASKED], Limits()))
        while not session.round_trips:  # noqa: ASYNC110  # nothing else tells
            await asyncio.sleep(0.01)
        await asyncio.to_thread(execute, standby, "delete from replaying")
        ((rows, _),) = await asking
        assert [row.answer for row in rows] == [7]
        assert session.round_trips > 1
    finally:
        await session.close()


async def test_a_conflict_that_stays_is_told(standby: str) -> None:
    session = Session(Conninfo(standby))
    try:
        with pytest.raises(
            StoreError, match=r"conflict with recovery.*hot_standby_feedback"
        ) as caught:
            await session.read([_ASKED], Limits())
        assert caught.value.fault is StoreFault.CONFLICT
        execute(standby, "delete from replaying")
        await session.read([_ASKED], Limits())
    finally:
        await session.close()
