"""Secrets are masked by the name of their key, wherever job content is shown, copied or exported.

Job content is hostile and may be long, so every step here takes time in proportion to its length.
"""

from __future__ import annotations

import re
from typing import Any

MASK = "••••"

#: Parts of key names that hold secrets, compared in lower case without dashes and underscores.
_PARTS = (
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "authorization",
    "apikey",
    "privatekey",
    "accesskey",
    "cookie",
    "credential",
    "cardnumber",
    "cvv",
    "cvc",
    "iban",
    "ssn",
)
#: Whole names that would hit too much as parts.
_NAMES = {"card", "pan", "pin", "pwd", "auth", "key"}
_PUNCTUATION = str.maketrans("", "", "-_ \t")

#: In running text: a key's last letters, its separator, and the value up to its end. Quotes may be
#: escaped, since JSON is often kept as a string inside JSON.
_PAIR = re.compile(
    r"""(?ix)
    (
        (?:pass(?:word|wd|phrase) | secret | token | authorization | (?:api|private|access)[-_ ]?key | cookie
            | credential | card[-_ ]?number | cvv | cvc | iban | ssn | \bcard | \bpwd)
        [\w-]{0,40} \\{0,8} ["']? \s{0,9} [:=] \s{0,9}
    )
    (?:
        \\{1,8}"[^"]*+"? | "(?:[^"\\]|\\.)*+"? | '(?:[^'\\]|\\.)*+'?
        | (?:Bearer|Basic)\s+\S+ | [^\s,;&"'}\]{\[]+
    )
    """
)
#: One of these is in every text that ``_PAIR`` can hit: a quick look that spares the slow one.
_WORDS = ["pass", "secret", "token", "authorization", "key", "cookie", "credential", "card", "pwd"]
_WORDS += ["cvv", "cvc", "iban", "ssn"]

#: A JSON string, also one that was cut: it always matches from its quote on, so that no quote is looked
#: at twice.
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"?', re.DOTALL)
_COLON = re.compile(r"\s*:\s*")
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]|,|[^"\[\]{},]+', re.DOTALL)

_URL = re.compile(r"(://[^\s/:@]{0,200}:)[^\s@/]{1,500}@")
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}")


def is_secret(key: str) -> bool:
    """Whether a key of this name holds what must not be shown."""
    name = key[:200].lower().translate(_PUNCTUATION)
    return name in _NAMES or any(part in name for part in _PARTS)


def mask(value: Any) -> Any:
    """JSON with the values of secret keys masked, whatever they are."""
    if isinstance(value, dict):
        return {
            k: MASK if is_secret(str(k)) and v is not None else mask(v) for k, v in value.items()
        }
    if isinstance(value, list):
        return [mask(item) for item in value]
    return mask_text(value) if isinstance(value, str) else value


def mask_text(text: str) -> str:
    """Running text, also JSON that was cut: values after secret keys and passwords in URLs masked."""
    if "://" in text:
        text = _URL.sub(rf"\g<1>{MASK}@", text)
    lower = text.lower()
    if any(word in lower for word in _WORDS):
        text = _PAIR.sub(rf"\g<1>{MASK}", _mask_json_text(text))
    if "Bearer" in text or "Basic" in text:
        text = _BEARER.sub(rf"\g<1> {MASK}", text)
    return text


def _mask_json_text(text: str) -> str:
    """JSON in a text, whole or cut anywhere: what stands behind a secret key is skipped, however deep."""
    parts: list[str] = []
    copied = position = 0
    while (string := _STRING.search(text, position)) is not None:
        position = string.end()
        colon = _COLON.match(text, position)
        if colon is None or not is_secret(string.group(1)) or text.startswith("null", colon.end()):
            continue
        position = _value_end(text, colon.end())
        parts += [text[copied : colon.end()], f'"{MASK}"']
        copied = position
    return "".join(parts) + text[copied:]


def _value_end(text: str, start: int) -> int:
    """Where the JSON value at ``start`` ends; the end of the text where it was cut."""
    depth, position = 0, start
    while (piece := _PIECE.match(text, position)) is not None:
        kind = piece.group()
        if depth == 0 and kind in {",", "]", "}"}:
            return position
        depth += (kind in {"[", "{"}) - (kind in {"]", "}"})
        position = piece.end()
        if depth == 0:
            return position
    return position
