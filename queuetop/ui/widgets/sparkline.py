"""Values as one line of blocks. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"


def spark(values: Sequence[float]) -> str:
    """One block a value. The ground is zero, so that the height means something; what is not
    finite is left out."""
    known = [value for value in values if math.isfinite(value)]
    top = max(known, default=0.0)
    if top <= 0:
        return BLOCKS[0] * len(known)
    last = len(BLOCKS) - 1
    return "".join(BLOCKS[max(0, min(last, math.ceil(value / top * last)))] for value in known)
