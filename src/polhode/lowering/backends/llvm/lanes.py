"""Which values differ from lane to lane."""

from __future__ import annotations

from polhode.lowering.ir.graph import Branch, Element, Node
from polhode.lowering.ir.schedule import Schedule


def find_varying(plan: Schedule, batched: list[bool]) -> set[Node]:
    """Everything that depends on a batched argument; the rest is one for all lanes."""
    varying: set[Node] = set()
    while True:
        before = len(varying)
        for nodes in plan.blocks.values():
            for node in nodes:
                if node not in varying and _varies(node, varying, plan, batched):
                    varying.add(node)
        if len(varying) == before:
            return varying


def _varies(
    node: Node, varying: set[Node], plan: Schedule, batched: list[bool]
) -> bool:
    def differs(element: Element) -> bool:
        return isinstance(element, Node) and element in varying

    if node.op == "load":
        buffer = node.data
        if buffer.kind == "input":
            return batched[buffer.slot] or differs(node.args[0])
        return buffer.kind in ("column", "memory") or differs(node.args[0])
    if node.op == "phi":
        loop, k = node.data
        parts = (loop.inits[k], loop.outs[k])
        return any(map(differs, parts)) or (
            loop.trip is None and differs(loop.condition)
        )
    if node.op == "proj":
        owner = node.args[0]
        if owner.op == "loop":
            loop, k = owner.data, node.data
            return differs(loop.phis[k]) or differs(loop.outs[k])
        if owner.op == "branch":
            branch: Branch = owner.data
            outs = (outs[node.data] for outs in branch.outs)
            return differs(owner.args[0]) or any(map(differs, outs))
        return True
    if node.op == "param":
        return True
    if node.op in ("loop", "branch", "call", "abreast", "series", "spill", "counter"):
        return False
    return any(map(differs, node.args))
