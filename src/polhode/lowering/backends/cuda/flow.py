"""Loops, branches, calls and changes of memory in C.

A thread is a system: it takes its own way through branches, and its own number of turns
through a `while`.
"""

from __future__ import annotations

from collections.abc import Callable

from polhode.lowering.backends.cuda.operations import SCALAR
from polhode.lowering.backends.cuda.write import Writer
from polhode.lowering.ir.graph import Branch, Loop, Node
from polhode.lowering.ir.schedule import Function
from polhode.lowering.ir.strided_views import Column

IN_SCRATCH = "slots, threads"  # what a function with memory of its own is given


def loop(write: Writer, node: Node) -> None:
    """What is carried round lives in variables, declared before the loop."""
    data: Loop = node.data
    carries = sorted(write.plan.live.carries.get(data, ()))
    for k in carries:
        phi, name = data.phis[k], write.fresh("c")
        write.say(f"{SCALAR[phi.type]} {name} = {write.use(data.inits[k], phi.type)};")
        write.names[phi] = write.parts[node, k] = name
    counter = write.fresh("k")
    if data.counter is not None:
        write.names[data.counter] = counter
    stop = "" if data.trip is None else f"{counter} < {data.trip}"
    write.open(f"for (i64 {counter} = 0; {stop}; ++{counter})")
    if data.trip is None:
        write.block(data.head)
        write.say(f"if (!{write.use(data.condition, 'bool')}) break;")
    write.block(data.body)
    _store_columns(write, data)
    _carry_on(write, data, carries)
    write.close()


def _store_columns(write: Writer, data: Loop) -> None:
    for buffer, index, value in data.stores:
        if buffer in write.plan.live.buffers:
            write.store(buffer, write.use(index, "int64"), value)


def _carry_on(write: Writer, data: Loop, carries: list[int]) -> None:
    """All at once: a new value may be another's old one."""
    changed = [k for k in carries if data.outs[k] is not data.phis[k]]
    kinds = [data.phis[k].type for k in changed]
    news = [
        write.constant(kind, write.use(data.outs[k], kind))
        for k, kind in zip(changed, kinds, strict=True)
    ]
    for k, new in zip(changed, news, strict=True):
        write.say(f"{write.names[data.phis[k]]} = {new};")


def branch(write: Writer, node: Node) -> None:
    """One block runs; an index out of range takes the nearest."""
    data: Branch = node.data
    wanted = sorted(write.plan.live.outputs.get(data, ()))
    for k in wanted:
        name = write.parts[node, k] = write.fresh("b")
        write.say(f"{SCALAR[write.kinds[node, k]]} {name};")
    index = node.args[0]
    is_bool = isinstance(index, Node) and index.type == "bool"
    word = write.use(index, "bool" if is_bool else "int64")
    last = len(data.blocks) - 1
    for j in range(last + 1):
        taken = f"if (!{word})" if is_bool else f"if ({word} <= {j})"
        write.open("else" if j == last else taken if j == 0 else f"else {taken}")
        write.block(data.blocks[j])
        for k in wanted:
            value = write.use(data.outs[j][k], write.kinds[node, k])
            write.say(f"{write.parts[node, k]} = {value};")
        write.close()


def call(write: Writer, node: Node) -> None:
    """An outlined function gives a struct."""
    function: Function = node.data
    args = ", ".join(
        write.use(a, p.type) for a, p in zip(node.args, function.params, strict=True)
    )
    if function.kind == "large":
        args = f"{IN_SCRATCH}, {args}"
    result = write.fresh("r")
    write.say(
        f"const {result_name(function)} {result} = {function_name(function)}({args});"
    )
    for k in range(len(function.types)):
        write.parts[node, k] = f"{result}.r{k}"


def function_name(function: Function) -> str:
    """What an outlined function is called in C, where plain names are taken."""
    return f"part_{function.name}"


def result_name(function: Function) -> str:
    """The struct that an outlined function gives."""
    return f"results_{function.name}"


def spill(write: Writer, node: Node) -> None:
    """Write elements to memory, for someone who will index them."""
    for buffer in write.plan.live.buffers:
        if buffer.writer is node:
            for k, element in enumerate(node.args):
                write.store(buffer, str(k), element)


def update(write: Writer, node: Node) -> None:
    """Write elements of a mutable buffer, one after another."""
    buffer, before = node.data
    parts = node.args[before:]
    for index, value in zip(parts[::2], parts[1::2], strict=True):
        write.store(buffer, write.use(index, "int64"), value)


def copy_all(write: Writer, node: Node) -> None:
    """A column of a buffer from another, or of one element."""
    buffer, column, _ = node.data
    k = write.fresh("k")
    write.open(f"for (i64 {k} = 0; {k} < {column.count}; ++{k})")
    value = Node("load", buffer.type, (), None)
    write.names[value] = write.constant(
        buffer.type, of_column(write, column, k, buffer.type)
    )
    write.store(buffer, f"({column.first} + {k} * {column.stride})", value)
    write.close()


def of_column(write: Writer, column: Column, k: str, type: str) -> str:
    """The element of a column in turn k of a loop over it."""
    if column.source is None:
        return write.use(column.element, type)
    return write.read(column.source, f"({column.start} + {k} * {column.step})")


FLOW: dict[str, Callable[[Writer, Node], None]] = {
    "loop": loop,
    "branch": branch,
    "call": call,
    "spill": spill,
    "update": update,
    "copy_all": copy_all,
}
