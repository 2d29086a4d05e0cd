"""What an ``EXPLAIN (FORMAT JSON)`` tree says of a statement's cost."""

from __future__ import annotations

from typing import Any

from queuetop.model.catalog import Relation
from queuetop.model.facts import PlanCost

#: Units that a sequential scan costs for a row of a hundred bytes, where nothing says how many there are.
_UNITS_PER_ROW = 0.025


def plan_cost(plan: dict[str, Any], relation: Relation) -> PlanCost:
    """The cost of a tree.

    A node under a LIMIT may stop early, so what counts as scanned is what its cost says: the share of
    the node's total cost that the plan as a whole expects to pay.
    """
    total = float(plan["Total Cost"])
    scanned, matching, stack = 0.0, 0.0, [plan]
    while stack:
        node = stack.pop()
        children = node.get("Plans", [])
        stack.extend(children)
        cost = float(node["Total Cost"])
        if node["Node Type"] == "Seq Scan" and cost > 0:
            scanned += min(1.0, total / cost) * _rows(node, relation, cost)
        if node["Node Type"] == "Limit":
            matching += sum(float(child["Plan Rows"]) for child in children)
    return PlanCost(units=total, scanned_rows=scanned, rows=matching)


def _rows(node: dict[str, Any], relation: Relation, cost: float) -> float:
    """The rows of a scanned table. A node tells only those that match; of a partition, or of a table that
    was never analyzed, its cost tells more."""
    if node.get("Relation Name") == relation.name and relation.rows >= 0:
        return relation.rows
    return cost / _UNITS_PER_ROW
