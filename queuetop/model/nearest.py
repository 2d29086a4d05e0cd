"""The word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_SHOWN = 12


def hint(word: str, known: Iterable[str], *, what: str = "") -> str:
    """``did you mean 'x'?``; without a near one what there is to choose from, if that is short."""
    choices = sorted(set(known))
    lower = {choice.lower(): choice for choice in reversed(choices)}
    close = get_close_matches(word.lower(), lower, n=1, cutoff=0.5)
    if close:
        return f"did you mean {lower[close[0]]!r}?"
    if not choices:
        return f"there are no {what}" if what else "none is known here"
    shown = ", ".join(choices[:_SHOWN]) + (" …" if len(choices) > _SHOWN else "")
    return f"there {'is only' if len(choices) == 1 else 'are'} {shown}"
