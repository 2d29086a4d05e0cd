"""Pages one after the other are all jobs, each once, in order, whatever the sort column holds."""

from __future__ import annotations

from datetime import timedelta

import pytest

from queuetop.model.errors import StoreError, UsageError
from queuetop.model.jobs import Cursor, Job, Sort
from queuetop.model.measure import Exactness
from queuetop.model.selection import Selection
from queuetop.model.states import State
from queuetop.store.paging import SORTABLE
from tests.store.support import every_job, opened
from tests.support.databases import execute, query
from tests.support.payment import fill, payment_table

COUNT = 400
IDS = {
    "bigint": ("bigint", "n"),
    "uuid": ("uuid", "md5(n::text)::uuid"),
    "text": ("text", "'job ' || n % 7 || chr(97 + n % 26) || n"),
    "numeric": ("numeric(20, 2)", "n / 4.0"),
    "varchar of another collation": ('varchar(40) collate "POSIX"', "'Jöb ' || n"),
}
#: Many share a microsecond, some are NULL, some are at the ends of time.
TIME = (
    "case n % 11 when 0 then null when 1 then 'infinity' when 2 then '-infinity'"
    " when 3 then '20000-01-01' else '2024-01-01 00:00:00.000001+00'::timestamptz"
    " + (n % 3) * interval '1 microsecond' end"
)
NUMBER = "case when n % 5 = 0 then null else n % 4 end"
TIMES = ("created_at", "next_attempt_at", "claimed_until", "started_at", "finished_at", "failed_at")
NUMBERS = ("attempts", "max_attempts", "priority", "requeues")
COLUMN = {"ready_at": "next_attempt_at", "lease_until": "claimed_until"}


def build(dsn: str, kind: str) -> None:
    id_type, id_value = IDS[kind]
    times, numbers = (f"{{}} {kind}".join(("", "")) for kind in ("timestamptz", "int"))
    columns = ", ".join([*(times.format(t) for t in TIMES), *(numbers.format(n) for n in NUMBERS)])
    values = ", ".join([*(TIME.replace("n %", f"(n + {i}) %") for i, _ in enumerate(TIMES)),
                        *(NUMBER.replace("n %", f"(n + {i}) %") for i, _ in enumerate(NUMBERS))])  # fmt: skip
    execute(
        dsn,
        f"create table payment_task (id {id_type} primary key, status text default 'PENDING', {columns})",
        f"insert into payment_task select {id_value}, 'PENDING', {values}"
        f" from generate_series(1, {COUNT}) as n",
        "create index on payment_task (created_at)",
        "create index on payment_task (failed_at, id)",
        "analyze payment_task",
    )


def in_order(dsn: str, sort: Sort) -> list[str]:
    """As plain SQL sorts: NULLs last, ties by id, all in one direction."""
    column = COLUMN.get(sort.column, sort.column)
    way = "desc" if sort.descending else "asc"
    rows = query(
        dsn,
        f"select j.id::text from payment_task as j order by j.{column} {way} nulls last, j.id {way}",
    )
    return [job_id for (job_id,) in rows]


@pytest.mark.parametrize("kind", IDS)
async def test_pages_are_all_jobs_in_order(database: str, kind: str) -> None:
    build(database, kind)
    async with opened(database) as table:
        for column in SORTABLE:
            for descending in (True, False):
                sort = Sort(column, descending)
                jobs = await every_job(table.browser, sort=sort, limit=61)
                assert [job.id for job in jobs] == in_order(database, sort), sort


async def test_a_page_begins_behind_any_job(database: str) -> None:
    """A list can be read again from each of its jobs, also from one that is gone meanwhile."""
    build(database, "uuid")
    async with opened(database) as table:
        for descending in (True, False):
            sort = Sort("finished_at", descending)
            page = await table.browser.jobs(Selection(), sort, limit=COUNT)
            ids = [job.id for job in page.jobs]
            for number in (0, 7, 99, 350, 398):
                after = page.places[number]
                rest = await table.browser.jobs(Selection(), sort, after=after, limit=5)
                assert [job.id for job in rest.jobs] == ids[number + 1 : number + 6]
            execute(database, f"delete from payment_task where id = '{ids[99]}'")
            rest = await table.browser.jobs(Selection(), sort, after=page.places[99], limit=5)
            assert [job.id for job in rest.jobs] == ids[100:105]
            last = await table.browser.jobs(Selection(), sort, after=page.places[-1], limit=5)
            assert (last.jobs, last.next) == ((), None)


