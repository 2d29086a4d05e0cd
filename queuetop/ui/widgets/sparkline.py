"""Values as one line of blocks. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"


def spark(values: Sequence[float]) -> str:
    """One block a value; what is not finite is left out.

    The ground is zero, so that heights can be compared. Values that do not change stand half high:
    the line shows movement, and a full bar would shout.
    """
    known = [value for value in values if math.isfinite(value)]
    highest = max(known, default=0.0)
    if highest <= 0:
        return BLOCKS[0] * len(known)
    top = highest * (1 + max(0.0, min(known)) / highest)
    last = len(BLOCKS) - 1
    return "".join(BLOCKS[max(0, min(last, math.ceil(value / top * last)))] for value in known)
