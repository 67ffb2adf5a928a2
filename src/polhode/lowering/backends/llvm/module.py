"""A whole LLVM module: one entry that runs a range of systems, lanes at a time.

    i64 run(ptr* inputs, ptr* outputs, ptr scratch, i64 first, i64 last)

It gives `last`, or the first system that was not run, where its allowance was spent:
that word lies behind the pointers to outputs (see `allowance`).
An argument with a batch axis lies as the user has it, [system][element]. Lanes past the
last system repeat it, and write the same bits to the same place: no masks, no copies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from polhode.lowering.backends.llvm import access, allowance, lane_rows
from polhode.lowering.backends.llvm.buffers import Memory
from polhode.lowering.backends.llvm.emit import Emitter
from polhode.lowering.backends.llvm.lanes import find_varying
from polhode.lowering.backends.llvm.text import (
    IN_MEMORY,
    SCALAR,
    SLOT,
    returned,
    vector,
)
from polhode.lowering.ir.graph import Buffer, Element
from polhode.lowering.ir.program import ScalarProgram
from polhode.lowering.ir.schedule import Function, Schedule, size_of
from polhode.lowering.ir.strided_views import LONG, Column, columns_of, roots_of

RUN = 128  # stores in a row
ATTRIBUTES = {"rare": "noinline cold", "shared": "noinline", "inline": "alwaysinline"}
RARE = '!0 = !{!"branch_weights", i32 1, i32 1000000}'
_INTRINSIC = re.compile(r"call ([^@]+) @(llvm\.[\w.]+)\(")


@dataclass(frozen=True)
class Module:
    """Text for LLVM, and the scratch memory that a thread needs to run it."""

    text: str
    scratch_bytes: int


def write_module(
    program: ScalarProgram, plan: Schedule, batched: list[bool], lanes: int
) -> Module:
    sizes = [buffer.size for buffer in program.inputs]
    varying = find_varying(plan, batched)
    apart = lane_rows.apart_buffers(plan, varying, program.outputs) if lanes > 1 else {}
    memory = Memory(plan, batched, sizes, apart)
    emit = Emitter(plan, lanes, varying, memory)
    prologue = _prologue(program, plan, batched, lanes)
    emit.label, emit.leaves = "systems", "ret i64 %system"
    emit.size = size_of(plan, program.graph.top)
    _turn_inputs(emit, program)
    emit.block(program.graph.top, roots_of(program.outputs))
    _store_outputs(emit, program)
    cost = allowance.cost_of(plan, program.graph.top)
    _epilogue(emit, cost)
    _require_filled(emit)
    functions = _functions(emit)
    body = "\n".join([*prologue, *emit.lines])
    text = "\n".join([*memory.globals(), *functions, *emit.functions, body])
    text = text.replace("%LATCH", f"%{emit.label}")
    return Module(
        "\n".join([*_declarations(text), text, RARE]), memory.slots * SLOT * lanes
    )


def _require_filled(emit: Emitter) -> None:
    """No function reads a slot that nothing fills: it would compute with anything."""
    empty = [node for node in emit.needs if node not in emit.filled]
    if empty:
        raise AssertionError(f"never written: {empty[0].op} and {len(empty) - 1} more")


def _prologue(
    program: ScalarProgram, plan: Schedule, batched: list, lanes: int
) -> list:
    lines = [
        "define i64 @run(ptr noalias %in, ptr noalias %out, ptr noalias %scratch, "
        "i64 %first, i64 %last) alignstack(64) {",
        "entry:",
    ]
    for k in range(len(program.inputs)):
        lines += _pointer("in", k)
    for k in range(len(program.outputs)):
        lines += _pointer("out", k)
    place = len(program.outputs)
    lines += [
        f"  %allowance = getelementptr inbounds i64, ptr %out, i64 {place}",
        "  %final = sub i64 %last, 1",
        "  %never = icmp slt i64 %last, 0",
        "  br label %systems",
        "systems:",
        "  %system = phi i64 [%first, %entry], [%following, %LATCH]",
    ]
    for lane in range(lanes):
        lines += [
            f"  %plain.{lane} = add i64 %system, {lane}",
            f"  %at.{lane} = call i64 @llvm.smin.i64(i64 %plain.{lane}, i64 %final)",
        ]
    for k, buffer in enumerate(program.inputs):
        if batched[k]:
            lines += _lane_pointers("in", k, buffer.size, IN_MEMORY[buffer.type], lanes)
    for k, value in enumerate(program.outputs):
        kind = IN_MEMORY[program.output_types[k]]
        lines += _lane_pointers("out", k, value.size, kind, lanes)
    return lines


def _pointer(word: str, k: int) -> list[str]:
    return [
        f"  %{word}.p{k} = getelementptr inbounds ptr, ptr %{word}, i64 {k}",
        f"  %{word}{k} = load ptr, ptr %{word}.p{k}",
    ]


def _lane_pointers(word: str, k: int, size: int, kind: str, lanes: int) -> list[str]:
    lines = []
    for lane in range(lanes):
        lines += [
            f"  %{word}{k}.o{lane} = mul i64 %at.{lane}, {size}",
            f"  %{word}{k}.{lane} = getelementptr inbounds {kind}, ptr %{word}{k}, "
            f"i64 %{word}{k}.o{lane}",
        ]
    return lines


def _turn_inputs(emit: Emitter, program: ScalarProgram) -> None:
    """Long arguments side by side in scratch memory: a loop, and whole vectors then.

    Lane by lane, LLVM's time for so many loads would grow with their square.
    """
    own = lane_rows.own_inputs(emit.plan, emit.varying)
    for buffer in program.inputs:
        if not _is_turned(emit, buffer.size) or not emit.memory.batched[buffer.slot]:
            continue
        if buffer in own:
            continue  # a place of each lane's own is read as well where it is
        beside = Buffer("column", buffer.type, buffer.size)
        emit.memory.add(beside)

        def turn(
            counter: str, buffer: Buffer = buffer, beside: Buffer = beside
        ) -> None:
            whole = Column(0, 1, buffer.size, None, buffer, 0, 1)
            value = access.of_column(emit, whole, counter)
            access.store_column(emit, beside, emit.named("int64", counter), value)

        emit.repeat(buffer.size, turn)
        emit.memory.move(buffer, beside)


def _is_turned(emit: Emitter, size: int) -> bool:
    return emit.lanes > 1 and size >= LONG


def _store_outputs(emit: Emitter, program: ScalarProgram) -> None:
    for k, value in enumerate(program.outputs):
        type, columns = program.output_types[k], columns_of(value)
        if columns is not None:
            _store_columns(emit, k, columns, type)
            continue
        elements = value.reshape(-1).tolist()
        if _is_turned(emit, len(elements)):
            _store_turned(emit, k, elements, type)
            continue
        for j, element in enumerate(elements):
            if j and j % RUN == 0:
                _split(emit)
            _store_element(emit, k, str(j), element, type)


def _split(emit: Emitter) -> None:
    """A branch never taken: LLVM's time grows with the square of a run of stores."""
    following = emit.new_label("more")
    emit.do(f"br i1 %never, label %done, label %{following}")
    emit.start(following)


