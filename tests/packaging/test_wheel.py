"""The wheel alone, in an empty venv and away from the checkout, is the whole program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.isolation import GIVEN
from tests.support.payment import payment_table

ROOT = Path(__file__).parents[2]

# One group: the wheel is built once, by one worker.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("wheel")]


def run(*command: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    """The command's stdout. Fails with everything that it said where it fails."""
    environment = dict(os.environ if env is None else env)
    environment.pop("PYTHONPATH", None)  # or the checkout would not be left
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by way of the sdist, as an installation from source is."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT), cwd=folder, env=GIVEN)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a venv that holds queuetop and what it needs, and nothing else."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "--python", str(python), "install", str(wheel), cwd=folder, env=GIVEN)
    return python.parent


def test_wheel_holds_every_statement(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"queuetop/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "queries").rglob("*")
        if path.suffix in {".sql", ".toml"}
    }
    assert wanted
    assert wanted <= packed
    assert not [name for name in packed if not name.startswith(("queuetop/", "queuetop-"))]


def test_presets_are_listed_away_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    listed = run(str(installed / "queuetop"), "presets", cwd=tmp_path)
    for preset in ("payment_task", "procrastinate", "pgqueuer", "solid_queue", "good_job"):
        assert preset in listed


def test_snapshot_away_from_the_checkout(installed: Path, tmp_path: Path, database: str) -> None:
    payment_table(
        database,
        [
            {"created_at": timedelta(minutes=-23), "next_attempt_at": timedelta(minutes=-4)},
            {"status": "CLAIMED", "attempts": 1, "claimed_until": timedelta(minutes=5)},
            {
                "status": "FAILED",
                "attempts": 5,
                "failed_at": timedelta(minutes=-1),
                "failure_kind": "EXTERNAL_5XX",
            },
        ],
    )
    text = run(str(installed / "queuetop"), "--dsn", database, "snapshot", "--json", cwd=tmp_path)
    snapshot = json.loads(text)
    states = snapshot["signals"]["states"]
    assert snapshot["schema_version"] == 1
    assert [states[name]["value"] for name in ("pending", "running", "failed")] == [1, 1, 1]
    assert 1380 <= snapshot["signals"]["oldest_pending_age_s"]["value"] < 1500
