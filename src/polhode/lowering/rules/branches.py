"""Branches: cheap ones are computed both and selected, others stay branches."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from polhode.lowering.ir.graph import Block, Branch, Buffer, Element, Held, Node
from polhode.lowering.ir.program import Lowering, Value, lift, type_of
from polhode.lowering.ir.schedule import inner_blocks
from polhode.lowering.rules import memory
from polhode.lowering.rules.layout import Layout, same_element
from polhode.lowering.rules.loops import count_block, within
from polhode.lowering.trace.trace import Equation

SELECT_AT_MOST = 48  # operations of all branches together, run rather than branched


class Index(NamedTuple):
    """Which branch is taken, and of what type that is."""

    which: Element
    kind: str


def cond(
    low: Lowering, equation: Equation, which: Value, *arguments: Value
) -> list[Value]:
    branches = equation.params["branches"]
    kind, place = type_of(equation.invars[0].aval), lift(which)[()]
    if not isinstance(place, Node):
        chosen = branches[min(max(int(place), 0), len(branches) - 1)]
        return low.interpret(chosen.jaxpr, chosen.consts, *arguments)
    index = _as_boolean(place, kind, len(branches))
    if low.reading:
        return _select(low, equation, index, arguments)
    before = dict(low.latest)
    blocks, results, versions = [], [], []
    for branch in branches:
        block = Block(low.graph.current, barrier=True)
        low.latest = dict(before)
        work = partial(low.interpret, branch.jaxpr, branch.consts, *arguments)
        results.append(within(low, block, work))
        blocks.append(block)
        versions.append(low.latest)
    low.latest = before
    changed = [b for b in before if any(v[b] is not before[b] for v in versions)]
    is_cheap = not any(map(_may_take_long, blocks))
    if not changed and is_cheap and sum(map(count_block, blocks)) <= SELECT_AT_MOST:
        return _select(low, equation, index, arguments)
    held = [Held(b, before[b], [v[b] for v in versions]) for b in changed]
    return _branch(low, index, Branch(blocks, [], held), equation, results)


def _may_take_long(block: Block) -> bool:
    """Whether a block calls a function, or has a loop that might never end.

    Such a loop ends where its branch is taken; nothing is known of it elsewhere.
    """
    if any(node.op == "call" for node in block.table.values()):
        return True
    for node in block.structured:
        if node.op == "loop" and node.data.trip is None:
            return True
        if any(map(_may_take_long, inner_blocks(node))):
            return True
    return False


def _as_boolean(index: Node, kind: str, count: int) -> Index:
    """The predicate behind an integer index of two branches."""
    if count == 2 and index.op == "convert" and index.data == "bool":
        return Index(index.args[0], "bool")
    return Index(index, kind)


def _select(
    low: Lowering, equation: Equation, index: Index, arguments: Any
) -> list[Value]:
    """Cheap branches: run all, select."""
    layout = Layout(tuple(v.aval for v in equation.outvars))
    which, kind = index
    runs = [
        layout.flatten(low.interpret(b.jaxpr, b.consts, *arguments))
        for b in equation.params["branches"]
    ]
    finals = []
    for type, *options in zip(layout.types(), *runs, strict=True):
        chosen = options[-1]
        for k in reversed(range(len(options) - 1)):
            if kind == "bool":
                chosen = low.build.select(which, options[1], options[0], type)
                break
            below = low.build.compare("le", which, k, kind)
            chosen = low.build.select(below, options[k], chosen, type)
        finals.append(chosen)
    return layout.rebuild(finals)


def _branch(
    low: Lowering, index: Index, branch: Branch, equation: Equation, results: Any
) -> list[Value]:
    """A branch node; scalars are projected from it, memory has it as its version."""
    which, kind = index
    if kind != "bool":
        which = low.build.apply("convert", "int64", which, data=kind)
    node = low.graph.unique("branch", "", (which,), branch)
    for held in branch.memories:
        low.latest[held.buffer] = node
    outs: list[Value] = []
    scalars: list[list[Element]] = [[] for _ in branch.blocks]
    for variable, *options in zip(equation.outvars, *results, strict=True):
        buffer = _in_memory(branch, options)
        if buffer is not None:
            outs.append(memory.elements_of(low, buffer, node, options[0].shape))
            continue
        layout = Layout((variable.aval,))
        # In their own blocks: what is read of memory is read before the branch is left.
        flat = [
            within(low, block, partial(layout.flatten, [option]))
            for block, option in zip(branch.blocks, options, strict=True)
        ]
        outs += layout.rebuild(_projected(low, node, scalars, flat, layout.types()))
    branch.outs = scalars
    return outs


def _in_memory(branch: Branch, options: list[Value]) -> Buffer | None:
    """The held buffer that an output is, in its last version, in every block."""
    for held in branch.memories:
        found = [memory.whole(option) for option in options]
        wanted = [(held.buffer, final) for final in held.finals]
        if found == wanted:
            return held.buffer
    return None


def _projected(
    low: Lowering, node: Node, scalars: list, flat: list, types: list
) -> list:
    finals = []
    for type, *options in zip(types, *flat, strict=True):
        if all(same_element(option, options[0]) for option in options):
            finals.append(options[0])
            continue
        position = len(scalars[0])
        for column, option in zip(scalars, options, strict=True):
            column.append(option)
        finals.append(low.graph.make("proj", type, (node,), position))
    return finals


RULES = {"cond": cond}