async def test_thousands_that_share_a_microsecond(database: str) -> None:
    payment_table(database)
    execute(
        database,
        "insert into payment_task (created_at) select '2024-01-01 00:00:00.000001+00'"
        " from generate_series(1, 3000)",
        "create index on payment_task (created_at, id)",
        "analyze payment_task",
    )
    async with opened(database) as table:
        for descending in (True, False):
            jobs = await every_job(table.browser, sort=Sort("created_at", descending), limit=250)
            numbers = [int(job.id) for job in jobs]
            assert numbers == sorted(range(1, 3001), reverse=descending)


@pytest.mark.parametrize("limit", (1, 2, 199, 200, 201))
async def test_pages_of_every_size_end(database: str, limit: int) -> None:
    payment_table(database)
    fill(database, 200, "PENDING")
    async with opened(database) as table:
        jobs = await every_job(table.browser, sort=Sort("finished_at"), limit=limit)
        assert [job.id for job in jobs] == [str(n) for n in range(200, 0, -1)]


UNION = """
schema = 1
name = "union"
table = "{table}"
time_zone = "Asia/Kolkata"
{unmapped}
[columns]
id = "id"
queue = "queue"
created_at = "created_at"
ready_at = "ready_at"
finished_at = "finished_at"
[states.pending]
from = "ready as x join {{table}} as j on j.id = x.job_id"
where = "j.finished_at is null"
[states.pending.expressions]
ready_at = "x.created_at at time zone 'UTC'"
attempts = "x.tries"
[states.running]
from = "claimed as x join {{table}} as j on j.id = x.job_id"
where = "true"
[states.running.expressions]
started_at = "x.created_at at time zone 'UTC'"
worker = "x.worker"
[states.succeeded]
where = "j.finished_at is not null"
"""


def build_union(dsn: str) -> None:
    """A table for each state, times without a zone in two zones, and columns that only some have."""
    execute(
        dsn,
        "create table jobs (id bigint primary key, queue text, created_at timestamp, ready_at timestamp,"
        " finished_at timestamptz)",
        "create table ready (job_id bigint, created_at timestamp, tries int)",
        "create table claimed (job_id bigint, created_at timestamp, worker text)",
        "insert into jobs select n, 'q', '2024-03-01'::timestamp + n % 5 * interval '1 s',"
        " case when n % 4 <> 0 then '2024-03-01'::timestamp + n % 6 * interval '1 h' end,"
        " case when n % 3 = 0 then '2024-03-01 00:00+00'::timestamptz + n % 2 * interval '1 s' end"
        " from generate_series(1, 300) as n",
        "insert into ready select n, '2024-03-01'::timestamp + n % 7 * interval '1 h', n % 3"
        " from generate_series(1, 300) as n where n % 3 = 1",
        "insert into claimed select n, '2024-03-01'::timestamp + n % 9 * interval '1 s', 'w'"
        " from generate_series(1, 300) as n where n % 3 = 2 and n <> 299",
        "create index on jobs (created_at)",
        "analyze",
    )


@pytest.mark.parametrize("unmapped", ("", 'unmapped = "j.id = 299"'))
async def test_pages_over_states_with_tables_of_their_own(database: str, unmapped: str) -> None:
    build_union(database)
    mapping = UNION.replace("{table}", "jobs", 1).replace("{{table}}", "{table}")
    mapping = mapping.replace("{unmapped}", unmapped)
    wanted = {str(n) for n in range(1, 301) if n != 299 or unmapped}
    async with opened(database, mapping=mapping) as table:
        for column in ("id", "created_at", "ready_at", "started_at", "finished_at", "attempts"):
            for descending in (True, False):
                sort = Sort(column, descending)
                jobs = await every_job(table.browser, sort=sort, limit=41)
                assert len(jobs) == len(wanted)
                assert {job.id for job in jobs} == wanted
                assert in_its_order(jobs, sort)
                by_state = [
                    job
                    for state in (State.PENDING, State.RUNNING, State.SUCCEEDED)
                    for job in await every_job(table.browser, Selection(states=(state,)), sort)
                ]
                assert len(by_state) == 299
        assert {job.state for job in jobs} - {None} == {
            State.PENDING,
            State.RUNNING,
            State.SUCCEEDED,
        }
        states = [job for job in jobs if job.id == "299"]
        assert [job.state for job in states] == ([None] if unmapped else [])
        for job_id, state in (
            ("1", State.PENDING),
            ("2", State.RUNNING),
            ("3", State.SUCCEEDED),
            ("299", None),
        ):
            detail = await table.browser.job(job_id)
            assert detail is not None
            assert detail.job.state is state


