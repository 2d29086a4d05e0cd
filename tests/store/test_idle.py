"""A queue where nothing happens: zeros where something was counted, and no share of nothing."""

from __future__ import annotations

from queuetop.model.snapshot import Level
from queuetop.model.states import State
from tests.store.support import opened, snapshot_of
from tests.support.payment import payment_table


async def test_an_empty_table(database: str) -> None:
    payment_table(database)
    async with opened(database) as table:
        snapshot = await snapshot_of(table)
    assert {snapshot.states[s].value for s in (State.PENDING, State.RUNNING, State.FAILED)} == {0}
    assert snapshot.verdict.level is Level.FINE
    ratio = snapshot.retry_ratio
    assert (ratio.share.value, ratio.share.why) == (None, "no job ended in the last hour")
    assert (ratio.retried, ratio.finished) == (0, 0)
