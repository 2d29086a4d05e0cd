"""The filter as options: each is one term of the filter language, so that both mean the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from queuetop.model.columns import CANONICAL, NUMBERS, TIMES
from queuetop.model.errors import UsageError
from queuetop.model.filter_lexer import write_value
from queuetop.model.filter_terms import NAMED, FilterError
from queuetop.model.filters import parse
from queuetop.model.jobs import Sort
from queuetop.model.nearest import hint
from queuetop.model.selection import Selection

Command = TypeVar("Command", bound=Callable[..., Any])

#: Terms that have an option, in the order of ``--help``.
OPTIONS = (
    "state",
    "queue",
    "kind",
    "failure",
    "class",
    "worker",
    "since",
    "until",
    "attempts",
    "id",
)
_SORTABLE = ("id", *TIMES, *NUMBERS, "queue", "kind", "worker", "failure_kind")
_LISTS = ("states", "queues", "kinds", "failures", "classes", "ids", "workers", "attempts")


def filter_options(command: Command) -> Command:
    """Adds the filter's options to a command; each may be given several times."""
    for name in reversed(OPTIONS):
        term = NAMED[name]
        example = term.example.removeprefix(name).removeprefix(":")
        meaning = f"{term.meaning[:1].upper()}{term.meaning[1:]}."
        decorate = click.option(f"--{name}", name, multiple=True, metavar=example, help=meaning)
        command = decorate(command)
    return command


def selection_of(words: Sequence[str], options: Mapping[str, Sequence[str]]) -> Selection:
    """The selection that the filter's words and options make together.

    Raises ``FilterError`` for the words, ``UsageError`` naming the option for an option.
    """
    selection = parse(" ".join(words))
    for name in OPTIONS:
        for value in options.get(name, ()):
            selection = _merged(selection, _term(name, value), f"--{name}")
    return selection


def _term(name: str, value: str) -> Selection:
    """One option's value: what stands after the term's colon in the filter language, except that
    spaces need no quotes here, since the shell has its own."""
    if not value.strip():
        raise UsageError(f"--{name} needs a value")
    separator = "" if name == "attempts" and value[0] in "<>=" else ":"
    if separator and value[0] not in "\"'":
        value = ",".join(write_value(part.strip()) for part in value.split(","))
    try:
        return parse(f"{name}{separator}{value}")
    except FilterError as error:
        raise UsageError(f"--{name}: {error.reason}") from None


def _merged(one: Selection, other: Selection, option: str) -> Selection:
    """Alternatives of a list join; a time that is given twice is refused."""
    terms: dict[str, Any] = {}
    for field in _LISTS:
        joined = tuple(dict.fromkeys((*getattr(one, field), *getattr(other, field))))
        if joined:
            terms[field] = joined
    for field in ("since", "until"):
        if getattr(other, field) is not None:
            if getattr(one, field) is not None:
                raise UsageError(f"{option} is given twice; leave one")
            terms[field] = getattr(other, field)
    return one.narrowed(**terms)


def sort_of(text: str | None) -> Sort:
    """``created_at`` ascending, ``-created_at`` descending. Left out: newest first."""
    if text is None:
        return Sort()
    column = text.removeprefix("-").replace("-", "_").lower()
    if column not in _SORTABLE:
        choices = [name for name in CANONICAL if name in _SORTABLE]
        raise UsageError(f"--sort: jobs are not sorted by {column!r}; {hint(column, choices)}")
    return Sort(column, descending=text.startswith("-"))
