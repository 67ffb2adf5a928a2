"""`scan` and `while`: unrolled if short, else loops."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np

from polhode.arrays import KEPT
from polhode.lowering.ir.graph import Element, Loop, Node
from polhode.lowering.ir.program import (
    Key,
    Lowering,
    Unlowerable,
    Value,
    is_key,
    lift,
    type_of,
)
from polhode.lowering.ir.stored import Stored, elements
from polhode.lowering.rules.indexing import affine, pick, pick_known
from polhode.lowering.rules.layout import Layout
from polhode.lowering.rules.loops import Carry, build_loop, count_code, store_columns
from polhode.lowering.rules.memory import load
from polhode.lowering.trace.trace import (
    ClosedJaxpr,
    Equation,
    indexed_inputs,
    scan_counts,
)

LONGEST = 64  # turns: what repeats more often gains little from being special


def scan(low: Lowering, equation: Equation, *arguments: Value) -> list[Value]:
    p = equation.params
    first, carried = scan_counts(p)
    second = first + carried
    constants, carry, xs = (
        arguments[:first],
        arguments[first:second],
        arguments[second:],
    )
    if p["length"] == 0:
        empty = [v.aval for v in equation.outvars[len(carry) :]]
        return [*carry, *(np.zeros(a.shape, type_of(a)) for a in empty)]
    job = Scan(low, equation, (list(constants), list(carry), list(xs)))
    asked = p.get("unroll", 1)
    is_straight = low.reading or low.straight or p["length"] == 1
    if is_straight or (asked > 1 and asked >= p["length"]):
        return job.unrolled()
    key = (id(p["jaxpr"]), p["length"])
    if not low.unroll.get(key, False):
        before = dict(low.latest)
        rolled = job.rolled()
        size = count_code(job.loop)
        short = p["length"] <= LONGEST
        few = size * p["length"] <= low.unroll_at_most
        low.unroll[key] = short and few and not is_kept(p["jaxpr"])
        if not low.unroll[key]:
            return rolled
        low.latest = before
    return job.unrolled()


def is_kept(body: ClosedJaxpr) -> bool:
    """Whether the body of a loop is marked to stay one: it calls one function."""
    equations = body.jaxpr.eqns
    return len(equations) == 1 and equations[0].params.get("name") == KEPT


class Scan:
    """One `scan`, to be unrolled or kept as a loop."""

    def __init__(self, low: Lowering, equation: Equation, arguments: tuple):
        self.low, self.equation = low, equation
        self.constants, self.carry, self.xs = arguments
        self.jaxpr, self.length = equation.params["jaxpr"], equation.params["length"]
        self.reverse = equation.params["reverse"]
        self.avals = [v.aval for v in self.jaxpr.jaxpr.outvars]
        self.stacked = Layout(tuple(self.avals[len(self.carry) :]))
        self.loop: Loop

    def step(self, carry: list[Value], x: list[Value]) -> tuple[list, list]:
        body = self.jaxpr
        outs = self.low.interpret(body.jaxpr, body.consts, *self.constants, *carry, *x)
        return outs[: len(carry)], outs[len(carry) :]

    def unrolled(self) -> list[Value]:
        carry, rows = self.carry, []
        order = range(self.length)
        for t in reversed(order) if self.reverse else order:
            carry, row = self.step(carry, [elements(x)[t, ...] for x in self.xs])
            rows.append([lift(y) for y in row])
        rows = rows[::-1] if self.reverse else rows
        return [*carry, *(np.stack(column) for column in zip(*rows, strict=True))]

    def rolled(self) -> list[Value]:
        place: list[Element] = [0]

        def body(
            carry: list[Value], counter: Node
        ) -> tuple[list[Value], list[Element]]:
            index: Element = counter
            if self.reverse:
                index = self.low.build.sub(self.length - 1, counter, "int64")
                self.low.ranges[index] = (0, self.length - 1)
            place[0] = index
            x = [self._slice(k, index) for k in range(len(self.xs))]
            new, ys = self.step(carry, x)
            return new, self.stacked.flatten(ys)

        avals, first = self.avals[: len(self.carry)], len(self.constants)
        read = indexed_inputs(self.jaxpr.jaxpr) if is_kept(self.jaxpr) else ()
        indexed = {k - first for k in read}
        carry = Carry(avals, self.carry, self.equation, indexed)
        finals, ys, node = build_loop(self.low, self.length, carry, body)
        self.loop = node.data
        types = self.stacked.types()
        columns = store_columns(self.low, node, place[0], ys, types)
        return [*finals, *self.stacked.stack(columns, self.length)]

    def _slice(self, k: int, index: Element) -> Value:
        """x[index] for the loop's own index."""
        x, variable = self.xs[k], self.equation.invars[-len(self.xs) :][k]
        type, is_known = type_of(variable.aval), x.dtype != object
        out = np.empty(x.shape[1:], object)
        if isinstance(x, Stored):  # its other rows need no names
            for n, place in enumerate(np.ndindex(out.shape)):
                at = affine(self.low, index, n, out.size)
                out[place] = load(self.low, x.buffer, x.version, at)
            return out
        for place in np.ndindex(out.shape):
            column = x[(slice(None), *place)]
            if is_key(variable.aval):
                first, second = [i.first for i in column], [i.second for i in column]
                out[place] = Key(
                    pick(self.low, first, index, "uint32", few=2),
                    pick(self.low, second, index, "uint32", few=2),
                )
            elif is_known:
                out[place] = pick_known(self.low, column, index, type)
            else:
                out[place] = pick(self.low, column.tolist(), index, type, few=2)
        return out


