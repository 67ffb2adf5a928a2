"""Steady motions against closed forms: hoop, cone, accelerating hinge, disc, orbit."""

from __future__ import annotations

from functools import cache
from math import cos, sin, sqrt, tan

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G = 9.81


@cache
def hoop(rate: float) -> ph.System:
    """A bead on a massless arm l in a hoop that a driver turns at a steady rate."""
    m, l = 0.6, 0.5
    ring = ph.Body("ring", ph.solids.ring(mass=1.0, radius=l, along=ph.Y))
    bead = ph.Body.from_inertia("bead", mass=m, inertia=(0, 0, 0))
    axle = ph.Revolute("axle", ph.World().origin, ring.origin, axis=ph.Z)
    arm = ph.Revolute("arm", ring.origin, bead.point(0, 0, l), axis=ph.Y)
    driver = ph.PrescribedMotion(axle, lambda t: rate * t, name="driver")
    return ph.System([axle, arm], [ph.Weight(G)], [driver], name="hoop")


@pytest.mark.row("E-11")
def test_a_bead_climbs_a_fast_hoop():
    """cos th = g/(W^2 l) where W^2 > g/l, and then the bottom is no longer stable."""
    W, l = 7.0, 0.5
    found = ph.steady_motions(hoop(W), {"axle": W}, starts=16)
    lifted = np.arccos(G / (W**2 * l))
    angles = sorted(float(each.state["arm"]) for each in found)
    expected = [0.0, lifted, lifted, np.pi]
    assert_close(sorted(np.abs(angles)), expected, atol=1e-9)
    for each in found:
        th = float(each.state["arm"])
        stable = abs(abs(th) - lifted) < 1e-6
        verdict = each.stability()
        assert verdict.verdict == ("stable" if stable else "unstable"), (th, verdict)
        # The driver's couple vanishes in a steady turn: nothing gains energy.
        assert_close(each.multipliers, np.zeros(1), atol=1e-9)


@pytest.mark.row("E-11")
def test_a_conical_pendulum_turns_at_its_height():
    """W^2 l cos th = g, whichever of lean and rate is given."""
    bob = ph.Body.from_inertia("bob", mass=0.4, inertia=(0, 0, 0), centre=(0, 0, -0.8))
    stub = ph.Body("stub", ph.solids.sphere(mass=0.1, radius=0.05))
    axle = ph.Revolute("axle", ph.World().origin, stub.origin, axis=ph.Z)
    hinge = ph.Revolute("hinge", stub.origin, bob.origin, axis=ph.Y)
    system = ph.System([axle, hinge], [ph.Weight(G)], name="conical pendulum")
    W = 4.4
    leaning = [
        abs(float(each.state["hinge"]))
        for each in ph.steady_motions(system, {"axle": W}, starts=16)
        if 0.1 < abs(each.state["hinge"]) < 3.0
    ]
    # Leaning to the other side is the same motion, half a turn of the axle on.
    assert_close(leaning, [np.arccos(G / (W**2 * 0.8))], rtol=1e-9)
    at = (lambda t, q, z: q[1] - 0.6,)
    found = ph.steady_motions(system, {"axle": None}, where=at, starts=16)
    rates = sorted(each.rates["axle"] for each in found)
    rate = sqrt(G / (0.8 * cos(0.6)))
    assert_close(rates, [-rate, rate], rtol=1e-9)
    assert all(each.stability().theorem == "energy-momentum" for each in found)


@pytest.mark.row("E-11")
def test_a_hinge_that_accelerates_is_a_leaning_gravity():
    """tan th = -a/g, hanging or standing; the driver pushes all the mass at a."""
    a = 3.0
    system = ph.models.moving_hinge_pendulum(lambda t: a * t**2 / 2)
    found = ph.steady_motions(system, {"track": 0.0}, pushes={"track": a}, starts=16)
    assert len(found) == 2
    for each in found:
        assert_close(tan(each.state["hinge"]), -a / G, rtol=1e-9)
        assert_close(each.multipliers, [2.1 * a], rtol=1e-9)  # 1.1 kg and 1 kg


@cache
def disc() -> ph.System:
    r = 0.5
    body = ph.Body("disc", ph.solids.disc(mass=2.0, radius=r, along=ph.Y))
    world = ph.World()
    free = ph.Free("free", world.point(0, 0, r), body.origin)
    ground = ph.rolling(ph.surfaces.disc(body.origin, r, axis=ph.Y), world.origin)
    return ph.System([free], [ph.Weight(G)], ground, name="rolling disc")


def _lean(q):
    """sin of the lean: how far the axle rises out of the horizontal."""
    w, x, y, z = q[:4]
    return 2 * (y * z + w * x)


@pytest.mark.long
@pytest.mark.row("E-11")
def test_a_disc_rolls_in_a_circle():
    """Lean 0.3, third rate 1.2: printed spin, yaw rate and radius of the circle."""
    lean, u3 = 0.3, 1.2
    yaw, radius = 1.256101921845703, 1.405342369443
    # Its rates along leaning axes: u3 = yaw cos(lean); the contact runs on a circle.
    conditions = (lambda t, q, z: _lean(q) - sin(lean),)
    rates = {
        "turn z": u3 / cos(lean),
        "free.wy": None,
        "shift x": None,
        "shift y": None,
    }
    q = np.array([cos(0.15), sin(0.15), 0, 0, 0, 0, 0])
    near = disc().consistent(ph.State(disc(), 0.0, q, np.zeros(6)))
    found = ph.steady_motions(disc(), rates, near, where=conditions, starts=6)
    assert_close(u3 / cos(lean), yaw, rtol=1e-12)
    each = found[0]
    w = disc().twists(0.0, each.state.q, each.state.z).angular[0]
    axle = disc().poses(0.0, each.state.q).rotations[0][:, 1]
    assert_close(abs(w @ axle), 3.159303002686677, rtol=1e-8)
    v = disc().twists(0.0, each.state.q, each.state.z).linear[0]
    # The centre goes round at the yaw rate; the contact is r sin(lean) further out.
    out = float(np.linalg.norm(v)) / yaw
    assert_close(min(abs(out + s * 0.5 * sin(lean) - radius) for s in (-1, 1)), 0.0,
                 atol=1e-7)  # fmt: skip
    assert len(each.family) >= 3


