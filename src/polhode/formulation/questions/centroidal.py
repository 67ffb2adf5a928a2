"""The momentum of a whole system about its mass centre G, along the world's axes.

    h = [L_G; P] = A_G y + drift,      L_G = sum (p_Bo - G) x P_B + L_B,   P = m v_G

A_G is the centroidal momentum matrix; momenta (Hamilton) pair with the system's speeds,
h = A_G z there. Rotors of motors, which turn relative to their joints only, carry no
momentum of the bodies and are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.shared.dense_form import MOST
from polhode.formulation.shared.jacobians import body_jacobians
from polhode.formulation.shared.spatial import momenta, turned
from polhode.geometry.vector import cross
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations


class Centroidal(NamedTuple):
    """What is asked about the mass centre.

    momentum (6,)    [L_G; P]
    matrix   (6, k)  A_G; (6, 0) of so many bodies that it is not made
    centre   (3,)    G from the world's origin
    """

    momentum: Any
    matrix: Any
    centre: Any


def centroidal_function(equations: Equations) -> Callable[..., Centroidal]:
    """(t, q, y, table) -> `Centroidal`."""
    core, system = equations.functions, equations.system
    jacobians = body_jacobians(equations)

    def centroidal(t: Scalar, q: Array, y: Array, table: Table) -> Centroidal:
        inertias, poses = system.inertias(table), system.poses(t, q, table)
        moments = [body.moments(system.table(table)) for body in system.bodies]
        masses = jnp.stack([1.0 * m for m, _, _ in moments])
        first = jnp.stack([m * c for m, c, _ in moments])
        away = (poses.rotations @ first[..., None])[..., 0]
        # From the first body: sums of places far from the origin would lose digits.
        near = poses.origins - poses.origins[0]
        mean = (masses[:, None] * near + away).sum(0) / masses.sum()
        arms, centre = near - mean, poses.origins[0] + mean

        def about_centre(h: Array) -> Any:
            """The sum of momenta (n, 6) of bodies in their own axes."""
            in_world = turned(poses.rotations, h)
            moment = in_world[:, :3] + cross(arms, in_world[:, 3:])
            return jnp.concatenate([moment.sum(0), in_world[:, 3:].sum(0)])

        z = core.speeds(t, q, y, table)
        V = system.body_twists(t, q, z, table)
        whole = about_centre(momenta(inertias, V))
        if not any(body.carries_fluid for body in system.bodies):
            # L_G is the same for all observers in steady motion; the one who goes
            # with the first body forms no moments of large momenta that cancel.
            seen = V[:, 3:] - _along_bodies(poses.rotations, V[0, 3:])
            h = momenta(inertias, jnp.concatenate([V[:, :3], seen], axis=-1))
            whole = jnp.concatenate([about_centre(h)[:3], whole[3:]])
        if len(system.bodies) > MOST:
            return Centroidal(whole, jnp.zeros((6, 0)), centre)
        J = jnp.moveaxis(inertias @ jacobians(t, q, y, table), -1, 0)
        columns = [about_centre(h) for h in J]
        return Centroidal(whole, jnp.stack(columns, -1), centre)

    return centroidal


def _along_bodies(R_WB: Array, v: Array) -> Any:
    """A vector in the axes of the first body, along those of every body (n, 3)."""
    return (R_WB.swapaxes(-1, -2) @ (R_WB[0] @ v)[..., None])[..., 0]
