"""A whole kernel: one thread a system, and the next one when it is done.

    run(in0, ..., out0, ..., scratch, threads, count)

Batched arguments lie as the user has them, [system][element], or turned,
[element][system], so that neighbouring threads read neighbouring places. Scratch memory
is always turned: [slot][thread].
"""

from __future__ import annotations

from dataclasses import dataclass

from polhode.lowering.backends.cuda.flow import function_name, of_column, result_name
from polhode.lowering.backends.cuda.operations import IN_MEMORY, SCALAR, literal
from polhode.lowering.backends.cuda.prelude import PRELUDE
from polhode.lowering.backends.cuda.write import Writer, table_name
from polhode.lowering.backends.llvm.buffers import Memory
from polhode.lowering.ir.program import ScalarProgram
from polhode.lowering.ir.schedule import Function, Schedule
from polhode.lowering.ir.strided_views import columns_of

NUMBERS_A_LINE = 4


@dataclass(frozen=True)
class Source:
    """Text in C, and the slots of 8 bytes of scratch memory that a thread needs."""

    text: str
    slots: int


def write_source(
    program: ScalarProgram, plan: Schedule, batched: list[bool], turned: bool = False
) -> Source:
    """The text of a program, for arguments in the user's layout or turned."""
    memory = Memory(plan, batched, [buffer.size for buffer in program.inputs])
    functions = [plan.live.functions[name] for name in sorted(plan.live.functions)]
    parts = [
        PRELUDE,
        f"#define ELEMENT(k) ({'(k) * count' if turned else 'k'})",
        "#define SLOT(k) (slots + (k) * threads)",
        *_tables(memory),
        *(line for f in functions for line in _declaration(f)),
        *(_function(f, plan, memory) for f in functions),
        _kernel(program, plan, memory, turned),
    ]
    return Source("\n".join(parts) + "\n", memory.slots)


def _tables(memory: Memory) -> list[str]:
    lines = []
    for buffer in memory.tables:
        assert buffer.values is not None
        items = [literal(v, buffer.type) for v in buffer.values.tolist()]
        rows = [
            "    " + ", ".join(items[k : k + NUMBERS_A_LINE])
            for k in range(0, len(items), NUMBERS_A_LINE)
        ]
        name = f"{table_name(memory, buffer)}[{buffer.size}]"
        lines.append(f"TABLE {IN_MEMORY[buffer.type]} {name} = {{")
        lines += [",\n".join(rows), "};"]
    return lines


# -------------------------------------------------------------------- functions


def _head(function: Function) -> str:
    params = [f"{SCALAR[p.type]} p{k}" for k, p in enumerate(function.params)]
    if function.kind == "large":  # it may have loops, and these have memory
        params = ["u64 *const slots", "const i64 threads", *params]
    result, name = result_name(function), function_name(function)
    return f"OUTLINED {result} {name}({', '.join(params)})"


def _declaration(function: Function) -> list[str]:
    fields = " ".join(f"{SCALAR[t]} r{k};" for k, t in enumerate(function.types))
    return [f"struct {result_name(function)} {{ {fields} }};", f"{_head(function)};"]


def _function(function: Function, plan: Schedule, memory: Memory) -> str:
    """A part that is called from several places, or seldom."""
    write = Writer(plan, memory)
    write.names.update((p, f"p{k}") for k, p in enumerate(function.params))
    write.block(function.block)
    pairs = zip(function.outs, function.types, strict=True)
    results = ", ".join(write.use(element, type) for element, type in pairs)
    write.say(f"return {{{results}}};")
    return "\n".join([f"{_head(function)} {{", *write.lines, "}"])


# ----------------------------------------------------------------------- kernel


def _kernel(
    program: ScalarProgram, plan: Schedule, memory: Memory, turned: bool
) -> str:
    write = Writer(plan, memory)
    write.open("EACH_THREAD")
    if memory.slots or any(f.kind == "large" for f in plan.live.functions.values()):
        write.say("u64 *const slots = scratch + thread;")
    write.open("for (i64 system = thread; system < count; system += threads)")
    _pointers(write, program, turned)
    write.block(program.graph.top)
    _store_outputs(write, program)
    write.close()
    write.close()
    return "\n".join([f"{_signature(program)} {{", *write.lines, "}"])


def _signature(program: ScalarProgram) -> str:
    ins = [
        f"const {IN_MEMORY[b.type]} *RESTRICT in{k}"
        for k, b in enumerate(program.inputs)
    ]
    outs = [
        f"{IN_MEMORY[t]} *RESTRICT out{k}" for k, t in enumerate(program.output_types)
    ]
    rest = ["u64 *RESTRICT scratch", "i64 threads", "i64 count"]
    return f"KERNEL run({', '.join([*ins, *outs, *rest])})"


def _pointers(write: Writer, program: ScalarProgram, turned: bool) -> None:
    """Where the system's own arguments and results begin."""
    for k, buffer in enumerate(program.inputs):
        own = _offset(buffer.size, turned) if write.memory.batched[k] else ""
        write.say(f"const {IN_MEMORY[buffer.type]} *const a{k} = in{k}{own};")
    for k, (value, type) in enumerate(
        zip(program.outputs, program.output_types, strict=True)
    ):
        own = _offset(value.size, turned)
        write.say(f"{IN_MEMORY[type]} *const z{k} = out{k}{own};")


def _offset(size: int, turned: bool) -> str:
    """What is added to a pointer to come to a system's own part."""
    return " + system" if turned else f" + system * {size}"


def _store_outputs(write: Writer, program: ScalarProgram) -> None:
    for k, value in enumerate(program.outputs):
        type, columns = program.output_types[k], columns_of(value)
        if columns is None:
            for j, element in enumerate(value.reshape(-1).tolist()):
                write.say(f"z{k}[ELEMENT({j})] = {write.use(element, type)};")
            continue
        i = write.fresh("k")
        write.open(f"for (i64 {i} = 0; {i} < {columns[0].count}; ++{i})")
        for column in columns:
            place = f"({column.first} + {i} * {column.stride})"
            text = of_column(write, column, i, type)
            write.say(f"z{k}[ELEMENT({place})] = {text};")
        write.close()
