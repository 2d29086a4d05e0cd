"""Databases of their own for tests: made from ``template0``, dropped with whoever is still in them."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

_ENCODED = " encoding {} locale_provider libc lc_collate 'C' lc_ctype 'C'"


@contextlib.contextmanager
def fresh_database(server_dsn: str, *, encoding: str = "UTF8") -> Iterator[str]:
    """A new, empty database on the server. Yields its DSN. Other encodings need PostgreSQL 15."""
    name = f"queuetop_test_{secrets.token_hex(6)}"
    create = sql.SQL("create database {} template template0").format(sql.Identifier(name))
    drop = sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
    if encoding != "UTF8":
        create += sql.SQL(_ENCODED).format(sql.Literal(encoding))
    _run(server_dsn, create)
    try:
        yield make_conninfo(server_dsn, dbname=name)
    finally:
        _run(server_dsn, drop)


def execute(dsn: str, *statements: str) -> None:
    """Runs statements one after the other, each in its own transaction."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def query(dsn: str, statement: str, params: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    """The rows that plain SQL returns, to hold queuetop's numbers against."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(statement.encode(), params).fetchall()


def _run(dsn: str, statement: sql.Composed) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement)
