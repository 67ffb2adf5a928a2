"""Loops, branches, calls and spills in LLVM.

Under lanes a branch runs if some lane takes it, a `while` until its last lane is done;
a lane that has no part in it keeps its values by a mask. A mask never changes a value
that is kept, so a system's result does not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable

from polhode.lowering.backends.llvm import (
    access,
    allowance,
    block_function,
    lane_rows,
)
from polhode.lowering.backends.llvm.emit import Emitter
from polhode.lowering.backends.llvm.series import series
from polhode.lowering.backends.llvm.text import SCALAR, returned, vector
from polhode.lowering.ir.graph import Branch, Element, Loop, Node
from polhode.lowering.ir.schedule import Function, calls_in, inner_uses

Taken = Callable[[int], str]  # of a result's place: the name of its value


def loop(emit: Emitter, node: Node) -> None:
    if node.data.trip is None:
        _while(emit, node)
    else:
        _counted(emit, node)


def _carries(emit: Emitter, data: Loop) -> list[int]:
    return sorted(emit.plan.live.carries.get(data, ()))


def _open(emit: Emitter, data: Loop) -> tuple[list[str], dict[int, bool]]:
    """Phis at the head; the second incoming value is filled in when it is known."""
    before, head = emit.label, emit.new_label("loop")
    carries = _carries(emit, data)
    wide = {k: emit.is_wide(data.phis[k]) for k in carries}
    starts = [emit.use(data.inits[k], data.phis[k].type, wide[k]) for k in carries]
    emit.do(f"br label %{head}")
    emit.start(head)
    counter = emit.fresh()
    holes = [f"{counter} = phi i64 [0, %{before}]"]
    names = []
    for k, first in zip(carries, starts, strict=True):
        name, type = emit.fresh(), data.phis[k].type
        kind = vector(type, emit.lanes) if wide[k] else SCALAR[type]
        holes.append(f"{name} = phi {kind} [{first}, %{before}]")
        names.append(name)
    position = len(emit.lines)
    emit.lines += [f"  {line}" for line in holes]
    if data.counter is not None:
        emit.define(data.counter, counter, False)
    for k, name in zip(carries, names, strict=True):
        emit.define(data.phis[k], name, wide[k])
    emit.holes.append((position, counter))
    return names, wide


def _close(emit: Emitter, values: list[str]) -> None:
    """Complete the phis with what comes round."""
    position, _ = emit.holes.pop()
    for k, value in enumerate(values):
        emit.lines[position + k] += f", [{value}, %{emit.label}]"


def _counted(emit: Emitter, node: Node) -> None:
    data: Loop = node.data
    _, wide = _open(emit, data)
    head = emit.label
    counter = emit.holes[-1][1]
    live = emit.plan.live.buffers
    carries = _carries(emit, data)
    stores = [store for store in data.stores if store[0] in live]
    block_function.write(emit, data.body, [data.outs[k] for k in carries], stores)
    outs = [emit.use(data.outs[k], data.phis[k].type, wide[k]) for k in carries]
    following = emit.write(f"add i64 {counter}, 1")
    _count(emit, following, data)
    more = emit.write(f"icmp ult i64 {following}, {data.trip}")
    _close(emit, [following, *outs])
    after = emit.new_label("after")
    emit.do(f"br i1 {more}, label %{head}, label %{after}")
    emit.start(after)
    _finish(emit, node, {k: data.outs[k] for k in carries})


def _while(emit: Emitter, node: Node) -> None:
    data: Loop = node.data
    names, wide = _open(emit, data)
    head, carries = emit.label, _carries(emit, data)
    counter = emit.holes[-1][1]
    # The body, too, uses what the head computes.
    uses = inner_uses(node, emit.plan.live, emit.plan.blocks)
    emit.block(data.head, [data.condition, *uses])
    apart = emit.is_wide(data.condition)
    active = emit.use(data.condition, "bool", apart)
    if apart and emit.mask is not None:
        active = emit.write(f"and {vector('bool', emit.lanes)} {active}, {emit.mask}")
    run, after = emit.new_label("body"), emit.new_label("after")
    some = any_lane(emit, active) if apart else active
    emit.do(f"br i1 {some}, label %{run}, label %{after}")
    emit.start(run)
    outer, emit.mask = emit.mask, active if apart else emit.mask
    block_function.write(emit, data.body, [data.outs[k] for k in carries])
    emit.mask = outer
    values = []
    for k, name in zip(carries, names, strict=True):
        value = emit.use(data.outs[k], data.phis[k].type, wide[k])
        if apart and not _is_kept(emit, data.outs[k], data.phis[k]):
            kind = vector(data.phis[k].type, emit.lanes)
            mask = vector("bool", emit.lanes)
            value = emit.write(f"select {mask} {active}, {kind} {value}, {kind} {name}")
        values.append(value)
    following = emit.write(f"add i64 {counter}, 1")
    _count(emit, following, data)
    _close(emit, [following, *values])
    emit.do(f"br label %{head}")
    emit.start(after)
    _finish(emit, node, {k: data.phis[k] for k in carries})


def _is_kept(emit: Emitter, out: Element, phi: Node) -> bool:
    """Whether lanes without part in a turn have the carried value as it was.

    So it is where a branch on the lanes' own index changes it or leaves it: its mask
    lies within that of the turn. To choose again would move all that a loop carries.
    """
    out = emit.resolve(out)
    if out is phi:
        return True
    if not isinstance(out, Node) or out.op != "proj" or out.args[0].op != "branch":
        return False
    owner = out.args[0]
    if not emit.is_wide(owner.args[0]):
        return False
    data: Branch = owner.data
    first = _order(emit, data)[0]
    if emit.plan.of(data.blocks[first]):
        return False
    return _is_kept(emit, data.outs[first][out.data], phi)


def _count(emit: Emitter, counter: str, data: Loop) -> None:
    """A loop that may take long can be left between two turns."""
    if allowance.is_counted(emit.plan, data):
        allowance.count(emit, counter, allowance.turn_cost(emit.plan, data))


def any_lane(emit: Emitter, mask: str) -> str:
    kind = vector("bool", emit.lanes)
    return emit.write(f"call i1 @llvm.vector.reduce.or.v{emit.lanes}i1({kind} {mask})")


def neighbour(emit: Emitter, node: Node) -> None:
    """True in all lanes where it is in one of those that take part."""
    (flag,) = node.args
    word, wide = emit.use(flag, "bool", emit.is_wide(flag)), emit.is_wide(flag)
    if wide:
        if emit.mask is not None:
            word = emit.write(f"and {vector('bool', emit.lanes)} {word}, {emit.mask}")
        word = emit.spread(any_lane(emit, word), "bool")
    emit.define(node, word, wide)


def _finish(emit: Emitter, node: Node, finals: dict[int, Element]) -> None:
    """Projections of the node are its final values."""
    for member in emit.plan.of(node.block):
        if member.op == "proj" and member.args[0] is node:
            emit.alias[member] = finals[member.data]


# ---------------------------------------------------------------------- branches


def branch(emit: Emitter, node: Node) -> None:
    data: Branch = node.data
    index = node.args[0]
    if emit.is_wide(index):
        _masked(emit, node, data, index)
    else:
        _chosen(emit, node, data, index)


def _results(emit: Emitter, node: Node) -> list[tuple[Node, int]]:
    members = emit.plan.of(node.block)
    return [(m, m.data) for m in members if m.op == "proj" and m.args[0] is node]


def _chosen(emit: Emitter, node: Node, data: Branch, index: Element) -> None:
    """All lanes go the same way."""
    results = _results(emit, node)
    labels = [emit.new_label("case") for _ in data.blocks]
    after = emit.new_label("after")
    node_type = index.type if isinstance(index, Node) else "int64"
    word = emit.use(index, node_type, False)
    if node_type == "bool":
        emit.do(f"br i1 {word}, label %{labels[1]}, label %{labels[0]}")
    else:
        first, last = labels[0], labels[-1]
        low = emit.write(f"icmp slt i64 {word}, 1")
        rest = emit.new_label("rest")
        emit.do(f"br i1 {low}, label %{first}, label %{rest}")
        emit.start(rest)
        cases = " ".join(f"i64 {k}, label %{l}" for k, l in enumerate(labels[:-1]) if k)
        emit.do(f"switch i64 {word}, label %{last} [ {cases} ]")
    incoming: list[list[tuple[str, str]]] = [[] for _ in results]
    for label, block, outs in zip(labels, data.blocks, data.outs, strict=True):
        emit.start(label)
        block_function.write(emit, block, [outs[position] for _, position in results])
        for k, (member, position) in enumerate(results):
            wide = emit.is_wide(member)
            value = emit.use(outs[position], member.type, wide)
            incoming[k].append((value, emit.label))
        emit.do(f"br label %{after}")
    emit.start(after)
    found = []
    for (member, _), values in zip(results, incoming, strict=True):
        wide = emit.is_wide(member)
        kind = vector(member.type, emit.lanes) if wide else SCALAR[member.type]
        arms = ", ".join(f"[{value}, %{label}]" for value, label in values)
        found.append((member, emit.write(f"phi {kind} {arms}"), wide))
    for member, name, wide in found:
        emit.define(member, name, wide)


def _masked(emit: Emitter, node: Node, data: Branch, index: Element) -> None:
    """Lanes part: each branch runs if some lane takes it, and gives to those alone."""
    results = _results(emit, node)
    order = _order(emit, data)
    first = order[0]
    if emit.plan.of(data.blocks[first]):
        # Not poison: a lane without part in it may still be compared.
        current = ["zeroinitializer" for _ in results]
        rest = order
    else:  # it computes nothing: its values are there already
        current = [emit.use(data.outs[first][p], m.type, True) for m, p in results]
        rest = order[1:]
    for k in rest:
        current = _one_case(emit, data, k, (index, results, current))
    for (member, _), name in zip(results, current, strict=True):
        emit.names[(member, True)] = name


def _order(emit: Emitter, data: Branch) -> list[int]:
    """The branches, those that compute nothing first."""
    return sorted(
        range(len(data.blocks)), key=lambda k: bool(emit.plan.of(data.blocks[k]))
    )


def _one_case(emit: Emitter, data: Branch, k: int, state: tuple) -> list[str]:
    index, results, current = state
    mask = _taken(emit, index, k, len(data.blocks))
    if emit.mask is not None:
        mask = emit.write(f"and {vector('bool', emit.lanes)} {mask}, {emit.mask}")
    run, after = emit.new_label("case"), emit.new_label("after")
    some, before = any_lane(emit, mask), emit.label
    emit.do(f"br i1 {some}, label %{run}, label %{after}")
    emit.start(run)
    outer, emit.mask = emit.mask, mask
    outs = [data.outs[k][position] for _, position in results]
    block_function.write(emit, data.blocks[k], outs)
    emit.mask = outer
    chosen = []
    for (member, position), old in zip(results, current, strict=True):
        value = emit.use(data.outs[k][position], member.type, True)
        kind = vector(member.type, emit.lanes)
        bools = vector("bool", emit.lanes)
        chosen.append(
            emit.write(f"select {bools} {mask}, {kind} {value}, {kind} {old}")
        )
    last = emit.label
    emit.do(f"br label %{after}")
    emit.start(after)
    merged = []
    for (member, _), old, new in zip(results, current, chosen, strict=True):
        kind = vector(member.type, emit.lanes)
        merged.append(emit.write(f"phi {kind} [{old}, %{before}], [{new}, %{last}]"))
    return merged


def _taken(emit: Emitter, index: Element, k: int, count: int) -> str:
    """The lanes that take branch k; out of range is the nearest branch."""
    type = index.type if isinstance(index, Node) else "int64"
    word, kind = emit.use(index, type, True), vector(type, emit.lanes)
    if type == "bool":
        if k == 1:
            return word
        return emit.write(f"xor {kind} {word}, splat (i1 true)")
    word_for = "sle" if k == 0 else "sge" if k == count - 1 else "eq"
    return emit.write(f"icmp {word_for} {kind} {word}, splat (i64 {k})")


# -------------------------------------------------------------- calls and spills


def call(emit: Emitter, node: Node) -> None:
    """An outlined function, all of whose values are spread over the lanes."""
    function: Function = node.data
    if function.kind == "large":
        _call_through_memory(emit, node)
        return
    words = [
        emit.use(a, p.type, True)
        for a, p in zip(node.args, function.params, strict=True)
    ]
    take = called(emit, function, words, emit.lanes)
    for member, position in _results(emit, node):
        emit.names[(member, emit.lanes > 1)] = take(position)


def abreast(emit: Emitter, node: Node) -> None:
    """A function of one number, of several: a lane each, where lanes are free."""
    function: Function = node.data
    words = [emit.use(a, "float64", True) for a in node.args]
    if emit.lanes > 1:
        taken = [called(emit, function, [word], emit.lanes) for word in words]
    else:
        taken = _side_by_side(emit, function, words)
    for member, place in _results(emit, node):
        position, lane = divmod(place, len(words))
        emit.names[(member, emit.lanes > 1)] = taken[lane](position)


def _side_by_side(emit: Emitter, function: Function, words: list[str]) -> list[Taken]:
    """Lanes that are left over repeat the first."""
    lanes = 1 << (len(words) - 1).bit_length()
    kind = vector("float64", lanes)
    row = "poison"
    for k in range(lanes):
        word = words[k if k < len(words) else 0]
        row = emit.write(f"insertelement {kind} {row}, double {word}, i64 {k}")
    take = called(emit, function, [row], lanes)

    def of_lane(lane: int) -> Taken:
        def part(position: int) -> str:
            whole = f"{kind} {take(position)}, i64 {lane}"
            return emit.write(f"extractelement {whole}")

        return part

    return [of_lane(k) for k in range(len(words))]


def called(emit: Emitter, function: Function, words: list[str], lanes: int) -> Taken:
    """A call with so many lanes; it gives the name of each result."""
    args = ", ".join(
        f"{vector(p.type, lanes)} {word}"
        for p, word in zip(function.params, words, strict=True)
    )
    kind = returned(function.types, lanes)
    name = emit.callee(function, lanes)
    result = emit.write(f"call {kind} @{name}({args})")
    return lambda k: emit.write(f"extractvalue {kind} {result}, {k}")


def _call_through_memory(emit: Emitter, node: Node) -> None:
    """A call whose arguments and results lie in slots of scratch memory.

    Results have slots of this call's own: they are there until it is made again.
    """
    function: Function = node.data
    first = emit.memory.of_function(function)
    for k, (param, a) in enumerate(zip(function.params, node.args, strict=True)):
        value = emit.resolve(a)
        if emit.passed.get(param) is not value:  # else the last call has left it there
            word = emit.use(value, param.type, True)
            access.store_slot(emit, first + k, param.type, word)
            emit.passed[param] = value
    for called_inside in calls_in(emit.plan, function.block):
        for param in emit.plan.live.functions[called_inside].params:
            emit.passed.pop(param, None)
    results = emit.memory.reserve(len(function.outs))
    for member, position in _results(emit, node):
        emit.memory.slot_of[member] = results + position
        emit.filled.add(member)
    args = f"ptr %scratch, ptr {access.slot_place(emit, results)}"
    name = emit.callee(function, emit.lanes)
    if not allowance.may_take_long(emit.plan, function.block):
        emit.do(f"call void @{name}({args})")
        return
    # Only here is it known which lanes take part in its loops.
    if emit.lanes > 1:
        args += f", {vector('bool', emit.lanes)} {emit.mask or 'splat (i1 true)'}"
    left = emit.write(f"call i1 @{name}({args}, ptr %allowance)")
    allowance.leave_with(emit, left)


def spill(emit: Emitter, node: Node) -> None:
    """Write elements to memory, for someone who will index them."""
    for buffer in emit.plan.live.buffers:
        if buffer.writer is node:
            for k, element in enumerate(node.args):
                access.store_column(emit, buffer, k, element)


def load(emit: Emitter, node: Node) -> None:
    access.load(emit, node)


def update(emit: Emitter, node: Node) -> None:
    """Write elements of a mutable buffer, one after another."""
    buffer, before = node.data
    parts = node.args[before:]
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    if emit.memory.of_lane(buffer) is not None:
        lane_rows.store(emit, buffer, pairs)
        return
    for index, value in pairs:
        access.store_memory(emit, buffer, index, value)


def copy_all(emit: Emitter, node: Node) -> None:
    """A column of a buffer from another, or of one element: a small loop."""
    buffer, column, _ = node.data
    if emit.memory.of_lane(buffer) is not None:
        lane_rows.fill(emit, buffer, column)
        return

    def turn(counter: str) -> None:
        place = emit.named(
            "int64", access.in_steps(emit, counter, column.first, column.stride)
        )
        access.store_memory(
            emit, buffer, place, access.of_column(emit, column, counter)
        )

    emit.repeat(column.count, turn)


FLOW: dict[str, Callable[[Emitter, Node], None]] = {
    "loop": loop,
    "branch": branch,
    "call": call,
    "abreast": abreast,
    "series": series,
    "spill": spill,
    "load": load,
    "update": update,
    "copy_all": copy_all,
    "any_lane": neighbour,
}
