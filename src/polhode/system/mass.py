"""How the bodies of a system resist: inertias, mass matrix, kinetic energy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import NOMINAL, Table
from polhode.system import kinematics
from polhode.system.rolled.kinds import KINDS

if TYPE_CHECKING:
    from polhode.system.system import System


def inertias(system: System, table: Table = NOMINAL) -> Any:
    """The spatial inertias (n, 6, 6) of all bodies about their origins, own axes."""
    table = system.table(table)
    found = [body.spatial_inertia(table) for body in system.bodies]
    return namespace(*found).stack(found)


def rotor_inertias(system: System, table: Table = NOMINAL) -> Any:
    """What the rotors of motors add on the diagonal of the mass matrix, (speeds,).

    A rotor turns gear times as fast as its joint: its energy is gear^2 J z^2 / 2.
    """
    table = system.table(table)
    found = [edge.joint.reflected_inertia(table) for edge in system.tree.edges]
    return namespace(*found).concatenate(found)


def mass_matrix(system: System, t: Scalar, q: Array, table: Table = NOMINAL) -> Any:
    """M (speeds, speeds) with T = z^T M z / 2, from the bodies' Jacobians.

    M = sum over bodies of J^T M_B J,      V_B = J z

    and the rotors of motors on its diagonal.
    """
    J = kinematics.jacobians(system, t, q, table)
    momenta = inertias(system, table) @ J
    n = system.tree.speeds
    rotors = namespace(q).eye(n) * rotor_inertias(system, table)
    return J.reshape(-1, n).T @ momenta.reshape(-1, n) + rotors


def kinetic_energy(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> Any:
    """T = sum over bodies of V^T M V / 2, and of rotors relative to their joints."""
    if kinematics.in_loops(system, q, z):
        from polhode.system.rolled.energies import sums

        return sums(system, q, z, table).kinetic
    if namespace(q, z) is np or table or not _is_constant(system):
        return _kinetic_energy(system, t, q, z, table)
    # Each form of the equations derives it anew: it is traced once for them all.
    traced = system.remembered("kinetic energy", lambda: _traced_energy(system))
    return traced(t, q, z)


def _is_constant(system: System) -> bool:
    """Whether joints have no laws of their own, and numbers are known."""
    plain = all(type(joint) in KINDS for joint in system.joints)
    return plain and not is_traced(*system.parameters.values())


def _traced_energy(system: System) -> Any:
    import jax

    return jax.jit(lambda t, q, z: _kinetic_energy(system, t, q, z, NOMINAL))


def _kinetic_energy(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    V = kinematics.body_twists(system, t, q, z, table)
    momenta = (inertias(system, table) @ V[..., None])[..., 0]
    rotors = (rotor_inertias(system, table) * z * z).sum()
    return 0.5 * (V * momenta).sum() + 0.5 * rotors
