"""Couples are drawn as arcs: those of actions, and those that joints carry."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.show.drawing.arrows import arc, line_point
from polhode.show.drawing.frame import moment
from polhode.show.drawing.scene import scene_of

MASS, LENGTH, ASIDE, DAMPING, SPEED = 1.2, 0.8, 0.2, 0.3, 2.0


@pytest.fixture(scope="module")
def scene():
    """A rod that hangs beside its hinge, with a damper there, on its way."""
    rod = ph.Body("rod", ph.solids.rod(mass=MASS, length=LENGTH))
    at = rod.point(0, ASIDE, LENGTH / 2)
    hinge = ph.Revolute("hinge", ph.World().origin, at, axis=ph.Y)
    system = ph.System([hinge], [ph.Weight(9.81), ph.Damper(hinge, DAMPING)])
    start = system.state(speeds={"hinge": SPEED})
    return scene_of(ph.simulate(system, start, until=0.2))


def kind_of(scene, word):
    (found,) = (kind for kind in scene.arrows if kind.kind == word)
    return found


def test_a_damper_of_a_hinge_is_a_couple_against_the_speed(scene):
    """-c w about the hinge's axis, at the mass centre, and no force beside it."""
    kind = kind_of(scene, "couple")
    (couple,) = kind.arrows
    assert couple.name == "damper of hinge on rod"
    assert_close(couple.vectors[0], [0, -DAMPING * SPEED, 0], atol=1e-12)
    assert_close(couple.tails, scene.bodies[0].path, atol=1e-12)
    assert [a.name for a in kind_of(scene, "force").arrows] == ["weight on rod"]
    largest = np.linalg.norm(couple.vectors, axis=1).max()
    assert_close(kind.scale * largest, 0.1 * scene.size, rtol=1e-9)


def test_a_hinge_carries_the_moment_of_a_rod_beside_it(scene):
    """Moments about the hinge's point: r x m (a + g) less what turns about the axis."""
    (held,) = kind_of(scene, "reaction couple").arrows
    arm = LENGTH / 2
    turning = -DAMPING * SPEED / (MASS * (arm**2 + LENGTH**2 / 12))
    pull = MASS * (9.81 + arm * SPEED**2)
    expected = [-ASIDE * pull, 0.0, -ASIDE * MASS * arm * turning]
    assert_close(held.vectors[0], expected, atol=1e-9)
    assert_close(held.tails[0], [0, 0, 0], atol=1e-12)


def test_an_arc_turns_as_the_right_hand_about_its_couple():
    """Square to the couple, as wide as it is large, three quarters round."""
    at, couple = np.array([1.0, 2.0, 3.0]), np.array([0.1, -0.4, 0.25])
    spokes = arc(at, couple) - at
    size = np.linalg.norm(couple)
    assert_close(np.linalg.norm(spokes, axis=1), np.full(25, size), rtol=1e-12)
    assert_close(spokes @ couple, np.zeros(25), atol=1e-12)
    turns = np.cross(spokes[:-1], spokes[1:]) @ couple / size**3
    assert_close(np.arcsin(turns).sum(), 1.5 * np.pi, rtol=1e-9)


def test_arcs_are_where_their_couples_are(scene):
    """At a time, the middle and the radius are those of the couple then."""
    kind, t = kind_of(scene, "couple"), float(scene.times[30])
    (points,) = moment(scene, t).arcs(kind)
    away = np.linalg.norm(points - scene.bodies[0].path[30], axis=1)
    size = np.linalg.norm(kind.arrows[0].vectors[30])
    assert_close(away, np.full(25, kind.scale * size), rtol=1e-9)


def test_what_remains_on_the_central_line_is_along_the_force():
    """M = (P - O) x F + p F; a force of rounding has no line, and P is the centre."""
    rng = np.random.default_rng(3)
    torque, force, origin, path = rng.normal(size=(4, 5, 3))
    body = SimpleNamespace(origins=origin, path=path)
    P = line_point(body, torque, force)
    couple = torque - np.cross(P - origin, force)
    assert_close(np.cross(couple, force), np.zeros((5, 3)), atol=1e-12)
    assert_close(np.sum((path - P) * force, axis=1), np.zeros(5), atol=1e-12)
    assert_close(line_point(body, torque, 1e-15 * force, 1e-9), path)
