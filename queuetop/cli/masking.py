"""No password in anything that queuetop prints: errors, tracebacks, listings, logs.

Messages are built without secrets. This is the second fence: whatever still looks like one, or is known to
be one, is replaced before it is written.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

from queuetop.model.redact import MASK, mask_text

#: Shorter ones would tear holes into ordinary words.
_SHORTEST = 4
#: Up to the last ``@``, since people forget to escape one. A port before a path is no password.
_URI = re.compile(r"(://[^\s:/@]*:)(?!\d{1,5}(?:[/?,]|$))(\S+)(?=@)")
#: A URI whose scheme is mistyped or left out: ``postgresql:/app:secret@db/app``, ``app:secret@db/app``.
_BARE = re.compile(r"(^(?:\w+:/?)?[^\s:/@]+:)(\S+)(?=@[^\s@]+/)")
_PAIR = re.compile(
    r"""(?ix) ((?:ssl|pg)?password|passwd|oauth_client_secret|scram_(?:client|server)_key) (\s*=\s*)
        ( '(?:\\.|[^'\\])*(?:'|$) | (?:\\.|[^\s&\\])+ )"""
)
#: Where libpq cuts a password that was not escaped: the pieces appear as hosts and ports.
_SPLIT = re.compile(r"[@/?#:]")
_known: set[str] = set()


def remember(*texts: str | None) -> None:
    """Notes the secrets in connection strings, so that ``mask`` knows them in any other text too.

    A password that is also the user's or the database's name is no secret in a message that names those.
    """
    for text in filter(None, texts):
        found = [*_URI.finditer(text), *_PAIR.finditer(text)] or [*_BARE.finditer(text)]
        rest = text
        for match in found:
            rest = rest.replace(match[0], "")
        for match in found:
            plain = match[match.lastindex or 0].strip("'")
            if plain not in rest:
                forms = (plain, unquote(plain), *_SPLIT.split(plain))
                _known.update(form for form in forms if len(form) >= _SHORTEST)


def remember_environment() -> None:
    """Notes the secrets that the environment holds."""
    remember(os.environ.get("QUEUETOP_DSN"), os.environ.get("DATABASE_URL"))
    password = os.environ.get("PGPASSWORD", "")
    if len(password) >= _SHORTEST:
        _known.add(password)


def mask(text: str) -> str:
    """``text`` with every secret replaced."""
    for secret in sorted(_known, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return mask_text(text)
