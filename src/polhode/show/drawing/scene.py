"""What is seen of a motion: bodies, joints, springs and arrows, frame by frame.

One noun for every way of drawing: the page, the live viewer, films. All is along the
world's axes, in metres; n is the number of frames.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.actions.space.frames import LocalFrame
from polhode.actions.weight import Weight
from polhode.errors import ShowError
from polhode.integrate.results.body_motion import at_rows
from polhode.show.drawing.arrows import Arrows, arrows_of
from polhode.show.drawing.contacts import contact_arrows, floor_height, plane_links
from polhode.show.drawing.globes import Globe, globes_of
from polhode.show.drawing.glyphs import (
    Glyph,
    Link,
    arms_of,
    attachments,
    glyphs_of,
    links_of,
    usual_radius,
)
from polhode.show.drawing.observer import Observer, observer_of
from polhode.show.drawing.rolling import Rolling, rollings_of
from polhode.show.drawing.strands import Strand, strands_of
from polhode.show.drawing.surface import Surface, surfaces_of
from polhode.show.drawing.visual import NOTHING, surfaces_of_shapes
from polhode.show.drawing.wheels import fittings

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

FRAMES_A_SECOND, FEWEST, MOST = 60, 121, 601
PLACES = 60_000  # bodies times frames, beyond which there are fewer frames
SMALLEST = 0.008  # of the scene: a smaller body is drawn larger, and it is said so
COIL, SLIM = 0.019, 0.4  # of the scene and of a body: the radius of a spring
FINE = 0.009  # of its far end's distance: a thinner coil would not be seen
NEAR = 3.5  # of the scene: where a spring's far end is still in the picture
ORBITING = 0.016  # of the scene, beside a planet
BESIDE = 10.0  # radii of a body: the scene for which its pushes are scaled
DOT = 0.05  # of the scene: the diameter of a particle


class Drawn(NamedTuple):
    """A body: its surfaces and mass centre in its axes, and its places.

    rotations R_WB (n, 3, 3), origins (n, 3); `magnified` is how much larger it is drawn
    about its mass centre than it is.
    """

    name: str
    surfaces: tuple[Surface, ...]
    mass: float
    centre: np.ndarray
    inertia: np.ndarray
    rotations: np.ndarray
    origins: np.ndarray
    magnified: float

    @property
    def path(self) -> np.ndarray:
        """Where the mass centre is (n, 3)."""
        return self.origins + self.rotations @ self.centre


@final
@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """All that can be drawn of a motion.

    times      (n,)
    middle     (3,) and `size`, the largest extent: what a camera must hold
    floor      the height of the ground; None where no weight says what is down
    drift      (n, 3): where an observer is that goes along over that ground; without
               one it stays
    is_clad    whether bodies are shown by shapes of their own
    strands    ropes and belts, which change their shape
    globes     planets that bodies go round
    """

    name: str
    times: np.ndarray
    bodies: tuple[Drawn, ...]
    joints: tuple[Glyph, ...]
    links: tuple[Link, ...]
    arrows: tuple[Arrows, ...]
    rollings: tuple[Rolling, ...]
    middle: np.ndarray
    size: float
    floor: float | None
    is_clad: bool = False
    strands: tuple[Strand, ...] = ()
    globes: tuple[Globe, ...] = ()
    drift: np.ndarray | None = None

    @property
    def coil(self) -> float:
        """The radius of coils and cups: of the scene, but not larger than bodies."""
        slim = min(COIL * self.size, SLIM * usual_radius(self.bodies))
        far = [np.max(np.abs(each - self.middle)) for each in self.moorings]
        return max(slim, FINE * float(np.max(far, initial=0.0)))

    @property
    def moorings(self) -> list[np.ndarray]:
        """Points of the world, (1, 3) each, that springs and rods not far off go to."""
        return [
            link.points[[k]]
            for link in self.links
            for k, body in enumerate(link.bodies)
            if body < 0 and link.kind != "plane" and self._is_near(link.points[k])
        ]

    def _is_near(self, point: np.ndarray) -> bool:
        return bool(np.max(np.abs(point - self.middle)) < NEAR * self.size)

    def __repr__(self) -> str:
        span = f"{self.times[0]:g} to {self.times[-1]:g} s"
        return f"Scene({self.name!r}, {len(self.times)} frames, {span})"


def scene_of(
    motion: Trajectory,
    frames: int | None = None,
    *,
    follow: Any = None,
    axes: str = "world",
) -> Scene:
    """The scene of a motion in evenly spaced frames, or in the rows that were kept.

    `follow` names a body that the observer goes along with, in the world's axes or in
    those that `axes` says: "body", "rtn", "lvlh".
    """
    rows = motion_of_frames(motion, frames)
    stage = stage_of(rows, follow, axes)
    observer = observer_of(rows, follow, axes)
    arms = () if has_shapes(rows.system) else arms_of(rows, stage.bodies)
    bodies = stage.bodies if observer is None else _bodies(rows, None, stage.size)
    arrows = (
        *arrows_of(rows, bodies, stage.size),
        *contact_arrows(rows, arrow_room(stage)),
    )
    if observer is not None:
        arrows = tuple(_seen_arrows(kind, observer) for kind in arrows)
    return replace(
        stage,
        links=(*stage.links, *arms),
        arrows=arrows,
        rollings=rollings_of(rows, stage.bodies) if observer is None else (),
    )


def stage_of(rows: Trajectory, follow: Any = None, axes: str = "world") -> Scene:
    """The scene of framed rows without arrows and ellipsoids: what is there."""
    system = rows.system
    observer = observer_of(rows, follow, axes)
    globes = globes_of(rows) if observer is None else ()
    bodies = _bodies(rows, observer, least=ORBITING if globes else SMALLEST)
    low, high = _box(bodies, globes)
    size = float(np.max(high - low))
    is_heavy = any(isinstance(action, Weight) for action in system.given.actions)
    planes = plane_links(rows, bodies, size) if observer is None else ()
    joints = () if has_shapes(system) else glyphs_of(rows, size, bodies)
    links = (*links_of(rows), *planes)
    strands = strands_of(rows, bodies)
    floor = _floor(rows, float(low[2]), is_heavy=is_heavy, has_planes=bool(planes))
    drift: np.ndarray | None = None
    if observer is not None:  # without the world, which rushes by
        joints = tuple(glyph for glyph in joints if glyph.body >= 0)
        links = tuple(link for link in links if min(link.bodies) >= 0)
        strands = tuple(s._replace(points=observer.places(s.points)) for s in strands)
        floor = None
        if axes == "world" and not isinstance(follow, LocalFrame):
            still = [b._replace(origins=b.origins + observer.origins) for b in bodies]
            low = _box(tuple(still))[0]
            floor = _floor(rows, float(low[2]), is_heavy=is_heavy, has_planes=False)
            drift = None if floor is None else observer.origins
    return Scene(
        system.name if observer is None else f"{system.name}, seen {observer.word}",
        rows.t,
        bodies,
        joints,
        links,
        (),
        (),
        (low + high) / 2,
        size,
        floor,
        has_shapes(system),
        strands,
        globes,
        drift,
    )


def _bodies(
    rows: Trajectory,
    observer: Observer | None,
    extent: float | None = None,
    *,
    least: float = SMALLEST,
) -> tuple[Drawn, ...]:
    """All bodies as an observer sees them; None is the world."""
    system, poses = rows.system, at_rows(rows, "poses")
    if observer is not None:
        poses = poses._replace(
            rotations=observer.turns(np.asarray(poses.rotations, float)),
            origins=observer.places(np.asarray(poses.origins, float)),
        )
    table = system.table(dict(rows.table))
    held, count = attachments(rows), range(len(system.bodies))

    def bare(k: int, dot: float) -> list[Surface]:
        return _surfaces(system, system.bodies[k], dot, (table, held.get(k, ())))

    more = fittings(rows, bare)

    def surfaces(k: int, dot: float) -> list[Surface]:
        return [*bare(k, dot), *more.get(k, ())]

    if extent is None:
        extent = _extent(poses, [surfaces(k, 0.0) for k in count])
    looks = [surfaces(k, DOT * extent) for k in count]
    origins = np.asarray(poses.origins[0], float)
    sizes = [0.0 if _is_part(k, looks, origins) else least * extent for k in count]
    return tuple(
        _drawn(rows, k, poses, surfaces=looks[k], least=sizes[k]) for k in count
    )


def _is_part(k: int, looks: list[list[Surface]], origins: np.ndarray) -> bool:
    """Whether a body begins within reach of a larger one: it is seen as part of that.

    What stands alone and is too small to be seen is drawn larger; a wheel beside its
    car is not.
    """
    reach = np.array([_radius(look, np.zeros(3)) for look in looks])
    away = np.linalg.norm(origins - origins[k], axis=1)
    return bool(np.any((away < 1.5 * reach) & (reach > reach[k])))


def arrow_room(scene: Scene) -> float:
    """The size by which pushes are scaled: a small body's do not tower above it."""
    return min(scene.size, BESIDE * usual_radius(scene.bodies))


