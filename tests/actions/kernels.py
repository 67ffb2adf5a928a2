"""Every kernel of the actions, and every action itself, with arguments to try it on."""

from __future__ import annotations

from functools import partial

import jax.numpy as jnp
import numpy as np

from polhode.actions import (
    damper,
    drag,
    force_system,
    friction,
    gravitation,
    gravity,
    gravity_of_solids,
    invariant,
    motion_arrays,
    rotational_spring,
    spring,
    work,
)
from polhode.actions.applied import AppliedCouple, AppliedForce
from polhode.actions.central_force import CentralForce
from polhode.actions.damper import Damper, RotationalDamper
from polhode.actions.drag import Drag
from polhode.actions.flux import box_triangles
from polhode.actions.friction import Coulomb, Friction, Regularised, Viscous
from polhode.actions.gravitation import Gravitation, PointMass
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.actions.potential import Potential
from polhode.actions.raw_potential import RawPotential
from polhode.actions.rotational_spring import RotationalSpring, TorsionalSpring
from polhode.actions.spring import NonlinearSpring, Spring
from polhode.actions.weight import Weight
from polhode.geometry import so3
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import Vector

A = np.array([0.3, -0.7, 0.5])
B = np.array([1.1, 0.4, -0.2])
C = np.array([-0.6, 0.9, 0.8])
D = np.array([0.2, 0.1, -1.3])
UP = np.array([0.0, 0.0, 1.0])
R = so3.exp(A)
K, L, M = np.float64(3.0), np.float64(0.5), np.float64(0.2)
PLACES = np.stack([A, B, C, D])
FORCES = np.stack([D, A, B, C])
MASSES = np.array([1.0, 2.0, 3.0, 4.0])
BOX = box_triangles([1.0, 2.0, 3.0])
OTHERS = ~np.eye(4, dtype=bool)

POSES = (np.stack([R, so3.exp(B)]), np.stack([C, D]))
TWISTS = (np.stack([A, B]), np.stack([D, C]))
SLOPES = (C[None], D[None])
WRENCHES = (A[None], B[None])
ROWS = (np.stack([A[None], B[None]]), np.stack([C[None], D[None]]))


def _on_poses(function):
    """The function of poses as one of plain arrays."""
    return lambda Q, x, *rest: function(Poses(Q, x), *rest)


def _moving(function):
    """The function of poses and twists as one of plain arrays."""
    return lambda Q, x, w, v, *rest: function(Poses(Q, x), Twists(w, v), *rest)


KERNELS = {
    "place": (_on_poses(lambda p, a: motion_arrays.place(p, 1, a)), (*POSES, A)),
    "turn": (_on_poses(lambda p, a: motion_arrays.turn(p, 1, a)), (*POSES, A)),
    "velocity_at": (
        _moving(lambda p, v, a: motion_arrays.velocity_at(p, v, 1, a)),
        (*POSES, *TWISTS, A),
    ),
    "interaction": (_on_poses(motion_arrays.interaction), (*POSES, A, B, C)),
    "power": (
        lambda m, f, w, v: motion_arrays.power(Wrenches(m, f), Twists(w, v)),
        (*TWISTS, *POSES[1:], *TWISTS[1:]),
    ),
    "total": (
        _on_poses(lambda p, m, f: motion_arrays.total(p, Wrenches(m, f))),
        (*POSES, *TWISTS),
    ),
    "moment": (force_system.moment, (A, B, C)),
    "change_pole": (force_system.change_pole, (A, B, C, D)),
    "resultants": (force_system.resultants, (A, PLACES, FORCES, PLACES[:2])),
    "couple_of_pair": (force_system.couple_of_pair, (A, B, C)),
    "central_axis": (force_system.central_axis, (A, B)),
    "force_power": (work.force_power, (FORCES, PLACES)),
    "couple_power": (work.couple_power, (A, B)),
    "pair_power": (work.pair_power, (A, B, C)),
    "inverse_distance": (gravity.inverse_distance, (A,)),
    "pair_force": (gravity.pair_force, (A, B, K)),
    "pair_energy": (gravity.pair_energy, (A, B, K)),
    "field_of_points": (gravity.field_of_points, (UP, PLACES, MASSES)),
    "potential_of_points": (gravity.potential_of_points, (UP, PLACES, MASSES)),
    "pulls": (gravity.pulls, (PLACES, MASSES, K)),
    "energy_of_masses": (gravity.energy_of_masses, (PLACES, MASSES, K)),
    "energies_of_masses": (gravity.energies_of_masses, (PLACES, MASSES, K)),
    "shell_field": (gravity_of_solids.shell_field, (A, L, K)),
    "shell_potential": (gravity_of_solids.shell_potential, (A, L, K)),
    "ball_field": (gravity_of_solids.ball_field, (A, L, K)),
    "ball_potential": (gravity_of_solids.ball_potential, (A, L, K)),
    "rod_field": (gravity_of_solids.rod_field, (A, B, C, K)),
    "rod_potential": (gravity_of_solids.rod_potential, (A, B, C, K)),
    "solid_angle": (gravity_of_solids.solid_angle, (A, np.stack([B, C, D]))),
    "polyhedron_field": (
        lambda x: gravity_of_solids.polyhedron_field(x, BOX, 0.7),
        (3 * B,),
    ),
    "polyhedron_potential": (
        lambda x: gravity_of_solids.polyhedron_potential(x, BOX, 0.7),
        (3 * B,),
    ),
    "density_from": (gravity_of_solids.density_from, (K, L)),
    "mutual_pulls": (
        lambda x, m, g: gravitation.mutual_pulls(x, m, OTHERS, g),
        (PLACES, MASSES, K),
    ),
    "mutual_energy": (
        lambda x, m, g: gravitation.mutual_energy(x, m, OTHERS, g),
        (PLACES, MASSES, K),
    ),
    "spring_force": (spring.spring_force, (A, K, L)),
    "spring_energy": (spring.spring_energy, (A, K, L)),
    "damper_force": (damper.damper_force, (A, B, K)),
    "drag_force": (drag.drag_force, (A, K, L)),
    "quadratic_coefficient": (drag.quadratic_coefficient, (K, L, M)),
    "split": (friction.split, (A, UP)),
    "sliding_friction": (friction.sliding_friction, (A, K, L)),
    "coulomb_friction": (
        lambda v, a, N, s, d: friction.coulomb_friction(v, a, N, (s, d)),
        (A, B, K, L, M),
    ),
    "regularised_friction": (friction.regularised_friction, (A, K, L, M)),
    "twist_angle": (rotational_spring.twist_angle, (R, UP)),
    "torsion_energy": (rotational_spring.torsion_energy, (R, UP, K, L)),
    "rotation_energy": (rotational_spring.rotation_energy, (R, K)),
    "relative": (_on_poses(invariant.relative), POSES),
    "rate_of_invariant": (
        _moving(
            lambda p, v, y, Y: invariant.rate_of_invariant(p, v, invariant.Slopes(y, Y))
        ),
        (*POSES, *TWISTS, *SLOPES),
    ),
    "with_reaction": (
        _on_poses(lambda p, m, f: invariant.with_reaction(p, Wrenches(m, f))),
        (*POSES, *WRENCHES),
    ),
    "conservative_wrenches": (
        _on_poses(
            lambda p, y, Y: invariant.conservative_wrenches(p, invariant.Slopes(y, Y))
        ),
        (*POSES, *SLOPES),
    ),
    "constrained_wrenches": (
        _on_poses(
            lambda p, y, Y, g, f, mu: invariant.constrained_wrenches(
                p, invariant.Slopes(y, Y), Wrenches(g, f), mu
            )
        ),
        (*POSES, *SLOPES, *ROWS, np.array([0.3, -0.4])),
    ),
    "superposed": (
        _moving(
            lambda p, v, S, s, w, u: invariant.superposed(
                p, v, Poses(S, s), Twists(w, u)
            )
        ),
        (*POSES, *TWISTS, R, A, B, C),
    ),
    "inner_products": (invariant.inner_products, (PLACES,)),
    "triple_products": (invariant.triple_products, (PLACES,)),
}

