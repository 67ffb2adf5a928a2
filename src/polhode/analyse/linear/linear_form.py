"""Linear equations in the velocities of one form: those of which the form speaks.

    x = [d; e],      x' = A x + B u,      d' = z(t, q, y + e) - z of the reference

d (nz,) are errors of place along the joints, screws in bodies' axes for free bodies, so
that every body has its twelve states on SE(3); e = y - y(t) are those of the form's own
velocities, V of a spatial form or nu of the relative equations; u are forces along
them, so that M e' changes by u. `ph.linearise` does the same in the speeds of joints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.analyse.linear.linear_along import LinearAlong
from polhode.analyse.linear.state_space import StateSpace
from polhode.analyse.machinery.variations import slopes_of
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError, StateError
from polhode.formulation.equations import Equations
from polhode.formulation.shared.checked_argument import equations_argument
from polhode.formulation.solve.equations_of_motion import solve_definite
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.state import State, require_layout


@equations_argument
def linear_form(
    equations: Equations, about: Any = None, *, parameters: Table = NOMINAL
) -> Any:
    """A and B of one form about a state, or along a motion.

    about   a `State` (rest if none is given): a `StateSpace` at that instant; or a
            `Trajectory`: a `LinearAlong` with A(t), B(t) and the transition matrix

    About a relative equilibrium, a motion that the form sees as steady, A is constant
    along the motion and its eigenvalues decide.

    >>> import polhode as ph
    >>> craft = ph.System([ph.Body("craft", ph.solids.sphere(mass=2, radius=0.1))])
    >>> linear_form(ph.spatial_form(craft, about="mass centre", rates="body"))
    StateSpace(12 states, 6 inputs, 12 outputs)
    """
    _require_free(equations)
    if hasattr(about, "steps"):
        table = {**about.table, **parameters}
        return LinearAlong(about, table, {}, _at(equations), _names(equations))
    state = equations.system.rest() if about is None else about
    if not isinstance(state, State):
        raise StateError(
            f"{equations.name} cannot be linearised about {about!r}.",
            "Linear equations hold near a state, or along a motion.",
            "Give system.state(...), or a Trajectory.",
        )
    require_layout(equations.system, state)
    A, B = _at(equations)(state, dict(parameters))
    states, inputs = _names(equations)
    seen, passed = np.eye(len(A)), np.zeros(B.shape)
    return StateSpace(A, B, seen, passed, states, inputs, states)


def _names(equations: Equations) -> tuple[tuple[str, ...], tuple[str, ...]]:
    velocities = equations.velocity_names
    states = (*equations.system.speed_names, *(f"speed of {v}" for v in velocities))
    return states, tuple(f"force along {v}" for v in velocities)


def _at(equations: Equations) -> Callable[[State, Table], tuple[Any, Any]]:
    """A (2 n, 2 n) and B (2 n, n) at a state."""
    n = equations.system.speeds

    def slopes(state: State, table: Table) -> tuple[np.ndarray, np.ndarray]:
        J = equations.ask("linear form", _slopes(equations), state, table)
        return J[:, : 2 * n], J[:, 2 * n :]

    return slopes


def _slopes(equations: Equations) -> Callable[..., Any]:
    """(t, q, y, table) -> [A, B] (2 n, 3 n)."""
    core, system = equations.functions, equations.system
    n = system.speeds

    def found(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        q_dot = core.rates(t, q, y, table)
        y_dot = core.accelerations(t, q, y, table)[0]

        def change(x: Array) -> Any:
            """[d'; R], with the residual R = M y_dot + b - f at the same y_dot."""
            d, e = x[:n], x[n:]
            place, carried = jax.jvp(lambda q: system.local(q, d), (1.0 * q,), (q_dot,))
            z = core.speeds(t, place, y + e, table)
            M, b, f, _, _ = core.terms(t, place, y + e, table)
            # As d' is linear in z - carried at d = 0, its factor E(d) = 1 suffices.
            d_dot = z - system.speeds_from(t, place, carried)
            return jnp.concatenate([d_dot, M @ y_dot + b - f])

        J = slopes_of(change, jnp.zeros(2 * n))
        # M e' = u - dR: accelerations are the implicit inverse of what they need.
        sides = jnp.concatenate([-J[n:], jnp.eye(n)], axis=1)
        lower = solve_definite(core.terms(t, q, y, table).mass_matrix, sides)
        upper = jnp.concatenate([J[:n], jnp.zeros((n, n))], axis=1)
        return jnp.concatenate([upper, lower])

    return found


def _require_free(equations: Equations) -> None:
    """Refuse a form whose velocities are held by rows, or are not as many as speeds."""
    system, rows = equations.system, len(equations.row_names)
    if rows or len(equations.velocity_names) != system.speeds:
        raise AnalysisError(
            f"{system.name!r} has no linear equations in the"
            f" {len(equations.velocity_names)} velocities of {equations.name}.",
            f"They are held by {rows} rows, and errors of them must keep those.",
            "Ask ph.linearise(system), in the speeds of joints, or"
            " ph.formations.relative_equations, whose velocities are free.",
        )
