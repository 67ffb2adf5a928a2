"""Every kernel of the actions, and every action itself, with arguments to try it on."""

from __future__ import annotations

from functools import partial

import jax.numpy as jnp
import numpy as np

from polhode.actions import (
    action,
    apparent,
    drag,
    force_system,
    gravitation,
    motion_arrays,
    weight,
)
from polhode.actions.applied import AppliedCouple, AppliedForce
from polhode.actions.central_force import CentralForce
from polhode.actions.contact import contact_laws, friction
from polhode.actions.contact.compliant_contact import CompliantContact
from polhode.actions.contact.contact_laws import HuntCrossley
from polhode.actions.contact.friction import Coulomb, Friction, Regularised, Viscous
from polhode.actions.drag import Drag
from polhode.actions.fields import (
    conservative,
    field,
    flux,
    gravity,
    gravity_of_solids,
    quadrature,
    work,
)
from polhode.actions.fields.flux import box_triangles
from polhode.actions.force_elements import (
    damper,
    joint_law,
    rotational_spring,
    spring,
)
from polhode.actions.force_elements.damper import Damper, RotationalDamper
from polhode.actions.force_elements.rotational_spring import (
    RotationalSpring,
    TorsionalSpring,
)
from polhode.actions.force_elements.spring import NonlinearSpring, Spring
from polhode.actions.gravitation import Gravitation, PointMass
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.actions.potentials import invariant, raw_potential
from polhode.actions.potentials.potential import Potential
from polhode.actions.potentials.raw_potential import RawPotential
from polhode.actions.weight import Weight
from polhode.double import doubled
from polhode.geometry.frame import Frame
from polhode.geometry.motion.moving_frame import MovingFrame, MovingPoint
from polhode.geometry.point import Point
from polhode.geometry.rotations import quaternion, so3
from polhode.geometry.vector import Vector
from polhode.joints.spherical import Spherical
from polhode.matter.rigid_body import Body
from polhode.matter.solids import sphere
from polhode.matter.world import World

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
RULE = quadrature.segment(A, B, order=4)
PULL = field.ForceField.of_place(lambda x: -3.0 * x * (x @ x), Frame("world"))
BALL = Body("ball", sphere(radius=0.1, mass=1.0))
JOINT = Spherical("socket", World().origin, BALL.origin)
TURN = quaternion.exp(A)
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


def _apparent_force(mass, *columns):
    observer, point = MovingFrame(*columns[:6]), MovingPoint(*columns[6:])
    return apparent.apparent_force(mass, observer, point)


def _rate_of_function(w, v, by_position, by_rotation, by_time):
    slopes = invariant.Slopes(by_position, by_rotation)
    full = raw_potential.FullSlopes(slopes, by_time)
    return raw_potential.rate_of_function(Twists(w, v), full)


def _quartic(length):
    return length**4 / 4 + jnp.cos(length)


def _helix(s):
    return jnp.stack([jnp.cos(s), jnp.sin(s), s])


def _power_on_helix(s):
    return work.power_along(PULL, _helix)(s)


def _laplacian(x):
    return field.laplacian(lambda y: jnp.sin(y[0]) * y[1] ** 3)(x)


