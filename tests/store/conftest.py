"""Ways to a server: straight, through PgBouncer, and both to PostgreSQL 15."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest


class Route(NamedTuple):
    """``dsn`` leads straight to the database, ``seen`` is what queuetop gets."""

    dsn: str
    seen: str


@pytest.fixture(params=("direct", "pgbouncer", "postgresql 15", "pgbouncer to postgresql 15"))
def route(request: pytest.FixtureRequest) -> Route:
    way = str(request.param)
    dsn: str = request.getfixturevalue("pg15_dsn" if "15" in way else "database")
    if "pgbouncer" not in way:
        return Route(dsn, dsn)
    pooler: Callable[..., str] = request.getfixturevalue("pgbouncer")
    return Route(dsn, pooler(dsn))
