"""The ten states of a job (DESIGN.md §1). Disjoint; a row in none of them is ``unmapped``."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """Where a job is in its life."""

    PENDING = "pending"
    SCHEDULED = "scheduled"
    RETRYING = "retrying"
    BLOCKED = "blocked"
    RUNNING = "running"
    STALLED = "stalled"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    QUARANTINED = "quarantined"
    CANCELLED = "cancelled"


UNMAPPED = "unmapped"

#: Work not done: small in a healthy queue, so it is counted (up to a cap).
LIVE = (
    State.PENDING,
    State.SCHEDULED,
    State.RETRYING,
    State.BLOCKED,
    State.RUNNING,
    State.STALLED,
)
#: Gave up: a person must look.
GAVE_UP = (State.FAILED, State.QUARANTINED)
#: Grows for ever: never counted by scanning.
HISTORY = (State.SUCCEEDED, State.CANCELLED)
#: The end of a job's life.
ENDED = (*HISTORY, *GAVE_UP)


class FailureClass(StrEnum):
    """What a failure kind means for the operator."""

    THEIRS = "theirs"
    OURS = "ours"
    UNKNOWN_OUTCOME = "unknown-outcome"
    UNCLASSIFIED = "unclassified"
