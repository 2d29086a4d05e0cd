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
#: ``key: value``, ``"key": "value"``, ``key=value`` in running text, the value up to its end.
_PAIR = re.compile(
    rf"""(?ix)
    (["']?\b[\w-]*(?:{_LOOSE}|\bcard|\bpwd)[\w-]*["']?\s*[:=]\s*)
    (?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|(?:Bearer|Basic)\s+\S+|[^\s,;&"'}}\]]+)
    """
)
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
    text = _URL.sub(rf"\g<1>{MASK}@", text)
    text = _PAIR.sub(rf"\g<1>{MASK}", text)
    return _BEARER.sub(rf"\g<1> {MASK}", text)