def _store_turned(emit: Emitter, k: int, elements: list[Element], type: str) -> None:
    """Whole vectors to scratch memory, and a loop that gives each lane its own."""
    beside = Buffer("column", type, len(elements))
    emit.memory.add(beside)
    for j, element in enumerate(elements):
        access.store_column(emit, beside, j, element)
    whole = Column(0, 1, len(elements), None, beside, 0, 1)
    _store_columns(emit, k, [whole], type)


def _store_columns(emit: Emitter, k: int, columns: list[Column], type: str) -> None:
    """A long output that lies in memory in columns: a loop."""
    source = columns[0].source
    if source is not None and lane_rows.is_all_of(emit, columns[0]):
        lane_rows.copy_out(emit, source, k)
        return

    def turn(counter: str) -> None:
        for column in columns:
            value = access.of_column(emit, column, counter)
            place = access.in_steps(emit, counter, column.first, column.stride)
            _store_element(emit, k, place, value, type)

    emit.repeat(columns[0].count, turn)


def _store_element(emit: Emitter, k: int, j: str, element: object, type: str) -> None:
    wide, one = emit.is_wide(element), SCALAR[type]
    word = emit.use(element, type, wide)
    for lane in range(emit.lanes):
        value = word
        if wide:
            kind = vector(type, emit.lanes)
            value = emit.write(f"extractelement {kind} {word}, i64 {lane}")
        stored = one
        if type == "bool":
            value, stored = emit.write(f"zext i1 {value} to i8"), "i8"
        place = emit.write(
            f"getelementptr inbounds {stored}, ptr %out{k}.{lane}, i64 {j}"
        )
        emit.do(f"store {stored} {value}, ptr {place}")


