"""Balls, capsules, boxes and hulls on boxes and hulls: distances, rest, and edges."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError
from polhode.system.contacts import contact_rows

G = 9.81
WORLD = ph.World()
TETRAHEDRON = [(0.3, 0, -0.2), (-0.2, 0.3, -0.2), (-0.2, -0.3, -0.1), (0, 0.05, 0.4)]
SIDES = (0.4, 0.6, 0.3)


def block(surface, on, **laws) -> ph.System:
    """A body of 2 kg with a surface, on something of the world."""
    body = ph.Body("body", ph.solids.box(mass=2.0, x=0.4, y=0.6, z=0.3))
    rest = ph.Support(surface(body.origin), on(WORLD.origin), name="rest", **laws)
    return ph.System([body], [ph.Weight(G)], supports=[rest], name="pair")


def box(sides):
    return lambda at: ph.surfaces.box(at, sides)


def hull(corners):
    return lambda at: ph.surfaces.hull(at, corners)


PAIRS = {
    "box on box": (box(SIDES), box((1.0, 0.8, 0.5))),
    "hull on box": (hull(TETRAHEDRON), box((1.0, 0.8, 0.5))),
    "hull on hull": (hull(TETRAHEDRON), hull(2.0 * np.array(TETRAHEDRON))),
    "ball on box": (lambda at: ph.surfaces.sphere(at, 0.2), box((1.0, 0.8, 0.5))),
    "capsule on box": (
        lambda at: ph.surfaces.capsule(at, 0.1, 0.7, ph.X), box((1.0, 0.8, 0.5)),
    ),
}  # fmt: skip


@functools.cache
def paired(pair: str) -> ph.System:
    """The system of a pair, compiled once."""
    return block(*PAIRS[pair])


def apart(first: np.ndarray, second: np.ndarray) -> float:
    """The least distance of two convex hulls, by least squares over their corners."""
    a, b, w = len(first), len(second), 1e3
    sums = np.array([[w] * a + [0] * b, [0] * a + [w] * b])
    matrix = np.vstack([np.hstack([first.T, -second.T]), sums])
    share, _ = nnls(matrix, np.array([0.0, 0, 0, w, w]))
    p, q = share[:a] / share[:a].sum(), share[a:] / share[a:].sum()
    return float(np.linalg.norm(p @ first - q @ second))


def skeleton(shape) -> tuple[np.ndarray, float]:
    """Corners of a shape, and the radius about them."""
    places = getattr(shape, "places", np.zeros((1, 3)))
    return np.asarray(places), float(shape.radius or 0.0)


QUICK = ("box on box", "ball on box")


@pytest.mark.parametrize(
    "pair",
    [p if p in QUICK else pytest.param(p, marks=pytest.mark.long) for p in PAIRS],
)
def test_the_least_gap_is_the_distance_and_normals_are_along_it(pair):
    """Near a touch from any side; along n the two are just so far apart."""
    system = paired(pair)
    own, r = skeleton(system.supports[0].surface)
    ground, _ = skeleton(system.supports[0].on)
    rng = np.random.default_rng(5)
    for _ in range(30):
        turn, way = Rotation.random(random_state=rng), rng.normal(size=3)
        way /= np.linalg.norm(way)
        corners = turn.apply(own)

        def far(s, corners=corners, way=way):
            return apart(corners + s * way, ground) - r

        low, high = 0.0, 3.0
        while high - low > 1e-9:
            middle = (low + high) / 2
            low, high = (low, middle) if far(middle) > 1e-5 else (middle, high)
        wxyz = turn.as_quat()[[3, 0, 1, 2]]
        rows = contact_rows(system, 0.0, np.array([*wxyz, *(high * way)]), np.zeros(6))
        k = int(np.argmin(rows.gap))
        assert_close(rows.gap[k], far(high), atol=2e-8)
        n = rows.axes[k][:, 0]
        along = np.min((corners + high * way) @ n) - r - np.max(ground @ n)
        assert_close(along, rows.gap[k], atol=1e-9)


def rows_of(system, z, **given):
    """Of a body that is level, its middle at z."""
    state = system.state(body={"z": z, **given})
    return contact_rows(system, 0.0, state.q, state.z)


def test_gaps_change_as_material_points_part():
    """u_N is the rate of the gap, of corners over a face that moves with its body."""
    system = paired("box on box")
    z = np.array([0.0, 0, 0, 0.3, -0.2, 0.7])
    q = np.array([1.0, 0, 0, 0, 0.05, 0.02, 0.41])
    h = 1e-6
    rates = np.array([0, 0, 0, 0, *z[3:]])
    ahead, behind, rows = (
        contact_rows(system, 0.0, q + s * rates, z) for s in (h, -h, 0.0)
    )
    real = rows.gap < 0.2
    assert np.sum(real) == 4
    slope = (ahead.gap - behind.gap) / (2 * h)
    assert_close(slope[real], rows.velocity[real, 0], atol=1e-8)


@pytest.mark.long
def test_a_plank_across_a_beam_bears_where_edges_cross():
    """No corner of the one is over the other: the four crossings carry it."""
    system = block(box((2.0, 0.2, 0.1)), box((0.3, 3.0, 0.4)))
    rows = rows_of(system, 0.25)
    real = rows.gap < 0.1
    places = {tuple(x) for x in np.round(rows.point[real], 7)}
    assert places == {(x, y, 0.2) for x in (-0.15, 0.15) for y in (-0.1, 0.1)}
    assert np.max(np.abs(rows.gap[real])) < 1e-12


@pytest.mark.long
@pytest.mark.parametrize(("over", "rests"), [(0.19, True), (0.21, False)])
def test_a_box_rests_on_a_box_while_its_middle_is_over_it(over, rests):
    """Sides of 0.4 m: it tips where more than half of it is beyond the edge."""
    system = block(box((0.4, 0.4, 0.4)), box((1.0, 1.0, 0.2)), friction=ph.Coulomb(0.8))
    start = system.state(body={"x": 0.3 + over, "z": 0.3})
    motion = ph.simulate(system, start, until=0.1, method=ph.methods.Moreau(2e-3))
    pushes = motion["rest"].push[-1]
    if rests:
        assert_close(np.sum(pushes), 2.0 * G, rtol=1e-9)
        assert np.max(np.abs(motion.z)) < 1e-12
    else:
        assert motion.z[-1, 1] > 0.1


@pytest.mark.long
def test_a_box_thrown_over_a_box_slides_as_on_a_plane():
    """S7 on a box: a = 0.1, v = 6, mu = 0.5: 3.669725 m, never tilted."""
    cube = ph.Body("body", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    rest = ph.Support(
        ph.surfaces.box(cube.origin, (0.1, 0.1, 0.1)),
        ph.surfaces.box(WORLD.point(0, 0, -0.5), (20.0, 2.0, 1.0)),
        friction=ph.Coulomb(0.5), name="rest",
    )  # fmt: skip
    system = ph.System([cube], [ph.Weight(G)], supports=[rest])
    start = system.state(body={"z": 0.05}, speeds={"body": (0, 0, 0, 6.0, 0, 0)})
    motion = ph.simulate(system, start, until=1.3, method=ph.methods.Moreau(2e-3))
    assert_close(motion.q[-1, 4], 3.66972477064220183, atol=1e-5)
    assert np.max(np.abs(motion.q[:, 1:4])) < 1e-9


@pytest.mark.long
def test_boxes_in_a_stack_press_each_other_by_what_is_above():
    """Two on a floor: 2 m g below, m g between them; the third law is the same row."""
    bodies = [
        ph.Body(n, ph.solids.box(mass=1.0, x=0.2, y=0.2, z=0.2)) for n in ("low", "top")
    ]
    skins = [ph.surfaces.box(b.origin, (0.2, 0.2, 0.2)) for b in bodies]
    rubs = ph.Coulomb(0.5)
    supports = [
        ph.Support(skins[0], WORLD.origin, friction=rubs, name="floor"),
        ph.Support(skins[1], skins[0], friction=rubs, name="between"),
    ]
    system = ph.System(bodies, [ph.Weight(G)], supports=supports, name="stack")
    start = system.state(low={"z": 0.1}, top={"x": 0.03, "z": 0.3})
    motion = ph.simulate(system, start, until=0.2, method=ph.methods.Moreau(5e-3))
    assert_close(np.sum(motion["floor"].push[-1]), 2 * G, rtol=1e-8)
    assert_close(np.sum(motion["between"].push[-1]), G, rtol=1e-8)
    assert np.max(np.abs(motion.z)) < 1e-9


@pytest.mark.long
def test_a_ball_falls_round_the_edge_of_a_box_as_off_a_ball():
    """S2 of its middle: from rest at 0.1 rad over an edge, smooth, located."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=1.0))
    edge = ph.surfaces.box(WORLD.point(-2.0, 0, -2.0), (4.0, 4.0, 4.0))
    on = ph.Support(ph.surfaces.sphere(ball.origin, 1.0), edge, name="on")
    system = ph.System([ball], [ph.Weight(G)], supports=[on])
    start = system.state(ball={"x": np.sin(0.1), "z": np.cos(0.1)})
    motion = ph.simulate(system, start, until=1.0, rtol=1e-11)
    (left,) = [e for e in motion.events if e.kind == "opens"]
    assert_close(left.t, 0.907110111046269434, rtol=1e-8)


