"""Readings are found again where nothing differs, and come back as they were."""

from __future__ import annotations

import time
from functools import cached_property

import jax.numpy as jnp
import numpy as np
import pytest
import sympy as sm
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode.errors import UnfinishedReading
from polhode.lowering.reading import kept_reading
from polhode.lowering.reading.kept_reading import _built, _facts_of
from polhode.lowering.reading.traced_function import TracedFunction
from polhode.lowering.trace.description import Untold

x, y, theta = sm.symbols("x y theta")
FACTOR = 2.0


@pytest.fixture
def readings(tmp_path, monkeypatch) -> list[str]:
    """An empty cache, and the functions that are read from here on."""
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made: list[str] = []
    plain = TracedFunction._traced.func

    def counted(self):
        made.append(self.name)
        return plain(self)

    counting = cached_property(counted)
    counting.__set_name__(TracedFunction, "_traced")
    monkeypatch.setattr(TracedFunction, "_traced", counting)
    return made


def swing(x, y):
    """Of several shapes, in a tree."""
    both = jnp.stack([FACTOR * jnp.sin(x) / y, x**2 + y])
    return {"both": both, "one": (jnp.sqrt(x * y), 0.5 * y)}


def test_the_same_function_with_the_same_symbols_is_read_once(readings):
    """And the second reading is the first, to its last bracket."""
    first, second = ph.read(swing, x, y), ph.read(swing, x, y)
    assert readings == ["swing"]
    assert sm.srepr(first["both"]) == sm.srepr(second["both"])
    assert list(map(sm.srepr, first["one"])) == list(map(sm.srepr, second["one"]))
    assert ph.read(swing, x, y, latex=True)["one"][1] == r"\frac{y}{2}"
    assert readings == ["swing"]


def test_whatever_differs_is_read_anew(readings, monkeypatch):
    """Symbols, what is assumed of them, what is collected, the function, a global."""
    ph.read(swing, x, y)
    ph.read(swing, y, x)
    ph.read(swing, sm.Symbol("x", positive=True), y)
    ph.read(swing, x, y, collect=[x])
    ph.read(swing, x, y, operations=11e6)
    ph.read(swing, x, 2)
    assert len(readings) == 6
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    assert ph.read(swing, x, y)["both"][0] == 3 * sm.sin(x) / y
    assert len(readings) == 7
    monkeypatch.setattr(kept_reading.sympy, "__version__", "0.0")
    ph.read(swing, x, y)
    assert len(readings) == 8


def test_equations_of_a_system_built_anew_are_read_once(readings):
    """With another mass in it they are read anew: its value may be in them."""

    def pendulum(mass):
        bob = ph.Body("bob", ph.solids.rod(mass=mass, length=1.0))
        hinge = ph.Revolute("theta", ph.World().origin, bob.point(0, 0, 0.5), axis=ph.Y)
        return ph.lagrange(ph.System([hinge], [ph.Weight(9.81)], name="p")).read()

    first, second = pendulum(1.5), pendulum(1.5)
    assert len(readings) == 1
    assert repr(first) == repr(second)
    assert first.mass_matrix == second.mass_matrix
    pendulum(3.0)
    assert len(readings) == 2


def test_a_reading_without_an_end_is_not_kept(readings):
    """There may be more time for it the next time."""

    def long(x, y):
        return (jnp.sin(x + y) * jnp.cos(x - y) / (1 + x**2 + y)) ** 3

    for _ in range(2):
        with pytest.warns(UnfinishedReading):
            ph.read(long, x, y, operations=1)
    assert readings == ["long", "long"]


def test_a_function_that_cannot_be_known_is_read_each_time(readings):
    """It may be another."""

    def clocked(x):
        return x * float(time.time() > 0)

    assert ph.read(clocked, x) == ph.read(clocked, x) == x
    assert len(readings) == 2


ATOMS = st.sampled_from([x, y, sm.pi, sm.E, sm.oo, sm.nan, sm.I]) | st.fractions().map(
    lambda f: sm.Rational(f.numerator, f.denominator)
)
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda part: (
        st.builds(lambda a, b: a + b, part, part)
        | st.builds(lambda a, b: a * b, part, part)
        | st.builds(lambda a, b: a / b if b != 0 else a, part, part)
        | st.builds(sm.sin, part)
        | st.builds(lambda a: sm.sqrt(a), part)
        | st.builds(lambda a, b: sm.atan2(a, b), part, part)
        | st.builds(lambda a, b: sm.Mul(2, a + b, evaluate=False), part, part)
    ),
    max_leaves=6,
)


@given(EXPRESSIONS)
def test_what_is_told_is_built_as_it_was_or_not_told(expression):
    """No expression comes back as another: `save` compares before it keeps."""
    try:
        told = _facts_of(expression, {x: 0, y: 1})
    except Untold:
        return
    again = _built(told, [x, y])
    if again == expression:
        assert str(again) == str(expression)


def test_names_of_classes_only():
    """An entry names heads of expressions, not functions of SymPy."""
    for name in ("sympify", "parse_expr", "lambdify", "preview"):
        with pytest.raises((ValueError, AttributeError)):
            _built({name: [0]}, [x])
    assert np.isnan(float(_built("nan", [])))
