"""What bodies look like: closed surfaces of the right size, in the right place."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.matter.mesh import closed_surface, signed_volume
from polhode.show.drawing.outline import ears
from polhode.show.drawing.surface import SHAPES, surfaces_of

HOOK = [[0, 0], [3, 0], [3, 2], [2, 2], [2, 1], [0, 1]]
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
S = ph.solids
FULL = [
    S.box(mass=1, x=0.1, y=0.2, z=0.3),
    S.sphere(mass=1, radius=0.3),
    S.ellipsoid(mass=1, x=0.1, y=0.2, z=0.3),
    S.cylinder(mass=1, radius=0.2, length=0.5, along=ph.X),
    S.tube(mass=1, inner_radius=0.1, outer_radius=0.2, length=0.5),
    S.tube(mass=1, inner_radius=0.0, outer_radius=0.2, length=0.5),
    S.cone(mass=1, radius=0.2, height=0.5, along=ph.Y),
    S.torus(mass=1, ring_radius=0.4, tube_radius=0.1),
    S.capsule(mass=1, radius=0.1, length=0.5),
    S.tetrahedron(mass=1, corners=CORNERS),
    S.extrusion(mass=1, outline=HOOK, height=0.4, along=ph.X),
]
THIN = [
    S.rod(mass=1, length=2.0, along=ph.X),
    S.ring(mass=1, radius=0.5),
    S.disc(mass=1, radius=0.5),
    S.plate(mass=1, x=0.4, y=0.2),
    S.spherical_shell(mass=1, radius=0.3),
    S.ellipsoidal_shell(mass=1, x=0.1, y=0.2, z=0.3),
]


def kind(solid):
    return solid.shape


def drawn(matter):
    (surface,) = surfaces_of(ph.Body("body", matter))
    return surface


@pytest.mark.parametrize("solid", FULL, ids=kind)
def test_the_surface_encloses_the_solid(solid):
    """Closed, facing outwards, with the solid's volume and mass centre."""
    placed = S.placed(solid, (0.3, -0.2, 0.5))
    surface = drawn(placed)
    corners, triangles = closed_surface(surface.corners, surface.triangles, "drawn")
    volume = signed_volume(corners, triangles)
    assert_close(volume, solid.unit(**solid.sizes())[0], rtol=0.03)
    filled = S.mesh((corners, triangles), mass=1.0).moments()
    assert_close(filled.centre, placed.moments().centre, atol=0.01)
    assert_close(filled.inertia, placed.moments().inertia, rtol=0.05)


@pytest.mark.parametrize("solid", THIN, ids=kind)
def test_a_thin_shape_is_as_long_and_wide_as_it_is(solid):
    """Thickness is added; the extent stays within a few hundredths."""
    surface = drawn(solid)
    closed_surface(surface.corners, surface.triangles, "drawn")
    sizes = {k: float(v) for k, v in solid.sizes().items()}
    largest = max(
        v if k in ("length",) or solid.shape == "plate" else 2 * v
        for k, v in sizes.items()
    )
    assert_close(np.ptp(surface.corners, axis=0).max(), largest, rtol=0.05)


def test_every_shape_of_the_catalogue_can_be_drawn():
    """No kind of solid is forgotten."""
    shapes = {solid.shape for solid in (*FULL, *THIN)} | {"mesh"}
    assert shapes == set(SHAPES)


@pytest.mark.parametrize(
    "solid",
    [
        S.box(mass=2.0, x=0.1, y=0.2, z=0.3),
        S.cylinder(mass=2.0, radius=0.2, length=0.7),
        S.cylinder(mass=2.0, radius=0.4, length=0.1, along=ph.X),
    ],
    ids=["box", "long", "flat"],
)
def test_known_moments_look_like_the_block_that_has_them(solid):
    """The even box, or cylinder, of the same mass and moments, along its axes."""
    placed = S.placed(solid, (0, 0, 1))
    mass, centre, inertia = placed.moments()
    known = ph.Body.from_inertia("block", mass=mass, inertia=inertia, centre=centre)
    (seen,), (true,) = surfaces_of(known), surfaces_of(ph.Body("true", placed))
    for side in (np.min, np.max):
        gap = side(seen.corners, axis=0) - side(true.corners, axis=0)
        assert np.max(np.abs(gap)) < 0.005


def test_bars_reach_what_holds_a_body_of_known_moments():
    """The ends of its bars are its joints; the block does not fill the way there."""
    body = ph.Body.from_inertia("link", mass=1.0, inertia=(0.01, 0.02, 0.015))
    points = np.array([[0.5, 0, 0], [0, -0.4, 0.1]])
    *bars, block = surfaces_of(body, points=points)
    reached = np.concatenate([bar.corners for bar in bars])
    for point in points:
        assert np.min(np.linalg.norm(reached - point, axis=1)) < 0.03
    (alone,) = surfaces_of(body)
    assert np.ptp(block.corners) < 0.5 * np.ptp(alone.corners)


def test_holes_are_drawn_dark_and_through_the_surface():
    """What is cut away is marked, and stands out of what it is cut from."""
    whole = S.cylinder(density=1.0, radius=1.0, length=0.2)
    plate = S.pierced(whole, bore=S.cylinder(density=1.0, radius=0.2, length=0.2))
    body, bore = surfaces_of(ph.Body("plate", plate))
    assert (body.is_hole, bore.is_hole) == (False, True)
    assert bore.corners[:, 2].max() > body.corners[:, 2].max()


def test_parameters_move_the_surface():
    """A rod of a longer length is drawn longer."""
    rod = ph.Body("rod", S.rod(mass=1.0, length=ph.Parameter("l", 1.0)))
    longer = surfaces_of(rod, table={"l": 3.0})[0].corners
    assert_close(np.ptp(longer[:, 2]), 3.0, rtol=1e-12)


def test_particles_and_clouds_are_dots():
    """One ball of the size asked for at each place."""
    (dot,) = surfaces_of(ph.Particle("bob", 1.0), 0.2)
    assert_close(np.ptp(dot.corners, axis=0), [0.2] * 3, rtol=1e-3)
    dots = surfaces_of(ph.Body("pair", ph.Cloud([1, 1], [[0, 0, 0], [1, 2, 2]])), 0.2)
    assert_close([d.corners.mean(axis=0)[0] for d in dots], [0, 1], atol=1e-12)


def test_ears_fill_a_polygon_once():
    """The triangles' areas are all positive and add up to the polygon's."""
    outline = np.array(HOOK, float)
    corners = outline[ears(outline)]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    u, v = b - a, c - a
    areas = (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / 2
    assert np.all(areas > 0)
    assert_close(areas.sum(), 4.0, rtol=1e-12)
