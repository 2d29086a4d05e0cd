"""A connection string as it is shown: where it leads, never its password."""

from __future__ import annotations

import pytest

from queuetop.model.errors import QueuetopError
from queuetop.store.conninfo import Conninfo

WHERE = {
    "postgresql://app:secret@db1/app": "db1:5432/app",
    "postgresql://app:secret@db1:6432/app": "db1:6432/app",
    "postgresql://app:secret@db1:1,db2:2,db3/app": "db1:1,db2:2,db3:5432/app",
    "host=db1,db2 port=6432 dbname=app password=secret": "db1:6432,db2:6432/app",
    "host=/run/postgresql dbname=app": "local socket/app",
    "service=payments": "service payments",
}


@pytest.mark.parametrize("dsn", WHERE)
def test_where_it_leads(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)
    conninfo = Conninfo(dsn)
    assert conninfo.where == WHERE[dsn]
    assert "secret" not in conninfo.where + conninfo.shown + repr(conninfo)


def test_an_applications_own_parameter_is_named() -> None:
    with pytest.raises(QueuetopError, match="knows no parameter pgbouncer, schema: take it out"):
        Conninfo("postgresql://app:secret@db1/app?pgbouncer=true&sslmode=require&schema=x")


@pytest.mark.parametrize("dsn", ("postgresql://app:se/x?cret=1@db1/app", "host=db1 se?cret=1"))
def test_a_piece_of_a_password_is_not(dsn: str) -> None:
    with pytest.raises(QueuetopError) as caught:
        Conninfo(dsn)
    assert "cret" not in caught.value.sentence
