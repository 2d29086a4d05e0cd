"""How long to wait before the next try."""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass
class Backoff:
    """Seconds until the next try: doubled each time, capped, with jitter so that many do not meet."""

    first_s: float = 0.5
    cap_s: float = 30.0
    failures: int = 0
    roll: random.Random = field(default_factory=random.Random)

    def next_s(self) -> float:
        delay = min(self.cap_s, self.first_s * 2.0 ** min(self.failures, 16))
        self.failures += 1
        return delay * self.roll.uniform(0.5, 1.0)

    def reset(self) -> None:
        self.failures = 0
