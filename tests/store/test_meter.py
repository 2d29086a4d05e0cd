"""What statements cost the server: its own work, not the time that a client waited in vain."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from queuetop.model.errors import StoreError
from queuetop.store.conninfo import Conninfo
from queuetop.store.session import Bound, Limits, Meter, Session
from tests.support.proxy import Proxy

_SHORT = Limits(statement_s=0.3, lock_s=0.2)


async def _refused(session: Session, statement: str) -> None:
    with pytest.raises(StoreError):
        await session.read([Bound(sql.SQL(statement), {})], _SHORT)


async def test_a_cancelled_statement_counts(database: str) -> None:
    meter = Meter()
    session = Session(Conninfo(database), meter)
    try:
        await _refused(session, "select pg_sleep(60)")
        assert meter.spent_ms >= 250
    finally:
        await session.close()


async def test_a_silent_link_counts_nothing(database: str, proxy: Callable[..., Proxy]) -> None:
    link, meter = proxy(database), Meter()
    session = Session(Conninfo(link.dsn), meter)
    try:
        await session.ready()
        link.freeze()
        await _refused(session, "select 1")
        assert meter.spent_ms == 0.0
    finally:
        link.thaw()
        await session.close()


async def test_a_lock_waited_for_counts_nothing(database: str) -> None:
    meter = Meter()
    session = Session(Conninfo(database), meter)
    with psycopg.connect(database) as other:
        other.execute("create table held ()")
        other.commit()
        other.execute("lock table held")
        try:
            await _refused(session, "select from held")
            assert meter.spent_ms == 0.0
        finally:
            await session.close()
