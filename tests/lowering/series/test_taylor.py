"""Taylor coefficients of solutions against derivatives that JAX takes, one by one."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import polhode as ph
from polhode.arrays import removable
from polhode.lowering.ir.prepare import Prepared
from polhode.lowering.series.taylor import opened, refusal, taylor_coefficients
from polhode.lowering.trace.trace import closed_jaxpr

ORDER = 12
NESTED = 3  # derivatives of derivatives: each takes several times as long as the last
START = np.array([0.7, 1.1])
T0 = 0.3
STEP = 0.1


def turned(u, v, sign):
    """sin(u + sign v) and cos(u + sign v), as products of rotations have them."""
    sine = jnp.sin(u) * jnp.cos(v) + sign * jnp.cos(u) * jnp.sin(v)
    return sine, jnp.cos(v) * jnp.cos(u) - sign * jnp.sin(v) * jnp.sin(u)


def inverse(square):
    """1/r with a guard where there is no distance."""
    closed = square == 0
    return removable(closed, jnp.nan, 1 / jnp.sqrt(removable(closed, 1.0, square)))


# Each is the slope of two numbers; the second may be another function of its kind.
LAWS = {
    "add, sub": lambda t, x: (x[1] + t, -x[0] - 2 * x[1]),
    "mul": lambda t, x: (x[1] * x[0], -x[0] * x[0] * x[1]),
    "div": lambda t, x: (x[1] / x[0], x[0] / (x[1] + x[0])),
    "sqrt": lambda t, x: (jnp.sqrt(x[1]), jnp.sqrt(x[0] * x[1])),
    "rsqrt, cbrt": lambda t, x: (lax.rsqrt(x[1]), jnp.cbrt(x[0] * x[1])),
    "integer powers": lambda t, x: (x[1] ** 3, x[0] ** -4),
    "real powers": lambda t, x: (x[1] ** 0.7, x[0] ** -1.3),
    "powers that vary": lambda t, x: (x[1] ** x[0], 2.0 ** x[0]),
    "inverse cube": lambda t, x: (x[1], -x[0] / jnp.sqrt(x[0] ** 2 + x[1] ** 2) ** 3),
    "sin alone": lambda t, x: (x[1], -jnp.sin(x[0])),
    "sin, cos": lambda t, x: (jnp.sin(x[1]), jnp.cos(x[0] * x[1])),
    "sin of sums": lambda t, x: turned(x[0], x[1], 1.0),
    "sin of differences": lambda t, x: turned(x[1], 0.5 * x[0], -1.0),
    "reciprocal": lambda t, x: (x[1] * (1 / x[0]), x[0] * (1 / (x[1] + x[0]))),
    "guarded root": lambda t, x: (x[1], -x[0] * inverse(x[0] ** 2 + x[1] ** 2) ** 3),
    "tan": lambda t, x: (jnp.tan(x[1]), x[0]),
    "sinh, cosh": lambda t, x: (jnp.sinh(x[1]), jnp.cosh(x[0])),
    "tanh, logistic": lambda t, x: (jnp.tanh(x[1]), jax.nn.sigmoid(x[0])),
    "exp": lambda t, x: (jnp.exp(-x[1]), jnp.exp2(-x[0])),
    "expm1, log1p": lambda t, x: (jnp.expm1(-x[1]), jnp.log1p(x[0])),
    "log": lambda t, x: (jnp.log(x[1]), jnp.log2(x[0])),
    "atan": lambda t, x: (jnp.arctan2(x[1], x[0]), jnp.arctan(x[0])),
    "asin, acos": lambda t, x: (jnp.arcsin(x[1] / 3), jnp.arccos(x[0] / 3)),
    "asinh, acosh": lambda t, x: (jnp.arcsinh(x[1]), jnp.arccosh(1 + x[0])),
    "atanh": lambda t, x: (jnp.arctanh(x[1] / 3), x[0]),
    "erf": lambda t, x: (lax.erf(x[1] / 3), lax.erfc(x[0])),
    "time": lambda t, x: (jnp.sin(3 * t) * x[1], jnp.exp(-t * t)),
    "guarded": lambda t, x: (x[1], jnp.where(x[0] == 0, 1.0, 1 / x[0])),
}
KINKS = {
    "abs": lambda x: jnp.abs(x[1]),
    "max": lambda x: jnp.maximum(x[0], x[1]),
    "floor": lambda x: jnp.floor(x[0]),
    "sign": lambda x: jnp.sign(x[0]),
    "where or select": lambda x: jnp.where(x[1] > 0, x[0], x[1]),
}


def plan(name):
    """How many series of each kind the slope of a law takes."""
    jaxpr, _ = closed_jaxpr(
        lambda t, x: taylor_coefficients(slope(name), t, x, ORDER), T0, START
    )
    nodes = Prepared(jaxpr, "zeros", abreast=8).plan.live.nodes
    (found,) = (node.data for node in nodes if node.op == "series")
    return Counter(s.kind for s in found.series)


def why_not(f, x=START, order=ORDER):
    """What is refused of a slope."""
    with jax.enable_x64(True):
        return refusal(opened(f, 0.0, x)[0], order)


def slope(name):
    """The law of two numbers as one array."""
    return lambda t, x: jnp.stack(LAWS[name](t, x))


@cache
def program(name):
    """t, x -> coefficients, of one system or of many."""

    def coefficients(t, x):
        return taylor_coefficients(slope(name), t, x, ORDER)

    return ph.compile(coefficients, T0, START, backend="llvm", batched=True)


def derivatives(f) -> np.ndarray:
    """The same by Lie's derivatives: D g = dg/dt + (dg/dx) f, over factorials."""
    found, g = [], lambda t, x: x
    with jax.enable_x64(True):
        for k in range(NESTED + 1):
            found.append(np.asarray(g(T0, jnp.asarray(START))) / math.factorial(k))
            g = _along(f, g)
    return np.array(found)