def _spring_power(Q, x, w, v):
    return action.power_of(ACTIONS[0], Poses(Q, x), Twists(w, v))


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
    "effort_wrench": (partial(joint_law.effort_wrench, JOINT), (TURN, A)),
    "moment": (force_system.moment, (A, B, C)),
    "change_pole": (force_system.change_pole, (A, B, C, D)),
    "resultants": (force_system.resultants, (A, PLACES, FORCES, PLACES[:2])),
    "couple_of_pair": (force_system.couple_of_pair, (A, B, C)),
    "central_axis": (force_system.central_axis, (A, B)),
    "force_power": (work.force_power, (FORCES, PLACES)),
    "couple_power": (work.couple_power, (A, B)),
    "pair_power": (work.pair_power, (A, B, C)),
    "apparent_force": (_apparent_force, (K, R, A, B, C, D, A + B, C, D, B)),
    "surface_gravity": (weight.surface_gravity, (K, L)),
    "enclosed_fraction": (lambda x: flux.enclosed_fraction(x, BOX), (0.3 * B,)),
    "flux_of_point": (lambda x, k: flux.flux_of_point(x, k, BOX), (0.3 * B, K)),
    "circle": (conservative.circle, (L, A, B, C)),
    "energy_from": (doubled(conservative.energy_from(PULL, A, panels=1)), (B,)),
    "power_along": (_power_on_helix, (L,)),
    "laplacian": (_laplacian, (A,)),
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
    "distribution_field": (
        lambda x, d, g: gravity_of_solids.distribution_field(x, RULE, d, g),
        (3 * B, K, L),
    ),
    "distribution_potential": (
        lambda x, d, g: gravity_of_solids.distribution_potential(x, RULE, d, g),
        (3 * B, K, L),
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
    "summed_on_bodies": (
        lambda r, f: gravitation.summed_on_bodies(r, f, [0, 1, 1, 0]),
        (PLACES, FORCES),
    ),
    "elastic_force": (doubled(partial(spring.elastic_force, _quartic)), (A,)),
    "elastic_energy": (doubled(partial(spring.elastic_energy, _quartic)), (A,)),
    "spring_force": (spring.spring_force, (A, K, L)),
    "spring_energy": (spring.spring_energy, (A, K, L)),
    "damper_force": (damper.damper_force, (A, B, K)),
    "drag_force": (drag.drag_force, (A, K, L)),
    "quadratic_coefficient": (drag.quadratic_coefficient, (K, L, M)),
    "split": (friction.split, (A, UP)),
    "sliding_friction": (friction.sliding_friction, (A, K, L)),
    "sticks": (friction.sticks, (A, K, L)),
    "coulomb_friction": (
        lambda v, a, N, s, d: friction.coulomb_friction(v, a, N, static=s, dynamic=d),
        (A, B, K, L, M),
    ),
    "regularised_friction": (friction.regularised_friction, (A, K, L, M)),
    "elastic_push": (lambda x, k: contact_laws.elastic_push(x, k, 1.5), (L, K)),
    "stored_energy": (lambda x, k: contact_laws.stored_energy(x, k, 1.3), (L, K)),
    "damped_push": (contact_laws.damped_push, (L, K, M)),
    "viscous_push": (contact_laws.viscous_push, (L, K, M, M)),
    "damping_number": (contact_laws.damping_number, (L,)),
    "twist_angle": (rotational_spring.twist_angle, (R, UP)),
    "torsion_energy": (rotational_spring.torsion_energy, (R, UP, K, L)),
    "rotation_energy": (rotational_spring.rotation_energy, (R, K)),
    "relative": (_on_poses(invariant.relative), POSES),
    "turned_to_observer": (
        _on_poses(
            lambda p, y, Y: invariant.turned_to_observer(p, invariant.Slopes(y, Y))
        ),
        (*POSES, *SLOPES),
    ),
    "rate_of_function": (_rate_of_function, (*TWISTS, PLACES[:2], FORCES[:2], K)),
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
    *CompliantContact(
        ENDS[0],
        Point(OTHER, [0.1, 0.2, 3.0]),
        HuntCrossley(2.0, damping=0.3),
        friction=Regularised(0.3, 0.01),
    ).parts,
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
KERNELS["power_of"] = (_spring_power, (*POSES, *TWISTS))


def _wrenches(acting, Q, x, w, v, t):
    return tuple(acting.wrenches(Poses(Q, x), Twists(w, v), t))


def _energy(acting, Q, x, t):
    return acting.energy(Poses(Q, x), t)


T = np.float64(0.4)
KERNELS |= {
    f"{type(acting).__name__} {acting.name}": (
        partial(_wrenches, acting),
        (*POSES, *TWISTS, T),
    )
    for acting in ACTIONS
}
KERNELS |= {
    f"energy of {type(acting).__name__} {acting.name}": (
        partial(_energy, acting),
        (*POSES, T),
    )
    for acting in ACTIONS
    if acting.is_conservative
}
