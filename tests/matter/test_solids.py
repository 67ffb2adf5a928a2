"""Closed forms of solids against quadrature, and what no solid can be."""

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import ModelError, StateError, UnphysicalInertia
from polhode.matter import solids
from polhode.matter.axes import X, Y, Z
from polhode.matter.cloud import Cloud
from polhode.matter.continuum import sampled
from polhode.matter.solids.solid import Solid
from strategies_geometry import generators, rotation_matrix

TURN, HALF = (0.0, 2 * np.pi), (0.0, np.pi)
A, B, C = 0.3, 0.5, 0.8


def polar(radius, bounds, height=None):
    """A line, disc or cylinder round z; `radius` is a number or the bounds of one."""
    if height is None:
        return lambda r, a: (r * np.cos(a), r * np.sin(a), 0 * a), [radius, bounds]
    return (
        lambda r, a, z: (r * np.cos(a), r * np.sin(a), z + 0 * r),
        [radius, bounds, height],
    )


def ball(r, b, a):
    return r * np.sin(b) * np.cos(a), r * np.sin(b) * np.sin(a), r * np.cos(b)


def stretched(chart, x, y, z):
    def image(*u):
        px, py, pz = chart(*u)
        return x * px, y * py, z * pz

    return image


def shell(b, a):
    return ball(1.0, b, a)


def support(x, y, z):
    """Distance from the centre to the tangent plane of the ellipsoid A, B, C."""
    return 1 / np.sqrt(x**2 / A**4 + y**2 / B**4 + z**2 / C**4)


def torus_chart(s, b, a):
    reach = C + s * np.cos(b)
    return reach * np.cos(a), reach * np.sin(a), s * np.sin(b)


def capsule_cloud(density) -> Cloud:
    chart, bounds = polar((0, A), TURN, (-B / 2, B / 2))
    barrel = sampled(chart, bounds, density)

    def cap(sign):
        return lambda r, b, a: (
            *ball(r, b, a)[:2],
            sign * (ball(r, b, a)[2] + B / 2),
        )

    ends = [
        sampled(cap(sign), [(0, A), (0, np.pi / 2), TURN], density) for sign in (1, -1)
    ]
    return barrel | ends[0] | ends[1]


CORNERS = np.array([[0.1, 0, 0], [1, 0.2, 0], [0.3, 0.9, 0.1], [0, 0.4, 1.2]])


def tetrahedron_chart(u, v, w):
    weights = (u, (1 - u) * v, (1 - u) * (1 - v) * w)
    last = 1 - sum(weights)
    corners = zip((*weights, last), CORNERS, strict=True)
    place = sum(weight[..., None] * corner for weight, corner in corners)
    return place[..., 0], place[..., 1], place[..., 2]


LETTER = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 3], [0, 3]], float)


def letter_cloud(density) -> Cloud:
    """An L pushed along z, as two boxes."""
    low = sampled(lambda x, y, z: (x, y, z), [(0, 2), (0, 1), (-B / 2, B / 2)], density)
    high = sampled(
        lambda x, y, z: (x, y, z), [(0, 1), (1, 3), (-B / 2, B / 2)], density
    )
    return low | high


def cone_chart(s, a, z):
    r = s * A * (1 - z / C)
    return r * np.cos(a), r * np.sin(a), z


UNIT = (0.0, 1.0)
BY_QUADRATURE = {
    "rod": (solids.rod, {"length": B}, lambda u: (0 * u, 0 * u, u), [(-B / 2, B / 2)]),
    "ring": (
        solids.ring,
        {"radius": B},
        lambda a: (B * np.cos(a), B * np.sin(a), 0 * a),
        [TURN],
    ),
    "plate": (
        solids.plate,
        {"x": A, "y": B},
        lambda x, y: (x, y, 0 * x),
        [(-A / 2, A / 2), (-B / 2, B / 2)],
    ),
    "disc": (solids.disc, {"radius": B}, *polar((0, B), TURN)),
    "spherical shell": (
        solids.spherical_shell,
        {"radius": B},
        stretched(shell, B, B, B),
        [HALF, TURN],
    ),
    "box": (
        solids.box,
        {"x": A, "y": B, "z": C},
        lambda x, y, z: (x, y, z),
        [(-A / 2, A / 2), (-B / 2, B / 2), (-C / 2, C / 2)],
    ),
    "sphere": (solids.sphere, {"radius": B}, ball, [(0, B), HALF, TURN]),
    "ellipsoid": (
        solids.ellipsoid,
        {"x": A, "y": B, "z": C},
        stretched(ball, A, B, C),
        [UNIT, HALF, TURN],
    ),
    "cylinder": (
        solids.cylinder,
        {"radius": B, "length": C},
        *polar((0, B), TURN, (-C / 2, C / 2)),
    ),
    "tube": (
        solids.tube,
        {"inner_radius": A, "outer_radius": B, "length": C},
        *polar((A, B), TURN, (-C / 2, C / 2)),
    ),
    "cone": (solids.cone, {"radius": A, "height": C}, cone_chart, [UNIT, TURN, (0, C)]),
    "torus": (
        solids.torus,
        {"ring_radius": C, "tube_radius": A},
        torus_chart,
        [(0, A), TURN, TURN],
    ),
    "tetrahedron": (
        solids.tetrahedron,
        {"corners": CORNERS},
        tetrahedron_chart,
        [UNIT, UNIT, UNIT],
    ),
}


