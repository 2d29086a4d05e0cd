"""Fixtures of the demo's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo.support import left, own_tmpdir


@pytest.fixture
def tmpdir_of_demo() -> Iterator[Path]:
    """``TMPDIR`` of the test, which must be empty, and known to no process, at its end."""
    with own_tmpdir() as folder:
        yield folder
        assert left(folder) == []
