"""Tyres and cams, drawn on the bodies that turn with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.vehicles.tyre import Tyre
from polhode.constraints.constraint import coordinates_of
from polhode.constraints.machines.cam import Cam
from polhode.joints.revolute import Revolute
from polhode.matter.parameter import at
from polhode.show.drawing.surface import Surface, revolve, turn_along

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

RUBBER, RIM = (0.27, 0.29, 0.33, 1.0), (0.72, 0.75, 0.80, 1.0)
WIDE, DEEP = 0.32, 0.34  # of a tyre's radius: half its width, and how deep the rim is
SHOULDER = 0.06  # of the radius: by what the tread falls towards its edges
OUT = 1.15  # of half the thickness of a wheel: how far a cam on it reaches out
PLATE = 0.22  # of a cam's least radius: half its thickness
ROUND = 1.6  # of the lift: the base circle of a cam whose follower does not tell it
TURNS = 180


def fittings(
    rows: Trajectory, bare: Callable[[int, float], list[Surface]]
) -> dict[int, list[Surface]]:
    """Surfaces by the number of the body that carries them, in its axes.

    `bare` gives those of a body alone, by its number and the size of a dot.
    """
    found: dict[int, list[Surface]] = {}
    table = rows.system.table(dict(rows.table))
    for action in rows.system.actions:
        if isinstance(action, Tyre):
            k = rows.system.places_of([action.wheel.frame])[0]
            centre = np.asarray(coordinates_of(action.wheel, table), float)
            made = tyre_surfaces(float(at(action.radius, table)), action.axis, centre)
            found.setdefault(k, []).extend(made)
    for each in rows.system.constraints:
        if isinstance(each, Cam) and isinstance(each.cam, Revolute):
            k = rows.system.places_of([each.cam.second.frame])[0]
            if k >= 0:
                plate = cam_surface(rows, each, bare(k, 0.0))
                found.setdefault(k, []).append(plate)
    return found


def tyre_surfaces(radius: float, axis: Any, centre: np.ndarray) -> list[Surface]:
    """A tyre and its rim about an axis through a centre."""
    w, inner = WIDE * radius, (1 - DEEP) * radius
    shoulder = (1 - SHOULDER) * radius
    tread = [inner, shoulder, radius, radius, shoulder, inner, inner]
    sides = [-0.7 * w, -w, -0.8 * w, 0.8 * w, w, 0.7 * w, -0.7 * w]
    rim = [0, inner, inner, 0]
    faces = [-0.35 * w, -0.35 * w, 0.35 * w, 0.35 * w]
    turn = turn_along(np.asarray(axis, float))
    return [
        Surface(own.corners @ turn.T + centre, own.triangles, False, tint)
        for own, tint in ((revolve(tread, sides), RUBBER), (revolve(rim, faces), RIM))
    ]


def cam_surface(rows: Trajectory, cam: Cam, beside: Sequence[Surface] = ()) -> Surface:
    """The plate of a cam: its base circle and the lift at every angle.

    It stands out at both sides of what it sits on, the surfaces `beside` it.

    The base circle is the one on which the drawn follower's origin would stand; where
    that is at the axis, it is one that shows the lift.
    """
    table = rows.system.table(dict(rows.table))
    lift = np.hypot(*cam.outline(0.0, TURNS + 1).T)
    base = _base_radius(rows, cam) or ROUND * float(np.max(lift))
    flat = cam.outline(base, TURNS + 1)[:-1][::-1]  # anticlockwise
    R, p = (np.asarray(x, float) for x in cam.cam.second_frame(table))
    shaft: Any = cam.cam
    axis = R @ np.asarray(shaft.axis, float)
    sides = [np.max(np.abs((each.corners - p) @ axis)) for each in beside]
    half = max(PLATE * base, *(OUT * float(side) for side in sides), 0.0)
    corners = np.concatenate(
        [np.column_stack([flat, np.full(len(flat), h)]) for h in (half, -half)]
        + [np.array([[0.0, 0.0, half], [0.0, 0.0, -half]])]
    )
    n, here = len(flat), np.arange(len(flat))
    there = (here + 1) % n
    top, low = np.full(n, 2 * n), np.full(n, 2 * n + 1)
    faces = [(top, here, there), (low, there + n, here + n),
             (here + n, there + n, there), (here + n, there, here)]  # fmt: skip
    triangles = np.concatenate([np.stack(each, axis=1) for each in faces])
    first = _towards_follower(rows, cam, axis)
    turn = np.stack([first, np.cross(axis, first), axis], axis=1)
    return Surface(corners @ turn.T + p, triangles)


def _slide(rows: Trajectory, cam: Cam) -> tuple[np.ndarray, np.ndarray] | None:
    """The follower's way and its place from the cam's axle, in the carrier's axes."""
    follower: Any = cam.follower
    shaft = cam.cam
    if "m" not in follower.units or follower.first.frame is not shaft.first.frame:
        return None
    table = rows.system.table(dict(rows.table))
    R, p = (np.asarray(x, float) for x in follower.first_frame(table))
    o = np.asarray(shaft.first_frame(table)[1], float)
    return R @ np.asarray(follower.axis, float), p - o


def _base_radius(rows: Trajectory, cam: Cam) -> float | None:
    """How far the follower's origin is from the axle where the lift is none."""
    found = _slide(rows, cam)
    if found is None:
        return None
    along, away = found
    table = rows.system.table(dict(rows.table))
    height = float(along @ away) + float(at(cam.offset, table))
    return height if height > 0 else None


def _towards_follower(rows: Trajectory, cam: Cam, axis: np.ndarray) -> np.ndarray:
    """The direction of the cam, at angle 0, that is below its follower."""
    table = rows.system.table(dict(rows.table))
    shaft: Any = cam.cam
    R_F = np.asarray(shaft.first_frame(table)[0], float)
    R_M = np.asarray(shaft.second_frame(table)[0], float)
    found = _slide(rows, cam)
    along = found[0] if found is not None else turn_along(R_F @ shaft.axis)[:, 0]
    own = R_M @ R_F.T @ along
    flat = own - (own @ axis) * axis
    size = float(np.linalg.norm(flat))
    return flat / size if size > PLATE else turn_along(axis)[:, 0]