@pytest.mark.long
@pytest.mark.parametrize(("over", "rests"), [(0.19, True), (0.21, False)])
def test_a_log_rests_on_a_box_while_its_middle_is_over_it(over, rests):
    """A capsule of 0.4 m along X: where its middle is beyond the edge it tips."""
    log = ph.Body(
        "log", ph.solids.capsule(mass=2.0, radius=0.05, length=0.4, along=ph.X)
    )
    rest = ph.Support(
        ph.surfaces.capsule(log.origin, 0.05, 0.4, ph.X),
        ph.surfaces.box(WORLD.origin, (1.0, 1.0, 0.2)),
        friction=ph.Coulomb(0.8), name="rest",
    )  # fmt: skip
    system = ph.System([log], [ph.Weight(G)], supports=[rest])
    start = system.state(log={"x": 0.3 + over, "z": 0.15})
    motion = ph.simulate(system, start, until=0.1, method=ph.methods.Moreau(2e-3))
    if rests:
        assert_close(np.sum(motion["rest"].push[-1]), 2.0 * G, rtol=1e-9)
        assert np.max(np.abs(motion.z)) < 1e-12
    else:
        assert motion.z[-1, 1] > 0.1


def test_what_cannot_be_is_refused():
    """Located runs of pairs that jump; flat hulls; too many corners; discs."""
    system = paired("box on box")
    with pytest.raises(ModelError, match="cannot be located"):
        ph.simulate(system, system.state(body={"z": 0.4}), until=0.1)
    flat = hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])
    with pytest.raises(ModelError, match="that is flat"):
        block(flat, box((1, 1, 1)))
    many = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ModelError, match="20 corners"):
        block(hull(many), box((1, 1, 1)))
    with pytest.raises(ModelError, match="where a disc touches a box"):
        block(lambda at: ph.surfaces.disc(at, 0.1, ph.Y), box((1, 1, 1)))
