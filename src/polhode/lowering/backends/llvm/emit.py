"""The text of a program in LLVM: straight runs of operations, memory, values.

A value that is the same in every lane (loop counters, arguments shared by the batch) is
computed once, as a scalar, and spread over the lanes where it meets one that is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from polhode.lowering.backends.llvm.buffers import Memory
from polhode.lowering.backends.llvm.operations import template
from polhode.lowering.backends.llvm.text import (
    SCALAR,
    SLOT,
    literal,
    suffix,
    vector,
)
from polhode.lowering.ir.graph import Block, Buffer, Element, Node
from polhode.lowering.ir.scalars import operand_type
from polhode.lowering.ir.schedule import Function, Schedule

_FIELD = re.compile(r"\{([^}]*)\}")


Store = tuple[Buffer, Element, Element]  # where, at which index, what


class Emitter:  # limit: the words in which all code is written
    """Writes the body of one LLVM function, node by node."""

    def __init__(self, plan: Schedule, lanes: int, varying: set[Node], memory: Memory):
        self.plan, self.lanes, self.varying, self.memory = plan, lanes, varying, memory
        self.lines: list[str] = []
        self.names: dict[tuple[Node, bool], str] = {}
        self.alias: dict[Node, Element] = {}
        self.label = "entry"
        self.mask: str | None = None
        # Values that lie in slots of scratch memory, because a part of this function
        # left them there, or, of `needs`, because the function around it does.
        self.filled: set[Node] = set()
        self.needs: dict[Node, None] = {}
        self._fetched: dict[tuple[Node, bool], str] = {}  # since the last label
        self._left: set[Node] = set()  # likewise
        self.passed: dict[Node, Element] = {}  # arguments in their slots, likewise
        self.functions: list[str] = []  # parts of blocks too long for one function
        self.callees: dict[str, tuple[Function, int]] = {}  # and their lanes, by name
        self.holes: list[tuple[int, str]] = []  # phis of open loops
        self.leaves: str | None = None  # how it is left when the allowance is spent
        self.exits: list[str] = []  # blocks by which it is left before its end
        self._next = 0

    # ------------------------------------------------------------------ words

    def fresh(self) -> str:
        self._next += 1
        return f"%v{self._next}"

    def new_label(self, word: str) -> str:
        self._next += 1
        return f"{word}{self._next}"

    def write(self, instruction: str) -> str:
        name = self.fresh()
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        self.lines.append(f"  {instruction}")

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label
        self._fetched.clear()
        self._left.clear()
        self.passed.clear()

    def inner(self) -> Emitter:
        """A writer of a function of its own, in which values of this one are fetched.

        It shares what concerns the whole module.
        """
        made = Emitter(self.plan, self.lanes, self.varying, self.memory)
        made.alias, made.callees = self.alias, self.callees
        made.functions = self.functions
        return made

    # ----------------------------------------------------------------- values

    def resolve(self, element: Element) -> Element:
        while isinstance(element, Node) and element in self.alias:
            element = self.alias[element]
        return element

    def is_wide(self, element: Element) -> bool:
        element = self.resolve(element)
        return self.lanes > 1 and isinstance(element, Node) and element in self.varying

    def use(self, element: Element, type: str, wide: bool) -> str:
        """The operand text of an element, as a scalar or spread over the lanes."""
        element = self.resolve(element)
        if not isinstance(element, Node):
            return literal(element, type, self.lanes if wide else 1)
        name = self.names.get((element, wide and self.lanes > 1))
        return self._fetch(element, wide) if name is None else name

    def _fetch(self, node: Node, wide: bool) -> str:
        """A value from its slot, just where it is used: little waits in registers.

        A load may stand in a branch: what was fetched holds up to the next label.
        """
        is_wide = self.is_wide(node)
        if (node, is_wide) not in self._fetched:
            if node not in self.filled:
                self.needs[node] = None
            place = self._place(node)
            word = self.write(f"load {self._kind(node)}, ptr {place}, align {SLOT}")
            self._fetched[(node, is_wide)] = word
        if (
            wide
            and not is_wide
            and self.lanes > 1
            and (node, True) not in self._fetched
        ):
            word = self.spread(self._fetched[(node, False)], node.type)
            self._fetched[(node, True)] = word
        return self._fetched[(node, wide and self.lanes > 1)]

    def leave(self, node: Node) -> None:
        """A value into its slot, for functions that are called from here on."""
        if node in self._left or node in self.filled or not self.is_named(node):
            return
        word, place = self.use(node, node.type, self.is_wide(node)), self._place(node)
        self.do(f"store {self._kind(node)} {word}, ptr {place}, align {SLOT}")
        self._left.add(node)

    def hand_over(self, inner: Emitter) -> None:
        """What a function that is called next needs of this one."""
        for node in inner.needs:
            if self.is_named(node):
                self.leave(node)
            elif node not in self.filled:
                self.needs[node] = None

    def is_named(self, node: Node) -> bool:
        """Whether this function computes a value itself."""
        return (node, self.is_wide(node)) in self.names

    def _kind(self, node: Node) -> str:
        return vector(node.type, self.lanes if self.is_wide(node) else 1)

    def _place(self, node: Node) -> str:
        at = self.memory.slot(node) * SLOT * self.lanes
        return self.write(f"getelementptr inbounds i8, ptr %scratch, i64 {at}")

    def define(self, node: Node, name: str, wide: bool) -> None:
        """Name a node's value; a scalar is spread at once, for whoever needs it so."""
        self.names[(node, wide)] = name
        if not wide and self.lanes > 1 and node.type:
            self.names[(node, True)] = self.spread(name, node.type)

    def named(self, type: str, name: str) -> Node:
        """A uniform value that is no node of the program, as one."""
        node = Node("counter", type, (), None)
        self.names[(node, False)] = name
        return node

    def spread(self, name: str, type: str) -> str:
        wide, one = vector(type, self.lanes), SCALAR[type]
        seed = self.write(f"insertelement {wide} poison, {one} {name}, i64 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.write(f"shufflevector {wide} {seed}, {wide} poison, {zeros}")

    def repeat(self, count: int, turn: Callable[[str], None]) -> None:
        """A loop that calls `turn` with the name of its counter."""
        before, head = self.label, self.new_label("repeat")
        after = self.new_label("after")
        self.do(f"br label %{head}")
        self.start(head)
        counter, following = self.fresh(), self.fresh()
        self.do(f"{counter} = phi i64 [0, %{before}], [{following}, %{head}]")
        turn(counter)
        self.do(f"{following} = add i64 {counter}, 1")
        more = self.write(f"icmp ult i64 {following}, {count}")
        self.do(f"br i1 {more}, label %{head}, label %{after}")
        self.start(after)

    def callee(self, function: Function, lanes: int) -> str:
        """The name of a function with so many lanes, which is then written too."""
        name = f"{function.name}.{lanes}"
        self.callees[name] = (function, lanes)
        return name

    # -------------------------------------------------------------- operations

    def block(
        self, block: Block, outs: Iterable[Element], stores: Sequence[Store] = ()
    ) -> None:
        """The nodes of a block, and then what it leaves in columns.

        `outs` is what others use of it.
        """
        from polhode.lowering.backends.llvm import outline

        if outline.is_long(self, block):
            outline.Outliner(self, block, outs, stores).write()
        else:
            self.in_one_piece(block, stores)

    def in_one_piece(self, block: Block, stores: Sequence[Store] = ()) -> None:
        """The same, however long: the parts of a cut would not know its parameters."""
        from polhode.lowering.backends.llvm import access, flow

        for node in self.plan.of(block):
            if node.op in ("phi", "counter", "param", "version"):
                continue
            if node.op in flow.FLOW:
                flow.FLOW[node.op](self, node)
            elif node.op == "copy":
                self.alias[node] = node.args[0]
            elif node.op != "proj":  # those are named where their loop ends
                wide = self.is_wide(node)
                self.define(node, self.operation(node, wide), wide)
        for store in stores:
            access.store_column(self, *store)

    def operation(self, node: Node, wide: bool) -> str:
        """Fill the operation's template in."""
        lanes = self.lanes if wide else 1
        pattern = template(node.op, node.type, node.data)
        if pattern is None:
            raise KeyError(f"no LLVM for {node.op} of {node.type}")
        source = operand_type(node.op, node.type, node.data)
        kinds = [source] * len(node.args)
        if node.op == "select":
            kinds = ["bool", node.type, node.type]
        words = [
            self.use(a, kind, wide) for a, kind in zip(node.args, kinds, strict=True)
        ]
        temporaries: list[str] = []
        known = {
            "T": vector(node.type, lanes),
            "S": vector(source, lanes),
            "B": vector("bool", lanes),
            "x": suffix(node.type, lanes),
            "xs": suffix(source, lanes),
            "z": literal(0, node.type, lanes),
            "ones": literal(1 if node.type == "bool" else -1, node.type, lanes)
            if node.type != "float64"
            else "",
            "inf": literal(float("inf"), "float64", lanes),
        }

        def fill(match: re.Match) -> str:
            word = match[1]
            if word.isdigit():
                return words[int(word)]
            if word in known:
                return known[word]
            if word.startswith("lit:"):
                return literal(int(word[4:]), node.type, lanes)
            return temporaries[int(word[1:]) - 1]

        for line in pattern.split("\n"):
            temporaries.append(self.write(_FIELD.sub(fill, line)))
        return temporaries[-1]