@pytest.mark.row("I-20")
@pytest.mark.parametrize("shape", BY_QUADRATURE)
def test_closed_form_meets_quadrature(shape):
    """Mass, mass centre and inertia of each shape are integrals over it."""
    door, sizes, chart, bounds = BY_QUADRATURE[shape]
    assert_same_moments(door(density=2.5, **sizes), sampled(chart, bounds, 2.5))
    assert door(mass=1.0, **sizes).shape == shape


@pytest.mark.row("I-20")
def test_compound_shapes_meet_quadrature():
    """A capsule is a cylinder and two half balls; an extruded L is two boxes."""
    capsule = solids.capsule(density=2.5, radius=A, length=B)
    assert_same_moments(capsule, capsule_cloud(2.5))
    letter = solids.extrusion(density=2.5, outline=LETTER, height=B)
    assert_same_moments(letter, letter_cloud(2.5))
    clockwise = solids.extrusion(density=2.5, outline=LETTER[::-1], height=B)
    assert_same_moments(clockwise, letter_cloud(2.5))


@pytest.mark.row("I-20")
def test_homoeoid_meets_quadrature():
    """A shell as thick as its tangent plane is far: I = m (b^2 + c^2)/3."""
    chart = stretched(shell, A, B, C)
    cloud = sampled(chart, [HALF, TURN], support, points=60)
    solid = solids.ellipsoidal_shell(mass=cloud.moments().mass, x=A, y=B, z=C)
    assert_same_moments(solid, cloud)
    even = sampled(chart, [HALF, TURN], 1.0, points=60).moments()
    ours = solids.ellipsoidal_shell(mass=even.mass, x=A, y=B, z=C).moments()
    assert np.max(np.abs(even.inertia - ours.inertia)) > 1e-3 * np.max(ours.inertia)


def assert_same_moments(solid: Solid, cloud: Cloud):
    mass, centre, inertia = solid.moments()
    truth = cloud.moments()
    assert_close(mass, truth.mass, rtol=1e-10)
    assert_close(centre, truth.centre, rtol=1e-10, atol=1e-10)
    assert_close(inertia, truth.inertia, rtol=1e-10)


AXIAL = [
    s
    for s in BY_QUADRATURE
    if s in ("rod", "ring", "plate", "disc", "cylinder", "tube", "cone", "torus")
]


@pytest.mark.parametrize("shape", AXIAL)
@pytest.mark.parametrize("axis", [X, Y, -Z, (1.0, -2.0, 2.0)], ids=repr)
def test_along_turns_the_shape_as_a_whole(shape, axis):
    """Along another axis the moments about it and the offset along it stay."""
    door, sizes, *_ = BY_QUADRATURE[shape]
    upright, turned = (door(mass=1.3, along=a, **sizes).moments() for a in (Z, axis))
    n = np.asarray(axis) / np.linalg.norm(axis)
    assert_close(n @ turned.inertia @ n, upright.inertia[2, 2], atol=1e-16)
    assert_close(turned.centre, upright.centre[2] * n, rtol=1e-14, atol=1e-17)
    assert_close(
        np.linalg.eigvalsh(turned.inertia),
        np.linalg.eigvalsh(upright.inertia),
        rtol=1e-13,
    )


def test_along_x_and_y_exchange_axes_cyclically():
    """A plate of sides x, y along X has them on Y and Z; along Y on Z and X."""
    across = {a: solids.plate(mass=12, x=1, y=2, along=a).moments() for a in (X, Y, Z)}
    assert_close(np.diag(across[Z].inertia), [4, 1, 5])
    assert_close(np.diag(across[X].inertia), [5, 4, 1])
    assert_close(np.diag(across[Y].inertia), [1, 5, 4])


@given(generators)
def test_placing_twice_is_placing_once(rng):
    """Turned and shifted, then again, is turned and shifted by the product."""
    cone = solids.cone(mass=1.5, radius=A, height=C)
    R, S, a, b = rotation_matrix(rng), rotation_matrix(rng), *rng.normal(size=(2, 3))
    twice = solids.placed(solids.placed(cone, a, R), b, S).moments()
    once = solids.placed(cone, S @ a + b, S @ R).moments()
    assert_close(twice.centre, once.centre, rtol=1e-13)
    assert_close(twice.inertia, once.inertia, rtol=1e-13)


