"""Which forces belong to an energy that depends on time, in constrained motions.

Asked is that the power of the forces is the loss of the energy, in all motions that the
affine constraints allow:

    sum (dW/dx + F) . v + sum (w_Q + M) . w + dW/dt = 0
    for all v, w with   sum a_J . v + sum b_J . w + c_J = 0,       J = 1 .. K

    F = -dW/dx + sum mu_J a_J,   M = -w_Q + sum mu_J b_J,   sum mu_J c_J = dW/dt

The last equation has a solution unless all c_J vanish and dW/dt does not. F and M must
not depend on the velocities: the argument varies these at fixed forces.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from polhode.actions.action import Action
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.actions.potentials.raw_potential import RawPotential
from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.geometry.rotations import so3

TOLERANCE = 1e-9


class AffineRows(NamedTuple):
    """Constraints sum a . v + sum b . w + c = 0 on n bodies.

    forces a (K, n, 3), torques b (K, n, 3) about origins, constants c (K,)
    """

    forces: Any
    torques: Any
    constants: Any


class Family(NamedTuple):
    """All solutions mu = particular + free s of g . mu = f, for one equation.

    kind        "none": f != 0, g = 0;  "one": g != 0, one is bound by the others;
                "all": f = 0, g = 0
    particular  (K,);      free  (K, K - 1), (K, K) or (K, 0)
    """

    kind: Literal["none", "one", "all"]
    particular: np.ndarray
    free: np.ndarray

    def member(self, chosen: Array) -> np.ndarray:
        """The solution (K,) for the free numbers."""
        return self.particular + self.free @ np.asarray(chosen, float)


class Forces(NamedTuple):
    """The forces of an energy up to multiples of the constraints' rows.

    wrenches    -dW/dx and -w_Q on each body
    rows        of the constraints
    family      of the multipliers that balance the power
    """

    wrenches: Wrenches
    rows: AffineRows
    family: Family

    def member(self, chosen: Array) -> Wrenches:
        """F = -dW/dx + sum mu a, M = -w_Q + sum mu b, for free numbers of mu."""
        mu = self.family.member(chosen)
        torques, forces = self.wrenches
        return Wrenches(
            torques + np.tensordot(mu, self.rows.torques, 1),
            forces + np.tensordot(mu, self.rows.forces, 1),
        )


def multiplier_family(f: Scalar, g: Array) -> Family:
    """All l (K,) with f = sum l_J g_J: the three classes of solutions.

        l_1 = (f - sum_{J > 1} l_J g_J)/g_1

    with the largest g_J in the first place.

    >>> multiplier_family(6.0, [0.0, 3.0]).member([5.0])
    array([5., 2.])
    >>> multiplier_family(1.0, [0.0, 0.0]).kind
    'none'
    """
    g = np.atleast_1d(np.asarray(g, float))
    count, f = len(g), float(f)
    if not np.any(g):
        if f != 0.0:
            return Family("none", np.full(count, np.nan), np.zeros((count, 0)))
        return Family("all", np.zeros(count), np.eye(count))
    first = int(np.argmax(np.abs(g)))
    particular, free = np.zeros(count), np.delete(np.eye(count), first, axis=1)
    particular[first] = f / g[first]
    free[first] = -np.delete(g, first) / g[first]
    return Family("one", particular, free)


def forces_by_power(
    potential: RawPotential, poses: Poses, t: float, rows: AffineRows
) -> Forces:
    """The forces of an energy W(x, Q, t), by its power in constrained motions.

    Refused in the exceptional case: W changes while nothing that constrains moves.
    """
    by_poses, by_time = potential.slopes(poses, t)
    wrenches = Wrenches(-by_poses.by_rotation, -by_poses.by_position)
    family = multiplier_family(float(by_time), rows.constants)
    if family.kind == "none":
        raise ModelError(
            f"the power of {potential.name!r} defines no forces at t = {t:g} s.",
            f"Its energy changes by {float(by_time):.3g} W while all bodies rest, and"
            " no constraint moves: no force on resting bodies has that power.",
            "Take virtual work at frozen time, forces_by_virtual_work; or make what"
            " moves a body with prescribed motion, ph.theory.prescribed, whose power it"
            " is.",
        )
    return Forces(wrenches, rows, family)


def forces_by_virtual_work(potential: RawPotential, poses: Poses, t: float) -> Wrenches:
    """The forces of an energy from its first variation at frozen time.

        dW + sum F . dx + sum M . dtheta = 0,      Q -> exp(dtheta) Q

    One variation after the other, each along a unit shift or turn of one body: no
    matrix is differentiated by its entries, and dW/dt plays no part.
    """
    import jax
    import jax.numpy as jnp

    count = len(potential.bodies)

    def varied(away: Array) -> Any:
        turn, shift = away[:, :3], away[:, 3:]
        moved = Poses(so3.exp(turn) @ poses.rotations, poses.origins + shift)
        return potential.energy(moved, t)

    with jax.enable_x64(True):
        still = jnp.zeros((count, 6))
        units = np.eye(6 * count).reshape(-1, count, 6)
        slopes = [jax.jvp(varied, (still,), (jnp.asarray(u),))[1] for u in units]
    found = -np.asarray(slopes).reshape(count, 6)
    return Wrenches(found[:, :3], found[:, 3:])


def require_independent_of_velocity(
    action: Action, *, samples: int = 6, seed: int = 0
) -> None:
    """Refuse an action whose wrenches change with the velocities of its bodies.

    No energy of placements and time has such forces, and the power does not determine
    them: a part across the velocity has none. Tried on random poses and twists.
    """
    rng, count = np.random.default_rng(seed), len(action.bodies)
    for _ in range(samples):
        poses = Poses(so3.exp(rng.normal(size=(count, 3))), rng.normal(size=(count, 3)))
        t = float(rng.normal())
        draws = [Twists(*rng.normal(size=(2, count, 3))) for _ in range(2)]
        one, two = (np.asarray(action.wrenches(poses, V, t)) for V in draws)
        change = np.max(np.abs(one - two)) / (np.max(np.abs(one)) or 1.0)
        if change > TOLERANCE:
            raise ModelError(
                f"{action.name!r} has no potential energy: its wrenches change with"
                f" velocity, by {change:.3g} of their size.",
                "Power at given velocities does not tell forces across them.",
                "Keep it as an action of its own, beside the potentials.",
            )
