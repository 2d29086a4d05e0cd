"""Command lines in this process, on fakes or on a real server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from queuetop.cli import masking, wiring
from queuetop.cli.main import run as run_main
from tests.cli.support import Opened, Result, Run
from tests.ui.fakes import FakeWatch, make_jobs


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """``cli("jobs", "--json")`` → the result. Nothing known from one run is known in the next."""
    monkeypatch.setattr(masking, "_known", set())

    def run(*arguments: str) -> Result:
        capfd.readouterr()
        code = run_main(arguments)
        captured = capfd.readouterr()
        return Result(int(code), captured.out, captured.err)

    return run


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Every command finds one fake watch, with forty jobs."""
    fakes = Opened([FakeWatch(jobs=make_jobs())])
    monkeypatch.setattr(wiring, "open_watches", fakes)
    return fakes


@pytest.fixture
def config_file() -> Path:
    """Where this test's configuration file belongs."""
    folder = Path(os.environ["HOME"]) / ".config" / "queuetop"
    folder.mkdir(parents=True)
    return folder / "config.toml"
