"""A filter over jobs, written once and compiled once: for the list, the count and the export alike."""

from __future__ import annotations

from msgspec import Struct, structs

from queuetop.model.states import FailureClass, State


class Bound(Struct, frozen=True):
    """An edge in time: seconds before the server's now, or an absolute ISO time with zone."""

    ago_s: float | None = None
    at: str | None = None


class Compare(Struct, frozen=True):
    """A comparison with a whole number: ``op`` is one of ``= > < >= <=``."""

    op: str
    value: int


class Selection(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which jobs. Values of one term are alternatives, terms narrow each other.

    ``since`` and ``until`` bound the time of what the state is about: when it failed, finished,
    started, and otherwise when it was created.
    """

    states: tuple[State, ...] = ()
    queues: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    classes: tuple[FailureClass, ...] = ()
    ids: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()
    since: Bound | None = None
    until: Bound | None = None
    attempts: tuple[Compare, ...] = ()
    #: Each must be in one of the job's texts.
    words: tuple[str, ...] = ()

    @property
    def everything(self) -> bool:
        """No term at all."""
        return self == Selection()

    def narrowed(self, **terms: object) -> Selection:
        return structs.replace(self, **terms)