def test_joined_parts_and_holes_add_and_subtract():
    """A tube is a cylinder with a hole; two half boxes are a box."""
    whole = solids.cylinder(density=3.0, radius=B, length=C)
    hole = solids.cylinder(density=3.0, radius=A, length=C)
    tube = solids.tube(density=3.0, inner_radius=A, outer_radius=B, length=C)
    assert_moments(solids.pierced(whole, bore=hole).moments(), tube.moments())
    half = solids.box(mass=1.0, x=1, y=1, z=0.5)
    both = solids.joined(
        low=solids.placed(half, (0, 0, -0.25)), high=solids.placed(half, (0, 0, 0.25))
    )
    assert_moments(both.moments(), solids.box(mass=2.0, x=1, y=1, z=1).moments())
    moved = solids.placed(both, (1, 2, 3)).moments()
    assert_close(moved.centre, [1, 2, 3])
    assert_close(moved.inertia, both.moments().inertia)


def assert_moments(one, other):
    for a, b in zip(one, other, strict=True):
        assert_close(a, b, rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: solids.rod(mass=-1, length=1), UnphysicalInertia, "mass -1 kg"),
        (lambda: solids.rod(mass=np.inf, length=1), ModelError, "not finite"),
        (
            lambda: solids.rod(mass=1, length=0),
            ModelError,
            "length of a rod cannot be 0",
        ),
        (lambda: solids.rod(mass="1", length=1), ModelError, "is not a number"),
        (lambda: solids.rod(length=1), ModelError, "mass or its density"),
        (lambda: solids.rod(mass=1, density=1, length=1), ModelError, "only one"),
        (lambda: solids.rod(density=-1, length=1), ModelError, "density of a rod"),
        (lambda: solids.rod(mass=1, length=1, along=(0, 0, 0)), ModelError, "is zero"),
        (
            lambda: solids.tube(mass=1, inner_radius=2, outer_radius=1, length=1),
            ModelError,
            "inner_radius 2 and outer_radius 1",
        ),
        (
            lambda: solids.torus(mass=1, ring_radius=1, tube_radius=2),
            ModelError,
            "tube_radius must be less",
        ),
        (
            lambda: solids.tetrahedron(mass=1, corners=np.ones((4, 3))),
            ModelError,
            "in one plane",
        ),
        (
            lambda: solids.tetrahedron(mass=1, corners=np.ones((3, 3))),
            StateError,
            "corners of a tetrahedron",
        ),
        (
            lambda: solids.extrusion(
                mass=1, outline=[[0, 0], [1, 1], [1, 0], [0, 1]], height=1
            ),
            ModelError,
            "does not bound one area",
        ),
        (
            lambda: solids.extrusion(mass=1, outline=[[0, 0], [1, 1]], height=1),
            StateError,
            "outline of an extrusion",
        ),
        (lambda: solids.joined(), ModelError, "nothing was joined"),
        (
            lambda: solids.pierced(
                solids.sphere(mass=1, radius=1), hole=solids.sphere(mass=1, radius=0.1)
            ),
            UnphysicalInertia,
            "no mass left: 1 of 1 kg",
        ),
        (
            lambda: solids.pierced(
                solids.sphere(mass=1, radius=1), hole=solids.sphere(mass=0.5, radius=3)
            ),
            UnphysicalInertia,
            "principal moments",
        ),
        (
            lambda: solids.placed(solids.rod(mass=1, length=1), (0, 0, 0), -np.eye(3)),
            ModelError,
            "not a rotation",
        ),
    ],
)
def test_impossible_solids_are_refused(build, error, words):
    """Each refusal names the shape, the number and what is wrong with it."""
    with pytest.raises(error, match=words):
        build()


def test_a_solid_keeps_what_a_viewer_needs():
    """Shape, dimensions and place are there, by name, and cannot be changed."""
    tube = solids.tube(mass=1, inner_radius=A, outer_radius=B, length=C, along=X)
    assert tube.shape == "tube"
    assert tube.sizes() == {"inner_radius": A, "outer_radius": B, "length": C}
    assert_close(tube.turn @ [0, 0, 1], [1, 0, 0])
    assert repr(tube) == "tube(mass=1, inner_radius=0.3, outer_radius=0.5, length=0.8)"
    with pytest.raises(TypeError):
        tube.dimensions["length"] = 3.0


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_moments_scale_as_mass_times_length_squared(scale):
    """In other units of length and mass the same body has the same numbers."""
    door, sizes, *_ = BY_QUADRATURE["cone"]
    here = door(mass=1.3, **sizes).moments()
    there = door(mass=1.3 * scale, **{k: v * scale for k, v in sizes.items()}).moments()
    assert_close(there.inertia, here.inertia * scale**3, rtol=1e-13)
    assert_close(there.centre, here.centre * scale, rtol=1e-13)
