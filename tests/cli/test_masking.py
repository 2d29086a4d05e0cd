"""No command line with a password in it, however wrong, brings the password onto the screen."""

from __future__ import annotations

import pytest

from tests.cli.support import Run

SECRET = "s3cr%40et"
PLAIN = "s3cr@et"

WRONG = (
    f"postgresql://app:{SECRET}@127.0.0.1:1/app?foo=1",
    f"postgresql://app:{SECRET}@127.0.0.1:1/app?sslpassword={SECRET}&sslmode=verify-full",
    f"postgresql:/app:{SECRET}@127.0.0.1/app",
    f"postgres:app:{SECRET}@127.0.0.1/app",
    f"app:{SECRET}@127.0.0.1/app",
    f"app:{PLAIN}@127.0.0.1/app",
    f"mysql://app:{PLAIN}@127.0.0.1/app",
    f"host=127.0.0.1 password={PLAIN} sslpassword={PLAIN} foo=bar",
    f"host=127.0.0.1 password='{PLAIN}",
)
PLACES = (
    ("--dsn", "{}", "snapshot"),
    ("--debug", "--dsn", "{}", "snapshot"),
    ("--dsn", "{}", "config"),
    ("{}",),
    ("snapshot", "{}"),
    ("--table", "{}", "--dsn", "host=127.0.0.1 port=1", "snapshot"),
    ("--mapping", "{}", "--dsn", "host=127.0.0.1 port=1", "snapshot"),
    ("--profile", "{}", "snapshot"),
    ("--theme", "{}", "snapshot"),
)


@pytest.mark.parametrize("dsn", WRONG)
@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_no_password_is_echoed(cli: Run, place: tuple[str, ...], dsn: str) -> None:
    result = cli(*(word.format(dsn) for word in place))
    assert result.code in (0, 2, 3)
    assert "s3cr" not in result.out + result.err


def test_an_address_is_no_password(cli: Run) -> None:
    result = cli("--dsn", "host=127.0.0.1 port=1", "jobs", "worker:pod-7@node", "nope:1")
    assert result.code == 2
    assert "nope" in result.err
