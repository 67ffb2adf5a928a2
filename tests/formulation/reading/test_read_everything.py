"""Every model of the gallery, read in every form: what is printed gives the numbers.

The printed text is read back and evaluated: at a random state, with random
accelerations and multipliers, each printed equation has the value of the equation that
runs, M y_dot + b - f - A^T l and A y_dot - g; so have the printed mass matrix and the
printed Lagrangian. What is not read is refused in words, for a reason of mechanics or
for the length of its program, which is counted and not timed.
"""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError, UnfinishedReading
from polhode.formulation.compare import random_states
from polhode.formulation.contact.in_mode import two_sided
from polhode.formulation.reading.contact_reading import _forces, _upper_bounds
from polhode.formulation.reading.where_lines import LONGEST
from polhode.formulation.registry import FORMULATIONS
from polhode.models import GALLERY
from polhode.system.contacts import names as names_of
from printed import evaluate

# Quick ones: a tree, a rotation with names, a loop, a rolling body, a hinge as rows,
# places and sides of one name, a contact.
QUICK = {
    "pendulum": ("Lagrange, second kind", "Hamilton", "Routh", "Maggi"),
    "cart_pendulum": ("Kane", "Newton-Euler"),
    "heavy_top": ("Kirchhoff", "Newton-Euler", "hybrid"),
    "four_bar": ("Gauss",),
    "chaplygin_sleigh": ("Boltzmann-Hamel",),
    "ellipsoid_in_fluid": ("Kane",),
    "reaction_wheel": ("Lagrange, first kind",),
    "deep_space_triangle": ("Newton-Euler",),
    "bouncing_ball": ("Lagrange, second kind", "Maggi"),
}
OPERATIONS = 20_000  # what is not short by then is printed as it is
# Why a form does not serve a model, in its own words.
REFUSALS = {
    "Udwadia-Kalaba": "Udwadia and Kalaba's equation says nothing of .*no constraints",
    "Maggi": "Maggi's equations say nothing of .*no constraints"
    "|'Maggi' cannot be read with the forces of contacts",
    "Routh": "Routh's procedure does not apply to .*no cyclic coordinate",
    "Lie-Poisson": "says nothing new of .*all its speeds are rates of coordinates",
    "Kane": "Kane's equations do not apply to .*carries a fluid with it",
    "Gibbs-Appell": "Gibbs-Appell's equations do not apply to .*carries a fluid",
}
# Contacts that cannot all touch at once are no constraints; one mode can be read.
APART = "no position of .* keeps all of its \\d+ constraint equations"
EVERY = [
    pytest.param(
        name, form, marks=() if form in QUICK.get(name, ()) else pytest.mark.long
    )
    for name in GALLERY
    for form in FORMULATIONS
]


TOO_LONG = re.compile(r"is too long to be read: its program has (\d+) operations")


def read(system, form):
    """The reading as people get it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnfinishedReading)
        if system.supports:
            return ph.contact_reading(system, form, operations=OPERATIONS)
        return form(system).read(operations=OPERATIONS)


def reading_or_words(system, form):
    """The reading and no words, or none and the words of its refusal."""
    try:
        return read(system, form), ""
    except PolhodeError as refused:
        return None, str(refused)


def contact_forces(system, rng):
    """Random pushes and frictions by name, and the multipliers that they are."""
    upper = _upper_bounds(system)
    points = two_sided(system, [n for n in names_of(system) if n not in upper])
    forces = _forces(points)
    symbols = sorted({s for each in forces for s in each.free_symbols}, key=str)
    values = {s: float(rng.normal()) for s in symbols}
    named = {str(s): v for s, v in values.items()}
    return named, [float(each.subs(values)) for each in forces]


def asserted(system, reading, seed=0):
    """Printed and computed equations agree where the system can be, loops closed."""
    origin = getattr(reading, "reading", reading).origin
    (state,) = random_states(origin.equations.system, 1, seed)
    found = compared(system, reading, state, seed)
    assert np.all(np.isfinite(found.equations))
    assert found.error < 1e-9


def compared(system, reading, state, seed):
    """What is printed, and how far it is from what runs; `error` is relative."""
    rng = np.random.default_rng(seed)
    origin = getattr(reading, "reading", reading).origin
    equations = origin.equations
    y = equations.velocities(state)
    y_dot, held = rng.normal(size=len(y)), rng.normal(size=len(equations.row_names))
    forces, multipliers = contact_forces(system, rng) if system.supports else ({}, [])
    if multipliers:
        held[len(held) - len(multipliers) :] = multipliers
    t, q_s, z_s, y_s, y_dot_s, held_s, table_s = origin.symbols
    table = {name: equations.system.parameters.get(name, 1.0) for name in table_s}
    values = {str(t): state.t} | forces
    for symbols, numbers in (
        (q_s, state.q), (z_s, state.z), (y_s, y), (y_dot_s, y_dot), (held_s, held),
    ):  # fmt: skip
        values |= dict(zip(map(str, symbols), map(float, numbers), strict=True))
    values |= {str(symbol): float(table[name]) for name, symbol in table_s.items()}
    found = evaluate(reading.text(), values)
    at = state.t, state.q, state.z, y
    motion, on_rates, M, L = computed(equations, at, (y_dot, held), table)
    is_said = [row != 0 for row in reading.constraints]
    pairs = [*zip(on_rates, is_said, strict=False)]  # rows of contacts are not printed
    expected = np.array([*motion, *(row for row, said in pairs if said)])
    unsaid = [row for row, said in pairs if not said]
    size = max(1.0, *np.abs(expected), np.max(np.abs(M)))
    closed = [] if system.supports else found.equations[len(expected) :]
    found.equations = found.equations[: len(expected)]
    errors = [*np.abs(np.array(found.equations) - expected) / size, *np.abs(closed)]
    errors += [*np.abs(unsaid) / size, abs(found.lagrangian - L) / max(1.0, abs(L))]
    if found.mass_matrix is not None:  # a reading with contacts prints none
        errors += [*np.abs(found.mass_matrix - M).ravel() / size]
    found.error = max(errors)
    return found


def computed(equations, at, given, table):
    """The equations of motion and of rows, the mass matrix and L, as they run."""
    system, (y_dot, held) = equations.system, given

    def numbers(t, q, z, y):
        T = system.kinetic_energy(t, q, z, table)
        V = system.potential_energy(t, q, table)
        return *equations.functions.terms(t, q, y, table), T - V

    M, b, f, A, g, L = ph.compile(numbers, *at)(*at)
    motion = M @ y_dot + b - f
    if not len(held):
        return motion, np.zeros(0), M, float(L)
    return motion - A.T @ held, A @ y_dot - g, M, float(L)


@pytest.mark.parametrize(("name", "form"), EVERY)
def test_what_is_printed_has_the_value_of_what_runs(name, form):
    """In every form that serves the model; the others say why they do not."""
    system = getattr(ph.models, name)()
    reading, words = reading_or_words(system, FORMULATIONS[form])
    if reading is not None:
        asserted(system, reading)
    elif long := TOO_LONG.search(words):
        assert int(long[1]) > LONGEST
    else:
        known = [REFUSALS[form]] if form in REFUSALS else []
        known += [APART] if system.supports else []
        assert any(re.search(each, words) for each in known), words
