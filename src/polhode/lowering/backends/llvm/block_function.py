"""Long branches and bodies of loops of large programs, each as a function of its own.

LLVM's register allocation takes a time that grows faster than a function: a chunk of
steps with its search and its changes in one took ten times as long as in parts. What a
block uses of the function around it, and what others use of it, lies in slots of
scratch memory. That changes no value: which operations there are is decided before.
"""

from __future__ import annotations

from collections.abc import Sequence

from polhode.lowering.backends.llvm import allowance
from polhode.lowering.backends.llvm.emit import Emitter, Store
from polhode.lowering.backends.llvm.text import vector
from polhode.lowering.ir.graph import Block, Element, Node
from polhode.lowering.ir.schedule import Schedule, inner_blocks, size_of

PROGRAM_AT_LEAST = 4_000  # nodes: shorter programs stay in one piece, and run quickest
BLOCK_AT_LEAST = 400  # nodes of a block that is worth a call, those inside it too


def write(
    emit: Emitter, block: Block, outs: Sequence[Element], stores: Sequence[Store] = ()
) -> None:
    """A block of a branch or a loop: here, or in a function that is called here."""
    if _is_apart(emit.plan, block):
        _write_apart(emit, block, outs, stores)
    else:
        emit.block(block, outs, stores)


def _is_apart(plan: Schedule, block: Block) -> bool:
    if len(plan.live.nodes) < PROGRAM_AT_LEAST:
        return False
    return size_of(plan, block) >= BLOCK_AT_LEAST and not _reads_inputs(plan, block)


def _reads_inputs(plan: Schedule, block: Block) -> bool:
    """Whether it needs arguments of the program, which only its entry has."""
    for node in plan.of(block):
        if node.op == "load" and node.data.kind == "input":
            return True
        if node.op == "copy_all":
            source = node.data[1].source
            if source is not None and source.kind == "input":
                return True
        if any(_reads_inputs(plan, inner) for inner in inner_blocks(node)):
            return True
    return False


def _write_apart(
    outer: Emitter, block: Block, outs: Sequence[Element], stores: Sequence[Store]
) -> None:
    inner = outer.inner()
    waits = allowance.may_take_long(outer.plan, block) and outer.leaves is not None
    inner.leaves = "ret i1 true" if waits else None
    inner.mask = "%mask" if outer.mask is not None else None
    inner.block(block, outs, stores)
    for out in map(inner.resolve, outs):
        if isinstance(out, Node) and inner.is_named(out):
            inner.leave(out)
            outer.filled.add(out)
    outer.filled |= inner.filled
    outer.hand_over(inner)
    name = f"block{len(outer.functions)}"
    params, args = ["ptr noalias %scratch"], ["ptr %scratch"]
    if waits:
        params, args = [*params, "ptr %allowance"], [*args, "ptr %allowance"]
    if outer.mask is not None:
        kind = vector("bool", outer.lanes)
        params, args = [*params, f"{kind} %mask"], [*args, f"{kind} {outer.mask}"]
    head = f"define internal i1 @{name}({', '.join(params)}) noinline {{"
    text = [head, "entry:", *inner.lines, "  ret i1 false", *inner.exits, "}"]
    outer.functions.append("\n".join(text))
    left = outer.write(f"call i1 @{name}({', '.join(args)})")
    outer.passed.clear()  # it may have called the same functions
    if waits:
        allowance.leave_with(outer, left)
