"""Functions that a program writes once and calls."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.arrays import shared
from polhode.lowering.backends import cache
from polhode.lowering.backends.llvm import block_function, outline
from polhode.lowering.backends.llvm.module import write_module
from polhode.lowering.backends.source.c import to_c
from polhode.lowering.ir.prepare import Prepared
from polhode.lowering.trace.trace import closed_jaxpr


def swing(x, h):
    """Long enough to be worth a call: sines, products, a quotient."""
    y = jnp.sin(x) * x[::-1] + h * jnp.exp(-x * x)
    return y / (1.0 + x @ y), x.sum() * h


def thrice(function):
    """The same function on three arguments, one after another."""

    def run(x, h):
        y, a = function(x, h)
        z, b = function(y, a)
        return function(y + z, a * b)

    return run


X, H = np.array([0.3, -1.2, 0.7, 2.0]), 0.4


def test_a_shared_function_is_written_once():
    """Three calls have the operations of one, and the results of three."""
    plain, once = (ph.compile(thrice(f), X, H) for f in (swing, shared(swing)))
    assert once.report().backend == "llvm"
    assert once.report().operations < 0.5 * plain.report().operations
    for ours, theirs in zip(once(X, H), plain(X, H), strict=True):
        assert_close(ours, theirs, rtol=1e-14)


def test_arrays_of_indices_are_part_of_a_shared_function():
    """Made in the trace around it they are passed, but known: it is still shared."""

    def mixing(wrap):
        def run(x, h):
            order = jnp.arange(4)[::-1]
            return thrice(wrap(lambda y, a: swing(y[order], a)))(x, h)

        return run

    plain, once = (ph.compile(mixing(wrap), X, H) for wrap in (lambda f: f, shared))
    assert once.report().operations < 0.5 * plain.report().operations
    for ours, theirs in zip(once(X, H), plain(X, H), strict=True):
        assert_close(ours, theirs, rtol=1e-13)


def test_calls_that_differ_in_what_is_not_used_are_one():
    """A slope that does not depend on time, asked at two times, is found once."""
    slope = shared(lambda t, x: swing(x, H)[0])

    def asked(*times):
        return lambda t, x: sum(slope(t + k, x) for k in times)

    jaxpr, _ = closed_jaxpr(asked(1.0, 2.0), 0.0, X)
    ready = Prepared(jaxpr, "zeros", shares=True)
    text = write_module(ready.program, ready.plan, [False, False], 1).text
    assert len(re.findall(r"= call .* @\w*shared0", text)) == 1
    assert np.array_equal(
        ph.compile(asked(1.0, 2.0), 0.0, X)(0.0, X),
        2 * ph.compile(asked(1.0), 0.0, X)(0.0, X),
    )


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_a_shared_function_gives_the_same_bits_in_every_lane(lanes):
    """Alone or in a batch, whatever the neighbours."""
    program = ph.compile(thrice(shared(swing)), X, H, batched=True, lanes=lanes)
    many = np.random.default_rng(1).normal(size=(7, 4)) * [1, 1, 1e6, 1]
    y, total = program(many, np.full(7, H))
    for k, x in enumerate(many):
        alone, own = program(x, H)
        assert np.array_equal(y[k], alone)
        assert total[k] == own


def test_constants_are_part_of_a_shared_function():
    """A call with a known number has code of its own, in which that is folded."""
    once = shared(swing)

    def run(x, h):
        return once(x, 0.0)[0] + once(x, h)[0] + once(once(x, h)[0], 0.0)[1]

    def plain(x, h):
        return swing(x, 0.0)[0] + swing(x, h)[0] + swing(swing(x, h)[0], 0.0)[1]

    assert_close(ph.compile(run, X, H)(X, H), ph.compile(plain, X, H)(X, H), rtol=1e-14)


def test_what_is_no_straight_code_is_inlined():
    """A loop of unknown length in a shared function, and whole numbers given to it."""

    def halved(x, h):
        return jax.lax.while_loop(lambda v: v[0] > h, lambda v: v / 2, x), h

    def picked(x, k):
        return x[k] * x

    once, index = shared(halved), shared(picked)

    def run(x, h):
        return once(once(x, h)[0], h / 9)[0], index(x, jnp.argmax(x))

    ours, chosen = ph.compile(run, X + 9.0, H)(X + 9.0, H)
    assert_close(ours, (X + 9.0) / 256, rtol=0)
    assert_close(chosen, (X + 9.0) * 11.0, rtol=0)


def test_derivatives_and_loops_call_shared_functions():
    """The derivative of a program, and a loop around calls, are those of plain code."""
    once = shared(swing)

    def many(f):
        def run(x, h):
            def turn(_, y):
                return f(f(y, h)[0], h)[0]

            return jax.lax.fori_loop(0, 50, turn, x)

        return run

    for build in (many, lambda f: jax.jacfwd(lambda x, h: thrice(f)(x, h)[0])):
        plain, called = (ph.compile(build(f), X, H, unroll=0) for f in (swing, once))
        assert_close(called(X, H), plain(X, H), rtol=1e-12)


def test_source_has_no_calls():
    """C source is one function: there everything is inlined."""
    assert "shared" not in to_c(thrice(shared(swing)), X, H)


def test_short_functions_are_not_called():
    """A call of few operations would cost more than they do: they are inlined."""

    def short(x, h):
        return x / (h + x * x), h * x[0]

    once, plain = (ph.compile(thrice(f), X, H) for f in (shared(short), short))
    assert once.report().operations == plain.report().operations
    for ours, theirs in zip(once(X, H), plain(X, H), strict=True):
        assert_close(ours, theirs, rtol=0)


def winding(x, h):
    """Not straight: a loop with memory, a branch, an index that varies, many sines."""

    def turn(carry, k):
        y = jnp.sin(carry * h + k) + jnp.cos(carry)[::-1]
        return y, y.at[jnp.argmax(y)].add(0.25) * h

    y, rows = jax.lax.scan(turn, x, jnp.arange(40.0))
    bent = jax.lax.cond(
        y.sum() > 0.1, lambda v: jnp.sin(v) / (2 + v), lambda v: jnp.exp(-v * v), y
    )
    return bent + rows.mean(0), rows[jnp.argmin(x) + 1].sum()


def long_way(x, h):
    """Straight and far longer than what is passed by value."""
    for k in range(16):
        x = jnp.sin(x + k * h) + 0.3 * x[::-1] * jnp.cos(x)
    return x, x @ x


LARGE = [winding, long_way]


@pytest.mark.parametrize("function", LARGE)
def test_a_large_function_is_written_once(function):
    """Three calls through memory have the operations of one, and equal results."""
    plain, once = (ph.compile(thrice(f), X, H) for f in (function, shared(function)))
    assert once.report().backend == "llvm"
    assert once.report().operations < 0.5 * plain.report().operations
    for ours, theirs in zip(once(X, H), plain(X, H), strict=True):
        assert_close(ours, theirs, rtol=1e-8)


@pytest.mark.parametrize("lanes", [2, 8])
@pytest.mark.parametrize("function", LARGE)
def test_a_large_function_gives_the_same_bits_in_every_lane(function, lanes):
    """Also inside a branch that only some lanes take, and inside a loop."""
    call = shared(function)

    def run(x, h):
        def twice(v):
            return call(call(v, h)[0], 2 * h)[0]

        y = jax.lax.cond(x[0] > 0, twice, lambda v: v, x)
        return jax.lax.fori_loop(0, 3, lambda _, v: call(v, h)[0], y)

    program = ph.compile(run, X, H, batched=True, lanes=lanes)
    many = np.random.default_rng(2).normal(size=(11, 4))
    y = program(many, np.full(11, H))
    for k, x in enumerate(many):
        assert np.array_equal(y[k], program(x, H))


def test_a_large_function_may_call_others(monkeypatch):
    """One that is cut into parts, and calls a short one and a large one in a loop."""
    monkeypatch.setattr(outline, "BLOCK_AT_MOST", 300)
    monkeypatch.setattr(outline, "PART", 100)
    short, inner = shared(swing), shared(winding)

    def outer(x, h):
        x, a = long_way(*short(x, h))
        y = jax.lax.fori_loop(0, 3, lambda _, v: inner(v, h)[0], x)
        return short(y, a)[0] + long_way(x, h)[0], inner(x, a)[1]

    results = [ph.compile(f, X, H)(X, H) for f in (outer, shared(outer))]
    for ours, theirs in zip(*results, strict=True):
        assert_close(ours, theirs, rtol=1e-8)


def steep(x, h):
    """A loop whose length is each system's own, around another, and long code."""

    def goes_on(carry):
        return (carry[1] < 40) & (jnp.abs(carry[0]).max() > h)

    def turn(carry):
        v, k = carry
        v = jax.lax.while_loop(lambda w: w[0] > 1.0, lambda w: w * 0.75, v)
        return jnp.sin(v) * 0.9 + 0.01 * v[::-1] * jnp.cos(v), k + 1

    y, count = jax.lax.while_loop(goes_on, turn, (x, 0))
    return y / (1.0 + y @ y), h + 1e-3 * count


