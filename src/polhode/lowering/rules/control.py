"""Loops and branches: they stay loops and branches, specialised by what is known.

A loop's body is lowered by a fixpoint: first every carried element is taken to keep its
initial value, known or not; those that the body changes are demoted to varying and the
body is lowered again. Zeros that a dense body carries round thus cost nothing. A carried
integer that grows by a constant becomes a multiple of the loop's counter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.lowering.graph import (
    Block,
    Branch,
    Buffer,
    Element,
    Loop,
    Node,
    key_of,
)
from polhode.lowering.program import Key, Lowering, Value, is_key, lift, type_of
from polhode.lowering.rules.indexing import pick
from polhode.lowering.scalars import INTEGERS

SELECT_AT_MOST = 48  # operations of all branches together, run rather than branched

Body = Callable[[list[Element], Element], tuple[list[Element], list[Element]]]


# --------------------------------------------------------- values as flat elements


@dataclass(frozen=True)
class Layout:
    """The shapes and types by which a list of values is one flat list of elements."""

    avals: tuple[Any, ...]

    def types(self) -> list[str]:
        out: list[str] = []
        for aval in self.avals:
            count = int(np.prod(aval.shape, dtype=int))
            out += ["uint32"] * (2 * count) if is_key(aval) else [type_of(aval)] * count
        return out

    def flatten(self, values: Any) -> list[Element]:
        out: list[Element] = []
        for value in values:
            for element in lift(value).flat:
                if isinstance(element, Key):
                    out += [element.first, element.second]
                else:
                    out.append(element)
        return out

    def rebuild(self, elements: list[Element]) -> list[Value]:
        out, start = [], 0
        for aval in self.avals:
            value = np.empty(int(np.prod(aval.shape, dtype=int)), object)
            for k in range(value.size):
                if is_key(aval):
                    value[k] = Key(elements[start], elements[start + 1])
                    start += 2
                else:
                    value[k] = elements[start]
                    start += 1
            out.append(value.reshape(aval.shape))
        return out


def same_element(a: Element, b: Element) -> bool:
    return a is b or key_of(a) == key_of(b)


# ------------------------------------------------------------------------- scan


def scan(low: Lowering, equation: Any, *arguments: Value) -> list[Value]:
    p = equation.params
    first, second = p["num_consts"], p["num_consts"] + p["num_carry"]
    constants, carry, xs = (
        arguments[:first],
        arguments[first:second],
        arguments[second:],
    )
    if p["length"] == 0:
        empty = [v.aval for v in equation.outvars[len(carry) :]]
        return [*carry, *(np.zeros(a.shape, type_of(a)) for a in empty)]
    job = Scan(low, equation, list(constants), list(carry), list(xs))
    if low.reading or p["length"] == 1:
        return job.unrolled()
    key = (id(p["jaxpr"]), p["length"])
    if not low.unroll.get(key, False):
        rolled = job.rolled()
        size = count_code(job.loop)
        low.unroll[key] = size * p["length"] <= low.unroll_at_most
        if not low.unroll[key]:
            return rolled
    return job.unrolled()


class Scan:
    """One `scan`, to be unrolled or kept as a loop."""

    def __init__(self, low: Lowering, equation: Any, constants, carry, xs):
        self.low, self.equation = low, equation
        self.constants, self.carry, self.xs = constants, carry, xs
        self.jaxpr, self.length = equation.params["jaxpr"], equation.params["length"]
        self.reverse = equation.params["reverse"]
        avals = [v.aval for v in self.jaxpr.jaxpr.outvars]
        self.carried = Layout(tuple(avals[: len(carry)]))
        self.stacked = Layout(tuple(avals[len(carry) :]))
        self.loop: Loop

    def step(self, carry: list[Value], x: list[Value]) -> tuple[list, list]:
        body = self.jaxpr
        outs = self.low.interpret(body.jaxpr, body.consts, *self.constants, *carry, *x)
        return outs[: len(carry)], outs[len(carry) :]

    def unrolled(self) -> list[Value]:
        carry, rows = self.carry, []
        order = range(self.length)
        for t in reversed(order) if self.reverse else order:
            carry, row = self.step(carry, [x[t, ...] for x in self.xs])
            rows.append([lift(y) for y in row])
        rows = rows[::-1] if self.reverse else rows
        return [*carry, *(np.stack(column) for column in zip(*rows, strict=True))]

    def rolled(self) -> list[Value]:
        inits = self.carried.flatten(self.carry)
        places: list[Element] = []

        def body(carry: list[Element], counter: Element) -> tuple[list, list]:
            index = counter
            if self.reverse:
                index = self.low.build.sub(self.length - 1, counter, "int64")
                self.low.ranges[index] = (0, self.length - 1)
            places[:] = [index]
            x = [self._slice(k, index) for k in range(len(self.xs))]
            new, ys = self.step(self.carried.rebuild(carry), x)
            return self.carried.flatten(new), self.stacked.flatten(ys)

        finals, ys, node = build_loop(
            self.low, self.length, body, inits, self.carried.types()
        )
        self.loop = node.data
        columns = self._store(node, ys, places[0])
        return [*self.carried.rebuild(finals), *self._stack(columns)]

    def _slice(self, k: int, index: Element) -> Value:
        """x[index] for the loop's own index."""
        x, variable = self.xs[k], self.equation.invars[-len(self.xs) :][k]
        if is_key(variable.aval):
            return self._slice_keys(lift(x), index)
        type, lifted = type_of(variable.aval), lift(x)
        out = np.empty(x.shape[1:], object)
        for place in np.ndindex(out.shape):
            items = [lifted[(t, *place)] for t in range(self.length)]
            out[place] = pick(self.low, items, index, type, few=2)
        return out

    def _slice_keys(self, x: Value, index: Element) -> Value:
        out = np.empty(x.shape[1:], object)
        for place in np.ndindex(out.shape):
            keys = [x[(t, *place)] for t in range(self.length)]
            first = pick(self.low, [k.first for k in keys], index, "uint32", few=2)
            second = pick(self.low, [k.second for k in keys], index, "uint32", few=2)
            out[place] = Key(first, second)
        return out

    def _store(self, node: Node, ys: list[Element], index: Element) -> list[list]:
        """Each stacked element: known in all turns, or a column in memory."""
        columns = []
        for y, type in zip(ys, self.stacked.types(), strict=True):
            if not isinstance(y, Node) or y.block.depth < self.loop.body.depth:
                columns.append([y] * self.length)
                continue
            buffer = Buffer("column", type, self.length, writer=node, group=self.loop)
            self.loop.stores.append((buffer, index, y))
            columns.append([self.low.graph.load(buffer, t) for t in range(self.length)])
        return columns

    def _stack(self, columns: list[list]) -> list[Value]:
        """The rows of the columns, rebuilt as values with the turn as first axis."""
        rows = [
            self.stacked.rebuild([column[t] for column in columns])
            for t in range(self.length)
        ]
        return [np.stack(values) for values in zip(*rows, strict=True)]


