"""``python -m tests.bench``: builds the tables, measures, and prints one table of ratios. A missed target is
said in it and does not fail the run: a slow machine is no fault of the code."""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import time
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from queuetop.demo.server import EmbeddedServer
from tests.bench import bare, commands, figures, hour, indexed, keys, links, tables
from tests.bench.figures import Figure
from tests.bench.tables import SMALL_ROWS
from tests.bench.terminal import Terminal
from tests.support import isolation

#: A small production server's, but for the disk, of which nothing here depends.
SETTINGS = {
    "shared_buffers": "256MB",
    "max_wal_size": "8GB",
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track_planning": "on",
}


def main() -> None:
    arguments = _arguments()
    isolation.scrub()
    Terminal.first = arguments.first
    began = time.monotonic()
    with EmbeddedServer(settings=SETTINGS) as server:
        about = _about(server.dsn, arguments.rows)
        found = _measure(server.dsn, arguments)
    about["seconds"] = round(time.monotonic() - began)
    about["load_after"] = _load()
    print(_title(about), figures.table(found), _summary(found), sep="\n")
    if arguments.json:
        figures.write(arguments.json, found, about)


def _measure(dsn: str, arguments: argparse.Namespace) -> list[Figure]:
    rows: int = arguments.rows
    tables.make_viewer(dsn)
    small, big = (_database(dsn, name) for name in ("small", "big"))
    _say(f"building {SMALL_ROWS:,} and {rows:,} rows, an hour of ticks beside it")
    tables.build(small, SMALL_ROWS)
    an_hour = hour.Hour(small)
    tables.build(big, rows)
    memory = an_hour.figure()
    _say("indexed table")
    found = asyncio.run(indexed.figures(big, small, rows, arguments.rounds))
    _say("slow link, snapshot, keys")
    found += asyncio.run(links.figures(big))
    found += commands.figures(big)
    found += [*keys.while_changing(small), memory]
    _say("table with a primary key alone")
    tables.drop_indexes(big)
    return found + asyncio.run(bare.figures(big, real=arguments.long))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the big table")
    parser.add_argument("--rounds", type=int, default=3, help="times that each ratio is measured")
    parser.add_argument("--long", action="store_true", help="the five minutes in real time")
    parser.add_argument(
        "--first",
        action="store_true",
        help="the dashboards on the pty come before all else that wants a core (Linux, root)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser.parse_args()


def _database(dsn: str, name: str) -> str:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    made = make_conninfo(dsn, dbname=name)
    with psycopg.connect(made, autocommit=True) as connection:
        connection.execute("create extension pg_stat_statements")
    return made


def _about(dsn: str, rows: int) -> dict[str, object]:
    with psycopg.connect(dsn) as connection:
        [(version,)] = connection.execute("show server_version").fetchall()
    return {
        "rows": rows,
        "postgresql": version,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "dashboards_first": Terminal.first,
        "load_before": _load(),
    }


def _load() -> float | None:
    """What else the machine had to do, over the last minute."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def _title(about: dict[str, object]) -> str:
    return (
        f"queuetop bench: {about['rows']:,} rows, PostgreSQL {about['postgresql']}, "
        f"Python {about['python']}, "
        f"{about['cores']} cores (load {about['load_before']} before, {about['load_after']} after"
        f"{', dashboards first' if about['dashboards_first'] else ''}), "
        f"{about['seconds']} s"
    )


def _summary(found: list[Figure]) -> str:
    missed = [figure for figure in found if figure.holds is False]
    unknown = [figure for figure in found if figure.value is None]
    kept = sum(figure.holds is True for figure in found)
    return f"\n{kept} targets hold, {len(missed)} missed, {len(unknown)} not measured."


def _say(what: str) -> None:
    print(f"… {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