def in_its_order(jobs: list[Job], sort: Sort) -> bool:
    """By value, then by id; those without a value last."""

    def key(job: Job) -> tuple[object, int]:
        return getattr(job, sort.column) if sort.column != "id" else 0, int(job.id)

    have = [job for job in jobs if sort.column == "id" or getattr(job, sort.column) is not None]
    have_not = jobs[len(have) :]
    return (
        jobs[: len(have)] == have == sorted(have, key=key, reverse=sort.descending)
        and have_not == sorted(have_not, key=lambda job: int(job.id), reverse=sort.descending)
    )  # fmt: skip


async def test_matches_are_counted_up_to_the_cap(database: str) -> None:
    payment_table(database)
    fill(database, 300, "FAILED")
    fill(database, 10_050, "DONE")
    async with opened(database) as table:
        failed = await table.browser.jobs(Selection(states=(State.FAILED,)), Sort("failed_at"))
        assert (failed.matched.value, failed.matched.exactness) == (300, Exactness.EXACT)
        done = await table.browser.jobs(Selection(states=(State.SUCCEEDED,)), Sort("finished_at"))
        assert (done.matched.value, done.matched.exactness) == (10_000, Exactness.CAPPED)
        assert done.matched.why == "counted up to 10 000"
        assert done.window == "all jobs"
        uncounted = await table.browser.jobs(Selection(), Sort("id"), count=False)
        assert uncounted.matched.exactness is Exactness.ESTIMATED
        assert uncounted.matched.value == pytest.approx(10_350, rel=0.1)


async def test_an_export_is_every_job_once(database: str) -> None:
    payment_table(database)
    fill(database, 2500, "DONE")
    async with opened(database) as table:
        pages = [page async for page in table.browser.export(Selection(), Sort("finished_at"))]
    ids = [job.id for page in pages for job in page.jobs]
    assert len(ids) == len(set(ids)) == 2500
    assert pages[0].matched.value == 2500


@pytest.mark.parametrize("column", ("status", "payload", "1; drop table payment_task", ""))
async def test_no_other_column_sorts(database: str, column: str) -> None:
    payment_table(database, [{}])
    async with opened(database) as table:
        with pytest.raises(UsageError, match="jobs cannot be sorted by"):
            await table.browser.jobs(Selection(), Sort(column))
        with pytest.raises(UsageError, match="no column for priority; sort by another one"):
            await table.browser.jobs(Selection(), Sort("priority"))


async def test_a_job_that_moves_is_not_lost_on_the_way(database: str) -> None:
    """The cursor is a place in the order, so that rows before it may come and go."""
    payment_table(database, [{"created_at": timedelta(seconds=-n)} for n in range(20)])
    async with opened(database) as table:
        sort = Sort("created_at")
        first = await table.browser.jobs(Selection(), sort, limit=5)
        execute(
            database,
            "insert into payment_task (created_at) select now() from generate_series(1, 9)",
        )
        execute(database, f"delete from payment_task where id = {first.jobs[-1].id}")
        second = await table.browser.jobs(Selection(), sort, after=first.next, limit=5)
        assert [job.id for job in second.jobs] == ["6", "7", "8", "9", "10"]


async def test_a_cursor_from_elsewhere_is_refused_and_not_believed(database: str) -> None:
    payment_table(database, [{}])
    async with opened(database) as table:
        for cursor in (Cursor("yesterday'; --", "1"), Cursor("2024-01-01", "one")):
            with pytest.raises(StoreError, match="invalid input syntax"):
                await table.browser.jobs(Selection(), Sort("created_at"), after=cursor)
        assert len((await table.browser.jobs(Selection(), Sort("created_at"))).jobs) == 1
