r"""The filter language: text ⇄ ``Selection``.

``queue:a,b kind:"send mail" state:failed since:1h attempts>3 timeout "two words"``

Values of one term are alternatives, terms narrow each other, and every word without a term must be
in one of the job's texts. Quotes (double, or single) at the start of a value hold anything; inside them
``\"``, ``\\``, ``\n``, ``\r``, ``\t`` and ``\u{1f4a9}`` are escapes. Times without a zone are UTC.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from queuetop.model.durations import parse_duration
from queuetop.model.filter_completion import Completion, complete
from queuetop.model.filter_lexer import Lexer, Token, Value, write_value, write_word
from queuetop.model.filter_terms import NAMED, TERMS, FilterError, Term, nearest, show
from queuetop.model.selection import Bound, Compare, Selection
from queuetop.model.states import FailureClass, State

__all__ = ["NAMED", "TERMS", "Completion", "FilterError", "Term", "complete", "parse", "write"]

MAX_ATTEMPTS = 2**31 - 1
MAX_AGO_S = 100 * 366 * 86400.0

_COMPARE = re.compile(r"(>=|<=|>|<|=|)([0-9]{1,10})")
_OPS = {"=": ":"}
_VALUES = {"state": State, "class": FailureClass}


def parse(text: str) -> Selection:
    """The selection that ``text`` means. Raises ``FilterError``, a ``UsageError`` of one sentence."""
    _refuse_unsendable(text)
    lists: dict[str, dict[str, None]] = {}
    bounds: dict[str, tuple[int, Bound]] = {}
    attempts: list[tuple[int, Compare]] = []
    words: list[str] = []
    for token in Lexer(text).tokens():
        match token.term:
            case None:
                words.extend(value.text for value in token.values if value.text)
            case Term(name="attempts"):
                attempts.append((token.at, _compare(token)))
            case Term(name="since" | "until" as name):
                if name in bounds:
                    raise FilterError(token.at, f"{name} is given twice; leave one")
                bounds[name] = (token.at, _bound(token))
            case term:
                found = (_value(term, value) for value in token.values)
                lists.setdefault(term.field, {}).update(dict.fromkeys(found))
    _refuse_empty_ranges(bounds, attempts)
    return Selection().narrowed(
        **{field: tuple(values) for field, values in lists.items()},
        **{name: bound for name, (_, bound) in bounds.items()},
        attempts=tuple(dict.fromkeys(compare for _, compare in attempts)),
        words=tuple(dict.fromkeys(words)),
    )


def write(selection: Selection) -> str:
    """The text that ``parse`` reads as this selection."""
    parts: list[str] = []
    for term in TERMS:
        given = getattr(selection, term.field)
        match term.name:
            case "text":
                parts.extend(map(write_word, filter(None, given)))
            case "attempts":
                parts.extend(f"attempts{_OPS.get(c.op, c.op)}{c.value}" for c in given)
            case "since" | "until":
                parts.append(f"{term.name}:{write_bound(given)}" if given else "")
            case _:
                values = ",".join(map(write_value, given))
                parts.append(f"{term.name}:{values}" if given else "")
    return " ".join(filter(None, parts))


def write_bound(bound: Bound) -> str:
    """``1h30m`` or an ISO time: exactly the bound, in the shortest form that people read."""
    if bound.at is not None:
        return bound.at
    seconds = bound.ago_s or 0.0
    if seconds != int(seconds) or not seconds:
        return f"{Decimal(repr(seconds)):f}s"
    whole = int(seconds)
    counts = zip(
        (whole // 86400, whole // 3600 % 24, whole // 60 % 60, whole % 60), "dhms", strict=True
    )
    return "".join(f"{count}{unit}" for count, unit in counts if count)


def _refuse_unsendable(text: str) -> None:
    for at, character in enumerate(text):
        if character == "\0":
            raise FilterError(at, "no text in PostgreSQL holds a NUL character; leave it out")
        if "\ud800" <= character <= "\udfff":
            raise FilterError(at, "half of a surrogate pair is no text; leave it out")


def _value(term: Term, value: Value) -> str:
    known = _VALUES.get(term.name)
    if known is None:
        return value.text
    word = value.text.lower().replace("_", "-")
    if word in term.values:
        return known(word)
    raise FilterError(
        value.at, f"there is no {term.name} {show(value.text)}{nearest(word, term.values)}"
    )


def _single(token: Token) -> Value:
    if len(token.values) > 1:
        name = token.term.name if token.term else ""
        raise FilterError(token.values[1].at, f"{name} takes one value, not several")
    return token.values[0]


def _compare(token: Token) -> Compare:
    value = _single(token)
    found = _COMPARE.fullmatch(value.text if token.op == ":" else token.op + value.text)
    if found is None or int(found[2]) > MAX_ATTEMPTS:
        raise FilterError(
            value.at,
            f"{show(value.text)} is not a number of attempts; "
            f"write a whole number up to {MAX_ATTEMPTS}, like attempts>3",
        )
    return Compare(found[1] or "=", int(found[2]))


def _bound(token: Token) -> Bound:
    value = _single(token)
    ago = _or_none(parse_duration, value.text)
    if isinstance(ago, float) and ago <= MAX_AGO_S:
        return Bound(ago_s=ago)
    moment = _or_none(_moment, value.text)
    if isinstance(moment, str):
        return Bound(at=moment)
    reason = "is not a time" if ago is None else "is more than 100 years"
    raise FilterError(
        value.at,
        f"{show(value.text)} {reason}; write a length of time like 90s, 1h30m or 2d, "
        "a date like 2026-01-31, or a time like 2026-01-31T12:00Z",
    )


def _or_none(read: Callable[[str], object], text: str) -> object:
    try:
        return read(text)
    except (ValueError, OverflowError):
        return None


def _moment(text: str) -> str:
    moment = datetime.fromisoformat(text)
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return zoned.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _refuse_empty_ranges(
    bounds: dict[str, tuple[int, Bound]], attempts: Sequence[tuple[int, Compare]]
) -> None:
    if len(bounds) == 2 and _later(bounds["since"][1], bounds["until"][1]):
        at = bounds["until"][0]
        raise FilterError(at, "until is earlier than since, so nothing can match; swap them")
    low, high = 0, MAX_ATTEMPTS
    for at, compare in attempts:
        least, most = _reach(compare)
        low, high = max(low, least), min(high, most)
        if low > high:
            raise FilterError(at, "no number of attempts can be all of this; widen the range")


def _later(one: Bound, other: Bound) -> bool:
    """Whether ``one`` is surely later; an age and a point in time need a clock to compare."""
    if one.ago_s is not None and other.ago_s is not None:
        return one.ago_s < other.ago_s
    if one.at is not None and other.at is not None:
        return datetime.fromisoformat(one.at) > datetime.fromisoformat(other.at)
    return False


def _reach(compare: Compare) -> tuple[int, int]:
    """The least and the most attempts that a comparison allows."""
    value = compare.value
    match compare.op:
        case ">":
            return value + 1, MAX_ATTEMPTS
        case ">=":
            return value, MAX_ATTEMPTS
        case "<":
            return 0, value - 1
        case "<=":
            return 0, value
        case _:
            return value, value
