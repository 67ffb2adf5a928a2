"""Reading and writing buffers: all lanes together, or each from its own place."""

from __future__ import annotations

from polhode.lowering.backends.llvm.emit import Emitter
from polhode.lowering.backends.llvm.text import IN_MEMORY, SCALAR, SLOT, vector
from polhode.lowering.ir.graph import Buffer, Element, Node
from polhode.lowering.ir.strided_views import Column


def load(emit: Emitter, node: Node) -> None:
    buffer, index = node.data, node.args[0]
    wide = emit.is_wide(node)
    if emit.memory.is_in_scratch(buffer):
        name = load_column(emit, buffer, index)
    elif wide and (buffer.kind == "input" or emit.is_wide(index)):
        name = load_lanes(emit, buffer, index)
    else:
        pointer = emit.memory.base(buffer)
        name = read(emit, pointer, buffer.type, emit.use(index, "int64", False))
    emit.define(node, name, wide)


def in_steps(emit: Emitter, counter: str, start: int, step: int) -> str:
    scaled = emit.write(f"mul i64 {counter}, {step}")
    return emit.write(f"add i64 {scaled}, {start}")


def of_column(emit: Emitter, column: Column, counter: str) -> Element:
    """The element of a column in one turn of a loop over it."""
    buffer = column.source
    if buffer is None:
        return column.element
    place = in_steps(emit, counter, column.start, column.step)
    value = Node("load", buffer.type, (emit.named("int64", place),), buffer)
    is_one = buffer.kind == "input" and not emit.memory.batched[buffer.slot]
    if buffer.kind != "table" and not is_one:
        emit.varying.add(value)
    load(emit, value)
    return value


def read(emit: Emitter, pointer: str, type: str, index: str) -> str:
    stored = IN_MEMORY[type]
    place = emit.write(f"getelementptr inbounds {stored}, ptr {pointer}, i64 {index}")
    value = emit.write(f"load {stored}, ptr {place}")
    return emit.write(f"trunc i8 {value} to i1") if type == "bool" else value


def load_lanes(emit: Emitter, buffer: Buffer, index: Element) -> str:
    """One scalar a lane, each from its own place."""
    wide, out = vector(buffer.type, emit.lanes), "poison"
    apart = emit.is_wide(index)
    all_places = emit.use(index, "int64", apart)
    for lane in range(emit.lanes):
        place = all_places
        if apart:
            kind = vector("int64", emit.lanes)
            place = emit.write(f"extractelement {kind} {all_places}, i64 {lane}")
        value = read(emit, emit.memory.base(buffer, lane), buffer.type, place)
        one = SCALAR[buffer.type]
        out = emit.write(f"insertelement {wide} {out}, {one} {value}, i64 {lane}")
    return out


def slot(emit: Emitter, buffer: Buffer, index: Element) -> str:
    """The address of a scratch column at a uniform index: all lanes together."""
    offset, stride = emit.memory.place(buffer)
    size = SLOT * emit.lanes
    if not isinstance(emit.resolve(index), Node):
        at = str((offset + emit.resolve(index) * stride) * size)
    else:
        word = emit.use(index, "int64", False)
        scaled = emit.write(f"mul i64 {word}, {stride * size}")
        at = emit.write(f"add i64 {scaled}, {offset * size}")
    return emit.write(f"getelementptr inbounds i8, ptr %scratch, i64 {at}")


def load_column(emit: Emitter, buffer: Buffer, index: Element) -> str:
    if emit.is_wide(index) or emit.memory.of_lane(buffer) is not None:
        return gather_column(emit, buffer, index)
    place = slot(emit, buffer, index)
    if buffer.type == "bool":
        stored = f"<{emit.lanes} x i8>" if emit.lanes > 1 else "i8"
        value = emit.write(f"load {stored}, ptr {place}")
        kind = vector("bool", emit.lanes)
        return emit.write(f"trunc {stored} {value} to {kind}")
    kind = vector(buffer.type, emit.lanes)
    return emit.write(f"load {kind}, ptr {place}, align {SLOT}")


