"""A mapping as TOML text, laid out as a person would write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping as Dict
from typing import Any

import msgspec

from queuetop.model.located import place
from queuetop.model.mapping import Mapping
from queuetop.model.text import clean

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDE = 88
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\f": "\\f", "\r": "\\r"}

Path = tuple[str | int, ...]


def encode(mapping: Mapping, notes: Dict[str, str] | None = None, head: str = "") -> str:
    """The TOML text; ``decode`` gives the same mapping back.

    ``notes`` are comments by the key's place (``[columns] ready_at``, ``[status]``) and stand behind
    the key or above the table; ``head`` is a comment at the top. They may hold text from the database.
    """
    data = _said(msgspec.to_builtins(mapping))
    writer = _Writer(notes or {})
    lines = [*_comment(head), *writer.table(data, ())]
    return "\n".join(lines).strip("\n") + "\n"


def _said(data: Any) -> Any:
    """The data without what says nothing: None, and tables and lists with nothing in them."""
    if isinstance(data, dict):
        said = {key: _said(value) for key, value in data.items()}
        return {key: value for key, value in said.items() if value not in (None, {}, [], ())}
    return [_said(item) for item in data] if isinstance(data, list | tuple) else data


class _Writer:
    def __init__(self, notes: Dict[str, str]) -> None:
        self._notes = notes

    def table(self, data: dict[str, Any], at: Path) -> Iterator[str]:
        """Plain keys first, then the tables within, each under its own head."""
        plain = {key: value for key, value in data.items() if not _is_table(value)}
        width = max((len(_key(key)) for key in plain), default=0) if at else 0
        for key, value in plain.items():
            line = f"{_key(key):<{width}} = {_value(value)}"
            note = self._notes.get(place((*at, key)))
            if note and "\n" not in line:
                yield f"{line}  # {clean(note)}"
            else:
                yield from _comment(note or "")
                yield line
        for key, value in data.items():
            if isinstance(value, dict):
                yield from self._headed(value, (*at, key))
            elif _is_table(value):
                for number, item in enumerate(value):
                    yield from self._item(item, (*at, key), number)

    def _headed(self, data: dict[str, Any], at: Path) -> Iterator[str]:
        note = self._notes.get(f"[{_dotted(at)}]", "")
        if note or any(not _is_table(value) for value in data.values()):
            yield ""
            yield from _comment(note)
            yield f"[{_dotted(at)}]"
        yield from self.table(data, at)

    def _item(self, data: dict[str, Any], at: Path, number: int) -> Iterator[str]:
        yield ""
        yield f"[[{_dotted(at)}]]"
        yield from self.table(data, (*at, number))


def _is_table(value: object) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list | tuple) and bool(value) and isinstance(value[0], dict)
    )


def _dotted(at: Path) -> str:
    return ".".join(_key(step) for step in at if isinstance(step, str))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _comment(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"# {clean(line)}".rstrip()


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case list() | tuple():
            items = [_value(item) for item in value]
            short = "[" + ", ".join(items) + "]"
            if len(short) <= _WIDE:
                return short
            return "[\n" + "".join(f"    {item},\n" for item in items) + "]"
        case _:
            return _text(str(value))


def _text(text: str) -> str:
    """A string: in one line, or as it stands between triple quotes where it has lines."""
    lines = "\n" in text.strip("\n") and "\r" not in text
    if lines and "'''" not in text and not text.endswith("'") and _printable(text):
        return f"'''\n{text}'''"
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _printable(text: str) -> bool:
    return all(c in "\n\t" or (c.isprintable() and not "\ud800" <= c <= "\udfff") for c in text)


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character == "\n":
        return "\\n"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