# ------------------------------------------------------------------ the fixpoint


def build_loop(
    low: Lowering, trip: int, body: Body, inits: list[Element], types: list[str]
) -> tuple[list[Element], list[Element], Node]:
    """A loop of known length: final carries, last outputs of the body, and its node."""
    varying = [False] * len(inits)
    while True:
        loop, carried = open_loop(low, trip, inits, types, varying)
        outs, ys = within(low, loop.body, lambda c=carried, l=loop: body(c, l.counter))
        changed = demote(inits, outs, varying)
        if not changed:
            break
    steps = induction(loop, outs, types, varying)
    if steps:
        loop, carried = open_loop(low, trip, inits, types, varying, steps)
        outs, ys = within(low, loop.body, lambda: body(carried, loop.counter))
    close_loop(loop, outs, varying, steps)
    node = low.graph.unique("loop", "", nodes_of(loop.inits), loop)
    finals = finals_of(low, node, inits, types, varying, steps)
    return finals, ys, node


def open_loop(low, trip, inits, types, varying, steps=None) -> tuple[Loop, list]:
    """A fresh loop whose varying carries are phis."""
    head = Block(low.graph.current)
    body = head if trip is not None else Block(head, barrier=False)
    before, low.graph.current = low.graph.current, head
    counter = low.graph.unique("counter", "int64", ())
    if trip is not None:
        low.ranges[counter] = (0, trip - 1)
    loop = Loop(head, body, trip, counter, [], [])
    carried = []
    for k, (init, type) in enumerate(zip(inits, types, strict=True)):
        if steps and k in steps:
            carried.append(_multiple(low, counter, trip, init, steps[k], type))
        elif varying[k]:
            phi = low.graph.unique("phi", type, (), (loop, len(loop.phis)))
            loop.phis.append(phi)
            loop.inits.append(init)
            carried.append(phi)
        else:
            carried.append(init)
    low.graph.current = before
    return loop, carried


