"""What is drawn of a motion is where the motion says."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.analyse.machinery.mode_motion import rows_of
from polhode.errors import ShowError
from polhode.models.gallery import start
from polhode.show.drawing.frame import moment
from polhode.show.drawing.glyphs import links_of
from polhode.show.drawing.scene import motion_of_frames, scene_of


@pytest.fixture(scope="module")
def motion():
    """A cart on a rail and a bob on it, with a spring."""
    begin = start("cart_pendulum")
    return ph.simulate(begin.system, begin, until=2.0)


@pytest.fixture(scope="module")
def scene(motion):
    """Its scene."""
    return scene_of(motion)


def test_frames_are_even_and_many_enough(motion, scene):
    """Sixty a second, from the first time to the last."""
    assert len(scene.times) == 121
    assert_close(np.diff(scene.times), np.full(120, 2.0 / 120), rtol=1e-9)


def test_between_frames_bodies_are_where_the_motion_says(motion, scene):
    """At any time, to what a straight line between two frames misses."""
    for t in (0.0, 0.777, 1.41, 2.0):
        now, state = moment(scene, t), motion.at(t)
        poses = motion.system.poses(state.t, state.q)
        assert_close(now.origins, poses.origins, atol=2e-3)
        assert_close(now.rotations, poses.rotations, atol=2e-3)


def test_arrows_are_the_vectors_of_mechanics(motion, scene):
    """Momentum, weight and the third law of reactions, on bodies in the frames."""
    kinds = {kind.kind: kind for kind in scene.arrows}
    arrows = {a.name: a for kind in scene.arrows for a in kind.arrows}
    weight = arrows["weight on bob"]
    assert_close(weight.vectors, np.tile([0, 0, -0.8 * 9.81], (121, 1)), rtol=1e-12)
    bob = scene.bodies[1]
    assert_close(weight.tails, bob.path, atol=1e-9)
    momenta = {a.name: a.vectors for a in kinds["momentum"].arrows}
    total = momenta["bob"] + momenta["cart"]
    pull = arrows["spring on cart"].vectors
    # Along the rail nothing but the spring changes the momentum: mean rate and force.
    change = np.diff(total[:, 0]) / np.diff(scene.times)
    assert_close(change, (pull[1:, 0] + pull[:-1, 0]) / 2, atol=0.01)
    held = {a.name: a for a in kinds["reaction"].arrows}["hinge"]
    rate = np.gradient(momenta["bob"], scene.times, axis=0)[2:-2]
    assert_close(held.vectors[2:-2] + weight.vectors[2:-2], rate, atol=0.1)
    longest = max(
        np.linalg.norm(a.vectors, axis=1).max() for a in kinds["force"].arrows
    )
    assert_close(kinds["force"].scale * longest, 0.3 * scene.size, rtol=1e-9)


def test_signs_say_what_joints_let_through(scene):
    """A hinge is a pin on its axis, a slide a rail as long as the motion."""
    signs = {sign.name: sign for sign in scene.joints}
    assert (signs["rail"].kind, signs["hinge"].kind) == ("rail", "pin")
    assert_close(np.abs(signs["hinge"].axes[:, 0]), [0, 1, 0], atol=1e-12)
    reached = scene.bodies[0].origins[:, 0]
    low, high = signs["rail"].reach[0]
    assert low < reached.min()
    assert high > reached.max()


def test_an_arm_is_drawn_where_a_body_does_not_reach_its_joint(scene):
    """The bob hangs on a line to the hinge."""
    arms = [link for link in scene.links if link.name == "arm of bob"]
    assert len(arms) == 1
    assert_close(arms[0].points[0], [0, 0, 0.9], atol=1e-12)


def test_the_floor_is_under_everything(scene):
    """No corner of any body is below the ground in any frame drawn."""
    for body in scene.bodies:
        corners = np.concatenate([s.corners for s in body.surfaces])
        heights = np.einsum("nj,kj->nk", body.rotations[:, 2], corners)
        heights += body.origins[:, None, 2]
        assert heights.min() >= scene.floor - 0.02 * scene.size


def test_a_free_body_has_its_ellipsoid_and_curves():
    """Polhode on the ellipsoid, herpolhode in the invariable plane, at one scale."""
    begin = start("tennis_racket")
    scene = scene_of(ph.simulate(begin.system, begin, until=3.0))
    (each,) = scene.rollings
    heights = each.herpolhode @ each.normal
    assert_close(heights, np.full(len(heights), each.distance), rtol=1e-6)
    lengths = np.linalg.norm(each.surface.corners, axis=1)
    assert_close(lengths.max() / lengths.min(), np.sqrt(3.0), rtol=0.01)


def test_a_motion_kept_at_samples_is_shown_at_them(motion):
    """No frame is made up where steps were not kept."""
    sampled = ph.simulate(motion.system, motion[0], until=2.0, samples=11)
    assert_close(motion_of_frames(sampled).t, sampled.t, rtol=0)


def test_a_motion_backwards_can_be_shown(motion):
    """Frames run from the first time to the last, which is earlier."""
    back = ph.simulate(motion.system, motion[0], until=-1.0)
    scene = scene_of(back)
    assert scene.times[0] > scene.times[-1]
    now, state = moment(scene, -0.5), back.at(-0.5)
    assert_close(now.origins, back.system.poses(state.t, state.q).origins, atol=2e-3)


def test_a_wrong_number_of_frames_is_refused(motion):
    """One frame is no motion."""
    with pytest.raises(ShowError, match="cannot be shown in 1 frames"):
        scene_of(motion, 1)


def test_nothing_joins_a_craft_to_the_centre_of_its_planet():
    """Air, light and magnetism act at a point, and are drawn as no spring."""
    world, craft = ph.World(), ph.Body("craft", ph.solids.sphere(mass=1.0, radius=0.5))
    ends = craft.origin, world.origin
    actions = [
        ph.space.AtmosphericDrag(*ends, 2.2, 0.9),
        ph.space.SolarPressure(*ends, (1.5e11, 0, 0), 1.3, 0.9),
        ph.space.MagneticTorque(*ends, moment=(1.0, 0, 0)),
        ph.Spring(craft.point(0.5, 0, 0), world.point(0, 0, 1), 1.0),
    ]
    system = ph.System([craft], actions, name="craft")
    start = system.state({"craft": {"x": 7e6}})
    motion = ph.simulate(system, start, until=1e-3)
    assert [link.name for link in links_of(motion)] == ["spring"]


def test_what_a_constraint_exerts_is_drawn():
    """A worm and its wheel: couples on both shafts in the ratio of their speeds, and on
    the bearings; the forces of a rope pull at what hangs on it."""
    world = ph.World()
    worm, wheel = (ph.machines.flywheel(n, world.origin, 0.1) for n in ("worm", "gear"))
    drive = ph.machines.worm_gear(wheel, worm, 40, starts=2, name="mesh")
    system = ph.System([worm, wheel], [ph.Motor(worm, 1.0)], [drive])
    scene = scene_of(rows_of([system.rest()], np.zeros(1)))
    (bent,) = (kind for kind in scene.arrows if kind.kind == "reaction couple")
    couples = {arrow.name: arrow.vectors[0, 2] for arrow in bent.arrows}
    on_worm, on_wheel = couples["mesh on worm"], couples["mesh on gear"]
    assert on_wheel == pytest.approx(-20 * on_worm, rel=1e-12)
    load = ph.Particle("load", 2.0)
    slide = ph.Prismatic("slide", world.point(0, 0, -1), load.mass_centre, axis=ph.Z)
    rope = ph.Distance(world.origin, load.mass_centre, 1.0, name="rope")
    hung = ph.System([slide], [ph.Weight(9.81)], [rope])
    scene = scene_of(rows_of([hung.rest()], np.zeros(1)))
    (straight,) = (kind for kind in scene.arrows if kind.kind == "reaction")
    (pull,) = (arrow for arrow in straight.arrows if arrow.name.startswith("rope"))
    np.testing.assert_allclose(pull.vectors, [[0, 0, 2 * 9.81]], rtol=1e-9)
