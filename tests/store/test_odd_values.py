"""Values that Python has not, texts without end, databases without an encoding: all are shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from queuetop.model.errors import StoreError
from queuetop.model.jobs import JobDetail, Sort
from queuetop.model.selection import Selection
from queuetop.model.states import State
from tests.store.support import assert_clean, every_job, opened, snapshot_of
from tests.support.databases import execute, query
from tests.support.payment import insert_jobs, payment_table

END, BEGINNING = datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)
ODD_TIMES = {
    "infinity": END,
    "-infinity": BEGINNING,
    "4713-01-01 00:00:00+00 BC": BEGINNING,
    "0044-03-15 12:00:00+00 BC": BEGINNING,
    "20000-01-01 00:00:00+00": END,
    "294276-12-31 23:59:59.999999+00": END,
    "0001-01-01 00:00:00+00": datetime(1, 1, 1, tzinfo=UTC),
    "9999-12-31 23:59:59.999999+00": END,
    "2024-02-29 23:59:60+00": datetime(2024, 3, 1, tzinfo=UTC),
}
SORTS = ("id", "created_at", "ready_at", "lease_until", "finished_at", "failed_at", "attempts")


def field(detail: JobDetail | None, name: str) -> str | None:
    assert detail is not None
    return next(field.value for field in detail.fields if field.name == name)


@pytest.mark.parametrize("status", ("PENDING", "CLAIMED", "DONE", "FAILED", "nobody knows"))
async def test_odd_times_are_counted_listed_and_shown(database: str, status: str) -> None:
    columns = ("created_at", "next_attempt_at", "claimed_until", "finished_at", "failed_at")
    ids = payment_table(
        database,
        [{"status": status, **dict.fromkeys(columns, odd)} for odd in ODD_TIMES]
        + [{"status": status, "created_at": timedelta(minutes=-10), "failed_at": timedelta(0)}],
    )
    async with opened(database) as table:
        snapshot = await snapshot_of(table)
        assert not [cost.note for cost in snapshot.cost.panels if cost.note]
        assert_clean(snapshot)
        counted = sum(m.value or 0 for m in snapshot.states.values()) + (
            snapshot.unmapped.value or 0
        )
        assert counted == len(ids)
        by_id = {job.id: job for job in await every_job(table.browser)}
        for job_id, (odd, moment) in zip(ids, ODD_TIMES.items(), strict=False):
            job = by_id[str(job_id)]
            assert (job.created_at, job.ready_at, job.finished_at) == (moment, moment, moment)
            detail = await table.browser.job(str(job_id))
            assert field(detail, "created_at") == _said(database, odd)
            assert_clean(detail)
        for column in SORTS:
            for descending in (True, False):
                jobs = await every_job(table.browser, sort=Sort(column, descending), limit=3)
                assert len({job.id for job in jobs}) == len(jobs) == len(ids)


def _said(dsn: str, odd: str) -> str:
    with psycopg.connect(dsn, options="-c timezone=UTC") as connection:
        row = connection.execute("select %s::timestamptz::text", (odd,)).fetchone()
        assert row is not None
        return str(row[0])


async def test_ages_leave_out_what_has_none(database: str) -> None:
    payment_table(
        database,
        [
            {"created_at": "infinity"},
            {"created_at": "-infinity", "next_attempt_at": "-infinity"},
            {"created_at": timedelta(minutes=-7), "next_attempt_at": timedelta(minutes=-6)},
        ],
    )
    async with opened(database) as table:
        snapshot = await snapshot_of(table)
        waits = await table.browser.job("2")
    assert snapshot.states[State.PENDING].value == 3
    assert snapshot.oldest_pending.age_s.value == pytest.approx(420, abs=30)
    assert snapshot.oldest_pending.job_id == "3"
    assert waits is not None
    assert any("due since ever" in reason for reason in waits.why_waiting)


async def test_a_job_for_the_end_of_time_says_so(database: str) -> None:
    payment_table(database, [{"next_attempt_at": "infinity"}, {"next_attempt_at": "20000-01-01"}])
    async with opened(database) as table:
        for job_id in ("1", "2"):
            detail = await table.browser.job(job_id)
            assert detail is not None
            assert detail.job.state is State.SCHEDULED
            (reason,) = detail.why_waiting
            assert "at the end of time" in reason


async def test_failures_in_the_far_future_are_not_new(database: str) -> None:
    payment_table(
        database,
        [
            {"status": "FAILED", "failed_at": "294276-01-01", "failure_kind": "A"},
            {"status": "FAILED", "failed_at": "infinity", "failure_kind": "B"},
            {"status": "FAILED", "failed_at": timedelta(hours=1), "failure_kind": "C"},
            {"status": "FAILED", "failed_at": timedelta(seconds=-5), "failure_kind": "D"},
        ],
    )
    async with opened(database) as table:
        snapshot = await snapshot_of(table)
    kinds = {kind.kind: kind for kind in snapshot.failures.kinds}
    assert [kinds[name].count.value for name in "ABCD"] == [1, 1, 1, 1]
    assert [kinds[name].recent for name in "ABCD"] == [0, 0, 0, 1]
    assert [kinds[name].new for name in "ABD"] == [False, False, True]
    assert kinds["A"].last_failed_at is None
    assert snapshot.flow.failed.value == pytest.approx(1 / 60)


async def test_claims_at_the_end_of_time_are_no_sign_of_a_worker(database: str) -> None:
    payment_table(
        database,
        [
            {"created_at": timedelta(minutes=-9), "next_attempt_at": timedelta(minutes=-9)},
            {"status": "CLAIMED", "claimed_until": timedelta(minutes=-8)},
        ],
    )
    execute(
        database,
        "alter table payment_task add started_at timestamptz",
        "update payment_task set started_at = 'infinity' where status = 'CLAIMED'",
    )
    async with opened(database) as table:
        snapshot = await snapshot_of(table)
    assert [finding.name for finding in snapshot.findings][:1] == ["nothing-claimed"]


DEEP = "[" * 3000 + "]" * 3000
HUGE = "9" * 6000
PAYLOADS: dict[str, tuple[str, str, str]] = {
    # type, value as SQL, what the payload's text must hold
    "amounts": ("jsonb", """'{"amount": 100.00, "rate": 1e-7, "big": 12345678901234567890.10}'""",
                '"amount": 100.00'),
    "huge integer": ("jsonb", f"""'{{"n": {HUGE}}}'""", HUGE),
    "huge exponent": ("json", """'{"n": 1e400000}'""", "400000"),
    "surrogate": ("json", r"""'{"a": "\ud800", "b": "x"}'""", r"\ud800"),
    "nul escape": ("json", r"""'{"a": "\u0000"}'""", r"\u0000"),
    "deep": ("json", f"'{DEEP}'", "[[[[[["),
    "scalar": ("jsonb", "'3.10'", "3.10"),
    "text that is no JSON": ("text", "'{not json'", "{not json"),
    "NaN": ("text", """'{"a": NaN}'""", '{"a": NaN}'),
    "bytes of text": ("bytea", """convert_to('{"schlüssel": 1}', 'UTF8')""", '"schlüssel": 1'),
    "bytes": ("bytea", r"""'\x00ff80'::bytea""", r"\x00ff80"),
    "array": ("text[]", """array['a', null, 'b"c']""", r'{a,NULL,"b\"c"}'),
    "long": ("text", "repeat('0123456789', 20000)", "0123456789" * 20000),
    "empty": ("text", "''", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", PAYLOADS)
async def test_odd_payloads_are_listed_and_shown(database: str, name: str) -> None:
    kind, value, wanted = PAYLOADS[name]
    payment_table(database)
    execute(
        database,
        f"alter table payment_task alter payload type {kind} using null",
        f"insert into payment_task (payload) values ({value})",
    )
    async with opened(database) as table:
        (job,) = await every_job(table.browser)
        assert job.payload is not None
        assert len(job.payload) <= 301
        detail = await table.browser.job("1")
        assert detail is not None
        assert detail.payload_text is not None
        assert wanted in detail.payload_text
        assert_clean(job)
        assert_clean(detail)
        if kind not in {"bytea", "json"}:
            found = await table.browser.jobs(
                Selection(words=(wanted[:30].split('"')[-1],)), Sort("id")
            )
            assert len(found.jobs) == 1


async def test_pretty_payloads_are_indented_and_masked(database: str) -> None:
    payload = {"amount": [1, 2.5], "card": {"number": "4111"}, "password": "pw-1", "größe": "ü"}
    payment_table(database, [{"payload": payload}])
    async with opened(database) as table:
        detail = await table.browser.job("1")
    assert detail is not None
    shown = detail.payload_text or ""
    assert json.loads(shown)["amount"] == [1, 2.5]
    assert shown.startswith("{\n  ")
    assert '"größe": "ü"' in shown
    assert "pw-1" not in repr(detail)
    assert "4111" not in repr(detail)


async def test_long_tracebacks_show_their_last_line(database: str) -> None:
    lines = "\n".join(f'  File "worker.py", line {n}, in call' for n in range(500))
    trace = (
        f"Traceback (most recent call last):\n{lines}\nrequests.exceptions.ConnectTimeout: host 7"
    )
    payment_table(
        database, [{"status": "FAILED", "failed_at": timedelta(0), "failure_detail": trace}]
    )
    async with opened(database) as table:
        snapshot = await snapshot_of(table)
        (job,) = await every_job(table.browser)
        detail = await table.browser.job(job.id)
    (kind,) = snapshot.failures.kinds
    assert kind.kind == job.failure_kind == "requests.exceptions.ConnectTimeout"
    assert kind.example == job.failure_detail == "requests.exceptions.ConnectTimeout: host 7"
    assert detail is not None
    assert detail.failure_text == trace


async def test_a_line_of_200_kb_is_cut_in_lists_and_whole_in_the_detail(database: str) -> None:
    line = "x" * 200_000
    payment_table(database)
    execute(
        database,
        "alter table payment_task alter payload type text, add kind text, add worker text",
        "insert into payment_task (status, queue, kind, worker, failed_at, failure_kind, failure_detail,"
        " payload) select 'FAILED', t, t, t, now(), t, t, t from repeat('x', 200000) as t",
    )
    async with opened(database) as table:
        snapshot = await snapshot_of(table)
        assert_clean(snapshot)
        assert len(snapshot.queues[0].queue) == 301
        (job,) = await every_job(table.browser)
        for text in (job.queue, job.kind, job.worker, job.failure_detail, job.payload):
            assert text is not None
            assert len(text) <= 301
        detail = await table.browser.job("1")
        assert detail is not None
        assert detail.failure_text == detail.payload_text == line
        assert field(detail, "queue") == line
        for column in ("queue", "kind", "worker", "failure_kind"):
            (value,) = await table.browser.values(column)
            assert len(value) <= 301
        for selection in (
            Selection(queues=(str(job.queue),)),
            Selection(kinds=(str(job.kind),)),
            Selection(workers=(str(job.worker),)),
            Selection(failures=(str(job.failure_kind),)),
        ):
            assert len(await every_job(table.browser, selection)) == 1


async def test_texts_longer_than_the_detail_are_cut_and_say_so(database: str) -> None:
    payment_table(database)
    execute(
        database,
        "insert into payment_task (failure_detail) values (repeat('y', 1200000))",
    )
    async with opened(database) as table:
        detail = await table.browser.job("1")
    assert detail is not None
    (cut,) = [found for found in detail.fields if found.cut]
    assert cut.name == "failure_detail"
    assert len(cut.value or "") == 1_000_000


ODD_NUMBERS = ("'Infinity'", "'-Infinity'", "'NaN'", "1e300", "-1e18", "2.5", "null")


@pytest.mark.parametrize("kind", ("double precision", "real", "numeric"))
async def test_odd_numbers_are_listed(database: str, kind: str) -> None:
    payment_table(database)
    execute(database, f"alter table payment_task add priority {kind}")
    if kind == "numeric" and query(database, "show server_version_num") < [("140000",)]:
        pytest.skip("numeric has no infinity before PostgreSQL 14")
    execute(
        database,
        *(
            f"insert into payment_task (priority) values ({number})"
            for number in ODD_NUMBERS
            if kind != "real" or "300" not in number
        ),
    )
    async with opened(database) as table:
        jobs = await every_job(table.browser, sort=Sort("priority"), limit=2)
        assert len({job.id for job in jobs}) == len(jobs) > 5
        assert (await snapshot_of(table)).states[State.PENDING].value == len(jobs)


async def test_a_database_without_an_encoding(make_database: Callable[..., str]) -> None:
    dsn = make_database(encoding="SQL_ASCII")
    payment_table(dsn)
    execute(
        dsn,
        "alter table payment_task alter payload type text, add kind text, add worker text",
        "insert into payment_task (queue, kind, worker, status, failed_at, failure_kind, failure_detail,"
        " payload) values (E'q\\xff', E'größe', 'w', 'FAILED', now(), "
        "E'K\\xe4', E'd\\xf6\\nline', E'p\\xfc')",
        "insert into payment_task (status) values (E'\\xfe')",
    )
    async with opened(dsn) as table:
        snapshot = await snapshot_of(table)
        assert not [cost.note for cost in snapshot.cost.panels if cost.note]
        assert_clean(snapshot)
        assert {queue.queue for queue in snapshot.queues} == {"q�"}
        assert [kind.kind for kind in snapshot.failures.kinds] == ["K�"]
        assert snapshot.unmapped.value == 1
        first, _ = await every_job(table.browser)
        assert (first.queue, first.kind, first.payload) == ("q�", "größe", "p�")
        detail = await table.browser.job("1")
        assert detail is not None
        assert detail.failure_text == "d�\nline"
        assert field(detail, "queue") == "q�"
        assert set(await table.browser.values("queue")) == {"q�", "default"}
        assert len(await every_job(table.browser, Selection(kinds=("größe",)))) == 1
        assert len(await every_job(table.browser, Selection(words=("größe",)))) == 1


async def test_a_table_with_a_name_in_a_database_without_an_encoding(
    make_database: Callable[..., str],
) -> None:
    dsn = make_database(encoding="SQL_ASCII")
    payment_table(dsn, [{}])
    execute(dsn, 'alter table payment_task rename to "größe_🐘"')
    async with opened(dsn) as table:
        assert table.ref.table == "public.größe_🐘"
        assert (await snapshot_of(table)).states[State.PENDING].value == 1
        assert len(await every_job(table.browser)) == 1


async def test_a_database_in_latin1(make_database: Callable[..., str]) -> None:
    dsn = make_database(encoding="LATIN1")
    payment_table(dsn, [{"queue": "größe"}])
    async with opened(dsn) as table:
        (job,) = await every_job(table.browser, Selection(queues=("größe",)))
        assert job.queue == "größe"
        assert [queue.queue for queue in (await snapshot_of(table)).queues] == ["größe"]
        with pytest.raises(StoreError, match="this database can hold no such text"):
            await table.browser.jobs(Selection(queues=("漢",)), Sort("id"))


async def test_settings_of_the_database_do_not_change_what_is_read(database: str) -> None:
    (name,) = query(database, "select current_database()")[0]
    settings = {
        "DateStyle": "'SQL, DMY'",
        "IntervalStyle": "'sql_standard'",
        "TimeZone": "'America/St_Johns'",
        "bytea_output": "'escape'",
        "extra_float_digits": "-15",
        "statement_timeout": "'90s'",
        "default_transaction_isolation": "'serializable'",
        "enable_seqscan": "off",
        "lc_monetary": "'C'",
        "search_path": "pg_catalog",
    }
    payment_table(database, [{"created_at": "2024-02-03 04:05:06+00", "payload": {"a": 1}}])
    execute(database, *(f"alter database {name} set {k} = {v}" for k, v in settings.items()))
    async with opened(database) as table:
        (job,) = await every_job(table.browser)
        assert job.created_at == datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)
        detail = await table.browser.job("1")
        assert field(detail, "created_at") == "2024-02-03 04:05:06+00"
        snapshot = await snapshot_of(table)
        age = (snapshot.taken_at - job.created_at).total_seconds()
        assert snapshot.oldest_pending.age_s.value == pytest.approx(age)


async def test_times_of_day_and_odd_columns_are_shown_as_they_are(database: str) -> None:
    payment_table(database)
    columns = {
        "t": ("time", "'24:00'", "24:00:00"),
        "d": ("date", "'5874897-12-31'", "5874897-12-31"),
        "i": ("interval", "'1000000000 days'", "1000000000 days"),
        "r": ("tstzrange", "'[2024-01-01,infinity)'", None),
        "m": ("money", "12.5", None),
        "h": ("inet", "'::1/128'", None),
        "p": ("point", "'(1,NaN)'", "(1,NaN)"),
        "b": ("bit(3)", "B'101'", "101"),
        "secret_token": ("text", "'hush'", "••••"),
    }
    for name, (kind, value, _) in columns.items():
        execute(
            database,
            f"alter table payment_task add {name} {kind} default {value}",
        )
    insert_jobs(database, [{}])
    async with opened(database) as table:
        detail = await table.browser.job("1")
        assert_clean(detail)
        for name, (_, _, shown) in columns.items():
            found = field(detail, name)
            assert found == shown if shown else found
