"""A trace as a list of NumPy functions: calls are inlined, constants computed once.

Nothing is compiled. What a function costs is its trace, and then some microseconds an
operation each time it is asked; XLA would need seconds for a function of a thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polhode.lowering.evaluation import elementwise, factors, moving
from polhode.lowering.ir.program import type_of
from polhode.lowering.ir.scalars import TYPES
from polhode.lowering.trace.trace import (
    ClosedJaxpr,
    Equation,
    Literal,
    expanded,
    scan_counts,
)

MAKERS = {**elementwise.MAKERS, **moving.MAKERS, **factors.MAKERS}
CALLS = {
    *("jit", "closed_call", "eval_jaxpr", "custom_jvp_call", "custom_vjp_call"),
    *("remat2", "checkpoint", "custom_linear_solve", "call_hi_primitive"),
    "polhode_native",
}
TURNS = 20  # that a loop of unknown length is taken to make
LARGEST_CONSTANT = 100_000  # elements: what is larger is not kept between calls


class Unplanned(Exception):
    """There is no NumPy function for this; XLA has one."""


class Step(NamedTuple):
    """One operation: a function, the places it reads, the place or places it writes."""

    function: Callable[..., Any]
    reads: tuple[int, ...]
    writes: int | tuple[int, ...]


class Plan:
    """The operations of a trace, and what they cost: a number of NumPy calls."""

    def __init__(self, trace: ClosedJaxpr):
        draft = Draft()
        inputs = [draft.new() for _ in trace.jaxpr.invars]
        outputs = draft.inline(trace, inputs)
        steps = draft.needed(outputs)
        self.cost = sum(getattr(step.function, "cost", 1) for step in steps)
        self.steps, self.start, self.inputs, self.outputs = _placed(
            steps, draft.known, inputs, outputs
        )

    def __call__(self, *values: Any) -> list[Any]:
        """What the trace gives for arrays of its types."""
        places = self.start.copy()
        for place, value in zip(self.inputs, values, strict=True):
            places[place] = value
        for function, reads, writes in self.steps:
            found = function(*[places[k] for k in reads])
            if isinstance(writes, int):
                places[writes] = found
            else:
                for place, each in zip(writes, found, strict=True):
                    places[place] = each
        return [places[k] for k in self.outputs]


class Draft:
    """Steps in the order of the trace, each value in a place of its own."""

    def __init__(self) -> None:
        self.count = 0
        self.known: dict[int, Any] = {}  # constants, by place
        self.steps: list[Step] = []

    def new(self) -> int:
        self.count += 1
        return self.count - 1

    def constant(self, value: Any) -> int:
        place = self.new()
        self.known[place] = value
        return place

    def inline(self, trace: ClosedJaxpr, inputs: list[int]) -> list[int]:
        """The steps of a trace; the places of what it gives."""
        closed = isinstance(trace, ClosedJaxpr)
        jaxpr, constants = (trace.jaxpr, trace.consts) if closed else (trace, ())
        places: dict[Any, int] = dict(zip(jaxpr.invars, inputs, strict=True))
        for variable, value in zip(jaxpr.constvars, constants, strict=True):
            places[variable] = self.constant(_number(variable, value))

        def place(atom: Any) -> int:
            if isinstance(atom, Literal):
                return self.constant(_number(atom, atom.val))
            return places[atom]

        for equation in jaxpr.eqns:
            reads = [*map(place, equation.invars)]
            if equation.primitive.name in CALLS:
                body, chosen = _called(equation, reads)
                found = self.inline(body, chosen)
            else:
                found = self._step(equation, reads)
            places.update(zip(equation.outvars, found, strict=True))
        return [*map(place, jaxpr.outvars)]

    def _step(self, equation: Equation, reads: list[int]) -> list[int]:
        function = _function(equation)
        many = equation.primitive.multiple_results
        if all(k in self.known for k in reads) and _is_small(equation):
            found = function(*(self.known[k] for k in reads))
            return [self.constant(each) for each in (found if many else [found])]
        out = [self.new() for _ in equation.outvars]
        self.steps.append(Step(function, tuple(reads), tuple(out) if many else out[0]))
        return out

    def needed(self, outputs: list[int]) -> list[Step]:
        """The steps without those whose results nobody reads."""
        read, kept = set(outputs), []
        for step in reversed(self.steps):
            if any(k in read for k in _written(step)):
                read.update(step.reads)
                kept.append(step)
        return kept[::-1]


def _placed(
    steps: list[Step], known: dict[int, Any], inputs: list[int], outputs: list[int]
) -> tuple[list[Step], list[Any], list[int], list[int]]:
    """The steps with few places: one that is not read again is written anew.

    So arrays are let go as soon as they can be. Constants keep their places.
    """
    last = {k: n for n, step in enumerate(steps) for k in step.reads}
    last.update(dict.fromkeys(outputs, len(steps)))
    start: list[Any] = []
    place: dict[int, int] = {}
    free: list[int] = []

    def give(value: int) -> int:
        if value not in place:
            if free and value not in known:
                place[value] = free.pop()
            else:
                start.append(known.get(value))
                place[value] = len(start) - 1
        return place[value]

    given = [give(k) for k in inputs]
    out = []
    for n, (function, reads, writes) in enumerate(steps):
        here = tuple(give(k) for k in reads)
        ended = {k for k in reads if last[k] == n and k not in known}
        wrote = writes if isinstance(writes, tuple) else (writes,)
        there = tuple(give(k) for k in wrote)
        ended |= {k for k in wrote if k not in last}
        free += [place[k] for k in ended]
        out.append(Step(function, here, there if writes is wrote else there[0]))
    return out, start, given, [give(k) for k in outputs]


def _written(step: Step) -> tuple[int, ...]:
    return step.writes if isinstance(step.writes, tuple) else (step.writes,)


def _number(atom: Any, value: Any) -> Any:
    """A constant of the trace, in the type that it has there."""
    name = type_of(atom.aval)
    if name not in TYPES:
        raise Unplanned(f"a constant of type {name}")
    found = np.array(value, name)
    return found[()]


def _is_small(equation: Equation) -> bool:
    return all(np.prod(v.aval.shape) <= LARGEST_CONSTANT for v in equation.outvars)


def _called(equation: Equation, reads: list[int]) -> tuple[Any, list[int]]:
    """The body of a call, and the places of its arguments."""
    name, p = equation.primitive.name, equation.params
    if name == "custom_linear_solve":  # only its `solve` runs forward
        lengths = p["const_lengths"]
        before = lengths.matvec + lengths.vecmat
        constants = reads[before : before + lengths.solve]
        return p["jaxprs"].solve, [*constants, *reads[sum(lengths) :]]
    if name == "call_hi_primitive":
        return expanded(equation), reads
    if name == "polhode_native":
        return p["function"].trace(p["batch"]), reads
    return p.get("jaxpr") or p.get("call_jaxpr") or p.get("fun_jaxpr"), reads


def _function(equation: Equation) -> Callable[..., Any]:
    name = equation.primitive.name
    for variable in equation.outvars:
        if type_of(variable.aval) not in TYPES:
            raise Unplanned(f"{name} gives {type_of(variable.aval)}")
    maker = LOOPS.get(name) or MAKERS.get(name)
    if maker is None:
        raise Unplanned(name)
    try:
        return maker(equation)
    except NotImplementedError as error:
        raise Unplanned(f"{name}: {error}") from None


# ------------------------------------------------------------ loops and branches


class Scan:
    """A loop over rows."""

    def __init__(self, equation: Equation):
        p = equation.params
        self.length, self.reverse = p["length"], p["reverse"]
        self.first, self.carried = scan_counts(p)
        self.body = Plan(p["jaxpr"])
        self.rows = [v.aval for v in equation.outvars[self.carried :]]
        self.cost = max(1, self.length) * (self.body.cost + 1)

    def __call__(self, *values: Any) -> list[Any]:
        constants = values[: self.first]
        carry = [*values[self.first : self.first + self.carried]]
        tables = values[self.first + self.carried :]
        out = [np.empty(aval.shape, type_of(aval)) for aval in self.rows]
        turns = range(self.length)
        for k in reversed(turns) if self.reverse else turns:
            found = self.body(*constants, *carry, *(table[k] for table in tables))
            carry = found[: self.carried]
            for column, row in zip(out, found[self.carried :], strict=True):
                column[k] = row
        return [*carry, *out]


class While:
    """A loop until a condition no longer holds: of any row, where there are many."""

    def __init__(self, equation: Equation):
        p = equation.params
        self.condition, self.body = Plan(p["cond_jaxpr"]), Plan(p["body_jaxpr"])
        self.first, self.second = p["cond_nconsts"], p["body_nconsts"]
        self.cost = TURNS * (self.condition.cost + self.body.cost)

    def __call__(self, *values: Any) -> list[Any]:
        ahead, inner = values[: self.first], values[self.first :][: self.second]
        carry = [*values[self.first + self.second :]]
        while True:
            goes_on = self.condition(*ahead, *carry)[0]
            if not np.any(goes_on):
                return carry
            new = self.body(*inner, *carry)
            carry = new if np.ndim(goes_on) == 0 else _kept(goes_on, new, carry)


def _kept(goes_on: Any, new: list[Any], old: list[Any]) -> list[Any]:
    """Rows whose condition holds are new, the others as they were."""

    def either(a: Any, b: Any) -> Any:
        inner = (1,) * (np.ndim(a) - goes_on.ndim)
        return np.where(goes_on.reshape(goes_on.shape + inner), a, b)

    return [either(a, b) for a, b in zip(new, old, strict=True)]


class Branch:
    """One of several traces, chosen by a number."""

    def __init__(self, equation: Equation):
        self.sides = [Plan(each) for each in equation.params["branches"]]
        self.cost = max(side.cost for side in self.sides) + 1

    def __call__(self, which: Any, *values: Any) -> list[Any]:
        return self.sides[min(max(int(which), 0), len(self.sides) - 1)](*values)


LOOPS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "scan": Scan,
    "while": While,
    "cond": Branch,
}