@pytest.mark.row("E-11")
@pytest.mark.parametrize(("factor", "verdict"), [(0.98, "unstable"), (1.02, "stable")])
def test_a_disc_stands_if_it_rolls_fast_enough(factor, verdict):
    """w^2 = g/(3 r) is the critical rate of rolling upright."""
    spin = factor * sqrt(G / (3 * 0.5))
    rates = {"free.wy": spin, "shift x": None, "shift y": None}
    found = ph.steady_motions(disc(), rates, disc().rest(), starts=1)
    growing = found[0].stability().spectrum.growing
    assert bool(len(growing)) == (verdict == "unstable")


@pytest.mark.long
def test_what_is_no_symmetry_carries_nothing():
    """A pendulum's hinge cannot run on; the refusal says which carriers there are."""
    with pytest.raises(ph.PolhodeError, match="cannot carry a steady motion"):
        ph.steady_motions(ph.models.pendulum(), {"hinge": 1.0})
    with pytest.raises(ph.PolhodeError, match="nothing called 'hing'"):
        ph.steady_motions(ph.models.pendulum(), {"hing": 1.0})
    with pytest.raises(ph.PolhodeError, match="is pushed, but it is not among"):
        ph.steady_motions(ph.models.heavy_top(), {"turn z": 1.0}, pushes={"x": 1.0})


def two_arms(offset: float) -> ph.System:
    """Rods hung on a shaft to both sides of its axis, in one plane with it."""
    shaft = ph.Body("shaft", ph.solids.cylinder(mass=1.0, radius=0.05, length=1.0))
    joints = [ph.Revolute("spin", ph.World().origin, shaft.origin, axis=ph.Z)]
    for name, side in (("a", offset), ("b", -offset)):
        arm = ph.Body(f"arm {name}", ph.solids.rod(mass=0.5, length=0.6, along=ph.Z))
        seat, end = shaft.point(side, 0, 0), arm.point(0, 0, 0.3)
        joints.append(ph.Revolute(name, seat, end, axis=ph.Y))
    return ph.System(joints, [ph.Weight(9.81)], name="two arms")


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_two_arms_out_to_one_side_and_to_both_are_two_motions(seed):
    """Four angles of each arm balance alone, so sixteen pairs are different motions.

    Exchanged arms have one energy and one stiffness; half a turn of a rod about its
    length, with the shaft turned, is one motion.
    """
    found = ph.steady_motions(two_arms(0.1), {"spin": 8.0}, starts=32, seed=seed)
    pairs = {tuple(np.round(each.state.q[1:], 6)) for each in found}
    mirrored = {(-b, -a) for a, b in pairs}
    assert len(found) == len(pairs) > 10  # ten are left if exchanged arms are one
    assert len(pairs & mirrored) > 4


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 10))]
)
def test_every_combination_of_two_arms_is_found_from_any_seed(seed):
    """Sixteen: those that no start led to are combinations of those that were found."""
    found = ph.steady_motions(two_arms(0.1), {"spin": 8.0}, starts=32, seed=seed)
    pairs = np.array([each.state.q[1:] for each in found])
    assert len(found) == 16
    assert len(np.unique(np.round(pairs[:, 0], 6))) == 4
    assert len(np.unique(np.round(pairs[:, 1], 6))) == 4


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_the_ten_motions_of_arms_on_the_axis_are_found_from_any_seed(seed):
    """Each up, down or out, and out to one side or to both."""
    found = ph.steady_motions(two_arms(0.0), {"spin": 8.0}, seed=seed)
    assert len(found) == 10


@pytest.mark.long
def test_arms_on_the_axis_turned_with_the_shaft_are_one_motion():
    """(a, a) at spin 0 and (-a, -a) at half a turn place all mass alike."""
    system = two_arms(0.0)
    found = ph.steady_motions(system, {"spin": 8.0}, starts=48)
    a = max(float(each.state.q[1]) for each in found if abs(each.state.q[1]) < 2)
    signs = [
        np.sign(e.state.q[1:]) for e in found if np.allclose(abs(e.state.q[1:]), a)
    ]
    assert sorted(float(s[0] * s[1]) for s in signs) == [-1.0, 1.0]


def test_a_rod_without_width_hangs_at_the_angle_of_the_conical_pendulum():
    """cos(theta) = g/(l w^2); straight down nothing resists the turn of its hinge."""
    world, bob = ph.World(), ph.Particle("bob", 1.0)
    arm = ph.Body("arm", ph.solids.rod(mass=1e-3, length=0.1))
    turn = ph.Revolute("turn", world.origin, arm.origin, axis=ph.Z)
    hang = ph.Revolute("theta", arm.origin, bob.point(0, 0, 1.0), axis=ph.Y)
    cone = ph.System([turn, hang], [ph.Weight(9.81)], name="cone")
    found = ph.steady_motions(cone, {"turn": 5.0})
    angles = sorted(abs(float(each.state["theta"])) for each in found)
    wanted = np.arccos(9.81 / 25.0)
    # A half turn of the arm takes one lean into the other.
    assert_close(angles, [0.0, wanted, np.pi], atol=1e-9)
