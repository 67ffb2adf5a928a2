"""The array kernels of the room, each with arguments to compile it for."""

from __future__ import annotations

import numpy as np

from polhode.matter import (
    added_mass,
    cloud,
    energy,
    moments,
    momentum,
    particle,
    polyhedron,
    principal,
    spatial_inertia,
    spread,
)
from polhode.matter.solids import lines, polyhedra, surfaces, units
from polhode.matter.tables import pieces

_rng = np.random.default_rng(11)
_m = np.float64(1.7)
_r, _v, _w, _a, _alpha, _p = _rng.normal(size=(6, 3))
_half = _rng.normal(size=(3, 3))
_I = _half @ _half.T + np.eye(3)
_S = spread.static_moment(_m, _r)
_R, _ = np.linalg.qr(_half)
_M = spatial_inertia.spatial_inertia(_m, _r, _I)
_V, _V_dot = _rng.normal(size=(2, 6))
_masses = _rng.uniform(0.5, 2.0, 5)
_x, _u = _rng.normal(size=(2, 5, 3))
_axes = np.array([0.5, 0.8, 1.3])
_corners = _rng.normal(size=(4, 3, 3))
_faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
_lengths = tuple(np.float64(x) for x in (0.3, 0.5, 0.8))
_body = (_m, _r, _I, _v, _w)
_knots, _others = np.linspace(0.0, 2.0, 5), np.array([-1.0, 0.0, 0.5, 2.0])
_curve = pieces.pieces_of(_knots, _rng.normal(size=5), "spline", "extend")
_sheet = pieces.patches_of(_knots, _others, _rng.normal(size=(5, 4)), "linear", "hold")


def _moments_sum(mass, centre, inertia):
    part = moments.Moments(mass, centre, inertia)
    return moments.sum_of_moments([part, part], [1.0, 0.5])


def _about(mass, centre, inertia, pole):
    return moments.about(moments.Moments(mass, centre, inertia), pole)


def _placed_moments(mass, centre, inertia, rotation, origin):
    return moments.placed_moments(
        moments.Moments(mass, centre, inertia), rotation, origin
    )


def _symmetric(diagonal, products):
    return spread.symmetric(tuple(diagonal), tuple(products))


def _unit_mesh(vertices):
    return polyhedra.unit_mesh(vertices, _faces)


def _unit_ellipsoidal_shell(x, y, z):
    # It has no measure: the first answer is not a number.
    return surfaces.unit_ellipsoidal_shell(x, y, z)[1:]


def _angular_momentum_rate(mass, r, I, v, w, a, alpha):
    return momentum.angular_momentum_rate(mass, r, I, v_Q=v, w=w, a_Q=a, alpha=alpha)