def _along(f, g):
    return lambda t, x: jax.jvp(g, (t, x), (jnp.ones_like(t), f(t, x)))[1]


@pytest.mark.parametrize("name", LAWS)
def test_recurrences_are_the_derivatives_of_the_solution(name):
    """Each coefficient to a few roundings of the largest of its order."""
    found, exact = program(name)(T0, START), derivatives(slope(name))
    size = np.max(np.abs(exact), axis=1, keepdims=True)
    assert np.max(np.abs(found[: len(exact)] - exact) / size) < 2e-13


@pytest.mark.parametrize("name", LAWS)
def test_a_step_is_two_of_half_its_size(name):
    """Coefficients of every order have their part in it, and none may be another's."""

    def moved(t, x, h):
        return np.polynomial.polynomial.polyval(h, program(name)(t, x))

    h, c = STEP, program(name)(T0, START)
    middle = moved(T0, START, h / 2)
    halves = moved(T0 + h / 2, middle, h / 2)
    size = np.max(np.abs(c) * h ** np.arange(ORDER + 1)[:, None], axis=1)
    assert np.max(np.abs(moved(T0, START, h) - halves)) < 2e-14 + 8 * size[-1]


def test_lanes_have_the_bits_of_a_system_alone():
    """Alone series lie side by side; in a batch systems do."""
    draw = np.random.default_rng(3).uniform(0.5, 1.2, (11, 2))
    for name in ("inverse cube", "sin, cos", "atan"):
        many = program(name)(np.full(11, T0), draw)
        for k in (0, 9, 10):
            assert np.array_equal(many[k], program(name)(T0, draw[k]))


def test_plain_nodes_are_as_many_as_the_recurrences_count():
    """Kinds of code without words for series get the same operations as nodes."""
    f = slope("inverse cube")
    jaxpr, _ = closed_jaxpr(lambda x: taylor_coefficients(f, 0.0, x, ORDER), START)
    whole, written = (Prepared(jaxpr, "zeros", abreast=n) for n in (8, 1))
    assert any(node.op == "series" for node in whole.plan.live.nodes)
    assert not any(node.op == "series" for node in written.plan.live.nodes)
    assert abs(written.plan.live.operations() - whole.operations) < 60


def test_guards_hide_no_powers_and_turns_are_waves():
    """1/r^3 is one power, sin(u + v) no product, a quotient no reciprocal besides."""
    guarded, sums, quotients = map(plan, ("guarded root", "sin of sums", "reciprocal"))
    assert guarded["choice"] == 0
    assert (guarded["power"], guarded["product"]) == (1, 3)
    assert (sums["wave"], sums["product"]) == (2, 0)
    assert (quotients["quotient"], quotients["power"]) == (2, 0)


@pytest.mark.parametrize("name", KINKS)
def test_a_kink_is_refused_with_its_line(name):
    """It is named as it is written, with the line of the law."""
    found = why_not(lambda t, x: jnp.stack([KINKS[name](x), -x[0]]))
    assert found.name == name
    assert __file__.rsplit("/", 1)[-1] in found.line


def test_choices_by_time_are_refused_and_choices_by_constants_are_not():
    """A series knows nothing of what begins at another time."""
    late = why_not(lambda t, x: jnp.where(t > 1.0, x, -x))
    assert late.name == "where or select"

    def law(t, x, side):
        return jnp.where(side > 0, x, -x)

    def coefficients(x, side):
        return taylor_coefficients(lambda t, x: law(t, x, side), 0.0, x, 3)

    run = ph.compile(coefficients, START, 1.0, backend="llvm")
    signs = np.array([1.0, -1.0, 1 / 2, -1 / 6])[:, None]
    assert np.allclose(run(START, -1.0), signs * START, rtol=1e-15)


def test_what_is_too_large_is_refused_with_its_size():
    """Half a minute of compiling is not begun."""

    def law(t, x):
        return jnp.stack([x[(k + 1) % 40] * x[k] * x[(k + 7) % 40] for k in range(40)])

    assert why_not(law, np.ones(40), 19) is None
    assert "operations" in why_not(law, np.ones(40), 90).reason
