"""Poinsot's picture of free bodies: the ellipsoid that rolls, and its two curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.integrate.results.body_motion import at_rows
from polhode.matter.poinsot import poinsot
from polhode.show.drawing.surface import Surface, ellipsoid_surface

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

RESTS = 1e-5  # a normal that moves by less is that of a plane at rest
AROUND = 1.12  # of a body's radius: the longest half axis of its ellipsoid


class Rolling(NamedTuple):
    """The inertia ellipsoid of a body about its mass centre, drawn at a scale.

    surface     in the body's axes, from the mass centre
    polhode     (n, 3) in the body's axes;  herpolhode (n, 3) in the world's
    normal      (3,) of the invariable plane, and its distance (m) at this scale; None
                where torques turn the plane
    """

    body: int
    surface: Surface
    polhode: np.ndarray
    herpolhode: np.ndarray
    normal: np.ndarray | None
    distance: float


def rollings_of(rows: Trajectory, bodies: Any) -> tuple[Rolling, ...]:
    """Of every body that moves freely and turns all the time."""
    spins = at_rows(rows, "twists").angular
    edges = rows.system.tree.edges
    carriers = {edge.parent for edge in edges}
    found = []
    for k, edge in enumerate(edges):
        if edge.joint.speeds != 6 or edge.parent >= 0 or k in carriers:
            continue
        each = rolling_of(bodies[k], k, np.asarray(spins[:, k]))
        if each is not None:
            found.append(each)
    return tuple(found)


def rolling_of(body: Any, k: int, spins: np.ndarray) -> Rolling | None:
    """The ellipsoid and the curves of one body; None where it has no ellipsoid."""
    J, axes = np.linalg.eigh(body.inertia)
    if J[0] <= 0 or not np.all(np.any(spins != 0, axis=1)):
        return None
    half = 1 / np.sqrt(J)
    scale = AROUND * _radius(body) / half.max()
    if np.linalg.det(axes) < 0:
        axes = -axes
    plain = ellipsoid_surface(*(scale * half))
    surface = plain._replace(corners=plain.corners @ axes.T)
    curves = poinsot(body.inertia, body.rotations, spins)
    normal = np.mean(curves.normal, axis=0)
    is_free = np.max(np.abs(curves.normal - normal)) < RESTS
    return Rolling(
        k,
        surface,
        scale * curves.polhode,
        scale * curves.herpolhode,
        normal / np.linalg.norm(normal) if is_free else None,
        scale * float(np.mean(curves.distance)),
    )


def _radius(body: Any) -> float:
    corners = np.concatenate([surface.corners for surface in body.surfaces])
    return float(np.max(np.linalg.norm(corners - body.centre, axis=1)))
