"""Text from the database is hostile: made harmless here, once, when a snapshot or a page is built."""

from __future__ import annotations

import re

#: Control pictures stand for C0; everything else that could move, hide or reorder text becomes U+FFFD.
_C0 = {code: 0x2400 + code for code in range(0x20)}
_HIDDEN = (
    [0x7F, *range(0x80, 0xA0), 0x00AD, 0x061C, 0x180E, 0xFEFF]
    + [*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070)]
    + [*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080)]
)
_TABLE = _C0 | dict.fromkeys(_HIDDEN, 0xFFFD)
_LINES = {code: new for code, new in _TABLE.items() if code != 0x0A}
_MARKS = {chr(code) for code in _TABLE.values()}
_SURROGATE = re.compile("[\ud800-\udfff]")

#: What ``clean`` replaces in text that PostgreSQL can hold, and by what, character by character.
HIDDEN = "".join(chr(code) for code in _TABLE if code)
SHOWN = "".join(chr(_TABLE[code]) for code in _TABLE if code)

CELL = 300
KIND = 120
DETAIL = 1_000_000


def clean(value: object, limit: int = CELL) -> str:
    """One line, safe for a terminal: controls and bidi made visible, cut to ``limit`` characters."""
    return _clean(value, limit, _TABLE)


def is_altered(shown: str) -> bool:
    """Whether a text that ``clean`` made may stand for another one: it has a mark or was cut."""
    return shown.endswith("…") or any(mark in shown for mark in _MARKS)


def clean_lines(value: object, limit: int = DETAIL) -> str:
    """As ``clean``, but line feeds stay: for text that is read whole."""
    return _clean(value, limit, _LINES).replace("␍\n", "\n")


def _clean(value: object, limit: int, table: dict[int, int]) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else str(value)
    cut = text[:limit]
    if not cut.isascii():
        cut = _SURROGATE.sub("�", cut)
    safe = cut if cut.isprintable() and cut.isascii() else cut.translate(table)
    return safe + "…" if len(text) > limit else safe
