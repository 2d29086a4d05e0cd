"""Text that wants to be more than text: shown harmless, found by what is stored and by what is shown."""

from __future__ import annotations

from datetime import timedelta

import pytest

from queuetop.model.jobs import Sort
from queuetop.model.selection import Selection
from queuetop.model.states import GAVE_UP
from queuetop.model.text import clean
from tests.store.support import assert_clean, every_job, opened, polled, snapshot_of
from tests.support.databases import execute, query
from tests.support.payment import insert_jobs, payment_table

HOSTILE = (
    "[/]",
    "[@click=app.quit]x[/]",
    "\x1b]52;c;aGFjaw==\x1b\\",
    "\x1b[31mred",
    "\x9b31mred",
    "bell\x07\x08\x7f",
    "a\tb\r\nc\nd",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "zero\u200bwidth\ufeff",
    "line\u2028sep",
    "tag\U000e0041",
    "a%s %(x)s {y} {{z}}",
    "we\"ird'; drop table payment_task; --",
    "back\\slash\\x41",
    "🐘 größe 漢",
    "",
    " leading and trailing ",
    "x" * 400,
    "\x01" * 400,
    "it was cut…",
)


def _table(dsn: str) -> None:
    payment_table(dsn)
    execute(
        dsn,
        "alter table payment_task alter id drop identity",
        "alter table payment_task alter id type text, alter payload type text, add kind text,"
        " add worker text, add idempotency_key text",
    )
    rows = [
        {
            "id": f"{text}{number}",
            "queue": text,
            "kind": text,
            "worker": text,
            "idempotency_key": text,
            "status": "FAILED",
            "failed_at": timedelta(seconds=-number),
            "failure_kind": text,
            "failure_detail": f"{text}\n{text}",
            "payload": text,
        }
        for number, text in enumerate(HOSTILE)
    ]
    insert_jobs(dsn, rows)


async def test_nothing_unclean_leaves_the_store(database: str) -> None:
    _table(database)
    insert_jobs(database, [{"id": "\x1b[1m1", "queue": "\x1b[2m", "status": "PENDING"}])
    insert_jobs(database, [{"id": "2", "status": "\x1b[2m"}])
    execute(database, "create index on payment_task (queue)")
    async with opened(database) as table:
        snapshot = await snapshot_of(table)
        assert not [cost.note for cost in snapshot.cost.panels if cost.note]
        assert_clean(snapshot)
        assert snapshot.oldest_pending.job_id == "␛[1m1"
        assert {queue.queue for queue in snapshot.queues} >= {
            clean(text) for text in HOSTILE if text
        }
        for sort in (Sort("id"), Sort("created_at"), Sort("attempts", descending=False)):
            jobs = await every_job(table.browser, sort=sort, limit=3)
            assert len(jobs) == len({job.id for job in jobs}) == len(HOSTILE) + 2
            assert_clean(jobs)
        for job in jobs:
            detail = await table.browser.job(job.id)
            assert detail is not None
            assert detail.job.id == job.id
            assert_clean(detail)
        for column in ("queue", "kind", "worker", "failure_kind"):
            values = await table.browser.values(column)
            assert_clean(values)
            assert set(values) >= {clean(text, 120) for text in HOSTILE if 0 < len(text) < 120}


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_values_are_found(database: str, text: str) -> None:
    _table(database)
    async with opened(database) as table:
        number = HOSTILE.index(text)
        for given in (text, clean(text)):
            for selection in (
                Selection(queues=(given,)),
                Selection(kinds=(given,)),
                Selection(workers=(given,)),
            ):
                found = await every_job(table.browser, selection)
                assert [job.id for job in found] == [clean(f"{text}{number}")], ascii(selection)
        for given in (text, clean(text, 120)):
            found = await every_job(table.browser, Selection(failures=(given,), states=GAVE_UP))
            assert [job.id for job in found] == [clean(f"{text}{number}")]
        for given in (f"{text}{number}", clean(f"{text}{number}")):
            (job,) = await every_job(table.browser, Selection(ids=(given,)))
            detail = await table.browser.job(given)
            assert detail is not None
            assert detail.job.id == job.id == clean(f"{text}{number}")
        if text:
            found = await every_job(table.browser, Selection(words=(text,)))
            assert clean(f"{text}{number}") in {job.id for job in found}


async def test_values_that_no_text_of_postgresql_can_hold_match_nothing(database: str) -> None:
    _table(database)
    async with opened(database) as table:
        for text in ("nul\0", "half \ud800 pair"):
            for selection in (
                Selection(queues=(text,)),
                Selection(ids=(text,)),
                Selection(failures=(text,)),
                Selection(words=(text,)),
            ):
                assert await every_job(table.browser, selection) == []
            assert await table.browser.job(text) is None


async def test_hostile_names_of_relations_and_columns(database: str) -> None:
    names = ['"\x1b[31m"', '"\u202eevil"', '"a%s {x} ""q"""', '"[@click=app.quit]"']
    for name in names:
        payment_table(database, [{"created_at": timedelta(minutes=-1)}])
        execute(
            database,
            f"alter table payment_task add {name} text default '\x1b[1mx'",
            f"alter table payment_task rename to {name}",
        )
        async with opened(database) as table:
            assert_clean(table.ref)
            snapshot = await snapshot_of(table)
            assert snapshot.states["pending"].value == 1  # type: ignore[index]
            detail = await table.browser.job("1")
            assert_clean(detail)
        async with opened(database) as table, polled(table) as (poller, clock):
            poller.wants_database = True
            await poller.poll()
            await poller.settle()
            clock.now += 2
            assert_clean(await poller.poll())
        execute(database, f"drop table {name}")


async def test_errors_of_the_server_are_cleaned(database: str) -> None:
    payment_table(database, [{}])
    execute(
        database,
        "create function boom() returns text language plpgsql as"
        " $$ begin raise exception E'\\x1b[31m%%s [/] \\u202e password=hunter2'; end $$",
        'create view "v" as select id, status, created_at, next_attempt_at, claimed_until, attempts,'
        " boom() as queue from payment_task",
    )
    mapping = """
schema = 1
name = "v"
[columns]
id = "id"
status = "status"
queue = "queue"
created_at = "created_at"
[status]
waiting = ["PENDING"]
"""
    async with opened(database, mapping=mapping, table="v") as table:
        snapshot = await snapshot_of(table)
    assert_clean(snapshot)
    assert snapshot.verdict.name == "not-measured"
    assert "␛[31m" in snapshot.verdict.verdict


async def test_hostile_state_of_the_server(database: str) -> None:
    """Names of databases and roles, statements of other sessions."""
    (name,) = query(database, "select current_database()")[0]
    hostile = f"{name}\x1b[31m"
    role = f"r{name[-8:]}\x9b"
    execute(database, f'create role "{role}" login')
    payment_table(database, [{}])
    execute(database, f'grant select on payment_task to "{role}"')
    try:
        postgres = database.replace(name, "postgres")
        execute(postgres, f'alter database {name} rename to "{hostile}"')
        from psycopg.conninfo import make_conninfo

        dsn = make_conninfo(database, dbname=hostile, user=role)
        async with opened(dsn) as table:
            snapshot = await snapshot_of(table)
            assert_clean(snapshot)
            assert snapshot.server.database == f"{name}␛[31m"
            assert snapshot.server.role == role.replace("\x9b", "�")
    finally:
        execute(postgres, f'alter database "{hostile}" rename to {name}')
        execute(database, f'drop owned by "{role}"', f'drop role "{role}"')
