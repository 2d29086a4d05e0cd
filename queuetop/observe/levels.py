"""When a number is fine, a warning, or critical."""

from __future__ import annotations

from queuetop.model.mapping import Mapping
from queuetop.model.snapshot import Level
from queuetop.model.text import clean

#: What holds where the mapping states no alarm, in seconds.
DEFAULT_ALARMS_S = {"oldest_pending": 300.0, "longest_wait": 300.0}

RETRY_WARNING = 0.10
RETRY_CRITICAL = 0.30
SKEW_S = 2.0
LONG_TRANSACTION_S = 600.0
NOTHING_CLAIMED_S = 120.0


def alarm_s(mapping: Mapping, name: str, queue: str | None = None) -> float:
    """The limit of an age: the queue's own, the mapping's, else the default."""
    # Queues are known by their clean names, alarms are stated by the stored ones.
    stored = next((own for own in mapping.alarms.queues if clean(own) == queue), queue)
    return mapping.alarms.seconds(name, stored) or DEFAULT_ALARMS_S[name]


def age_level(age_s: float | None, alarm: float | None) -> Level:
    """Critical over the alarm, a warning over half of it."""
    if age_s is None or alarm is None:
        return Level.UNKNOWN
    if age_s > alarm:
        return Level.CRITICAL
    return Level.WARNING if age_s > alarm / 2 else Level.FINE


def share_level(share: float | None) -> Level:
    """Of a retry ratio."""
    if share is None:
        return Level.UNKNOWN
    if share >= RETRY_CRITICAL:
        return Level.CRITICAL
    return Level.WARNING if share >= RETRY_WARNING else Level.FINE


_ORDER = {Level.CRITICAL: 0, Level.WARNING: 1, Level.UNKNOWN: 2, Level.FINE: 3}


def severity(level: Level) -> int:
    """Sorts the worst first."""
    return _ORDER[level]
