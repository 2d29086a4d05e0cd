"""Secrets are masked by the name of their key, wherever job content is shown, copied or exported."""

from __future__ import annotations

import re
from typing import Any

MASK = "••••"

#: Parts of key names, compared without case, dashes and underscores.
_PARTS = (
    "password|passwd|passphrase|secret|token|authorization|apikey|privatekey|accesskey|cookie"
    "|credential|cardnumber|cvv|cvc|iban|ssn"
)
_KEY = re.compile(rf"(?:{_PARTS})|^(?:card|pan|pin|pwd|auth|key)$")
_LOOSE = _PARTS.replace("apikey", r"api[-_ ]?key").replace("privatekey", r"private[-_ ]?key")
_LOOSE = _LOOSE.replace("accesskey", r"access[-_ ]?key").replace("cardnumber", r"card[-_ ]?number")
#: ``key: value``, ``"key": "value"``, ``key=value`` in running text, the value up to its end. Quotes may
#: be escaped: JSON is often kept as a string inside JSON.
_PAIR = re.compile(
    rf"""(?ix)
    (\\*["']?\b[\w-]*(?:{_LOOSE}|\bcard|\bpwd)[\w-]*\\*["']?\s*[:=]\s*)
    (?:\\+"[^"]*"?|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|(?:Bearer|Basic)\s+\S+|[^\s,;&"'}}\]\{{\[]+)
    """
)
#: A key of JSON text with its colon, and the pieces that a value is made of.
_JSON_KEY = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*')
_JSON_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]|,|[^"\[\]{},]+')
_URL = re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s@/]+@", re.IGNORECASE)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}")


def is_secret(key: str) -> bool:
    """Whether a key of this name holds what must not be shown."""
    return _KEY.search(re.sub(r"[-_\s]", "", key).lower()) is not None


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
    text = _mask_json_text(text)
    text = _URL.sub(rf"\g<1>{MASK}@", text)
    text = _PAIR.sub(rf"\g<1>{MASK}", text)
    return _BEARER.sub(rf"\g<1> {MASK}", text)


def _mask_json_text(text: str) -> str:
    """JSON in a text, whole or cut anywhere: what stands behind a secret key is skipped, however deep."""
    parts: list[str] = []
    position = 0
    while (key := _JSON_KEY.search(text, position)) is not None:
        parts.append(text[position : key.end()])
        position = key.end()
        if is_secret(key.group(1)) and not text.startswith("null", position):
            parts.append(f'"{MASK}"')
            position = _value_end(text, position)
    return "".join(parts) + text[position:]


def _value_end(text: str, start: int) -> int:
    """Where the JSON value at ``start`` ends; the end of the text where it was cut."""
    depth, position = 0, start
    while (piece := _JSON_PIECE.match(text, position)) is not None:
        kind = piece.group()
        if depth == 0 and kind in {",", "]", "}"}:
            return position
        depth += (kind in {"[", "{"}) - (kind in {"]", "}"})
        position = piece.end()
        if depth == 0 and kind in {"]", "}"}:
            return position
    return position
