"""A free body of three different moments: the T-handle that flips as it spins.

    J w_dot = (J w) x w        Euler's equations, in the body's axes

Spin about the axes of the least and the greatest moment is stable. About the middle
one it is not: the handle turns over, again and again, though nothing acts on it
(the tennis-racket theorem). w draws a closed curve on the inertia ellipsoid: the
polhode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

import polhode as ph

NEWTON = 3  # iterations; at |w| h < 0.1 the third is below rounding


class State(NamedTuple):
    """Attitude as a unit quaternion (w, x, y, z), and spin in the body's axes."""

    attitude: Any
    spin: Any


def t_handle() -> ph.Body:
    """A steel T: a bar along X, and a stem along -Z screwed into its middle."""
    steel = 7850.0
    bar = ph.solids.cylinder(radius=0.008, length=0.11, density=steel, along=ph.X)
    rod = ph.solids.cylinder(radius=0.007, length=0.07, density=steel)
    stem = ph.solids.placed(rod, (0, 0, -0.035))
    return ph.Body("handle", ph.solids.joined(bar=bar, stem=stem))


def spin_rate(inertia: Any, spin: Any) -> Any:
    """Euler's equations: w_dot = J^-1 ((J w) x w)."""
    return solve(inertia, jnp.cross(inertia @ spin, spin))


def equations() -> list[str]:
    """Euler's equations along principal axes, read from `spin_rate`, as text."""
    import sympy

    moments, spin = sympy.symbols("J_1:4"), sympy.symbols("omega_1:4")
    rates = ph.read(spin_rate, sympy.diag(*moments), list(spin))
    names = sympy.symbols("omegadot_1:4")
    pairs = zip(names, rates, strict=True)
    lines = [sympy.Eq(name, rate, evaluate=False) for name, rate in pairs]
    return [sympy.pretty(line, use_unicode=True, wrap_line=False) for line in lines]


def kinetic_energy(inertia: Any, spin: Any) -> Any:
    """T = 1/2 w . J w"""
    return 0.5 * jnp.dot(spin, inertia @ spin)


def angular_momentum(inertia: Any, state: State) -> Any:
    """H = R J w, in the axes of the world; nothing acts, so it never changes."""
    scalar, vector = state.attitude[0], state.attitude[1:]
    in_body = inertia @ state.spin
    turn = 2 * jnp.cross(vector, in_body)
    return in_body + scalar * turn + jnp.cross(vector, turn)


def step(inertia: Any, h: float, state: State) -> State:
    """One step that keeps energy and all of the angular momentum to rounding.

        m = w + h/2 w_dot(m),     w' = 2 m - w,     R' = R cay(h m)

    m is the spin in the middle of the step. The implicit midpoint rule keeps T and |H|;
    turning by Cayley's map of the same h m keeps the direction of H, too.
    """

    def defect(middle: Any) -> Any:
        return middle - state.spin - h / 2 * spin_rate(inertia, middle)

    middle = state.spin
    for _ in range(NEWTON):
        middle = middle - solve(jax.jacfwd(defect)(middle), defect(middle))
    scalar, vector = state.attitude[0], state.attitude[1:]
    half = h / 2 * middle
    turned = jnp.concatenate(
        [
            (scalar - jnp.dot(vector, half))[None],
            vector + scalar * half + jnp.cross(vector, half),
        ]
    )
    attitude = turned / jnp.sqrt(1 + jnp.dot(half, half))
    return State(attitude, 2 * middle - state.spin)


def advance(inertia: Any, h: float) -> Callable:
    """A function of a state and a number of steps that gives the state after them."""

    def run(state: State, steps: Any) -> State:
        return jax.lax.fori_loop(0, steps, lambda _, s: step(inertia, h, s), state)

    return run


def first_flip(inertia: Any, h: float, steps: int) -> Callable:
    """A function of a spin that gives the time at which its Z component turns over.

    Infinity if it does not within the steps.
    """

    def run(spin: Any) -> Any:
        def one(k: Any, carry: tuple) -> tuple:
            state, found = carry
            after = step(inertia, h, state)
            turned = state.spin[2] * after.spin[2] < 0
            time = jnp.where(turned, (k + 1) * h, jnp.inf)
            return after, jnp.minimum(found, time)

        start = State(jnp.array([1.0, 0.0, 0.0, 0.0]), spin)
        return jax.lax.fori_loop(0, steps, one, (start, jnp.inf))[1]

    return run


def solve(matrix: Any, column: Any) -> Any:
    """x with A x = b for 3x3, by Cramer's rule."""
    a, b, c = matrix[:, 0], matrix[:, 1], matrix[:, 2]
    normal = jnp.cross(b, c)
    along_column = jnp.stack(
        [
            jnp.dot(column, normal),
            jnp.dot(column, jnp.cross(c, a)),
            jnp.dot(column, jnp.cross(a, b)),
        ]
    )
    return along_column / jnp.dot(a, normal)