BODY, OTHER = Frame("body"), Frame("other")
ENDS = (Point(BODY, [0.1, -0.4, 0.2]), Point(OTHER, [0.3, 0.3, 0]))
ACTIONS = [
    Spring(*ENDS, 3.0, 0.5),
    NonlinearSpring(*ENDS, lambda x: x**4 / 4 + jnp.cos(x)),
    TorsionalSpring(BODY, OTHER, [1, 2, 2], 2.0, 0.3),
    RotationalSpring(BODY, OTHER, 2.0),
    Gravitation((PointMass(ENDS[0], 2.0), PointMass(ENDS[1], 3.0)), 1.0),
    AppliedForce(ENDS[0], Vector([1, 2, 3], OTHER), by=OTHER),
    AppliedCouple(BODY, Vector([1, 2, 3], OTHER), by=OTHER),
    Weight(9.81).on((PointMass(ENDS[0], 2.0),), by=OTHER),
    Damper(*ENDS, 0.7),
    CentralForce(*ENDS, lambda x, rate, t: -rate * (t + x)),
    RotationalDamper(BODY, OTHER, 0.4, UP),
    Drag(ENDS[0], OTHER, 0.3, 0.2),
    Friction(ENDS[0], OTHER, UP, 5.0, Coulomb(0.3, 0.4), name="dry"),
    Friction(ENDS[0], OTHER, UP, 5.0, Viscous(0.3), name="wet"),
    Friction(ENDS[0], OTHER, UP, 5.0, Regularised(0.3, 0.01), name="smooth"),
    Potential(
        (BODY, OTHER),
        lambda b, k: k * b.rotation[0, 1] * b.position[2] + jnp.sin(b.position[0]),
        {"k": 0.7},
    ),
    RawPotential(
        (BODY, OTHER),
        lambda a, b, t, k: k * t * a.rotation[0, 1] * b.position @ a.position,
        {"k": 0.7},
    ),
]


def _wrenches(action, Q, x, w, v, t):
    return tuple(action.wrenches(Poses(Q, x), Twists(w, v), t))


def _energy(action, Q, x, t):
    return action.energy(Poses(Q, x), t)


T = np.float64(0.4)
KERNELS |= {
    f"{type(action).__name__} {action.name}": (
        partial(_wrenches, action),
        (*POSES, *TWISTS, T),
    )
    for action in ACTIONS
}
KERNELS |= {
    f"energy of {type(action).__name__} {action.name}": (
        partial(_energy, action),
        (*POSES, T),
    )
    for action in ACTIONS
    if action.is_conservative
}
