"""The gravity of continuous mass: rods, shells, balls, polyhedra, and any density.

Each kernel gives the field g (acceleration, m/s^2) or the potential phi (energy of a
unit mass, zero far away) at a place x (..., 3), both along one frame's axes, so that

    g = -grad phi,        div g = -lap phi = -4 pi G rho

Some books use the opposite sign, phi' = -phi and g = +grad phi'. `parameter` is G times
the total mass, in m^3/s^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.actions.fields.gravity import field_of_points, potential_of_points
from polhode.actions.fields.quadrature import Quadrature
from polhode.arrays import Array, Scalar, namespace
from polhode.geometry.vector import cross, dot, norm

__all__ = [
    "ball_field",
    "ball_potential",
    "density_from",
    "distribution_field",
    "distribution_potential",
    "polyhedron_field",
    "polyhedron_potential",
    "rod_field",
    "rod_potential",
    "shell_field",
    "shell_potential",
    "solid_angle",
]


def shell_field(x: Array, radius: Scalar, parameter: Scalar) -> Any:
    """A thin uniform spherical shell about the origin: a point mass, or nothing.

    g = -mu x/|x|^3 outside, 0 inside, the mean of both on the shell itself.
    """
    xp = namespace(x, radius)
    r = norm(x)
    part = xp.where(r > radius, 1.0, xp.where(r < radius, 0.0, 0.5))
    safe = xp.maximum(r, radius)
    return -(parameter * part / safe**3)[..., None] * x


def shell_potential(x: Array, radius: Scalar, parameter: Scalar) -> Any:
    """A thin uniform spherical shell.   phi = -mu / max(|x|, R)"""
    return -parameter / namespace(x, radius).maximum(norm(x), radius)


def ball_field(x: Array, radius: Scalar, parameter: Scalar) -> Any:
    """A uniform ball about the origin: a point mass outside, linear inside.

    g = -mu x / max(|x|, R)^3
    """
    safe = namespace(x, radius).maximum(norm(x), radius)
    return -(parameter / safe**3)[..., None] * x


def ball_potential(x: Array, radius: Scalar, parameter: Scalar) -> Any:
    """A uniform ball.   phi = -mu/|x| outside, -mu (3 R^2 - |x|^2)/(2 R^3) inside"""
    xp = namespace(x, radius)
    r2 = dot(x, x)
    outside = r2 > radius * radius
    safe = xp.where(outside, r2, 1.0)
    inside = -parameter * (3.0 * radius**2 - r2) / (2.0 * radius**3)
    return xp.where(outside, -parameter / xp.sqrt(safe), inside)


def rod_potential(x: Array, start: Array, end: Array, parameter: Scalar) -> Any:
    """A thin uniform straight rod from `start` to `end`, of length L.

        phi = -(mu/L) ln((r1 + r2 + L)/(r1 + r2 - L)) = -(2 mu/L) artanh(L/(r1 + r2))

    r1 and r2 are the distances to the ends. Infinite on the rod.
    """
    xp = namespace(x, start, end)
    length = norm(end - start)
    ends = norm(x - start) + norm(x - end)
    return -2.0 * parameter / length * xp.arctanh(length / ends)


def rod_field(x: Array, start: Array, end: Array, parameter: Scalar) -> Any:
    """The pull of a thin uniform straight rod.

        g = -(2 mu / (s^2 - L^2)) (u1 + u2),    s = r1 + r2

    u1 and u2 are the unit vectors from the ends to x.
    """
    first, second = x - start, x - end
    r1, r2 = norm(first)[..., None], norm(second)[..., None]
    span = (r1 + r2) ** 2 - dot(end - start, end - start)[..., None]
    return -2.0 * parameter / span * (first / r1 + second / r2)


def solid_angle(x: Array, corners: Array) -> Any:
    """The signed solid angle under which x sees triangles, corners (..., 3, 3).

        tan(omega/2) = a.(b x c) / (abc + (a.b)c + (b.c)a + (c.a)b)

    a, b, c lead from x to the corners. Positive where x is behind the triangle, its
    corners turning anticlockwise when seen from in front (outward normals). A triangle
    whose plane holds x counts zero: half of it is before x and half behind.
    (Van Oosterom and Strackee, 1983.)
    """
    xp = namespace(x, corners)
    arms = corners - x[..., None, :]
    a, b, c = arms[..., 0, :], arms[..., 1, :], arms[..., 2, :]
    ra, rb, rc = norm(a), norm(b), norm(c)
    volume = dot(a, cross(b, c))
    flat = xp.abs(volume) <= 1e-14 * xp.maximum(ra * rb * rc, _area_arm(a, b, c))
    below = ra * rb * rc + dot(a, b) * rc + dot(b, c) * ra + dot(c, a) * rb
    return xp.where(flat, 0.0, 2.0 * xp.arctan2(volume, xp.where(flat, 1.0, below)))


def _area_arm(a: Array, b: Array, c: Scalar) -> Any:
    # Twice the area times the triangle's size: the scale of the volume's rounding.
    area2 = norm(cross(b - a, c - a))
    return area2 * (norm(b - a) + norm(c - a))


def polyhedron_field(x: Array, corners: Array, density_parameter: Scalar) -> Any:
    """A uniform solid with a closed surface of triangles, corners (n, 3, 3) outward.

        g = G rho ( - sum over edges E_e . r_e L_e + sum over faces F_f . r_f omega_f )

    Exact inside and outside. `density_parameter` is G rho in 1/s^2. (Werner and
    Scheeres, 1997.) Each edge is met once in each of its two triangles, with the half
    n (n_e . r) L_e of its dyad.
    """
    edges, faces = _polyhedron_terms(x, corners)
    normals = _unit_normals(corners)
    return density_parameter * ((faces - edges)[..., None] * normals).sum(-2)


def polyhedron_potential(x: Array, corners: Array, density_parameter: Scalar) -> Any:
    """The potential of a uniform polyhedron, corners (n, 3, 3) outward.

    phi = -(G rho/2) (sum over edges r.E_e.r L_e - sum over faces r.F_f.r omega_f)
    """
    edges, faces = _polyhedron_terms(x, corners)
    height = dot(corners[..., 0, :] - x[..., None, :], _unit_normals(corners))
    return -density_parameter / 2.0 * (height * (edges - faces)).sum(-1)


def _unit_normals(corners: Array) -> Any:
    a, b, c = corners[..., 0, :], corners[..., 1, :], corners[..., 2, :]
    area2 = cross(b - a, c - a)
    return area2 / norm(area2)[..., None]


def _polyhedron_terms(x: Array, corners: Array) -> tuple[Any, Any]:
    """For each face: sum over its edges of (n_e . r) L_e, and (n . r) omega."""
    xp = namespace(x, corners)
    arms = corners - x[..., None, None, :]
    ahead = xp.roll(arms, -1, axis=-2)
    normals = _unit_normals(corners)
    along = ahead - arms
    length = norm(along)
    outward = cross(along, normals[..., None, :]) / length[..., None]
    reach = norm(arms) + norm(ahead)
    logarithm = 2.0 * xp.arctanh(length / reach)
    edges = (dot(outward, arms) * logarithm).sum(-1)
    height = dot(arms[..., 0, :], normals)
    return edges, height * solid_angle(x[..., None, :], corners)


def distribution_field(
    x: Array, rule: Quadrature, density: Scalar, constant: Scalar
) -> Any:
    """Any density over a line, surface or volume, by quadrature; x outside it.

        g(x) = -integral G rho (x - x0)/|x - x0|^3 dV(x0)

    `density` (n,) at the rule's points, or one number. Close to the mass the rule's
    points show singly: keep x further off than their spacing.
    """
    return field_of_points(x, rule.points, constant * density * rule.weights)


def distribution_potential(
    x: Array, rule: Quadrature, density: Scalar, constant: Scalar
) -> Any:
    """Any density, by quadrature.   phi(x) = -integral G rho/|x - x0| dV(x0)"""
    return potential_of_points(x, rule.points, constant * density * rule.weights)


def density_from(divergence: Scalar, constant: Scalar) -> Any:
    """The density that a field's divergence reveals.   rho = -div g / (4 pi G)"""
    return -divergence / (4.0 * np.pi * constant)