def gather_column(emit: Emitter, buffer: Buffer, index: Element) -> str:
    """Each lane from its own index of a column."""
    wide, out = vector(buffer.type, emit.lanes), "poison"
    for lane, address in enumerate(lane_places(emit, buffer, index)):
        value = read(emit, address, buffer.type, "0")
        one = SCALAR[buffer.type]
        out = emit.write(f"insertelement {wide} {out}, {one} {value}, i64 {lane}")
    return out


def lane_places(
    emit: Emitter, buffer: Buffer, index: Element, mask: str | None = None
) -> list[str]:
    """Addresses in a column; lanes without part get the place behind its end."""
    offset, stride = emit.memory.place(buffer)
    places, kind = emit.use(index, "int64", True), vector("int64", emit.lanes)
    if mask is not None:
        # Quicker than to read what is there, and to write it again.
        bools, behind = vector("bool", emit.lanes), f"splat (i64 {buffer.size})"
        places = emit.write(f"select {bools} {mask}, {kind} {places}, {kind} {behind}")
    size = SLOT * emit.lanes
    step, item = stride * size, 1 if buffer.type == "bool" else _bytes(buffer.type)
    own = emit.memory.of_lane(buffer)
    if own is not None:
        step, item = SLOT, own * SLOT
    out = []
    for lane in range(emit.lanes):
        place = emit.write(f"extractelement {kind} {places}, i64 {lane}")
        scaled = emit.write(f"mul i64 {place}, {step}")
        at = emit.write(f"add i64 {scaled}, {offset * size + lane * item}")
        out.append(emit.write(f"getelementptr inbounds i8, ptr %scratch, i64 {at}"))
    return out


def store_memory(emit: Emitter, buffer: Buffer, index: Element, value: Element) -> None:
    """Write to a mutable buffer, in the lanes that take part."""
    if not emit.is_wide(index):
        store_column(emit, buffer, index, value, emit.mask)
        return
    word, kind = emit.use(value, buffer.type, True), vector(buffer.type, emit.lanes)
    for lane, address in enumerate(lane_places(emit, buffer, index, emit.mask)):
        one = emit.write(f"extractelement {kind} {word}, i64 {lane}")
        stored = IN_MEMORY[buffer.type]
        if buffer.type == "bool":
            one = emit.write(f"zext i1 {one} to i8")
        emit.do(f"store {stored} {one}, ptr {address}")


def store_column(
    emit: Emitter,
    buffer: Buffer,
    index: Element,
    value: Element,
    mask: str | None = None,
) -> None:
    place = slot(emit, buffer, index)
    word = emit.use(value, buffer.type, True)
    kind = vector(buffer.type, emit.lanes)
    if mask is not None:
        old, bools = load_column(emit, buffer, index), vector("bool", emit.lanes)
        word = emit.write(f"select {bools} {mask}, {kind} {word}, {kind} {old}")
    if buffer.type == "bool":
        stored = f"<{emit.lanes} x i8>" if emit.lanes > 1 else "i8"
        word, kind = emit.write(f"zext {kind} {word} to {stored}"), stored
    emit.do(f"store {kind} {word}, ptr {place}, align {SLOT}")


def store_slot(emit: Emitter, number: int, type: str, word: str) -> None:
    """A value spread over the lanes into a slot of scratch memory."""
    kind, place = vector(type, emit.lanes), slot_place(emit, number)
    emit.do(f"store {kind} {word}, ptr {place}, align {SLOT}")


def slot_place(emit: Emitter, number: int) -> str:
    at = number * SLOT * emit.lanes
    return emit.write(f"getelementptr inbounds i8, ptr %scratch, i64 {at}")


def _bytes(type: str) -> int:
    return {"double": 8, "i64": 8, "i32": 4, "i16": 2, "i8": 1}[SCALAR[type]]
