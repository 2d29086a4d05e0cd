"""Commands on a real server: the right numbers, and one sentence for everything that a server can refuse."""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.cli.support import Run
from tests.support.databases import execute, query
from tests.support.payment import payment_table

PASSWORD = "Tr0ub4dor"
SOURCE = Path(__file__).parents[2] / "queries" / "presets" / "payment_task.toml"

ROWS = (
    {"created_at": timedelta(minutes=-23), "next_attempt_at": timedelta(minutes=-4)},
    {"queue": "mail", "status": "CLAIMED", "attempts": 1, "claimed_until": timedelta(minutes=5)},
    {"queue": "mail", "status": "CLAIMED", "attempts": 2, "claimed_until": timedelta(minutes=-5)},
    {
        "status": "FAILED",
        "attempts": 5,
        "failed_at": timedelta(minutes=-1),
        "failure_kind": "EXTERNAL_5XX",
        "failure_detail": "HTTP 503 \x1b]52;c;aGk=\x07[/]\nat call()",
        "payload": {"amount": 12, "password": PASSWORD},
    },
    {"status": "DONE", "attempts": 1, "finished_at": timedelta(minutes=-2)},
)


@pytest.fixture
def queue(database: str) -> str:
    """A database with a small queue of every sort of job."""
    payment_table(database, ROWS)
    return database


def test_a_snapshot_counts_what_sql_counts(cli: Run, queue: str) -> None:
    result = cli("snapshot", "--json", "--dsn", queue)
    assert (result.code, result.err) == (0, "")
    document = result.json()
    assert document["mapping"] == {
        "name": "payment_task",
        "table": "public.payment_task",
        "source": "preset",
    }
    states = {name: found["value"] for name, found in document["signals"]["states"].items()}
    assert [states[name] for name in ("pending", "running", "stalled", "failed", "succeeded")] == [
        1
    ] * 5
    oldest = document["signals"]["oldest_pending_age_s"]
    assert 1380 <= oldest["value"] < 1440
    assert oldest["job_id"] == "1"
    assert document["signals"]["failure_kinds"][0]["kind"] == "EXTERNAL_5XX"
    assert {line["queue"] for line in document["queues"]} == {"default", "mail"}


def test_a_snapshot_as_text(cli: Run, queue: str) -> None:
    out = cli("--dsn", queue).out
    assert "payment_task" in out.splitlines()[0]
    assert "EXTERNAL_5XX" in out
    assert "\x1b" not in out
    assert "23m" in out


def test_jobs_and_show(cli: Run, queue: str) -> None:
    result = cli("jobs", "state:failed", "--json", "--dsn", queue)
    (job,) = result.json_lines()
    assert (job["id"], job["state"], job["failure_kind"]) == ("4", "failed", "EXTERNAL_5XX")
    assert "\x1b" not in result.out
    assert PASSWORD not in result.out
    text = cli("show", "4", "--dsn", queue)
    assert text.code == 0
    assert "at call()" in text.out
    assert "\x1b" not in text.out
    assert PASSWORD not in text.out
    assert cli("show", "99", "--dsn", queue).code == 4
    assert cli("show", "no-number", "--dsn", queue).code == 4
    assert cli("jobs", "queue:none", "--dsn", queue).code == 4


def test_csv_of_all_jobs(cli: Run, queue: str) -> None:
    result = cli("jobs", "--csv", "--sort", "id", "--dsn", queue)
    rows = list(csv.DictReader(io.StringIO(result.out)))
    stored = query(queue, "select id::text from payment_task order by id")
    assert [row["id"] for row in rows] == [identity for (identity,) in stored]


def test_several_tables(cli: Run, queue: str) -> None:
    payment_table(queue, ROWS[:1], table="other")
    found = [
        line["mapping"]["table"] for line in cli("snapshot", "--json", "--dsn", queue).json_lines()
    ]
    assert sorted(found) == ["public.other", "public.payment_task"]
    assert cli("jobs", "--dsn", queue).code == 2
    assert len(cli("jobs", "--json", "--dsn", queue, "--table", "other").json_lines()) == 1


