"""What an ``EXPLAIN (FORMAT JSON)`` tree says of a statement's cost."""

from __future__ import annotations

from typing import Any

from queuetop.model.catalog import Relation
from queuetop.model.facts import PlanCost

#: Units that a sequential scan costs for a row of a hundred bytes, where nothing says how many there are.
_UNITS_PER_ROW = 0.025
#: Units for a row that fills a quarter of a page: no row costs more.
_MOST_UNITS_PER_ROW = 0.3


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
        if node["Node Type"] == "Limit" and not _reads_cte(node):
            matching += sum(float(child["Plan Rows"]) for child in children)
    return PlanCost(units=total, scanned_rows=scanned, rows=matching)


def _reads_cte(node: dict[str, Any]) -> bool:
    """Whether a node limits what was found already, and not what is looked for in tables."""
    return node["Node Type"] == "CTE Scan" or any(map(_reads_cte, node.get("Plans", ())))


def _rows(node: dict[str, Any], relation: Relation, cost: float) -> float:
    """The rows of a scanned table. A node tells only those that match; of a partition, or of a table that
    grew since it was analyzed, its cost tells more."""
    fits = (
        node.get("Relation Name") == relation.name and cost <= relation.rows * _MOST_UNITS_PER_ROW
    )
    return relation.rows if fits else cost / _UNITS_PER_ROW