def _epilogue(emit: Emitter, cost: int) -> None:
    """The next systems; the end of all; where a call is left before its end."""
    lanes, more = emit.lanes, emit.new_label("more")
    emit.do(f"%following = add i64 %system, {lanes}")
    emit.do("%goes.on = icmp slt i64 %following, %last")
    emit.do(f"br i1 %goes.on, label %{more}, label %done")
    emit.start(more)
    block = emit.write(f"udiv i64 %following, {lanes}")
    allowance.count(emit, block, cost, "ret i64 %following")
    emit.do("br label %systems")
    emit.lines += ["done:", "  ret i64 %last", *emit.exits, "}"]


def _functions(emit: Emitter) -> list[str]:
    """What is called, and what that calls, each once for a number of lanes."""
    texts: dict[str, str] = {}
    waiting = dict(emit.callees)
    everything = set(emit.plan.live.nodes)
    while waiting:
        name, (function, lanes) = waiting.popitem()
        if function.kind == "large":
            inner = emit.inner()
            inner.callees = {}
            texts[name] = _large_function(inner, name, function)
        else:
            inner = Emitter(emit.plan, lanes, everything, emit.memory)
            texts[name] = _function(inner, name, function)
        waiting |= {k: v for k, v in inner.callees.items() if k not in texts}
    return [texts[name] for name in sorted(texts)]


def _large_function(emit: Emitter, name: str, function: Function) -> str:
    """A function that finds its arguments in scratch memory, and may be cut.

    One with loops that may take long is told which lanes take part, and says whether
    it was left because the allowance is spent.
    """
    first = emit.memory.of_function(function)
    emit.memory.slot_of.update((p, first + k) for k, p in enumerate(function.params))
    emit.filled.update(function.params)
    waits = allowance.may_take_long(emit.plan, function.block)
    kind, params = "void", ["ptr noalias %scratch", "ptr noalias %results"]
    if waits:
        kind, emit.leaves = "i1", "ret i1 true"
        if emit.lanes > 1:
            emit.mask = "%mask"
            params.append(f"{vector('bool', emit.lanes)} %mask")
        params.append("ptr %allowance")
    emit.size = size_of(emit.plan, function.block)
    emit.block(function.block, function.outs)
    outs = zip(function.outs, function.types, strict=True)
    for k, (element, type) in enumerate(outs):
        at = k * SLOT * emit.lanes
        place = emit.write(f"getelementptr inbounds i8, ptr %results, i64 {at}")
        word = emit.use(element, type, True)
        emit.do(f"store {vector(type, emit.lanes)} {word}, ptr {place}, align {SLOT}")
    _require_filled(emit)
    head = f"define internal {kind} @{name}({', '.join(params)}) noinline {{"
    end = "  ret i1 false" if waits else "  ret void"
    return "\n".join([head, "entry:", *emit.lines, end, *emit.exits, "}"])


def _function(emit: Emitter, name: str, function: Function) -> str:
    """An outlined part: everything in it is spread over the lanes."""
    lanes = emit.lanes
    kinds = [vector(t, lanes) for t in function.types]
    args = []
    for k, param in enumerate(function.params):
        args.append(f"{vector(param.type, lanes)} %p{k}")
        emit.names[(param, lanes > 1)] = f"%p{k}"
    emit.in_one_piece(function.block)
    result, kind = "poison", returned(function.types, lanes)
    for k, (element, type) in enumerate(
        zip(function.outs, function.types, strict=True)
    ):
        word = emit.use(element, type, True)
        result = emit.write(f"insertvalue {kind} {result}, {kinds[k]} {word}, {k}")
    head = f"define internal {kind} @{name}({', '.join(args)})"
    return "\n".join(
        [
            f"{head} {ATTRIBUTES[function.kind]} {{",
            "entry:",
            *emit.lines,
            f"  ret {kind} {result}",
            "}",
        ]
    )


def _declarations(text: str) -> list[str]:
    """LLVM wants its intrinsics declared."""
    found: dict[str, str] = {}
    for match in _INTRINSIC.finditer(text):
        name = match[2]
        if name not in found:
            end = text.index("\n", match.end()) if "\n" in text[match.end() :] else None
            call = text[match.end() : end]
            kinds = ", ".join(_argument_types(call[: call.rindex(")")]))
            found[name] = f"declare {match[1]} @{name}({kinds})"
    return sorted(found.values())


def _argument_types(arguments: str) -> list[str]:
    """The types in 'double %a, <8 x i1> %b, i1 false', nesting respected."""
    kinds, depth, word = [], 0, ""
    for letter in arguments + ",":
        depth += (letter in "<(" and 1) or 0
        depth -= (letter in ">)" and 1) or 0
        if letter == "," and depth == 0:
            word = word.strip()
            end = word.index(">") + 1 if word.startswith("<") else word.index(" ")
            kinds.append(word[:end])
            word = ""
        else:
            word += letter
    return kinds
