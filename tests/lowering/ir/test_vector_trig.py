"""Waves taken side by side are those taken one by one, and none waits for itself."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import polhode as ph
from polhode.lowering.backends.llvm.module import write_module
from polhode.lowering.ir.prepare import Prepared
from polhode.lowering.trace.trace import closed_jaxpr

ODD = [0.0, -0.0, 1e-300, 0.7, -2.5, 1e5, 2.0**22, -1e9, 1e300, np.inf, -np.inf, np.nan]


def text_of(function, *examples, abreast=8):
    """What LLVM is told of a function for one system."""
    jaxpr, _ = closed_jaxpr(function, *examples)
    ready = Prepared(jaxpr, "zeros", abreast=abreast)
    return write_module(ready.program, ready.plan, [False] * len(examples), 1).text


def bits(values):
    """The same for all that is no number: the sign of one is nobody's business."""
    values = np.asarray(values)
    return np.where(np.isnan(values), np.nan, values).tobytes()


@pytest.mark.parametrize("count", [2, 3, 5, 8, 11])
def test_waves_of_many_angles_are_those_of_each(count):
    """Whatever stands beside an angle: a huge one, an infinite one, none at all."""

    def waves(x):
        return jnp.stack([jnp.sin(x), jnp.cos(x)])

    together = ph.compile(waves, np.zeros(count), backend="llvm")
    alone = ph.compile(waves, np.zeros(1), backend="llvm")
    rng = np.random.default_rng(count)
    for _ in range(40):
        x = rng.choice(ODD, count) * rng.choice([1.0, 1.0, 0.3], count)
        one_by_one = np.concatenate([alone(x[k : k + 1]) for k in range(count)], axis=1)
        assert bits(together(x)) == bits(one_by_one)


def test_angles_that_wait_for_nothing_share_one_call():
    """Three angles take a vector of four lanes; the fourth repeats the first."""
    text = text_of(lambda x: jnp.sin(x) * jnp.cos(x), np.zeros(3))
    assert text.count("@waves.4(") == 2  # its definition, and one call
    assert "@waves" not in text_of(lambda x: jnp.sin(x), np.zeros(3), abreast=1)


def test_an_angle_alone_has_its_waves_as_before():
    """One angle fills no vector."""
    assert "@waves" not in text_of(lambda x: jnp.sin(x) + jnp.cos(x), 0.0)


def test_a_wave_of_a_wave_comes_after_it():
    """sin(cos x) and sin y may not be one call with cos x: one waits for it."""

    def nested(x, y):
        return jnp.sin(jnp.cos(x) + y) + jnp.sin(jnp.cos(y)) + jnp.cos(x * y)

    program = ph.compile(nested, 0.0, 0.0, backend="llvm")
    x, y = 0.7, -1.9
    expected = np.sin(np.cos(x) + y) + np.sin(np.cos(y)) + np.cos(x * y)
    assert program(x, y) == pytest.approx(expected, rel=1e-15)


def test_a_wave_within_a_branch_or_loop_counts_as_waited_for():
    """What a branch and a loop use inside is needed before their results are."""

    def branching(x, y):
        wave = jnp.sin(x)
        here = lax.cond(x > y, lambda: wave * y, lambda: wave + y)
        there = lax.fori_loop(0, 50, lambda k, s: jnp.sin(s) + jnp.cos(s * wave), here)
        return jnp.sin(here) + jnp.cos(y) + jnp.sin(there)

    program = ph.compile(branching, 0.0, 0.0, backend="llvm")
    for x, y in ((0.3, 0.2), (-1.0, 4.0)):
        wave = np.sin(x)
        here = there = wave * y if x > y else wave + y
        for _ in range(50):
            there = np.sin(there) + np.cos(there * wave)
        expected = np.sin(here) + np.cos(y) + np.sin(there)
        assert program(x, y) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_alone_and_in_lanes_the_bits_are_the_same(seed):
    """Of any mixture: in a batch lanes are systems, alone they are angles."""
    rng = np.random.default_rng(seed)
    plan = [(rng.integers(4), *rng.integers(0, 4 + k, 2)) for k in range(60)]

    def mixture(x):
        known = list(x)
        for kind, i, j in plan:
            a, b = known[i], known[j]
            made = (jnp.sin(a), jnp.cos(b), a * b + 0.1, a - 0.5 * b)[kind]
            known.append(made)
        return jnp.stack(known[-20:])

    program = ph.compile(mixture, np.zeros(4), batched=True, backend="llvm")
    x = rng.normal(size=(5, 4)) * 3
    together = program(x)
    for k in range(5):
        assert together[k].tobytes() == program(x[k]).tobytes()
