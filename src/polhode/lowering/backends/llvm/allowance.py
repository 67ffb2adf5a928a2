"""Native code that leaves when its allowance is spent.

The caller gives a number of operations, in the word behind the pointers to outputs.
Loops count it down, every so many turns, and leave the whole call when it is spent: so
that a call in the main thread ends soon, or one on other threads when it is told to.
It changes no value, and costs next to nothing: what is counted per turn is a bit mask.
"""

from __future__ import annotations

from polhode.lowering.backends.llvm.emit import Emitter
from polhode.lowering.ir.graph import Block, Loop, Node
from polhode.lowering.ir.schedule import Schedule

BETWEEN = 65_536  # operations, about, between two looks: some 30 microseconds
LONG = 1_000_000  # operations of a loop of known length from which it looks at all
GUESS = 4  # turns of a loop of unknown length inside another


def cost_of(plan: Schedule, block: Block) -> int:
    """About how many operations a block takes."""
    if block not in plan.costs:
        plan.costs[block] = sum(_node_cost(plan, node) for node in plan.of(block))
    return plan.costs[block]


def _node_cost(plan: Schedule, node: Node) -> int:
    if node.op == "loop":
        return (node.data.trip or GUESS) * turn_cost(plan, node.data)
    if node.op == "branch":
        return max(cost_of(plan, block) for block in node.data.blocks)
    if node.op in ("call", "abreast"):
        return cost_of(plan, node.data.block)
    if node.op == "series":
        return node.data.operations
    return 1


def turn_cost(plan: Schedule, loop: Loop) -> int:
    """About how many operations one turn of a loop takes."""
    inner = cost_of(plan, loop.body)
    return inner if loop.head is loop.body else inner + cost_of(plan, loop.head)


def is_counted(plan: Schedule, loop: Loop) -> bool:
    """Whether a loop counts its allowance: all do that may take long."""
    return loop.trip is None or loop.trip * turn_cost(plan, loop) > LONG


def may_take_long(plan: Schedule, block: Block) -> bool:
    """Whether a block has loops that count, those of functions that it calls too."""
    return any(_has_count(plan, node) for node in plan.of(block))


def _has_count(plan: Schedule, node: Node) -> bool:
    if node.op == "loop":
        blocks = (node.data.head, node.data.body)
        return is_counted(plan, node.data) or any(
            may_take_long(plan, b) for b in blocks
        )
    if node.op == "branch":
        return any(may_take_long(plan, block) for block in node.data.blocks)
    return node.op == "call" and may_take_long(plan, node.data.block)


def count(emit: Emitter, counter: str, cost: int, ending: str | None = None) -> None:
    """Before a turn: count those before it; leave if the allowance is spent.

    `ending` is how it is left then, other than as the function always is.
    """
    if emit.leaves is None:
        return
    turns = 1 << max(0, (BETWEEN // max(cost, 1)).bit_length() - 1)
    look, turn, leave = map(emit.new_label, ("look", "turn", "leave"))
    if turns > 1:
        phase = emit.write(f"and i64 {counter}, {turns - 1}")
        due = emit.write(f"icmp eq i64 {phase}, 0")
        emit.do(f"br i1 {due}, label %{look}, label %{turn}")
    else:
        emit.do(f"br label %{look}")
    emit.start(look)
    # Atomic, so that the compiler does not keep it in a register.
    left = emit.write("load atomic i64, ptr %allowance monotonic, align 8")
    less = emit.write(f"sub i64 {left}, {turns * cost}")
    emit.do(f"store atomic i64 {less}, ptr %allowance monotonic, align 8")
    spent = emit.write(f"icmp slt i64 {less}, 0")
    emit.do(f"br i1 {spent}, label %{leave}, label %{turn}, !prof !0")
    emit.exits += [f"{leave}:", f"  {ending or emit.leaves}"]
    emit.start(turn)


def leave_with(emit: Emitter, is_left: str) -> None:
    """After a call of a function that may have been left: leave this one too."""
    assert emit.leaves is not None
    leave, on = emit.new_label("leave"), emit.new_label("on")
    emit.do(f"br i1 {is_left}, label %{leave}, label %{on}, !prof !0")
    emit.exits += [f"{leave}:", f"  {emit.leaves}"]
    emit.start(on)
