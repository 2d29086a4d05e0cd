"""Errors in queuetop's own words: one sentence that says what to do, and the exit code that goes with it."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Exit(IntEnum):
    """Exit codes that scripts rely on (DESIGN.md §8)."""

    FINE = 0
    ALARM = 1
    USAGE = 2
    DATABASE = 3
    DECLINED = 4
    INTERRUPTED = 130


class QueuetopError(Exception):
    """An error the user can act on. ``str(error)`` is the sentence."""

    exit_code: Exit = Exit.USAGE

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class UsageError(QueuetopError):
    """Wrong use: an option, a filter or a setting that makes no sense."""


class MappingError(QueuetopError):
    """A mapping that does not hold: unknown key, bad value, missing column."""


class StoreFault(StrEnum):
    """What went wrong with the database, for those who react differently to each."""

    UNREACHABLE = "unreachable"
    DENIED = "denied"
    TIMED_OUT = "timed out"
    LOCKED = "locked"
    CONFLICT = "conflict with recovery"
    WRONG_SCHEMA = "wrong schema"
    NO_PERMISSION = "no permission"
    TOO_OLD = "too old"
    LOST = "connection lost"
    REFUSED = "refused"


class StoreError(QueuetopError):
    """The database cannot be reached, or refused."""

    exit_code = Exit.DATABASE

    def __init__(self, fault: StoreFault, sentence: str) -> None:
        super().__init__(sentence)
        self.fault = fault

    @property
    def breaks_link(self) -> bool:
        """Whether the connection is gone, so that only a new one helps."""
        return self.fault in {StoreFault.UNREACHABLE, StoreFault.LOST, StoreFault.DENIED}
