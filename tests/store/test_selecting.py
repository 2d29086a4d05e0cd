"""Each term of a filter, and every mixture of them, finds what plain SQL finds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg import sql

from queuetop.model.errors import UsageError
from queuetop.model.filters import parse
from queuetop.model.jobs import Sort
from queuetop.model.selection import Bound, Compare, Selection
from queuetop.model.states import FailureClass, State
from queuetop.store.opener import Table
from tests.store.staging import STATES, Form, make, mapping
from tests.store.support import every_job, opened
from tests.support.databases import execute
from tests.support.payment import payment_table

CLASSES = """
[failure_classes]
theirs = ["EXTERNAL_5XX", "TIMEOUT"]
ours = ["VALIDATION"]
unknown_outcome = ["NOBODY_KNOWS"]
"""
KIND = "coalesce(failure_kind, substring(failure_detail from '^\\w+Error'))"
FAILURES = f"({KIND} is not null or failure_detail is not null)"
CLASS = {
    FailureClass.THEIRS: f"{KIND} in ('EXTERNAL_5XX', 'TIMEOUT')",
    FailureClass.OURS: f"{KIND} = 'VALIDATION'",
    FailureClass.UNKNOWN_OUTCOME: f"{KIND} = 'NOBODY_KNOWS'",
    FailureClass.UNCLASSIFIED: f"{FAILURES} and ({KIND} in ('EXTERNAL_5XX', 'TIMEOUT',"
    " 'VALIDATION', 'NOBODY_KNOWS')) is not true",
}
MOMENT = {
    State.FAILED: "failed_at",
    State.QUARANTINED: "failed_at",
    State.SUCCEEDED: "finished_at",
    State.CANCELLED: "finished_at",
    State.RUNNING: "started_at",
    State.STALLED: "started_at",
}


def some(*values: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=3, unique=True).map(tuple)


BOUNDS = st.none() | st.one_of(
    st.floats(0, 9000).map(lambda seconds: Bound(ago_s=seconds)),
    st.integers(-9000, 3000).map(
        lambda s: Bound(at=(datetime.now(UTC) + timedelta(seconds=s)).isoformat())
    ),
)
SELECTIONS = st.builds(
    Selection,
    states=st.lists(st.sampled_from(State), max_size=3, unique=True).map(tuple),
    queues=some("default", "mail", "Mail", "a [/] b", "größe", "", "none such"),
    kinds=some("invoice", "refund", "report", "", "INVOICE"),
    failures=some("EXTERNAL_5XX", "VALIDATION", "TIMEOUT", "ValueError", "", "x"),
    classes=st.lists(st.sampled_from(FailureClass), max_size=2, unique=True).map(tuple),
    ids=st.one_of(
        st.just(()), some("1", "17", "250", "399", "400000000000000000000", "x", "1_7", "")
    ),
    workers=some("worker-0", "worker-1", "worker-9", ""),
    since=BOUNDS,
    until=BOUNDS,
    attempts=st.lists(
        st.builds(Compare, st.sampled_from(("=", ">", "<", ">=", "<=")), st.integers(0, 4)),
        max_size=2,
    ).map(tuple),
    words=some("case 1", "VALUEERROR", "refund", "worker", '"n": 7', "100.00", "%", "_"),
)


def among(value: str, values: tuple[str, ...]) -> sql.Composable:
    found = sql.SQL("{} = any({})").format(sql.SQL(value), sql.Literal(list(values)))
    return sql.SQL("({} or {} is null)").format(found, sql.SQL(value)) if "" in values else found


def edge(bound: Bound, now: datetime) -> sql.Composable:
    if bound.at is not None:
        return sql.SQL("{}::timestamptz").format(sql.Literal(bound.at))
    moment = sql.SQL("({}::timestamptz - make_interval(secs => {}))")
    return moment.format(sql.Literal(now), sql.Literal(bound.ago_s))


def plainly(selection: Selection, now: datetime) -> Iterator[sql.Composable]:
    """The selection as somebody would write it, over staging."""
    if selection.states:
        states = " or ".join(f"({STATES[state]})" for state in selection.states)
        yield sql.SQL("({})").format(
            sql.SQL(states.replace("{now}", f"'{now.isoformat()}'::timestamptz"))
        )
    for column, values in (
        ("queue", selection.queues),
        ("kind", selection.kinds),
        ("worker", selection.workers),
        (KIND, selection.failures),
    ):
        if values:
            yield among(column, values)
    if selection.classes:
        yield sql.SQL("({})").format(
            sql.SQL(" or ").join(sql.SQL(f"({CLASS[name]})") for name in selection.classes)
        )
    if selection.ids:
        yield sql.SQL("id::text = any({})").format(sql.Literal(list(selection.ids)))
    moments = {MOMENT.get(state, "created_at") for state in selection.states} or {"created_at"}
    moment = sql.SQL(moments.pop() if len(moments) == 1 else "created_at")
    for bound, operator in ((selection.since, ">="), (selection.until, "<=")):
        if bound is not None:
            yield sql.SQL("{} {} {}").format(moment, sql.SQL(operator), edge(bound, now))
    for compare in selection.attempts:
        yield sql.SQL("attempts {} {}").format(sql.SQL(compare.op), sql.Literal(compare.value))
    texts = f"concat_ws(E'\\x01', id, kind, {KIND}, failure_detail, payload)"
    for word in selection.words:
        yield sql.SQL("strpos(lower({}), lower({})) > 0").format(sql.SQL(texts), sql.Literal(word))


def found_plainly(dsn: str, selection: Selection, now: datetime) -> list[int]:
    terms = list(plainly(selection, now))
    where = sql.SQL(" and ").join(terms) if terms else sql.SQL("true")
    with psycopg.connect(dsn, autocommit=True) as connection:
        statement = sql.SQL("select id from staging where {} order by id").format(where)
        return [job_id for (job_id,) in connection.execute(statement).fetchall()]


@contextmanager
def browsing(dsn: str, form: Form) -> Iterator[tuple[asyncio.Runner, Table]]:
    """The table, kept open in an event loop for many examples."""
    with asyncio.Runner() as runner:
        context = opened(dsn, mapping=mapping(form, CLASSES))
        table = runner.run(context.__aenter__())
        try:
            yield runner, table
        finally:
            runner.run(context.__aexit__(None, None, None))


@pytest.mark.parametrize("zone", ("with a zone", "without a zone"))
def test_any_selection_finds_what_plain_sql_finds(database: str, zone: str) -> None:
    naive = dict.fromkeys(
        ("created_at", "ready_at", "lease_until", "started_at", "finished_at", "failed_at"),
        "timestamp without time zone",
    )
    form = Form() if zone == "with a zone" else Form(types=naive, zone="Asia/Kolkata")
    make(database, form)
    with browsing(database, form) as (runner, table):

        async def look(selection: Selection) -> tuple[list[int], datetime, float | None]:
            page = await table.browser.jobs(selection, Sort("id", descending=False), limit=1000)
            return [int(job.id) for job in page.jobs], page.taken_at, page.matched.value

        @settings(max_examples=150)
        @given(SELECTIONS)
        def same(selection: Selection) -> None:
            found, now, matched = runner.run(look(selection))
            assert found == found_plainly(database, selection, now)
            assert matched == len(found)

        same()


@pytest.mark.parametrize(
    ("text", "where"),
    (
        ("", "true"),
        ("queue:mail", "queue = 'mail'"),
        ("queue:mail,Mail", "queue in ('mail', 'Mail')"),
        ('queue:"a [/] b"', "queue = 'a [/] b'"),
        ('queue:""', "queue is null or queue = ''"),
        ("kind:refund queue:mail", "kind = 'refund' and queue = 'mail'"),
        ("state:failed", "status = 'failed'"),
        ("state:failed,quarantined", "status in ('failed', 'quarantined')"),
        ("failure:VALIDATION", f"{KIND} = 'VALIDATION'"),
        ("failure:ValueError", f"{KIND} = 'ValueError'"),
        ("class:theirs", CLASS[FailureClass.THEIRS]),
        ("class:ours,theirs", f"({CLASS[FailureClass.OURS]}) or ({CLASS[FailureClass.THEIRS]})"),
        ("class:unclassified", CLASS[FailureClass.UNCLASSIFIED]),
        ("id:1,2,77", "id in (1, 2, 77)"),
        ("worker:worker-1", "worker = 'worker-1'"),
        ("attempts>1", "attempts > 1"),
        ("attempts:0", "attempts = 0"),
        ("attempts>=1 attempts<3", "attempts in (1, 2)"),
        ("since:30m state:failed", "status = 'failed' and failed_at >= {now} - interval '30 min'"),
        ("since:30m state:succeeded", "status = 'succeeded' and finished_at >= {now} - interval '30 min'"),
        ("until:30m state:running", f"{STATES['running']} and started_at <= {{now}} - interval '30 min'"),
        ("since:1h", "created_at >= {now} - interval '1 h'"),
        ("until:2020-01-01", "false"),
        ("since:30m state:failed,succeeded",
         "status in ('failed', 'succeeded') and created_at >= {now} - interval '30 min'"),
        ('"case 2"', "failure_detail like '%case 2%'"),
        ("VALUEERROR", "failure_detail is not null"),
        ("case refund", "failure_detail like '%case%' and kind = 'refund'"),
    ),
)  # fmt: skip
async def test_terms_as_they_are_typed(database: str, text: str, where: str) -> None:
    make(database, Form(), count=120)
    async with opened(database, mapping=mapping(Form(), CLASSES)) as table:
        page = await table.browser.jobs(parse(text), Sort("id", descending=False), limit=1000)
    now = f"'{page.taken_at.isoformat()}'::timestamptz"
    with psycopg.connect(database) as connection:
        statement = f"select id::text from staging where {where} order by staging.id".replace(
            "{now}", now
        )
        wanted = [job_id for (job_id,) in connection.execute(statement.encode()).fetchall()]
    assert [job.id for job in page.jobs] == wanted


ZEROS = "00000000-0000-0000-0000-"
ID_TYPES: dict[str, tuple[str, Callable[[int], str], tuple[str, ...]]] = {
    "bigint": ("bigint", str, (" 5 ", "+5", "05")),
    "smallint": ("smallint", str, ("05",)),
    "uuid": ("uuid", lambda n: f"{ZEROS}{n:012d}", (f"{{{ZEROS}000000000005}}",)),
    "text": ("text", lambda n: f"job-{n}", ()),
    "numeric": ("numeric", lambda n: f"{n}.5", ()),
    "bytea": ("bytea", lambda n: f"\\x0{n}", ()),
    "char(8)": ("char(8)", lambda n: f"j{n}", ()),
}  # fmt: skip
NO_IDS = (
    "",
    "x",
    "1e3",
    "1_0",
    "٣",
    "-1",
    "9" * 40,
    "5;",
    "5' or true --",
    "null",
    "\x00",
    "00000000",
)


@pytest.mark.parametrize("kind", ID_TYPES)
async def test_ids_of_every_type(database: str, kind: str) -> None:
    column, write, also = ID_TYPES[kind]
    values = ", ".join(f"('{write(n)}')" for n in range(1, 10))
    execute(
        database,
        f"create table payment_task (id {column} primary key, status text default 'PENDING',"
        " created_at timestamptz default now(), next_attempt_at timestamptz default now(),"
        " claimed_until timestamptz, attempts int default 0)",
        f"insert into payment_task (id) values {values}",
        "create index on payment_task (id) where status = 'PENDING'",
    )
    async with opened(database) as table:
        for given_id in (write(5), *also):
            (job,) = await every_job(table.browser, Selection(ids=(given_id, "nothing")))
            assert job.id == write(5)
            detail = await table.browser.job(given_id)
            assert detail is not None
            assert detail.job.id == write(5)
        for none in NO_IDS:
            assert await every_job(table.browser, Selection(ids=(none,))) == []
            assert await table.browser.job(none) is None


async def test_a_term_that_the_mapping_lacks_is_said(database: str) -> None:
    payment_table(database, [{}])
    execute(
        database,
        "alter table payment_task drop queue, drop failure_kind, drop failure_detail",
    )
    async with opened(database) as table:
        for selection, column in (
            (Selection(queues=("a",)), "queue"),
            (Selection(kinds=("a",)), "kind"),
            (Selection(workers=("a",)), "worker"),
            (Selection(failures=("a",)), "failure_detail"),
            (Selection(classes=(FailureClass.OURS,)), "failure_detail"),
        ):
            with pytest.raises(
                UsageError, match=f"no column for {column}, so it cannot be filtered"
            ):
                await table.browser.jobs(selection, Sort("id"))
        assert await table.browser.values("queue") == ()
        assert await table.browser.values("failure_kind") == ()
        with pytest.raises(UsageError, match="there is no completion for payload"):
            await table.browser.values("payload")
        for compare in (Compare("!=", 1), Compare(">", 2**63), Compare("; --", 1)):
            with pytest.raises(UsageError, match="attempts"):
                await table.browser.jobs(Selection(attempts=(compare,)), Sort("id"))


async def test_a_state_that_the_mapping_lacks_has_no_jobs(database: str) -> None:
    payment_table(database, [{}])
    async with opened(database) as table:
        for state in (State.BLOCKED, State.QUARANTINED, State.CANCELLED):
            assert await every_job(table.browser, Selection(states=(state,))) == []


async def test_known_values_are_the_commonest_first(database: str) -> None:
    make(database, Form())
    async with opened(database, mapping=mapping(Form())) as table:
        kinds = await table.browser.values("kind")
        workers = await table.browser.values("worker")
        queues = await table.browser.values("queue")
        failures = await table.browser.values("failure_kind")
    with psycopg.connect(database) as connection:
        for column, values in (("kind", kinds), ("worker", workers), ("queue", queues)):
            counts: dict[str, int] = dict(connection.execute(
                f"select {column}, count(*) from staging where {column} is not null group by 1".encode()
            ).fetchall())  # fmt: skip
            assert set(values) == set(counts)
            assert [counts[value] for value in values] == sorted(counts.values(), reverse=True)
    assert set(failures) == {"EXTERNAL_5XX", "VALIDATION", "TIMEOUT", "ValueError"}
