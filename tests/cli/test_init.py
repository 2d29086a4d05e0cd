"""``queuetop init`` and ``queuetop presets``: a guess beside rows, written once, found by its name."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from queuetop.cli.commands import init
from queuetop.model.mapping_toml import decode
from tests.cli.support import Run
from tests.support.databases import execute
from tests.support.payment import payment_table

TABLE = """
create table outbox_messages (
    message_id bigint generated always as identity primary key,
    state text not null,
    created_on timestamptz not null default now(),
    run_at timestamptz not null default now(),
    locked_until timestamptz,
    tries int not null default 0,
    last_error text,
    api_token text,
    body jsonb
)
"""
FILL = """
insert into outbox_messages (state, tries, last_error, api_token, body)
values ('queued', 0, null, 'Tr0ub4dor', '{"a": 1}'), ('running', 1, null, null, '{}'),
       ('failed', 3, 'boom', null, '{}'), ('done', 1, null, null, '{}')
"""
GAPS = "create table jobs (id int primary key, status int, run_at timestamptz, attempts int, payload text)"


@pytest.fixture
def outbox(database: str) -> str:
    execute(database, TABLE, FILL)
    return database


def written() -> Path:
    return Path.home() / ".config" / "queuetop" / "mappings" / "outbox_messages.toml"


def test_without_a_terminal_the_mapping_is_printed(cli: Run, outbox: str) -> None:
    result = cli("init", "--dsn", outbox)
    assert result.code == 0
    mapping = decode(result.out, "stdout")
    assert mapping.table == "public.outbox_messages"
    assert (mapping.columns.id, mapping.columns.status) == ("message_id", "state")
    assert mapping.status.waiting == ("queued",)
    assert not written().exists()


def test_yes_writes_it_where_its_name_finds_it(cli: Run, outbox: str) -> None:
    result = cli("init", "--dsn", outbox, "--yes")
    assert (result.code, result.out) == (0, "")
    assert f"wrote {written()}; use it with --mapping outbox_messages" in result.err
    assert "queued" in result.err
    assert "Tr0ub4dor" not in result.err
    document = cli("snapshot", "--json", "--dsn", outbox, "--mapping", "outbox_messages").json()
    states = document["signals"]["states"]
    assert [states[name]["value"] for name in ("pending", "failed")] == [1, 1]
    assert document["mapping"]["source"] == "file"


def test_nothing_is_overwritten(cli: Run, outbox: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("mine")
    result = cli("init", "--dsn", outbox, "--yes", "--output", str(file))
    assert result.code == 2
    assert f"{file} is there already" in result.err
    assert file.read_text() == "mine"
    assert cli("init", "--dsn", outbox, "--output", str(tmp_path / "new" / "x.toml")).code == 0
    assert decode((tmp_path / "new" / "x.toml").read_text(), "x").name == "outbox_messages"


def test_a_dash_is_stdout(cli: Run, outbox: str) -> None:
    assert decode(cli("init", "--dsn", outbox, "--yes", "--output", "-").out, "-").schema == 1


def test_a_place_that_takes_no_file(cli: Run, outbox: str) -> None:
    result = cli("init", "--dsn", outbox, "--output", "/proc/none/x.toml")
    assert result.code == 2
    assert "/proc/none/x.toml cannot be written" in result.err


def test_gaps_are_told_and_end_with_4(cli: Run, database: str) -> None:
    execute(database, GAPS)
    result = cli("init", "--dsn", database, "--table", "jobs")
    assert result.code == 4
    assert "to be filled in: " in result.err
    assert "# To be filled in: " in result.out


def test_numbers_for_a_status_leave_a_table_to_fill_in(cli: Run, database: str) -> None:
    execute(
        database,
        'create table "Email Outbox" (id bigint primary key, state smallint, tries int, '
        '"made at" timestamptz, locked_till timestamptz)',
        'insert into "Email Outbox" values (1, 0, 0, now(), null), (2, 9, 3, now(), null)',
    )
    result = cli("init", "--dsn", database, "--yes")
    assert result.code == 4
    assert "fill in what is missing, then use it with --mapping Email_Outbox" in result.err
    text = cli("init", "--dsn", database, "--output", "-").out
    assert "# [status]\n# waiting = []\n" in text
    filled = text.replace("# [status]\n# waiting = []", "[status]\nwaiting = [0]")
    mapping = decode(filled, "-")
    assert mapping.status.waiting == (0,)
    assert (mapping.columns.created_at, mapping.columns.lease_until) == ("made at", "locked_till")


def test_several_tables_take_the_likeliest_and_name_the_rest(cli: Run, outbox: str) -> None:
    execute(outbox, GAPS)
    result = cli("init", "--dsn", outbox)
    assert decode(result.out, "stdout").table == "public.outbox_messages"
    assert "public.jobs" in result.err
    assert cli("init", "--dsn", outbox, "--table", "jobs").code == 4


def test_no_table_looks_like_a_queue(cli: Run, database: str) -> None:
    execute(database, "create table plain (a int)")
    result = cli("init", "--dsn", database)
    assert (result.code, result.out) == (4, "")
    assert "--table" in result.err


def test_a_table_that_a_preset_knows(cli: Run, database: str) -> None:
    payment_table(database)
    result = cli("init", "--dsn", database)
    assert "the preset payment_task knows public.payment_task: it needs no mapping" in result.err


def test_an_unknown_table(cli: Run, outbox: str) -> None:
    result = cli("init", "--dsn", outbox, "--table", "outbox_message")
    assert result.code == 2
    assert "did you mean 'public.outbox_messages'?" in result.err


@pytest.mark.parametrize(("answer", "code"), (("y\n", 0), ("n\n", 4), ("", 130)))
def test_on_a_terminal_it_asks(
    cli: Run, outbox: str, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    monkeypatch.setattr(init, "can_ask", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    result = cli("init", "--dsn", outbox)
    assert result.code == code
    assert "looks like a queue" in result.err
    assert "message_id" in result.err
    assert written().exists() == (code == 0)


def test_a_table_with_a_hostile_name(cli: Run, database: str) -> None:
    name = 'we"ird/../%s [/]'
    quoted = name.replace('"', '""')
    execute(database, TABLE.replace("outbox_messages", f'"{quoted}"'))
    execute(database, FILL.replace("outbox_messages", f'"{quoted}"'))
    result = cli("init", "--dsn", database, "--yes")
    assert result.code == 0
    (file,) = written().parent.iterdir()
    assert file.name == "we_ird_s.toml"
    document = cli("snapshot", "--json", "--dsn", database, "--mapping", "we_ird_s").json()
    assert document["mapping"]["table"] == f"public.{name}"
    assert document["signals"]["states"]["pending"]["value"] == 1


def test_presets(cli: Run) -> None:
    out = cli("presets").out
    listed = cli("presets", "--json").json()["presets"]
    assert {"payment_task", "payment", "job", "procrastinate", "pgqueuer"} <= {
        p["name"] for p in listed
    }
    assert all(preset["name"] in out and preset["about"] for preset in listed)
    assert decode(cli("presets", "job").out, "job").name == "job"
    wrong = cli("presets", "jbo")
    assert wrong.code == 2
    assert "did you mean 'job'?" in wrong.err
