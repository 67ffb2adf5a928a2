"""Planets that pull at the bodies of a scene: spheres of their radius.

A field of gravity knows its planet's radius. Where only G M is known, a planet whose
G M it is has that radius; other centres are not drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.actions.gravitation import Gravitation
from polhode.actions.potentials.potential import Potential
from polhode.actions.space.harmonic_gravity import HarmonicGravity
from polhode.actions.space.planet import EARTH, MOON, SUN
from polhode.actions.space.zonal_gravity import ZonalGravity
from polhode.constraints.constraint import coordinates_of
from polhode.integrate.results.body_motion import at_rows
from polhode.matter.parameter import at

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

PLANETS = {"Earth": EARTH, "Moon": MOON, "Sun": SUN}
# On light paper and on dark: paler than what goes round them.
TINTS = {
    "Earth": ("#bcd6ec", "#31557a"),
    "Moon": ("#d5d7db", "#565b64"),
    "Sun": ("#f4d58d", "#b98a2e"),
    "planet": ("#cfd6df", "#4a5463"),
}
NEAR = 2e-3  # of G M: values of the same planet differ by less
FAR = 0.5  # of the radius: a motion that goes less far is not seen beside a planet


class Globe(NamedTuple):
    """A planet: its centre in the axes of a body (-1 is the world), its radius, m.

    tints   on light paper and on dark
    """

    name: str
    body: int
    centre: np.ndarray
    radius: float
    tints: tuple[str, str]


def globes_of(rows: Trajectory) -> tuple[Globe, ...]:
    """The planets about which something goes far enough for both to be seen."""
    table = rows.system.table(dict(rows.table))
    origins = np.asarray(at_rows(rows, "poses").origins)
    reach = float(np.max(np.ptp(origins, axis=0), initial=0.0))
    found: dict[tuple[Any, ...], Globe] = {}
    for action in rows.system.actions:
        for centre, body, size, mu in _centres(rows, action, table):
            name = _name(mu)
            radius = size or (PLANETS[name].radius if name in PLANETS else 0.0)
            if 0 < FAR * radius < reach:
                key = (body, *np.round(centre, 3))
                found.setdefault(key, Globe(name, body, centre, radius, TINTS[name]))
    return tuple(found.values())


def _centres(
    rows: Trajectory, action: Any, table: Any
) -> list[tuple[np.ndarray, int, float | None, float]]:
    """Where an action's planets are, their bodies, radii where known, and G M."""
    place = rows.system.places_of
    if isinstance(action, ZonalGravity | HarmonicGravity):
        at_centre = np.asarray(coordinates_of(action.by, table), float)
        numbers = float(at(action.radius, table)), float(at(action.mu, table))
        return [(at_centre, place([action.by.frame])[0], *numbers)]
    if isinstance(action, Gravitation):
        G = float(at(action.constant, table))
        return [
            (
                np.asarray(coordinates_of(each.point, table), float),
                place([each.point.frame])[0],
                None,
                G * float(at(each.mass, table)),
            )
            for each in action.masses
        ]
    if isinstance(action, Potential) and "mu" in action.constants:
        body = place([action.bodies[0]])[0]
        return [(np.zeros(3), body, None, float(at(action.constants["mu"], table)))]
    return []


def _name(mu: float) -> str:
    for name, planet in PLANETS.items():
        if abs(mu - planet.mu) < NEAR * planet.mu:
            return name
    return "planet"


def graticule(globe: Globe, step: float = 30.0, count: int = 73) -> list[np.ndarray]:
    """Meridians and parallels (count, 3) each, from the globe's centre, m."""
    turn = np.linspace(0, 2 * np.pi, count)
    lines = []
    for rise in np.radians(np.arange(-90 + step, 90, step)):
        ring = [np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn)]
        lines.append(np.stack([*ring, np.full(count, np.sin(rise))], axis=1))
    for side in np.radians(np.arange(0, 180, step)):
        ring = [np.cos(turn) * np.cos(side), np.cos(turn) * np.sin(side)]
        lines.append(np.stack([*ring, np.sin(turn)], axis=1))
    return [1.002 * globe.radius * line for line in lines]


def is_hidden(points: Any, centre: Any, radius: float, near: Any) -> Any:
    """Whether points (..., 3) are behind a sphere, seen from far along `near` (3,)."""
    away = np.asarray(points) - centre
    depth = away @ near
    across = np.sum(away**2, axis=-1) - depth**2
    return (across < radius**2) & (depth < np.sqrt(np.maximum(radius**2 - across, 0)))