def _multiple(low: Lowering, counter: Node, trip: int, init: int, step: int, type: str):
    """init + step * counter, its range noted."""
    scaled = low.build.mul(step, counter, "int64")
    value = low.build.add(scaled, init, "int64")
    ends = (init, init + step * (trip - 1))
    bounds = (min(ends), max(ends))
    low.ranges[value] = bounds
    if type != "int64":
        value = low.build.apply("convert", type, value, data="int64")
        low.ranges[value] = bounds
    return value


def within(low: Lowering, block: Block, job: Callable[[], Any]) -> Any:
    before, low.graph.current = low.graph.current, block
    try:
        return job()
    finally:
        low.graph.current = before


def demote(inits: list[Element], outs: list[Element], varying: list[bool]) -> bool:
    """Mark the carries that the body changes; say whether there were new ones."""
    changed = False
    for k, (init, out) in enumerate(zip(inits, outs, strict=True)):
        if not varying[k] and not same_element(init, out):
            varying[k] = changed = True
    return changed


def induction(loop: Loop, outs: list, types: list, varying: list) -> dict[int, int]:
    """Carried integers that start at a constant and grow by a constant."""
    steps: dict[int, int] = {}
    phis = iter(zip(loop.phis, loop.inits, strict=True))
    for k, out in enumerate(outs):
        if not varying[k]:
            continue
        phi, init = next(phis)
        if types[k] not in INTEGERS or isinstance(init, Node):
            continue
        if isinstance(out, Node) and out.op == "add" and out.args[0] is phi:
            if not isinstance(out.args[1], Node):
                steps[k] = out.args[1]
    limit = 2**31
    return {k: s for k, s in steps.items() if abs(s) * (loop.trip or 0) < limit}


def close_loop(loop: Loop, outs: list[Element], varying: list, steps: dict) -> None:
    loop.outs = [
        out for k, out in enumerate(outs) if varying[k] and not (steps and k in steps)
    ]


def finals_of(low, node: Node, inits, types, varying, steps) -> list[Element]:
    finals, position = [], 0
    for k, (init, type) in enumerate(zip(inits, types, strict=True)):
        if steps and k in steps:
            finals.append(init + steps[k] * node.data.trip)
        elif varying[k]:
            finals.append(low.graph.make("proj", type, (node,), position))
            position += 1
        else:
            finals.append(init)
    return finals


def nodes_of(elements: list[Element]) -> tuple[Node, ...]:
    return tuple(e for e in elements if isinstance(e, Node))


def count_code(loop: Loop) -> int:
    """Operations in a loop's blocks, those of inner loops and branches included."""
    total = 0
    for block in {loop.head, loop.body}:
        total += count_block(block)
    return total


def count_block(block: Block) -> int:
    total = len(block.table)
    for node in block.structured:
        if node.op == "loop":
            total += count_code(node.data)
        else:
            total += sum(map(count_block, node.data.blocks))
    return total


# ------------------------------------------------------------------------ while


