"""Cuts a filter's text into tokens; every error knows its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from msgspec import Struct

from queuetop.model.filter_terms import NAMED, FilterError, Term, nearest, show

HEAD = re.compile(r"([A-Za-z_][A-Za-z_-]*)(:|>=|<=|>|<|=)")
QUOTES = ('"', "'")

_BARE_VALUE = re.compile(r'[^\s,"]+')
_BARE_WORD = re.compile(r'[^\s"]+')
_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_CODE = re.compile(r"\{([0-9A-Fa-f]{1,6})\}")
_PLAIN_VALUE = re.compile(r"[^\s,\"'\\][^\s,\"\\]*")
_PLAIN_WORD = re.compile(r"[^\s\"'\\:<>=][^\s\"\\:<>=]*")


class Value(Struct, frozen=True):
    """One value and the offset it stands at."""

    at: int
    text: str


class Token(Struct, frozen=True):
    """A term with its values, or (``term`` None) one word of text."""

    at: int
    term: Term | None
    op: str
    values: tuple[Value, ...]


class Lexer:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def tokens(self) -> Iterator[Token]:
        while True:
            while self._here.isspace():
                self.at += 1
            if not self._here:
                return
            yield self._token()

    @property
    def _here(self) -> str:
        """The character at the current place; empty at the end."""
        return self.text[self.at : self.at + 1]

    def _token(self) -> Token:
        start = self.at
        head = HEAD.match(self.text, start)
        term = self._term(start, head[1], head[2]) if head else None
        if head is None or term is None:
            return Token(start, None, "", (self._word(),))
        self.at = head.end()
        values = [self._value(term)]
        while self._here == ",":
            self.at += 1
            values.append(self._value(term))
        return Token(start, term, head[2], tuple(values))

    def _term(self, at: int, name: str, op: str) -> Term | None:
        term = NAMED.get(name.lower())
        if term is not None and (op == ":" or term.name == "attempts"):
            return term
        if term is not None:
            raise FilterError(at, f"{term.name} takes a colon, like {term.example}")
        if op == ":":
            word = self.text[at:].split(maxsplit=1)[0]
            raise FilterError(
                at,
                f"there is no term {show(name)}{nearest(name, NAMED)} "
                f"(to look for it as text, put quotes around {show(word)})",
            )
        if get_close_matches(name.lower(), ["attempts"], cutoff=0.75):
            raise FilterError(at, f"there is no term {show(name)}; did you mean attempts?")
        return None

    def _word(self) -> Value:
        start = self.at
        return self._ended(Value(start, self._quoted() if self._quote else self._bare(_BARE_WORD)))

    def _value(self, term: Term) -> Value:
        start = self.at
        if self._quote:
            return self._ended(Value(start, self._quoted()), also=",")
        text = self._bare(_BARE_VALUE)
        if not text:
            raise FilterError(start, f"{term.name} needs a value here, like {term.example}")
        return self._ended(Value(start, text), also=",")

    @property
    def _quote(self) -> bool:
        return self._here in QUOTES

    def _bare(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found[0] if found else ""

    def _quoted(self) -> str:
        start, quote, out = self.at, self._here, list[str]()
        self.at += 1
        while self._here != quote:
            if not self._here:
                raise FilterError(start, f"the quote that opens here is never closed; add {quote}")
            out.append(self._escape() if self._here == "\\" else self._here)
            self.at += 1
        self.at += 1
        return "".join(out)

    def _escape(self) -> str:
        """The character that an escape stands for; leaves the place on the escape's last one."""
        start = self.at
        self.at += 1
        if self._here in _ESCAPES:
            return _ESCAPES[self._here]
        code = _CODE.match(self.text, self.at + 1) if self._here == "u" else None
        number = int(code[1], 16) if code else 0
        if code and 0 < number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF:
            self.at = code.end() - 1
            return chr(number)
        raise FilterError(
            start, r"after a backslash in quotes comes \, a quote, n, r, t or u{…} with a hex code"
        )

    def _ended(self, value: Value, also: str = " ") -> Value:
        if not self._here or self._here.isspace() or self._here == also:
            return value
        if self.text[value.at] in QUOTES:
            rest = self.text[self.at :].split(maxsplit=1)[0]
            raise FilterError(self.at, f"put a space between the closing quote and {show(rest)}")
        raise FilterError(
            self.at, r"a quote stands inside a word; put quotes around all of it, with \" inside"
        )


def write_value(text: str) -> str:
    """A value of a term, in quotes where it needs them."""
    return text if _PLAIN_VALUE.fullmatch(text) and text.isprintable() else _quoted(text)


def write_word(word: str) -> str:
    """A word of text, in quotes where it would be read as something else."""
    plain = _PLAIN_WORD.fullmatch(word) and word.isprintable()
    return word if plain else _quoted(word)


def _quoted(text: str) -> str:
    return f'"{"".join(_ESCAPED.get(character) or _visible(character) for character in text)}"'


def _visible(character: str) -> str:
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"
