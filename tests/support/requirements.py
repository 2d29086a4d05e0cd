"""What a machine may lack. A test that needs it is skipped with the reason, or fails where it must run."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def unavailable(name: str, reason: str) -> NoReturn:
    """Skips the test; fails it where ``QUEUETOP_TEST_REQUIRE`` (``pg15,pgbouncer``) names ``name``."""
    required = os.environ.get("QUEUETOP_TEST_REQUIRE", "").split(",")
    if name in required:
        pytest.fail(f"QUEUETOP_TEST_REQUIRE names {name}, but {reason}", pytrace=False)
    pytest.skip(reason)