def while_loop(low: Lowering, equation: Any, *arguments: Value) -> list[Value]:
    p = equation.params
    n_cond, n_body = p["cond_nconsts"], p["body_nconsts"]
    cond_consts = arguments[:n_cond]
    body_consts = arguments[n_cond : n_cond + n_body]
    layout = Layout(tuple(v.aval for v in equation.outvars))
    inits, types = layout.flatten(arguments[n_cond + n_body :]), layout.types()

    def run(closed: Any, constants: Any, carried: list[Element]) -> list[Value]:
        values = layout.rebuild(carried)
        return low.interpret(closed.jaxpr, closed.consts, *constants, *values)

    if low.reading:
        return _while_known(low, run, p, (cond_consts, body_consts), layout, inits)
    varying = [False] * len(inits)
    while True:
        loop, carried = open_loop(low, None, inits, types, varying)
        holds = within(
            low, loop.head, lambda c=carried: run(p["cond_jaxpr"], cond_consts, c)
        )
        loop.condition = lift(holds[0])[()]
        new = within(
            low, loop.body, lambda c=carried: run(p["body_jaxpr"], body_consts, c)
        )
        outs = layout.flatten(new)
        if not demote(inits, outs, varying):
            break
    if loop.condition is False:
        return layout.rebuild(inits)
    close_loop(loop, outs, varying, {})
    node = low.graph.unique("loop", "", nodes_of(loop.inits), loop)
    return layout.rebuild(finals_of(low, node, inits, types, varying, {}))


def _while_known(low, run, p, constants, layout: Layout, carried: list[Element]):
    """For readers: a loop whose condition is known at each turn unrolls."""
    from polhode.lowering.program import Unlowerable

    for _ in range(10_000):
        holds = lift(run(p["cond_jaxpr"], constants[0], carried)[0])[()]
        if isinstance(holds, Node):
            raise Unlowerable("while", "its number of turns depends on the data")
        if not holds:
            return layout.rebuild(carried)
        carried = layout.flatten(run(p["body_jaxpr"], constants[1], carried))
    raise Unlowerable("while", "it did not end within 10 000 turns")


# ------------------------------------------------------------------------- cond


def cond(low: Lowering, equation: Any, which: Value, *arguments: Value) -> list[Value]:
    branches = equation.params["branches"]
    layout = Layout(tuple(v.aval for v in equation.outvars))
    kind = type_of(equation.invars[0].aval)
    index = lift(which)[()]
    if not isinstance(index, Node):
        chosen = branches[min(max(int(index), 0), len(branches) - 1)]
        return low.interpret(chosen.jaxpr, chosen.consts, *arguments)
    index, kind = as_boolean(index, kind, len(branches))
    before = low.graph.current
    blocks, outs = [], []
    for branch in branches:
        block = Block(before, barrier=True)
        values = within(
            low,
            block,
            lambda b=branch: low.interpret(b.jaxpr, b.consts, *arguments),
        )
        blocks.append(block)
        outs.append(layout.flatten(values))
    if low.reading or sum(map(count_block, blocks)) <= SELECT_AT_MOST:
        return _selected(low, equation, (index, kind), layout, arguments)
    return _branched(low, (index, kind), layout, Branch(blocks, outs))


def as_boolean(index: Node, kind: str, count: int) -> tuple[Element, str]:
    """The predicate behind an integer index of two branches."""
    if count == 2 and index.op == "convert" and index.data == "bool":
        return index.args[0], "bool"
    return index, kind


def _selected(low, equation, index, layout: Layout, arguments) -> list[Value]:
    """Cheap branches: run all, select."""
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


def _branched(low, index, layout: Layout, branch: Branch) -> list[Value]:
    which, kind = index
    if kind != "bool":
        which = low.build.apply("convert", "int64", which, data=kind)
    keep = [
        k
        for k, options in enumerate(zip(*branch.outs, strict=True))
        if not all(same_element(o, options[0]) for o in options)
    ]
    finals = list(branch.outs[0])
    branch.outs = [[outs[k] for k in keep] for outs in branch.outs]
    node = low.graph.unique("branch", "", (which,), branch)
    types = layout.types()
    for position, k in enumerate(keep):
        finals[k] = low.graph.make("proj", types[k], (node,), position)
    return layout.rebuild(finals)


RULES = {"scan": scan, "while": while_loop, "cond": cond}