def test_a_mapping_by_file_by_name_and_by_profile(cli: Run, queue: str, config_file: Path) -> None:
    own = config_file.parent / "mappings" / "mine.toml"
    own.parent.mkdir()
    own.write_text(SOURCE.read_text().replace('name = "payment_task"', 'name = "mine"'))
    config_file.write_text(
        f"[profiles.both]\ndsn = '{queue}'\nmapping = ['mappings/mine.toml', 'payment_task']\n"
    )
    for arguments in (("--mapping", str(own)), ("--mapping", "mine")):
        document = cli("snapshot", "--json", "--dsn", queue, *arguments).json()
        assert (document["mapping"]["name"], document["mapping"]["source"]) == ("mine", "file")
    both = cli("snapshot", "--json", "--profile", "both").json_lines()
    assert [line["mapping"]["name"] for line in both] == ["mine", "payment_task"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    (
        (("--mapping", "payment_tsk"), "did you mean 'payment_task'?"),
        (("--mapping", "./none.toml"), "there is no file none.toml"),
        (("--mapping", "{folder}/bad.toml"), "tabel"),
        (("--mapping", "{folder}/column.toml"), "next_attempt_att"),
        (("--mapping", "{folder}/syntax.toml"), "is not TOML"),
        (("--table", "payment_tsk"), "payment_task"),
        (("--table", "a.b.c"), "is not the name of a table"),
        (("--table", "unknown_to_all"), "queuetop init"),
    ),
)
def test_a_mapping_that_does_not_hold(
    cli: Run, queue: str, tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    execute(queue, "create table unknown_to_all (a int, b int)")
    whole = SOURCE.read_text().replace("schema = 1", 'schema = 1\ntable = "payment_task"')
    (tmp_path / "bad.toml").write_text(whole.replace("schema = 1", "schema = 1\ntabel = 'x'"))
    (tmp_path / "column.toml").write_text(whole.replace('"next_attempt_at"', '"next_attempt_att"'))
    (tmp_path / "syntax.toml").write_text("[columns")
    given = [argument.replace("{folder}", str(tmp_path)) for argument in arguments]
    for command in ("snapshot", "jobs"):
        result = cli(command, "--dsn", queue, *given)
        assert (result.code, result.out) == (2, "")
        assert complaint in result.err
        assert result.err.count("\n") == 1


def test_an_empty_database_leads_to_init(cli: Run, database: str) -> None:
    result = cli("--dsn", database)
    assert (result.code, result.out) == (2, "")
    assert "queuetop init" in result.err


def test_a_dsn_that_cannot_be_read_is_2_and_one_sentence(cli: Run) -> None:
    result = cli("snapshot", "--dsn", f"nonsense password={PASSWORD}")
    assert (result.code, result.out) == (2, "")
    assert "--dsn: the DSN cannot be read" in result.err
    assert result.err.count("\n") == 1
    assert PASSWORD not in result.err


def test_what_a_server_refuses_is_3_and_one_sentence(cli: Run, queue: str) -> None:
    secret = make_conninfo(queue, user="nobody_at_all", password=PASSWORD)
    for dsn, complaint in (
        (make_conninfo(queue, port="1", password=PASSWORD), "Connection refused"),
        (
            make_conninfo(queue, host="no-such-host.invalid", password=PASSWORD),
            "no-such-host.invalid",
        ),
        (make_conninfo(queue, dbname="no_such_database"), "no_such_database"),
        (secret, "nobody_at_all"),
    ):
        for debug in ((), ("--debug",)):
            result = cli("snapshot", "--dsn", dsn, *debug)
            assert (result.code, result.out) == (3, "")
            assert complaint in result.err
            assert PASSWORD not in result.err
            assert ("Traceback" in result.err) == bool(debug)
            assert debug or result.err.count("\n") == 1


def test_a_table_that_may_not_be_read(cli: Run, queue: str) -> None:
    execute(queue, f"create role {_role(queue)} login password '{PASSWORD}'")
    try:
        result = cli("--dsn", make_conninfo(queue, user=_role(queue), password=PASSWORD))
        assert (result.code, result.out) == (3, "")
        assert "may not read public.payment_task; grant SELECT" in result.err
    finally:
        execute(queue, f"drop role {_role(queue)}")


def test_a_role_sees_the_tables_that_it_may_read(cli: Run, queue: str) -> None:
    payment_table(queue, ROWS[:1], schema="own")
    role = _role(queue)
    execute(
        queue,
        f"create role {role} login password '{PASSWORD}'",
        f"grant usage on schema own to {role}",
        f"grant select on own.payment_task to {role}",
    )
    try:
        dsn = make_conninfo(queue, user=role, password=PASSWORD)
        for mapping in ((), ("--mapping", "payment_task")):
            result = cli("snapshot", "--json", "--dsn", dsn, *mapping)
            assert result.code == 0
            assert result.json()["mapping"]["table"] == "own.payment_task"
            assert "may not read public.payment_task, so it is left out" in result.err
        guessed = cli("init", "--dsn", dsn, "--output", "-")
        assert 'table = "own.payment_task"' in guessed.out
    finally:
        execute(queue, f"drop owned by {role}", f"drop role {role}")


def _role(dsn: str) -> str:
    """A role of this test's own: roles belong to the whole server."""
    return f"{conninfo_to_dict(dsn)['dbname']}_viewer"


def test_row_security_is_told(cli: Run, queue: str) -> None:
    role = _role(queue)
    execute(
        queue,
        f"create role {role} login password '{PASSWORD}'",
        f"grant select on payment_task to {role}",
        "alter table payment_task enable row level security",
    )
    try:
        result = cli("snapshot", "--dsn", make_conninfo(queue, user=role, password=PASSWORD))
        assert result.code == 0
        assert "row security is on" in result.err
    finally:
        execute(queue, f"drop owned by {role}", f"drop role {role}")


def test_a_named_time_zone_is_the_local_one(
    cli: Run, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    assert re.search(r"\d\d:\d\d:\d\dZ$", cli("--dsn", queue).out, re.MULTILINE)
    try:
        tokyo = cli("--dsn", queue, "--time-zone", "Asia/Tokyo").out
    finally:
        monkeypatch.undo()
        time.tzset()
    assert re.search(r"\d\d:\d\d:\d\d JST$", tokyo, re.MULTILINE)


def test_through_a_pooler(cli: Run, queue: str, pgbouncer: Callable[..., str]) -> None:
    pooled = pgbouncer(queue)
    assert (
        cli("snapshot", "--json", "--dsn", pooled).json()["signals"]["states"]["pending"]["value"]
        == 1
    )
    assert len(cli("jobs", "--json", "--dsn", pooled).json_lines()) == len(ROWS)