KERNELS = {
    "spread": (spread.spread, (_r,)),
    "static_moment": (spread.static_moment, (_m, _r)),
    "transport_static_moment": (spread.transport_static_moment, (_S, _m, _r)),
    "huygens": (spread.huygens, (_I, _S, _m, _r)),
    "transport_inertia": (spread.transport_inertia, (_I, _m, _r, _p)),
    "rotated": (spread.rotated, (_I, _R)),
    "column": (spread.column, (_m, 2 * _m, 3 * _m)),
    "diagonal": (spread.diagonal, (_m, 2 * _m, 3 * _m)),
    "symmetric": (_symmetric, (_r, _p)),
    "symmetrised": (spread.symmetrised, (_half,)),
    "about": (_about, (_m, _r, _I, _p)),
    "placed_moments": (_placed_moments, (_m, _r, _I, _R, _p)),
    "sum_of_moments": (_moments_sum, (_m, _r, _I)),
    "principal_axes": (principal.principal_axes, (_I,)),
    "spatial_inertia": (spatial_inertia.spatial_inertia, (_m, _r, _I)),
    "moments_of": (spatial_inertia.moments_of, (_M,)),
    "shift_spatial_inertia": (spatial_inertia.shift_spatial_inertia, (_M, _r)),
    "rotate_spatial_inertia": (spatial_inertia.rotate_spatial_inertia, (_M, _R)),
    "linear_momentum": (momentum.linear_momentum, (_m, _r, _v, _w)),
    "angular_momentum": (momentum.angular_momentum, _body),
    "shift_angular_momentum": (momentum.shift_angular_momentum, (_v, _w, _r)),
    "linear_momentum_rate": (momentum.linear_momentum_rate, (_m, _r, _w, _a, _alpha)),
    "angular_momentum_rate": (_angular_momentum_rate, (*_body, _a, _alpha)),
    "shift_angular_momentum_rate": (
        momentum.shift_angular_momentum_rate,
        (_v, _w, _a, _r, _p),
    ),
    "central_angular_momentum": (momentum.central_angular_momentum, (_I, _w)),
    "central_angular_momentum_rate": (
        momentum.central_angular_momentum_rate,
        (_I, _w, _alpha),
    ),
    "spatial_momentum": (momentum.spatial_momentum, (_M, _V)),
    "spatial_momentum_rate": (momentum.spatial_momentum_rate, (_M, _V, _V_dot)),
    "momentum_transport": (momentum.momentum_transport, (_V, _V_dot)),
    "kinetic_energy": (energy.kinetic_energy, _body),
    "energy_of_momentum": (energy.energy_of_momentum, (_v, _w, _a, _alpha)),
    "koenig_energy": (energy.koenig_energy, (_m, _I, _v, _w)),
    "kinetic_energy_rate": (energy.kinetic_energy_rate, (_p, _a, _alpha, _V)),
    "spatial_kinetic_energy": (energy.spatial_kinetic_energy, (_M, _V)),
    "particle_momentum": (particle.particle_momentum, (_m, _v)),
    "particle_angular_momentum": (particle.particle_angular_momentum, (_m, _r, _v)),
    "particle_energy": (particle.particle_energy, (_m, _v)),
    "centre_of_points": (cloud.centre_of_points, (_masses, _x)),
    "static_moment_of_points": (cloud.static_moment_of_points, (_masses, _x, _r)),
    "inertia_of_points": (cloud.inertia_of_points, (_masses, _x, _r)),
    "momentum_of_points": (cloud.momentum_of_points, (_masses, _u)),
    "angular_momentum_of_points": (
        cloud.angular_momentum_of_points,
        (_masses, _x, _u, _r),
    ),
    "kinetic_energy_of_points": (cloud.kinetic_energy_of_points, (_masses, _u)),
    "ellipsoid_integrals": (added_mass.ellipsoid_integrals, (_axes,)),
    "added_mass_coefficients": (added_mass.added_mass_coefficients, (_axes,)),
    "ellipsoid_added_mass": (added_mass.ellipsoid_added_mass, (_axes, _m)),
    "spheroid_added_mass": (added_mass.spheroid_added_mass, (*_lengths[:2], _m)),
    "inertia_of_second_moment": (polyhedron.inertia_of_second_moment, (_I,)),
    "unit_mesh": (_unit_mesh, (_corners[0, [0, 1, 2, 0]] + np.eye(4, 3),)),
    "polyhedron": (polyhedron.polyhedron, (_corners,)),
    "tetrahedron": (
        polyhedron.tetrahedron,
        (_corners[0, [0, 1, 2, 0]] + np.eye(4, 3),),
    ),
    "prism": (polyhedron.prism, (np.array([[0.0, 0], [2, 0], [0, 1]]), _m)),
    "unit_rod": (lines.unit_rod, _lengths[:1]),
    "unit_ring": (lines.unit_ring, _lengths[:1]),
    "unit_plate": (surfaces.unit_plate, _lengths[:2]),
    "unit_disc": (surfaces.unit_disc, _lengths[:1]),
    "unit_spherical_shell": (surfaces.unit_spherical_shell, _lengths[:1]),
    "unit_ellipsoidal_shell": (_unit_ellipsoidal_shell, _lengths),
    "unit_box": (units.box, _lengths),
    "unit_sphere": (units.sphere, _lengths[:1]),
    "unit_ellipsoid": (units.ellipsoid, _lengths),
    "unit_cylinder": (units.cylinder, _lengths[:2]),
    "unit_tube": (units.tube, _lengths),
    "unit_cone": (units.cone, _lengths[:2]),
    "unit_torus": (units.torus, (_lengths[2], _lengths[0])),
    "table": (lambda x: pieces.evaluate_1d(_curve, x), (np.float64(0.83),)),
    "table_of_two": (
        lambda x, y: pieces.evaluate_2d(_sheet, x, y),
        (np.float64(0.83), np.float64(0.2)),
    ),
    "unit_capsule": (units.capsule, _lengths[:2]),
}
