"""On a real terminal: colours, questions, the dashboard."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pexpect
import pytest

from tests.support.databases import execute
from tests.support.payment import payment_table

ROOT = Path(__file__).parents[2]
Terminal: TypeAlias = "pexpect.spawn[str]"
Spawn = Callable[..., Terminal]


@pytest.fixture
def terminal() -> Spawn:
    """``terminal("snapshot")``: queuetop on a terminal of 100 by 40."""

    def spawn(*arguments: str, **variables: str) -> Terminal:
        return pexpect.spawn(
            sys.executable,
            ["-m", "queuetop", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **variables},
            dimensions=(40, 100),
            encoding="utf-8",
            timeout=30,
        )

    return spawn


def ended(process: Terminal) -> tuple[str, int | None]:
    text = process.read()
    process.close()
    return text, process.exitstatus


@pytest.fixture
def queue(database: str) -> str:
    payment_table(database, [{}] * 3)
    return database


def test_a_snapshot_is_coloured_on_a_terminal_unless_told_otherwise(
    terminal: Spawn, queue: str
) -> None:
    text, code = ended(terminal("snapshot", "--dsn", queue))
    assert code == 0
    assert "\x1b[32m● FINE" in text
    for plain in (
        terminal("snapshot", "--dsn", queue, "--no-color"),
        terminal("snapshot", "--dsn", queue, NO_COLOR="1"),
    ):
        assert "\x1b[3" not in ended(plain)[0]


def test_the_dashboard_opens_and_closes(terminal: Spawn, queue: str) -> None:
    process = terminal("--dsn", queue, "--utc")
    process.expect("payment_task")
    process.expect("READ-ONLY")
    process.send("q")
    _, code = ended(process)
    assert code == 0


def test_a_server_that_is_not_there_leaves_the_terminal_alone(terminal: Spawn, queue: str) -> None:
    text, code = ended(terminal("--dsn", "host=127.0.0.1 port=1"))
    assert code == 3
    assert text.startswith("queuetop: cannot reach 127.0.0.1:1")
    assert "\x1b" not in text


def test_init_asks_which_table_and_where_to_write(terminal: Spawn, queue: str) -> None:
    execute(
        queue,
        "create table jobs (id int primary key, status text, run_at timestamptz, attempts int)",
    )
    execute(queue, "insert into jobs values (1, 'queued', now(), 0)")
    process = terminal("init", "--dsn", queue)
    process.expect("Which table")
    process.sendline("2")
    process.expect("looks like a queue")
    process.expect(r"Write (\S+\.toml)")
    assert isinstance(process.match, re.Match)
    file = Path(process.match.group(1))
    process.sendline("y")
    process.expect("wrote ")
    _, code = ended(process)
    assert code == 0
    assert file.parent == Path.home() / ".config" / "queuetop" / "mappings"
    assert file.read_text().startswith("# Guessed by queuetop init")

    again = terminal("init", "--dsn", queue, "--table", file.stem)
    again.expect("Write ")
    again.sendline("")
    again.expect("Replace it")
    again.sendline("")
    text, code = ended(again)
    assert "nothing is written" in text
    assert code == 4


def test_ctrl_c_at_a_question(terminal: Spawn, queue: str) -> None:
    process = terminal("init", "--dsn", queue, "--table", "payment_task")
    process.expect(r"\[Y/n\]: ")
    for _ in range(3):  # between prompt and read CPython notices a signal only after the read
        process.sendintr()
        if process.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=3) == 0:
            break
    text = process.before or ""
    process.close()
    assert process.exitstatus == 130
    assert "Traceback" not in text
