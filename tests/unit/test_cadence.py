"""The budget holds whatever statements cost; cheap ones keep their pace; none is forgotten."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queuetop.model.facts import Panel, PlanCost, Signal
from queuetop.model.states import State
from queuetop.observe.cadence import HEAVY_MS, Cadence, Pace, is_heavy

PANELS = [
    *(Panel(Signal.STATE, state) for state in State),
    Panel(Signal.FAILURES, State.FAILED),
    Panel(Signal.FINISHED, State.SUCCEEDED),
    Panel(Signal.ARRIVALS),
    Panel(Signal.ESTIMATE, State.SUCCEEDED),
    Panel(Signal.ACTIVITY),
    Panel(Signal.PAUSES),
    Panel(Signal.QUEUES),
    Panel(Signal.UNMAPPED),
    Panel(Signal.SWEEP),
]
PENDING, RUNNING = PANELS[0], PANELS[4]
HOURLY = {Signal.FAILURES, Signal.FINISHED}
COSTS = st.floats(0.01, 60_000.0)
CHOSEN = st.lists(st.sampled_from(PANELS), min_size=1, unique=True)


def cadence(panels: list[Panel], *, interval_s: float = 2.0, budget: float = 0.01) -> Cadence:
    made = Cadence(interval_s=interval_s, budget=budget)
    made.choose(panels)
    return made


def loads(made: Cadence) -> float:
    return sum(p.cost_ms / p.every_s for p in made.paces.values() if not p.suspended)


@given(CHOSEN, st.data(), st.floats(0.001, 0.5), st.floats(0.5, 60.0))
def test_the_loads_never_add_up_to_more_than_the_budget(
    panels: list[Panel], data: st.DataObject, budget: float, interval_s: float
) -> None:
    made = cadence(panels, interval_s=interval_s, budget=budget)
    for now, panel in enumerate(data.draw(st.lists(st.sampled_from(panels), max_size=30))):
        made.ran(panel, data.draw(COSTS), float(now))
        assert loads(made) <= budget * 1000 * (1 + 1e-9)
        assert made.planned_share <= budget * (1 + 1e-9)
        assert all(pace.every_s > 0 for pace in made.paces.values())


@given(CHOSEN, st.data())
def test_cheap_panels_keep_their_pace_beside_dear_ones(
    panels: list[Panel], data: st.DataObject
) -> None:
    """Max-min fair: who needs less than its share gets what it needs."""
    made = cadence(panels)
    costs = {panel: data.draw(COSTS) for panel in panels}
    for panel, cost in costs.items():
        made.ran(panel, cost, 0.0)
        made.paces[panel].usual_ms = None
    made.share()
    alone = cadence(panels)
    for panel in panels:
        alone.ran(panel, 0.001, 0.0)
    base = {panel: alone.paces[panel].every_s for panel in panels}
    for panel in panels:
        pace = made.paces[panel]
        assert pace.every_s >= base[panel] - 1e-9
        fair = 10.0 / (3.0 + 6.0 + 2.0 * len(panels))  # ms a second, of the least weight
        if costs[panel] / base[panel] <= fair * 0.25:
            assert pace.every_s == pytest.approx(base[panel])


@given(CHOSEN, st.data())
def test_what_the_budget_leaves_is_used(panels: list[Panel], data: st.DataObject) -> None:
    made = cadence(panels)
    for panel in panels:
        made.ran(panel, data.draw(st.floats(50, HEAVY_MS - 1)), 0.0)
    slowed = [
        pace
        for pace in made.paces.values()
        if pace.cost_ms / pace.every_s < pace.cost_ms / 2.0 - 1e-9
    ]
    if any(pace.stretched for pace in slowed if pace.panel.signal not in HOURLY):
        assert loads(made) == pytest.approx(10.0)


def test_what_looks_at_an_hour_leaves_the_rest_unspent() -> None:
    made = cadence([Panel(Signal.FAILURES, State.FAILED)])
    made.ran(Panel(Signal.FAILURES, State.FAILED), 24.0, 0.0)
    assert loads(made) == pytest.approx(1.2)
    made.ran(Panel(Signal.FAILURES, State.FAILED), 2.0, 0.0)
    assert made.paces[Panel(Signal.FAILURES, State.FAILED)].every_s == 2.0


@settings(max_examples=30)
@given(st.lists(COSTS, min_size=len(PANELS), max_size=len(PANELS)))
def test_no_panel_starves(costs: list[float]) -> None:
    """In time every one of them runs again, the dear ones one after the other."""
    made = cadence(PANELS)
    cost = dict(zip(PANELS, costs, strict=True))
    now, runs = 0.0, dict.fromkeys(PANELS, 0)
    longest = 0.0
    while min(runs.values()) < 3:
        for panel in made.due(now):
            made.ran(panel, cost[panel], now)
            runs[panel] += 1
        dear = made.dear_due(now)
        if dear is not None:
            made.ran(dear, cost[dear], now)
            runs[dear] += 1
        longest = max(pace.every_s for pace in made.paces.values())
        now += max(2.0, longest / 20)
        assert now < 1e9
    assert longest <= max(60.0, sum(costs) / 10.0 * 200)


@settings(max_examples=30)
@given(st.lists(st.floats(1.0, 4000.0), min_size=20, max_size=60))
def test_the_wait_pays_for_what_a_run_cost(costs: list[float]) -> None:
    """However the costs of one statement jump, in the long run they are within the budget."""
    made = cadence([PENDING])
    now, spent = 0.0, 0.0
    for cost in costs:
        while PENDING not in made.due(now) and made.dear_due(now) != PENDING:
            now += 2.0
        made.ran(PENDING, cost, now)
        spent += cost
    now += made.paces[PENDING].every_s
    assert spent <= 0.01 * 1000 * now * 1.05 + 1  # a turn may come a twentieth of a second early


def test_a_tick_that_comes_a_little_early_misses_no_turn() -> None:
    made = cadence([PENDING])
    made.ran(PENDING, 1.0, 10.0)
    assert made.due(11.9) == []
    assert made.due(11.97) == [PENDING]


def test_the_interval_is_the_pace_of_cheap_panels() -> None:
    made = cadence([PENDING, Panel(Signal.UNMAPPED)])
    for panel in made.paces:
        made.ran(panel, 0.5, 0.0)
    assert made.paces[PENDING].every_s == 2.0
    assert made.paces[Panel(Signal.UNMAPPED)].every_s == 60.0
    made.interval_s = 30.0
    made.share()
    assert made.paces[PENDING].every_s == 30.0
    assert made.paces[Panel(Signal.UNMAPPED)].every_s == 60.0


def test_a_dear_panel_leaves_the_tick_and_comes_back() -> None:
    made = cadence([PENDING, RUNNING])
    for panel in made.paces:
        made.ran(panel, 1.0, 0.0)
    made.ran(PENDING, 500.0, 2.0)
    assert made.due(4.0) == [RUNNING]
    assert made.dear_due(4.0) is None
    again = 2.0 + made.paces[PENDING].every_s
    assert made.dear_due(again) == PENDING
    made.ran(PENDING, 2.0, again)
    assert set(made.due(again + 4.0)) == {PENDING, RUNNING}


def test_a_whole_pass_is_never_for_the_tick() -> None:
    sweep = Panel(Signal.SWEEP)
    made = cadence([PENDING, sweep])
    made.expect({sweep: PlanCost(units=10.0, scanned_rows=5.0)})
    assert made.due(0.0) == [PENDING]
    assert made.dear_due(0.0) == sweep


def test_of_many_that_became_dear_at_once_one_is_asked_for_all() -> None:
    """A busy moment of the server makes every panel slow; that it is over shows at the first one."""
    panels = [Panel(Signal.STATE, state) for state in list(State)[:6]]
    made = cadence(panels)
    for panel in panels:
        made.ran(panel, 1.0, 0.0)
    for panel in panels:
        made.ran(panel, 1500.0, 2.0)
    assert loads(made) <= 10.0 + 1e-9
    first = made.paces[panels[0]]
    assert first.every_s == pytest.approx(150.0)  # the whole budget is its own
    assert [made.dear_due(t) for t in (100.0, 153.0)] == [None, panels[0]]
    made.ran(panels[0], 1.0, 153.0)
    assert set(made.due(155.0)) == set(panels)
    assert {pace.cost_ms for pace in made.paces.values()} == {1.0}


def test_what_stays_dear_is_believed_and_the_next_one_is_asked() -> None:
    panels = [Panel(Signal.STATE, state) for state in list(State)[:3]]
    made = cadence(panels)
    for cost, now in ((1.0, 0.0), (1500.0, 2.0)):
        for panel in panels:
            made.ran(panel, cost, now)
    asked: list[Panel] = []
    now = 2.0
    while len(set(asked)) < 3 and now < 10_000:
        now += 2.0
        due = made.dear_due(now)
        if due is not None:
            asked.append(due)
            made.ran(due, 1500.0, now)
            assert loads(made) <= 10.0 + 1e-9
    assert set(asked) == set(panels)


def test_a_failure_without_a_cost_is_tried_again_soon_and_then_less_often() -> None:
    made = cadence([PENDING, RUNNING])
    for panel in made.paces:
        made.ran(panel, 3.0, 0.0)
    tries, now = [], 0.0
    while now < 200.0:
        now += 2.0
        due = made.due(now)
        assert RUNNING in due
        made.ran(RUNNING, 3.0, now)
        if PENDING in due:
            tries.append(now)
            made.ran(PENDING, None, now, "permission denied")
    assert tries[:5] == [2.0, 4.0, 8.0, 16.0, 32.0]
    assert max(b - a for a, b in pairwise(tries)) == 30.0
    assert made.paces[PENDING].cost_ms == 3.0
    assert made.paces[PENDING].note == "permission denied"
    made.ran(PENDING, 3.0, now)
    assert made.paces[PENDING].note == ""
    assert made.due(now + 2.0) == [PENDING, RUNNING]


def test_what_has_not_run_for_long_is_overdue() -> None:
    pace = Pace(PENDING, every_s=10.0)
    assert not pace.overdue(1e9)
    pace.last_run = 100.0
    assert not pace.overdue(160.0)
    assert pace.overdue(161.0)


def test_a_new_choice_keeps_what_is_known() -> None:
    made = cadence([PENDING, RUNNING])
    made.ran(PENDING, 42.0, 7.0)
    made.choose([Panel(Signal.ACTIVITY), PENDING])
    assert list(made.paces) == [Panel(Signal.ACTIVITY), PENDING]
    assert (made.paces[PENDING].cost_ms, made.paces[PENDING].last_run) == (42.0, 7.0)
    made.ran(RUNNING, 1.0, 8.0)  # it came back after it was dropped
    assert RUNNING not in made.paces


def test_the_planners_word_counts_only_before_the_first_run() -> None:
    made = cadence([PENDING])
    made.expect({PENDING: PlanCost(units=100_000.0, scanned_rows=0.0)})
    assert made.paces[PENDING].dear
    made.ran(PENDING, 2.0, 0.0)
    made.expect({PENDING: PlanCost(units=100_000.0, scanned_rows=0.0)})
    assert made.paces[PENDING].cost_ms == 2.0


@pytest.mark.parametrize(
    ("units", "rows", "heavy"),
    (
        (10.0, 5.0, False),
        (10.0, 100_001.0, True),
        (400_001.0, 0.0, True),
        (400_000.0, 100_000.0, False),
    ),
)
def test_heavy_plans(units: float, rows: float, heavy: bool) -> None:
    assert is_heavy(PlanCost(units=units, scanned_rows=rows)) is heavy


def test_a_first_pass_that_would_take_more_than_the_first_minutes_have_waits_for_its_turn() -> None:
    sweep = Panel(Signal.SWEEP)
    for cost_ms, eager, begins in (
        (2_000.0, False, True),
        (4_000.0, False, False),
        (4_000.0, True, True),
    ):
        cadence = Cadence(interval_s=2.0, budget=0.01, eager=eager)
        cadence.choose([sweep])
        cadence.expect({sweep: PlanCost(units=cost_ms / 0.005, scanned_rows=1e7, rows=0.0)})
        assert (cadence.dear_due(100.0) == sweep) is begins
        assert cadence.dear_due(100.0 + cost_ms / 10.0) == sweep
