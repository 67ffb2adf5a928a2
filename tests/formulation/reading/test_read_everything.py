"""Every model of the gallery, read in every form: what is printed gives the numbers.

A reading is bounded by operations, not by time. At a random state, with random
accelerations and multipliers, each printed equation has the value of the equation that
runs: M y_dot + b - f - A^T l, and A y_dot - g.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sympy as sm

import polhode as ph
from polhode.errors import PolhodeError, UnfinishedReading
from polhode.formulation.compare import random_states
from polhode.formulation.registry import FORMULATIONS
from polhode.models import GALLERY

# Quick ones: a tree, a rotation, a loop, a rolling body; the rest is in the long suite.
QUICK = {
    "pendulum": ("Lagrange, second kind", "Hamilton"),
    "cart_pendulum": ("Kane",),
    "heavy_top": ("Kirchhoff",),
    "four_bar": ("Gauss",),
    "chaplygin_sleigh": ("Boltzmann-Hamel",),
}
OPERATIONS = 5_000  # what is not short by then is printed as it is
# Unknowns of a form: with more, a closed form fills pages and is for nobody.
MOST = 5
EVERY = [
    pytest.param(
        name, form, marks=() if form in QUICK.get(name, ()) else pytest.mark.long
    )
    for name in GALLERY
    for form in FORMULATIONS
]


def written(reading, values):
    """The printed equations at a point, as numbers."""
    printed = [*reading.motion, *reading.constraints]
    function = sm.lambdify([*values], printed, "numpy", cse=True)
    with np.errstate(all="ignore"):
        return np.array([float(x) for x in function(*values.values())])


def point_of(equations, seed):
    """A state off every special place, with accelerations and multipliers."""
    rng = np.random.default_rng(seed)
    (state,) = random_states(equations.system, 1, seed)
    y = equations.velocities(state)
    return state, y, rng.normal(size=len(y)), rng.normal(size=len(equations.row_names))


def asserted(equations, seed=0):
    """Printed and computed equations agree at a point."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnfinishedReading)
        reading = equations.read(operations=OPERATIONS)
    state, y, y_dot, held = point_of(equations, seed)
    t, q_s, z_s, y_s, y_dot_s, held_s, table_s = reading.origin.symbols
    table = {name: equations.system.parameters.get(name, 1.0) for name in table_s}
    values = {t: state.t}
    for symbols, numbers in (
        (q_s, state.q), (z_s, state.z), (y_s, y), (y_dot_s, y_dot), (held_s, held),
    ):  # fmt: skip
        values |= dict(zip(symbols, map(float, numbers), strict=True))
    values |= {symbol: float(table[name]) for name, symbol in table_s.items()}

    def terms(t, q, y):
        return equations.functions.terms(t, q, y, table)

    M, b, f, A, g = ph.compile(terms, state.t, state.q, y)(state.t, state.q, y)
    expected = M @ y_dot + b - f
    if len(held):
        expected = np.concatenate([expected - A.T @ held, A @ y_dot - g])
    size = max(1.0, np.max(np.abs(expected)), np.max(np.abs(M)))
    assert np.max(np.abs(written(reading, values) - expected)) < 1e-9 * size


@pytest.mark.parametrize(("name", "form"), EVERY)
def test_what_is_printed_has_the_value_of_what_runs(name, form):
    """In every form that serves the model."""
    system = getattr(ph.models, name)()
    try:
        equations = FORMULATIONS[form](system)
    except PolhodeError as refused:
        pytest.skip(str(refused).splitlines()[0])
    if len(equations.velocity_names) + len(equations.row_names) > MOST:
        pytest.skip("too many unknowns for a closed form")
    asserted(equations)
