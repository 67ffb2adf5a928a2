"""Arithmetic in files: what it means, and that it means nothing else."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode.errors import ModelError
from polhode.files.expression import evaluate, expression_text, parse

m, l, odd = (
    ph.Parameter("m", 1.25),
    ph.Parameter("l", 0.5),
    ph.Parameter("rear wheel.x", 3.0),
)
TABLE = {p.name: p for p in (m, l, odd)}

leaves = st.sampled_from([m, l, odd, 2.5, 3, -0.75, 1e-3])


def _combined(draw):
    sign = st.sampled_from(["+", "-", "*", "/"])
    return st.one_of(
        st.tuples(sign, draw, draw).map(lambda x: _apply(*x)),
        draw.map(lambda x: -x),
        draw.map(lambda x: x**2),
    )


def _apply(sign, a, b):
    if sign == "/" and float(getattr(b, "value", b)) == 0:
        return a + b
    return {"+": a + b, "-": a - b, "*": a * b}.get(sign) if sign != "/" else a / b


@given(st.recursive(leaves, _combined, max_leaves=8).map(lambda x: x * m))
def test_a_derived_parameter_is_read_as_it_was_written(quantity):
    """Text and back: the same value, now and after its roots have changed."""
    text = expression_text(quantity)
    again = evaluate(parse(text), TABLE.__getitem__)
    assert again.value == quantity.value
    other = {"m": 2.0, "l": 0.25, "rear wheel.x": -1.5}
    assert again.at(other) == quantity.at(other)


def test_signs_bind_as_in_books():
    """Powers before products before sums; a minus before a power is outside it."""
    value = {"a": 2.0, "b": 3.0}.__getitem__
    for text, wanted in (
        ("a + b * a ** 2", 14.0),
        ("-a ** 2", -4.0),
        ("a - b - a", -3.0),
        ("a / b / a", 1 / 3),
        ("a ** b ** 0", 2.0),
        ("2 * -a", -4.0),
        ("(a + b) * a", 10.0),
        ("1.5e1 - .5", 14.5),
    ):
        assert evaluate(parse(text), value) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__import__('os')", "does not belong"),
        ("eval(a)", r"eval\(\.\.\.\) is no function"),
        ("sinn(a)", "Did you mean 'sin'"),
        ("a b", "'b' does not belong"),
        ("a +", "ends too early"),
        ("(a", "not closed"),
        ("a.b.", "does not belong"),
        ("", "empty"),
        ("* a", "stands where a number"),
        ("(" * 60 + "a" + ")" * 60, "too many brackets"),
        ("-" * 60 + "a", "too many brackets"),
        ("a" * 3000, "too long"),
    ],
)
def test_what_is_no_arithmetic_is_refused(text, words):
    """No call, no attribute, no text of Python goes through."""
    with pytest.raises(ModelError, match=words):
        parse(text)


def test_a_power_of_whole_numbers_cannot_fill_the_memory():
    """9 ** 9 ** 9 overflows as a float, at once."""
    with pytest.raises(OverflowError):
        evaluate(parse("9 ** 9 ** 9"), TABLE.__getitem__)


def test_a_formula_is_a_function_that_jax_differentiates():
    """d/dt 0.3 sin 2t = 0.6 cos 2t, and arrays pass elementwise."""
    law = ph.Formula("0.3 * sin(2 * t)")
    with jax.enable_x64(True):
        slope = float(jax.grad(law)(0.4))
    assert slope == pytest.approx(0.6 * np.cos(0.8))
    motor = ph.Formula("-2 * q - 0.1 * z + t", ("t", "q", "z"))
    got = motor(0.5, np.array([1.0, 2.0]), np.array([0.0, 10.0]))
    np.testing.assert_allclose(got, [-1.5, -4.5])
    with pytest.raises(ModelError, match="uses 'x', which is no variable"):
        ph.Formula("x + t")


@given(st.text("ab `.1_+é", min_size=1, max_size=12).filter(str.strip))
def test_a_name_of_any_letters_comes_back(name):
    """Backticks too, which quote names that are no words."""
    parameter = ph.Parameter(name.strip(), 2.0)
    text = expression_text(2 * parameter + 1)
    assert evaluate(parse(text), {parameter.name: 3.0}.__getitem__) == 7.0


def test_the_lesser_and_the_greater():
    """min and max of arrays and inside a trace; their slopes are those of what wins."""
    cut = ph.Formula("max(0, min(2 * x, y))", ("x", "y"))
    np.testing.assert_array_equal(cut(np.array([-1.0, 0.5, 3.0]), 4.0), [0.0, 1.0, 4.0])
    slopes = [jax.grad(cut)(x, 4.0) for x in (-1.0, 0.5, 3.0)]
    np.testing.assert_array_equal(slopes, [0.0, 2.0, 0.0])
    assert ph.Formula("max(a, x)", ("x",), {"a": 3.0}).called(("q",)) == "max(a, q)"
    with pytest.raises(ModelError, match=r"max\(a, b\) is of two numbers"):
        parse("max(1)")
    with pytest.raises(ModelError, match="',' does not belong"):
        parse("sin(1), 2")