def while_loop(low: Lowering, equation: Equation, *arguments: Value) -> list[Value]:
    p = equation.params
    n_cond, n_body = p["cond_nconsts"], p["body_nconsts"]
    cond_consts = arguments[:n_cond]
    body_consts = arguments[n_cond : n_cond + n_body]
    values = list(arguments[n_cond + n_body :])
    cond_jaxpr, body_jaxpr = p["cond_jaxpr"], p["body_jaxpr"]
    avals = [v.aval for v in equation.outvars]

    def goes_on(carried: list[Value]) -> Value:
        closed, consts = cond_jaxpr, cond_jaxpr.consts
        return lift(low.interpret(closed.jaxpr, consts, *cond_consts, *carried)[0])

    def holds(carried: list[Value]) -> Element:
        return reduce(partial(low.build.logical, "or"), goes_on(carried).flat, False)

    def turn(carried: list[Value], _: object | None = None) -> tuple[list[Value], None]:
        new = low.interpret(body_jaxpr.jaxpr, body_jaxpr.consts, *body_consts, *carried)
        if not cond_jaxpr.out_avals[0].shape:
            return new, None
        which = goes_on(carried)  # the loop of a vmap: each row ends by its own
        triples = zip(new, carried, avals, strict=True)
        return [_keep_ended(low, which, *triple) for triple in triples], None

    if low.reading:
        return _while_known(holds, turn, values)
    first = holds(values)
    if not isinstance(first, Node) and not first:
        return values
    carry = Carry(avals, values, equation)
    finals, _, _ = build_loop(low, None, carry, turn, holds)
    return finals


def _keep_ended(
    low: Lowering, which: Value, new: Value, old: Value, aval: Any
) -> Value:
    """Rows whose condition holds are new, the others as they were."""
    layout = Layout((aval,))
    inner = (1,) * (len(aval.shape) - which.ndim)
    rows = np.broadcast_to(which.reshape(which.shape + inner), aval.shape).reshape(-1)
    flat = [layout.flatten([value]) for value in (new, old)]
    marks = np.repeat(rows, 2) if is_key(aval) else rows
    parts = zip(marks, *flat, layout.types(), strict=True)
    return layout.rebuild([low.build.select(*part) for part in parts])[0]


def _while_known(holds: Any, turn: Any, values: list[Value]) -> list[Value]:
    """For readers: a loop whose condition is known at each turn unrolls."""
    for _ in range(10_000):
        more = holds(values)
        if isinstance(more, Node):
            raise Unlowerable("while", "its number of turns depends on the data")
        if not more:
            return values
        values, _ = turn(values)
    raise Unlowerable("while", "it did not end within 10 000 turns")


RULES = {"scan": scan, "while": while_loop}
