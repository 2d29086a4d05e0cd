"""queuetop as a process: signals, pipes, closed streams, no home, and what it imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.payment import payment_table
from tests.support.proxy import Proxy

ROOT = Path(__file__).parents[2]
QUEUETOP = [sys.executable, "-m", "queuetop"]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


def start(*arguments: str, **settings: object) -> subprocess.Popen[str]:
    given: dict[str, object] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "env": environment(),
        "text": True,
    }
    return subprocess.Popen([*QUEUETOP, *arguments], **(given | settings))  # type: ignore[call-overload, no-any-return]


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=30)
    return process.returncode, out or "", err or ""


@pytest.fixture
def queue(database: str) -> str:
    payment_table(database, [{}] * 30)
    return database


IMPORTS = """
import sys
from queuetop.cli.main import run
code = run(sys.argv[1:])
print("LOADED", *sorted({name.split(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "arguments",
    (
        ("snapshot", "--json"),
        ("snapshot",),
        (),
        ("jobs", "--json"),
        ("jobs", "--csv"),
        ("jobs",),
        ("show", "1"),
        ("presets",),
        ("config",),
        ("init", "--table", "payment_task"),
        ("snapshot", "--schema"),
        ("--help",),
    ),
)
def test_a_headless_command_never_loads_textual(queue: str, arguments: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *arguments, "--dsn", queue],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (loaded,) = [line for line in done.stderr.splitlines() if line.startswith("LOADED")]
    assert not {"textual", "plotext"} & set(loaded.split())


def test_ctrl_c_ends_a_watch_with_130(queue: str) -> None:
    process = start("snapshot", "--watch", "--json", "--interval", "0.5s", "--dsn", queue)
    assert process.stdout is not None
    lines = [json.loads(process.stdout.readline()) for _ in range(3)]
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert (code, err) == (130, "")
    assert lines[0]["signals"]["states"]["pending"]["value"] == 30
    assert lines[0]["taken_at"] < lines[1]["taken_at"] < lines[2]["taken_at"]


def test_ctrl_c_works_on_a_frozen_link(queue: str, proxy: Callable[..., Proxy]) -> None:
    link = proxy(queue)
    process = start("snapshot", "--watch", "--json", "--interval", "0.5s", "--dsn", link.dsn)
    assert process.stdout is not None
    process.stdout.readline()
    link.freeze()
    for _ in range(2):  # what was under way may still come
        try:
            process.wait(0.7)
        except subprocess.TimeoutExpired:
            continue
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert code == 130
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments",
    (("jobs", "--json"), ("jobs", "--csv"), ("snapshot", "--watch", "--json"), ("presets",)),
)
def test_a_closed_pipe_is_quiet(queue: str, arguments: tuple[str, ...]) -> None:
    process = start(*arguments, "--interval", "0.5s", "--dsn", queue)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    code, _, err = finish(process)
    assert code == 0
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_sentence(queue: str) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        code, _, err = finish(start("snapshot", "--json", "--dsn", queue, stdout=full))
    assert (code, err) == (1, "queuetop: No space left on device\n")


def test_closed_streams_are_no_error(queue: str) -> None:
    command = f'exec "{sys.executable}" -m queuetop snapshot --json --dsn "{queue}" >&- 2>&- <&-'
    done = subprocess.run(["sh", "-c", command], env=environment(), timeout=30, check=False)
    assert done.returncode == 0


#: Everything is imported before the account is given up that can read the checkout.
HOMELESS = """
import os, sys
sys.path.insert(0, sys.argv.pop(1))
import queuetop.cli.report, queuetop.cli.root, queuetop.observe.watch, queuetop.store.opener
from queuetop.cli.main import run
os.setgroups([])
os.setgid(54321)
os.setuid(54321)
sys.exit(run(sys.argv[1:]))
"""


def test_no_home_at_all(queue: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody without an account")
    nobody = {key: value for key, value in environment().items() if key != "HOME"}
    done = subprocess.run(
        [sys.executable, "-c", HOMELESS, str(ROOT), "snapshot", "--json", "--dsn", queue],
        env=nobody,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["schema_version"] == 1


def test_nothing_is_read_from_the_current_directory(queue: str, tmp_path: Path) -> None:
    for name in ("config.toml", "queuetop.toml", ".env", "pyproject.toml", "payment_task.toml"):
        (tmp_path / name).write_text("nonsense = [")
    code, out, err = finish(
        start("snapshot", "--json", "--mapping", "payment_task", "--dsn", queue, cwd=tmp_path)
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["mapping"]["source"] == "preset"


def test_libpq_finds_the_server_by_itself(queue: str) -> None:
    from psycopg.conninfo import conninfo_to_dict

    names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "dbname": "PGDATABASE"}
    given = conninfo_to_dict(queue)
    own = {names[key]: str(value) for key, value in given.items() if key in names}
    code, out, _ = finish(start("snapshot", "--json", env=environment(**own)))
    assert code == 0
    assert json.loads(out)["server"]["database"] == given["dbname"]


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ((), ("--scenario", "poison")))
def test_the_demo_without_a_terminal(scenario: tuple[str, ...]) -> None:
    code, out, err = finish(start("demo", *scenario))
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].startswith("payment_task · ")
    assert any(line.startswith(("● ", "▲ ", "◆ ")) for line in lines[1:3])
    assert "QUEUE" in out


@pytest.mark.slow
@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_the_demo_can_be_interrupted_at_any_moment(number: signal.Signals) -> None:
    for moment in (0.6, 1.6, 3.0):
        process = start("demo")
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        code, _, err = finish(process)
        assert code in {130, -number, 128 + number}, (moment, err)
        assert "Traceback" not in err
