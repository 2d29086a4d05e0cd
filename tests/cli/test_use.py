"""Options anywhere, near misses, exit codes, and one sentence for whatever happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from queuetop import __version__
from queuetop.cli.root import root
from queuetop.model.errors import MappingError, StoreError, StoreFault
from tests.cli.support import Opened, Run
from tests.ui.fakes import FakeWatch

PASSWORD = "Tr0ub4dor"


@pytest.mark.parametrize(
    "arguments",
    (
        ("--dsn", "host=db1", "--interval", "5s", "snapshot"),
        ("snapshot", "--dsn", "host=db1", "--interval", "5s"),
        ("--dsn", "host=db1", "snapshot", "--interval=5s"),
        ("--interval", "9s", "snapshot", "--interval", "5s", "--dsn", "host=db1"),
    ),
)
def test_options_work_before_and_after_the_subcommand(
    cli: Run, opened: Opened, arguments: tuple[str, ...]
) -> None:
    assert cli(*arguments).code == 0
    (settings,) = opened.settings
    assert (settings.dsn.value, settings.interval_s) == ("host=db1", 5.0)


@pytest.mark.parametrize("name", sorted(root.commands))
def test_every_command_takes_the_shared_options_and_has_help(cli: Run, name: str) -> None:
    result = cli(name, "--help", "--dsn", "x")
    assert result.code == 0
    assert "queuetop --help" in result.out
    assert cli(name, "--version").out == f"queuetop {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    (
        (("snapshto",), "there is no command 'snapshto'; did you mean 'snapshot'?"),
        (("jobs", "--jsno"), "there is no option --jsno; did you mean '--json'?"),
        (("--dns", "x"), "did you mean '--dsn'?"),
        (("snapshot", "extra"), "extra"),
        (("snapshot", "--interval"), "requires an argument"),
        (("snapshot", "--interval", "soon"), "--interval: 'soon' is not a length of time"),
        (("snapshot", "--interval", "0"), "--interval: "),
        (("snapshot", "--budget", "200%"), "--budget: "),
        (("snapshot", "--budget", "1"), "write it like 1% or 0.01"),
        (("snapshot", "--theme", "drak"), "did you mean 'dark'?"),
        (("snapshot", "--time-zone", "Mars/Base"), "--time-zone: 'Mars/Base' is no time zone"),
        (("demo", "--scenario", "outag"), "outag"),
    ),
)
def test_wrong_use_is_2_and_one_sentence(
    cli: Run, opened: Opened, arguments: tuple[str, ...], complaint: str
) -> None:
    result = cli(*arguments)
    assert (result.code, result.out) == (2, "")
    assert complaint in result.err
    assert result.err.startswith("queuetop: ")
    assert result.err.count("\n") == 1
    assert not opened.settings


def test_a_dsn_in_the_wrong_place_is_not_repeated(cli: Run) -> None:
    result = cli(f"postgresql://u:{PASSWORD}@db1/app")
    assert result.code == 2
    assert "--dsn" in result.err
    assert PASSWORD not in result.err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    (
        (StoreError(StoreFault.UNREACHABLE, "cannot reach db1"), 3, "queuetop: cannot reach db1\n"),
        (MappingError("x.toml: bad"), 2, "queuetop: x.toml: bad\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 0, ""),
        (OSError(28, "No space left on device"), 1, "queuetop: No space left on device\n"),
    ),
)
def test_each_end_has_its_code(
    cli: Run, opened: Opened, error: BaseException, code: int, said: str
) -> None:
    opened.error = error
    result = cli("snapshot")
    assert (result.code, result.out, result.err) == (code, "", said)


def test_a_fault_of_our_own_is_one_sentence_and_a_log(cli: Run, opened: Opened) -> None:
    opened.error = RuntimeError(f"password={PASSWORD}")
    result = cli("snapshot", "--dsn", f"postgresql://u:{PASSWORD}@db1/app")
    assert result.code == 1
    assert result.err.count("\n") == 1
    assert "RuntimeError" in result.err
    log = Path.home() / ".local" / "state" / "queuetop" / "log"
    assert str(log) in result.err
    assert "Traceback" in log.read_text()
    assert PASSWORD not in log.read_text() + result.err


def test_debug_adds_the_traceback_without_secrets(cli: Run, opened: Opened) -> None:
    opened.error = RuntimeError(f"postgresql://u:{PASSWORD}@db1/app and {PASSWORD} again")
    result = cli("snapshot", "--debug", "--dsn", f"host=db1 password='{PASSWORD}'")
    assert "Traceback (most recent call last)" in result.err
    assert "RuntimeError" in result.err
    assert PASSWORD not in result.err


def test_no_traceback_without_debug(cli: Run, opened: Opened) -> None:
    opened.watches = [FakeWatch([ValueError("odd")])]
    assert "Traceback" not in cli("snapshot").err


def test_a_sentence_with_control_characters_is_harmless(cli: Run, opened: Opened) -> None:
    opened.error = MappingError("bad \x1b]52;c;x\x07 [bold]name[/]")
    assert cli("snapshot").err == "queuetop: bad ␛]52;c;x␇ [bold]name[/]\n"


def test_allow_writes_is_taken_everywhere_and_says_what_it_does(cli: Run, opened: Opened) -> None:
    for arguments in (("--allow-writes", "snapshot"), ("jobs", "--allow-writes")):
        result = cli(*arguments)
        assert result.code == 0
        assert "--allow-writes opens nothing yet" in result.err
