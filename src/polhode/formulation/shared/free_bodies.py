"""Bodies set free: energies and constraints as functions of their poses alone.

x (n, 6) are six coordinates a body about its present pose X_WB,

    R = R_WB exp(phi),      p = p_WoBo + R_WB u,      x = (phi, u)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar, matvec
from polhode.constraints.constraint import (
    Constraint,
    HolonomicConstraint,
    Moving,
    Placed,
    VelocityConstraint,
)
from polhode.constraints.loop import Loop
from polhode.formulation.shared.spatial import momenta, turned
from polhode.formulation.shared.uniform_motion import has_rotor
from polhode.geometry.rotations import so3
from polhode.geometry.vector import vee
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.joints.translation import Translation
from polhode.matter.parameter import Table
from polhode.system.gather import driven_joints
from polhode.system.loads import joint_energy, still_world, with_world
from polhode.system.system import System
from polhode.system.tree import Edge, outward


def placed_at(poses: Poses, x: Array) -> Poses:
    """The poses of all bodies at x, about the present ones."""
    turns = jnp.stack([so3.exp(phi) for phi in x[:, :3]])
    return Poses(
        poses.rotations @ turns, poses.origins + matvec(poses.rotations, x[:, 3:])
    )


def twists_at(poses: Poses, x: Array, x_dot: Array) -> tuple[Poses, Any]:
    """Poses at x, and the twists (n, 6) in bodies' axes: R^T R_dot and R^T p_dot."""
    there, rate = jax.jvp(lambda x: placed_at(poses, x), (x,), (x_dot,))
    R_BW = there.rotations.swapaxes(-1, -2)
    w, v = vee(R_BW @ rate.rotations), matvec(R_BW, rate.origins)
    return there, jnp.concatenate([w, v], axis=-1)


@final
@dataclass(frozen=True, eq=False)
class FreeBodies:
    """All bodies of a system about their present poses, for use inside a trace.

    `near` are those poses with every tree at the origin: see `near_poses`.
    """

    system: System
    q: Any
    poses: Poses
    near: Poses
    table: Table

    def kinetic_energy(self, x: Array, x_dot: Array) -> Any:
        """T(x, x_dot) of all bodies."""
        _, V = twists_at(self.poses, x, x_dot)
        return (V * momenta(self.system.inertias(self.table), V)).sum() / 2

    def rotor_energy(self, x: Array, x_dot: Array) -> Any:
        """T(x, x_dot) of the rotors, along their joints."""
        system, energy = self.system, jnp.zeros(())
        for joint in system.joints:
            if has_rotor(joint):
                z = self._joint_speeds(joint, x, x_dot)
                rotors = joint.reflected_inertia(system.table(self.table))
                energy += (rotors * z**2).sum() / 2
        return energy

    def potential_energy(self, t: Scalar, x: Array) -> Any:
        """V(t, x) of all conservative actions."""
        system, table = self.system, self.system.table(self.table)
        poses = with_world(placed_at(self.poses, x))
        total = jnp.zeros(())
        for action in system.actions:
            if not action.is_conservative:
                continue
            if joints := driven_joints(action):
                coordinates = [self._coordinates(joint, x) for joint in joints]
                total += joint_energy(action, coordinates, t, table)
                continue
            own = np.array(system.places_of(action.bodies))
            where = Poses(poses.rotations[own], poses.origins[own])
            total += action.energy(where, t, table)
        return total

    def velocity_rows(self, t: Scalar, x: Array, x_dot: Array) -> Any:
        """The rates of all g of joints, loops and constraints, and velocity rows."""
        joints = [Loop(edge.joint) for edge in self.system.tree.edges]
        parts = [jnp.zeros(0)]
        for each in (*joints, *self.system.constraints):
            if each.is_holonomic:
                now, along = (t, x), (jnp.ones_like(t), x_dot)
                rate = jax.jvp(lambda t, x, g=each: self._position(g, t, x), now, along)
                parts.append(rate[1])
            else:
                parts.append(self._velocity(each, t, x, x_dot))
        return jnp.concatenate(parts)

    def _position(self, constraint: HolonomicConstraint, t: Scalar, x: Array) -> Any:
        table = self.system.table(self.table)
        return jnp.asarray(constraint.position(self._placed(constraint, x), t, table))

    def _velocity(
        self, constraint: VelocityConstraint, t: Scalar, x: Array, x_dot: Array
    ) -> Any:
        there, V = twists_at(self.poses, x, x_dot)
        in_world = turned(there.rotations, V)
        twists = still_world(Twists(in_world[:, :3], in_world[:, 3:]))
        own = np.array(self.system.places_of(constraint.bodies), dtype=int)
        speeds = tuple(self._joint_speeds(j, x, x_dot) for j in constraint.joints)
        moving = Moving(twists.angular[own], twists.linear[own], speeds)
        placed = self._placed(constraint, x)
        return constraint.velocity(placed, moving, t, self.system.table(self.table))

    def _placed(self, constraint: Constraint, x: Array) -> Placed:
        own = np.array(self.system.places_of(constraint.bodies), dtype=int)
        is_inner = isinstance(constraint, Loop) and self._is_one_tree(own)
        poses = with_world(placed_at(self.near if is_inner else self.poses, x))
        coordinates = tuple(self._coordinates(j, x) for j in constraint.joints)
        return Placed(poses.rotations[own], poses.origins[own], coordinates)

    def _is_one_tree(self, own: np.ndarray) -> bool:
        """Whether bodies are all of one tree, the world not among them."""
        tree = self.system.tree
        roots = outward(tree, -1, lambda e, root: e.child if e.parent < 0 else root)
        return len({roots[k] for k in own if k >= 0}) == 1 and all(own >= 0)

    def _coordinates(self, joint: Joint, x: Array) -> Any:
        """A joint's coordinates from the poses of its bodies, turns counted."""

        def found(x: Array) -> Any:
            table, loop = self.system.table(self.table), Loop(joint)
            pose = loop.pose(self._placed(loop, x), table)
            return joint.coordinates_from(*pose, table)

        if joint.coordinates != joint.speeds:
            return found(x)
        return (
            self.q[self.system.edge(joint.name).q] + found(x) - found(jnp.zeros_like(x))
        )

    def _joint_speeds(self, joint: Joint, x: Array, x_dot: Array) -> Any:
        q, q_dot = jax.jvp(lambda x: self._coordinates(joint, x), (x,), (x_dot,))
        return joint.speeds_from(q, q_dot)


def near_poses(system: System, t: Scalar, q: Array, table: Table) -> Poses:
    """The poses of all bodies with every tree brought to the origin of the world.

    A joint inside a tree says nothing of where the tree is. In orbit places have
    1e-9 m, and so would the arms that are differences of them.
    """
    parts = [q[edge.q] * _inner(edge) for edge in system.tree.edges]
    return system.poses(t, jnp.concatenate(parts), table)


def _inner(edge: Edge) -> np.ndarray:
    """Ones, and zeros where a coordinate only displaces a whole tree."""
    is_root = edge.parent < 0 and isinstance(edge.joint, Free | Translation)
    lengths = np.array([unit == "m" for unit in edge.joint.units])
    return 1.0 - lengths * is_root
