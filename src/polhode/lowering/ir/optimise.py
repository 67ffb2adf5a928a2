"""Rounding choices, made once in the scalar program and the same on every machine.

- Several quotients by one divisor share its reciprocal.
- A product that is only ever added or subtracted is fused with the sum.

Both change nodes in place; neither is done with `fold="ieee"`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from polhode.lowering.ir.graph import Element, Graph, Node
from polhode.lowering.ir.schedule import Liveness, find_live, inner_uses


def choose_roundings(graph: Graph, roots: list[Element]) -> None:
    """Shared reciprocals, then fused multiply-adds."""
    share_reciprocals(graph, find_live(roots).nodes)
    fuse(roots, find_live(roots))


def share_reciprocals(graph: Graph, nodes: Iterable[Node]) -> None:
    """a/d, b/d, ... become a r, b r, ... with r = 1/d."""
    by_divisor: dict[Node, list[Node]] = defaultdict(list)
    for node in nodes:
        if (
            node.op == "div"
            and node.type == "float64"
            and isinstance(node.args[1], Node)
        ):
            by_divisor[node.args[1]].append(node)
    for divisor, quotients in by_divisor.items():
        if len(quotients) < 2:
            continue
        before, graph.current = graph.current, divisor.block
        reciprocal = graph.make("div", "float64", (1.0, divisor))
        graph.current = before
        for node in quotients:
            if node is not reciprocal:
                node.op, node.args = "mul", (node.args[0], reciprocal)


def fuse(roots: list[Element], live: Liveness) -> None:
    """a b + c in one rounding, where the product is used for nothing else."""
    blocked = _used_otherwise(roots, live)
    for node in sorted(live.nodes, key=lambda n: n.number):
        if node.op not in ("add", "sub") or node.type != "float64":
            continue
        left, right = node.args
        factors = [a for a in (left, right) if _is_product(a, node, blocked)]
        if not factors:
            continue
        product = max(factors, key=lambda a: a.depth)
        a, b = product.args
        if node.op == "add":
            node.op, node.args = "fma", (a, b, right if product is left else left)
        elif product is left:
            node.op, node.args = "fms", (a, b, right)
        else:
            node.op, node.args = "fnma", (a, b, left)


def _is_product(a: Element, user: Node, blocked: set[Node]) -> bool:
    return (
        isinstance(a, Node)
        and a.op == "mul"
        and a.type == "float64"
        and a.block is user.block
        and a not in blocked
    )


def _used_otherwise(roots: list[Element], live: Liveness) -> set[Node]:
    """Nodes that something other than a sum uses."""
    used = {r for r in roots if isinstance(r, Node)}
    for node in live.nodes:
        if node.op in ("loop", "branch"):
            used.update(u for u in inner_uses(node, live, {}) if isinstance(u, Node))
        if node.op not in ("add", "sub"):
            used.update(a for a in node.args if isinstance(a, Node))
    return used
