"""Random small programs: a list of steps, run with NumPy or traced with jax.numpy."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

from hypothesis import strategies as st

CONSTANTS = (0.5, -2.0, 1 / 3, 2**0.5, 3**0.5 / 2, 0.1, 1.2345678901234567)

UNARY = {
    "sin": lambda xp, a: xp.sin(a),
    "cos": lambda xp, a: xp.cos(a),
    "sine of double": lambda xp, a: xp.sin(2 * a),
    "cosine of double": lambda xp, a: xp.cos(2 * a),
    "cosine of half": lambda xp, a: xp.cos(a / 2),
    "square": lambda xp, a: a * a,
    "cube": lambda xp, a: a**3,
    "root": lambda xp, a: xp.sqrt(1 + a * a),
    "power": lambda xp, a: (2 + a * a) ** -1.5,
    "reciprocal": lambda xp, a: 1 / (1 + a * a),
    "tanh": lambda xp, a: xp.tanh(a),
    "gaussian": lambda xp, a: xp.exp(-(a * a)),
    "log": lambda xp, a: xp.log1p(a * a),
    "atan": lambda xp, a: xp.arctan(a),
    "abs": lambda xp, a: xp.abs(a),
    "logistic": lambda xp, a: 1 / (1 + xp.exp(-xp.tanh(a))),
}
BINARY = {
    "add": lambda xp, a, b: a + b,
    "subtract": lambda xp, a, b: a - b,
    "multiply": lambda xp, a, b: a * b,
    "divide": lambda xp, a, b: a / (2 + xp.cos(b)),
    "sine of sum": lambda xp, a, b: xp.sin(a + b),
    "cosine of difference": lambda xp, a, b: xp.cos(a - b),
    "where": lambda xp, a, b: xp.where(a > b, a, 2 * b),
    "max": lambda xp, a, b: xp.maximum(a, b),
    "length": lambda xp, a, b: xp.sqrt(a * a + b * b + 1),
    "angle": lambda xp, a, b: xp.sin(xp.arctan2(a, 1 + b * b)),
}


@dataclass(frozen=True)
class SmallProgram:
    """Steps (name, operand, operand) on a growing list of values."""

    steps: tuple[tuple[str, int, int], ...]

    def run(self, xp: ModuleType, *inputs: Any) -> Any:
        values = [*CONSTANTS, *inputs]
        for name, i, j in self.steps:
            a, b = values[-1 - i % len(values)], values[j % len(values)]
            step = UNARY[name](xp, a) if name in UNARY else BINARY[name](xp, a, b)
            values.append(step)
        return values[-1] + values[-2]


def small_programs(steps: int = 6) -> st.SearchStrategy[SmallProgram]:
    names = st.sampled_from([*UNARY, *BINARY])
    step = st.tuples(names, st.integers(0, 3), st.integers(4, 11))
    return st.builds(
        SmallProgram, st.lists(step, min_size=2, max_size=steps).map(tuple)
    )
