"""What could stand at the cursor of a half-written filter. Never raises: the text is unfinished."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from queuetop.model.filter_lexer import HEAD, QUOTES, write_value
from queuetop.model.filter_terms import NAMED, Term

LIMIT = 50
_AGES = ("5m", "15m", "1h", "6h", "1d", "7d")


class Completion(Struct, frozen=True):
    """One proposal: ``insert`` replaces ``text[start:end]``; ``hint`` says what it means."""

    insert: str
    start: int
    end: int
    hint: str = ""

    def apply(self, text: str) -> tuple[str, int]:
        """The text with the proposal in it, and where the cursor goes."""
        return text[: self.start] + self.insert + text[self.end :], self.start + len(self.insert)


def complete(text: str, cursor: int, known: Mapping[str, Sequence[str]]) -> list[Completion]:
    """Proposals, best first. ``known`` has values by canonical column (``queue``, ``kind``,
    ``failure_kind``, ``worker``); what it lacks is not proposed."""
    word = _word(text, min(max(cursor, 0), len(text)))
    if word.term is None:
        typed = text[word.start : cursor].lower()
        return [
            Completion(_opening(name), word.start, word.end, term.meaning)
            for name, term in NAMED.items()
            if name.startswith(typed)
        ]
    values = _values(word.term, known)
    typed = _bare(text[word.start : cursor]).lower()
    return [
        Completion(write_value(value), word.start, word.end)
        for value in _ranked(typed, values)
        if value not in word.taken
    ][:LIMIT]


class _Word(Struct, frozen=True):
    """What the cursor stands in: a term's value, or (``term`` None) a word that may become a term."""

    start: int
    end: int
    term: Term | None = None
    taken: tuple[str, ...] = ()


def _word(text: str, cursor: int) -> _Word:
    spans = _spans(text, 0, len(text), str.isspace)
    start, end = next((span for span in spans if span[0] <= cursor <= span[1]), (cursor, cursor))
    head = HEAD.match(text, start)
    term = NAMED.get(head[1].lower()) if head else None
    if head is None or term is None or cursor < head.end():
        return _Word(start, end)
    parts = list(_spans(text, head.end(), end, lambda character: character == ","))
    here = next((part for part in parts if part[0] <= cursor <= part[1]), (cursor, cursor))
    taken = tuple(_bare(text[slice(*part)]) for part in parts if part != here)
    return _Word(*here, term, taken)


def _spans(
    text: str, start: int, stop: int, separates: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """The stretches between separators that stand outside quotes."""
    begin, at, quote = start, start, ""
    while at < stop:
        character = text[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        elif character in QUOTES and (at == begin or text[at - 1] in ":,<>="):
            quote = character
        elif separates(character):
            yield begin, at
            begin = at + 1
        at += 1
    yield begin, stop


def _values(term: Term, known: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if term.name in {"since", "until"}:
        return _AGES
    return term.values or known.get(term.column or "", ())


def _opening(name: str) -> str:
    return "attempts>" if name == "attempts" else f"{name}:"


def _ranked(typed: str, values: Sequence[str]) -> list[str]:
    """What starts with the typed text, then what holds it; a finished word proposes nothing."""
    lower = [(value, value.lower()) for value in values]
    first = [value for value, low in lower if low.startswith(typed) and low != typed]
    return first + [value for value, low in lower if typed in low and not low.startswith(typed)]


def _bare(value: str) -> str:
    return value.strip("\"'")
