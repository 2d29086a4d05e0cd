"""SQL files as statements: found by name, comments stripped, tagged with the name.

A statement is named by its path under ``queries/`` without the ending: ``observe/state``.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from psycopg import sql

# PyPI has a package called ``queries``: only a folder that holds this file is ours.
SENTINEL = "observe/server.sql"

_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)


@cache
def folder() -> Traversable:
    """The folder of statements: inside the installed package, else beside the package in a checkout."""
    installed = resources.files("queuetop") / "queries"
    checkout = Path(__file__).resolve().parents[2] / "queries"
    for candidate in (installed, checkout):
        if candidate.joinpath(SENTINEL).is_file():
            return candidate
    raise FileNotFoundError("queuetop's statements are missing: install queuetop again")


def text(name: str) -> str:
    """The text of a statement as it is sent, without comments and without the tag.

    Only whole comment lines are dropped: ``--`` inside a literal stays.
    """
    raw = folder().joinpath(f"{name}.sql").read_text(encoding="utf-8")
    return _COMMENT.sub("", raw).strip().rstrip(";")


@cache
def load(name: str) -> sql.SQL:
    """A statement ready for ``.format()``, tagged so that a DBA finds it in ``pg_stat_activity``."""
    return trusted(f"/* queuetop:{name} */ {text(name)}")


@cache
def fragment(name: str) -> sql.SQL:
    """A file that is part of a statement: as ``load``, without the tag."""
    return trusted(text(name))


def trusted(fragment: str) -> sql.SQL:
    """SQL text that ships with queuetop, or that a mapping file states.

    The one place where text becomes SQL. It is legitimate because the text comes from files that
    the operator installs or names, as a view's would; job content and typed filters are parameters.
    """
    return sql.SQL(fragment)
