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

from polhode.formulation.jacobians import body_jacobians
from polhode.formulation.spatial import momenta, turned
from polhode.geometry.vector import cross, vee
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations


class Centroidal(NamedTuple):
    """What is asked about the mass centre.

    momentum (6,)    [L_G; P]
    matrix   (6, k)  A_G
    centre   (3,)    G from the world's origin
    """

    momentum: Any
    matrix: Any
    centre: Any


def centroidal_function(equations: Equations) -> Callable[..., Centroidal]:
    """(t, q, y, table) -> `Centroidal`."""
    core, system = equations.functions, equations.system
    jacobians = body_jacobians(equations)

    def centroidal(t: Any, q: Any, y: Any, table: Table) -> Centroidal:
        inertias, poses = system.inertias(table), system.poses(t, q, table)
        masses = inertias[:, 3, 3]
        first = vee(inertias[:, :3, 3:])  # m c in the body's axes: the block is m [c]
        away = (poses.rotations @ first[..., None])[..., 0]
        centre = (masses[:, None] * poses.origins + away).sum(0) / masses.sum()
        arms = poses.origins - centre

        def about_centre(h: Any) -> Any:
            """The sum of momenta (n, 6) of bodies in their own axes."""
            in_world = turned(poses.rotations, h)
            moment = in_world[:, :3] + cross(arms, in_world[:, 3:])
            return jnp.concatenate([moment.sum(0), in_world[:, 3:].sum(0)])

        z = core.speeds(t, q, y, table)
        V = system.body_twists(t, q, z, table)
        J = jnp.moveaxis(inertias @ jacobians(t, q, y, table), -1, 0)
        columns = [about_centre(h) for h in J]
        return Centroidal(
            about_centre(momenta(inertias, V)), jnp.stack(columns, -1), centre
        )

    return centroidal
