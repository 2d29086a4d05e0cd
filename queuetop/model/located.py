"""Data against a type, with the first mistake named by its place as TOML has it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from queuetop.model.nearest import hint

T = TypeVar("T")
Path = tuple[str | int, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WORDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "text in quotes"),
    (dict, "a table"),
    (list, "a list"),
)


class LocatedError(ValueError):
    """The sentence names the key and what is wrong with it, but not the file."""


def convert(data: object, kind: type[T]) -> T:
    """``data`` as ``kind``, strictly. Raises ``LocatedError`` for the first mistake in it."""
    try:
        return msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        found = next(_mistakes(data, inspect.type_info(kind), ()), str(error))
        raise LocatedError(found) from None


def place(path: Sequence[str | int]) -> str:
    """A key's place: ``name``, ``[columns] id``, ``[status] waiting item 2``, ``[[variants]] 2 when``."""
    words: list[str] = []
    tables: list[str] = []
    for number, step in enumerate(path):
        last = number == len(path) - 1
        if isinstance(step, str):
            tables.append(_key(step))
        elif last:
            words += [*_table_and_key(tables), "item", str(step + 1)]
            tables = []
        else:
            words += [f"[[{'.'.join(tables)}]]", str(step + 1)]
            tables = []
    return " ".join(words + _table_and_key(tables))


def _table_and_key(tables: list[str]) -> list[str]:
    return [*([f"[{'.'.join(tables[:-1])}]"] if len(tables) > 1 else []), *tables[-1:]]


def _key(step: str) -> str:
    return (
        step
        if _BARE.fullmatch(step)
        else '"' + step.replace("\\", "\\\\").replace('"', '\\"') + '"'
    )


def _mistakes(data: object, kind: inspect.Type, path: Path) -> Iterator[str]:
    match kind:
        case inspect.Metadata(type=inner):
            yield from _mistakes(data, inner, path)
        case inspect.StructType():
            yield from _in_struct(data, kind, path)
        case inspect.DictType(key_type=keys, value_type=values):
            yield from _in_dict(data, keys, values, path)
        case inspect.VarTupleType(item_type=items) | inspect.ListType(item_type=items):
            if not isinstance(data, list):
                yield f"{place(path)} must be a list, not {_word(data)}"
            else:
                for number, item in enumerate(data):
                    yield from _mistakes(item, items, (*path, number))
        case inspect.UnionType(types=types):
            yield from _in_union(data, types, path)
        case _:
            yield from _in_value(data, kind, path)


def _in_struct(data: object, kind: inspect.StructType, path: Path) -> Iterator[str]:
    if not isinstance(data, dict):
        yield f"{place(path) or 'the file'} must be a table, not {_word(data)}"
        return
    fields = {field.encode_name: field for field in kind.fields}
    for key, value in data.items():
        if key not in fields:
            where = place((*path, key))
            yield f"{where} is not a key that queuetop knows; {hint(key, fields)}"
        else:
            yield from _mistakes(value, fields[key].type, (*path, key))
    for name, field in fields.items():
        if field.required and name not in data:
            yield f"{place((*path, name))} is missing"


def _in_dict(data: object, keys: inspect.Type, values: inspect.Type, path: Path) -> Iterator[str]:
    if not isinstance(data, dict):
        yield f"{place(path)} must be a table, not {_word(data)}"
        return
    for key, value in data.items():
        known = _choices(keys)
        if known and key not in known:
            yield f"{place((*path, key))} is not a name that queuetop knows; {hint(key, known)}"
        yield from _mistakes(value, values, (*path, key))


def _in_union(data: object, types: Sequence[inspect.Type], path: Path) -> Iterator[str]:
    real = [kind for kind in types if not isinstance(kind, inspect.NoneType)]
    if len(real) == 1:
        yield from _mistakes(data, real[0], path)
    elif all(next(_mistakes(data, kind, path), None) is not None for kind in real):
        wanted = " or ".join(_expected(kind) for kind in real)
        yield f"{place(path)} must be {wanted}, not {_word(data)}"


def _in_value(data: object, kind: inspect.Type, path: Path) -> Iterator[str]:
    known = _choices(kind)
    if known:
        if not any(data == choice and type(data) is type(choice) for choice in known):
            shown = repr(data) if isinstance(data, str | int) else _word(data)
            yield f"{place(path)} cannot be {shown}; {hint(str(data), map(str, known))}"
        return
    if _expected(kind) != _word(data):
        yield f"{place(path)} must be {_expected(kind)}, not {_word(data)}"
    elif isinstance(kind, inspect.StrType) and kind.min_length and not data:
        yield f"{place(path)} must not be empty"


def _choices(kind: inspect.Type) -> tuple[Any, ...]:
    match kind:
        case inspect.EnumType(cls=cls):
            return tuple(member.value for member in cls)
        case inspect.LiteralType(values=values):
            return tuple(values)
    return ()


def _expected(kind: inspect.Type) -> str:
    match kind:
        case inspect.BoolType():
            return _word(True)
        case inspect.IntType():
            return _word(0)
        case inspect.FloatType():
            return _word(0.0)
        case inspect.StrType():
            return _word("")
    return "something else"


def _word(data: object) -> str:
    return next((word for kind, word in _WORDS if isinstance(data, kind)), "a date or time")
