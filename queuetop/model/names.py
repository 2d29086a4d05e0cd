"""Names of relations as people write them: ``payment_task``, ``app.payment_task``, ``"My.App"."Task"``.

A name is taken as it is written, upper case included; quotes are needed only around a dot, a quote or
an outer space.
"""

from __future__ import annotations

import re

_PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^".]+?))\s*(?:\.|$)')


def split_name(text: str) -> tuple[str | None, str]:
    """The schema, where one is given, and the name. Raises ``ValueError`` for what is neither."""
    parts: list[str] = []
    position = 0
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            break
        quoted, plain = part.groups()
        parts.append(quoted.replace('""', '"') if quoted else plain)
        position = part.end()
    if not 1 <= len(parts) <= 2 or position != len(text) or text.endswith("."):
        raise ValueError(
            f"{text!r} is not the name of a table; write it like app.payment_task, "
            'with "quotes" around a part that holds a dot'
        )
    return (parts[0], parts[1]) if len(parts) == 2 else (None, parts[0])


def join_name(schema: str | None, name: str) -> str:
    """The name as ``split_name`` reads it."""
    return ".".join(_quoted(part) for part in (schema, name) if part is not None)


def _quoted(part: str) -> str:
    plain = part and part == part.strip() and not set(part) & {".", '"'}
    return part if plain else '"' + part.replace('"', '""') + '"'