def _seen_arrows(kind: Arrows, observer: Observer) -> Arrows:
    return kind._replace(
        arrows=tuple(
            arrow._replace(
                tails=observer.places(np.asarray(arrow.tails)),
                vectors=observer.vectors(np.asarray(arrow.vectors)),
            )
            for arrow in kind.arrows
        )
    )


def _floor(
    rows: Trajectory, low: float, *, is_heavy: bool, has_planes: bool
) -> float | None:
    """The plane that bodies rest on, or the lowest place where weight pulls down."""
    level = floor_height(rows)
    if level is not None:
        return level
    return low if is_heavy and not has_planes else None


def motion_of_frames(motion: Trajectory, frames: int | None = None) -> Trajectory:
    """The motion at the times of its frames; rows that are not finite are left out."""
    finite = np.flatnonzero(np.all(np.isfinite(motion.steps.x), axis=1))
    if not len(finite):
        raise ShowError(
            f"the motion of {motion.system.name!r} has nothing to show.",
            "It has no row of finite numbers.",
            "Read motion.outcome: it says why the run ended at once.",
        )
    motion = motion[: finite[-1] + 1] if len(finite) == finite[-1] + 1 else motion
    span = abs(float(motion.t[-1] - motion.t[0]))
    usual = int(np.clip(np.ceil(span * FRAMES_A_SECOND) + 1, FEWEST, MOST))
    room = max(PLACES // len(motion.system.bodies), 2)
    count = _admit_frames(frames) or min(usual, room)
    if motion.is_dense and len(motion) > 1:
        return motion.resampled(np.linspace(motion.t[0], motion.t[-1], count))
    if len(motion) <= count:
        return motion
    return motion[:: -(-len(motion) // count)]


def _admit_frames(frames: int | None) -> int | None:
    if frames is None or (isinstance(frames, int | np.integer) and frames >= 2):
        return frames
    raise ShowError(
        f"a motion cannot be shown in {frames!r} frames.",
        "It has a first and a last, and whole ones between.",
        "Give frames=2 or more, or leave it out.",
    )


def _drawn(
    rows: Any, k: int, poses: Any, *, surfaces: list[Surface], least: float
) -> Drawn:
    body, table = rows.system.bodies[k], rows.system.table(dict(rows.table))
    mass, centre, inertia = (np.asarray(x, float) for x in body.moments(table))
    radius = _radius(surfaces, centre)
    factor, is_empty = 1.0, surfaces[0] is NOTHING
    if radius < least and not is_empty:
        factor = 2 * least / radius
        surfaces = [
            s._replace(corners=centre + factor * (s.corners - centre)) for s in surfaces
        ]
    return Drawn(
        body.name,
        tuple(surfaces),
        float(mass),
        centre,
        inertia,
        np.asarray(poses.rotations[:, k]),
        np.asarray(poses.origins[:, k]),
        factor,
    )


def has_shapes(system: Any) -> bool:
    """Whether some body brings its shapes along: then only these are shown."""
    return any(getattr(body, "shapes", ()) for body in system.bodies)


def _surfaces(system: Any, body: Any, size: float, known: Any) -> list[Surface]:
    """Of a body alone; `known` are the parameters, and the points that hold it."""
    if not has_shapes(system):
        return surfaces_of(body, size, *known)
    own = getattr(body, "shapes", ())
    if not own:
        return [NOTHING]
    # A body none of whose meshes can be read is shown by its inertia.
    return surfaces_of_shapes(own) or surfaces_of(body, size, *known)


def _radius(surfaces: list[Surface], centre: np.ndarray) -> float:
    return max(
        float(np.max(np.linalg.norm(s.corners - centre, axis=1))) for s in surfaces
    )


def _extent(poses: Any, surfaces: list[list[Surface]]) -> float:
    """The size of the motion, or of the largest body if it is larger."""
    origins = np.concatenate([poses.origins.reshape(-1, 3), np.zeros((1, 3))])
    moved = float(np.max(np.ptp(origins, axis=0)))
    sizes = [
        float(np.max(np.ptp(np.concatenate([s.corners for s in found]), axis=0)))
        for found in surfaces
        if found
    ]
    return max([moved, *sizes]) or 1.0


def _box(
    bodies: tuple[Drawn, ...], globes: tuple[Globe, ...] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """The corners of a box that holds all bodies in all frames, and planets."""
    ends = []
    for globe in globes:
        carrier = bodies[globe.body] if globe.body >= 0 else None
        middle = globe.centre if carrier is None else carrier.origins
        ends += [np.atleast_2d(middle) + side * globe.radius for side in (-1.0, 1.0)]
    for body in bodies:
        corners = np.concatenate([s.corners for s in body.surfaces])
        own = corners[:: max(len(corners) // 1000, 1)]
        every = max(len(body.origins) // 60, 1)
        R, p = body.rotations[::every], body.origins[::every]
        placed = np.einsum("nij,kj->nki", R, own) + p[:, None]
        ends.append(placed.reshape(-1, 3))
        ends.append(body.path)
    points = np.concatenate(ends)
    return points.min(axis=0), points.max(axis=0)