def test_a_function_with_an_open_loop_is_written_once():
    """Three calls have the operations of one, and the results of plain code."""
    plain, once = (ph.compile(thrice(f), X, H / 9) for f in (steep, shared(steep)))
    assert once.report().operations < 0.5 * plain.report().operations
    for ours, theirs in zip(once(X, H / 9), plain(X, H / 9), strict=True):
        assert_close(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("is_cut", [False, True])
@pytest.mark.parametrize("lanes", [2, 8])
def test_an_open_loop_in_a_function_ends_for_each_lane_by_itself(
    monkeypatch, lanes, is_cut
):
    """Also of lanes that have no part in the call, and never would end by theirs."""
    if is_cut:
        monkeypatch.setattr(block_function, "PROGRAM_AT_LEAST", 1)
        monkeypatch.setattr(block_function, "BLOCK_AT_LEAST", 5)
        monkeypatch.setattr(block_function, "REST_AT_LEAST", 0.0)
        monkeypatch.setattr(cache, "load", lambda name: None)  # code cut otherwise
    call = shared(steep)

    def endless(x, h):
        return jax.lax.while_loop(lambda v: ~(v.max() <= h), jnp.sin, x), h

    never = shared(lambda x, h: endless(steep(x, h)[0], h))

    def run(x, h):
        y = jax.lax.cond(
            jnp.isfinite(x[0]), lambda v: never(v, h)[0], lambda v: jnp.zeros(4), x
        )
        return jax.lax.fori_loop(0, 3, lambda _, v: call(v + x[1], h)[0], y)

    program = ph.compile(run, X, H, batched=True, lanes=lanes)
    many = np.random.default_rng(5).normal(size=(11, 4)) * 4
    many[3, 0] = np.nan
    y = program(many, np.full(11, H))
    for k, x in enumerate(many):
        assert np.array_equal(y[k], program(x, H))
