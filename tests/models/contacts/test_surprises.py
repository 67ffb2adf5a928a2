"""Models with supports: each does what its surprise says, at the default tolerance."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.models.contacts.quadruped import quadruped_start

G = 9.81


def run(name: str, until: float, **more) -> ph.results.Trajectory:
    start = ph.models.start(name)
    motion = ph.simulate(start.system, start, until=until, **more)
    assert motion.outcome.is_complete
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= max(ledger.promise, 1e-12)
    return motion


@pytest.mark.long  # of the quick suite is the published ball
def test_bounces_without_end_are_done_in_time():
    """sqrt(2 h/g) (1 + e)/(1 - e), and then it slides on."""
    motion = run("bouncing_ball", 3.0)
    settled = motion.events[-2]
    assert settled.kind == "settles"
    assert_close(settled.t, np.sqrt(2 / G) * 1.7 / 0.3, rtol=1e-8)
    assert motion["floor"].status[-1, 0] == "slides"
    assert len(motion["floor"].impacts) > 40


def test_a_block_on_two_corners_stays_on_a_slope_where_it_stops():
    """mu_s >= tan a: the pressed corner holds what the other cannot."""
    motion = run("incline", 1.0)
    stop = 2.0 / (G * (np.sin(np.arctan(0.5)) + 0.4 * np.cos(np.arctan(0.5))))
    assert_close(motion.events.t, [stop, stop], rtol=1e-9)
    assert {e.kind for e in motion.events} == {"sticks"}
    assert np.max(np.abs(motion.z[-1])) < 1e-15
    base = motion["base"]
    T, N = np.linalg.norm(base.friction[-1], axis=1), base.push[-1]
    assert_close(T / N, [0.5, 0.5], rtol=1e-6)  # each of what it can hold
    assert N[0] < 0.9 * N[1]


@pytest.mark.long
@pytest.mark.parametrize(("mu", "rests"), [(0.5000001, True), (0.4999999, False)])
def test_friction_decides_to_seven_digits(mu, rests):
    """At rest on tan a = 1/2, on two corners."""
    start = ph.models.start("incline")
    start = start.changed(speeds={"plane": (0, 0, 0)})
    both = {"base.dynamic": mu, "base.static": mu}
    motion = ph.simulate(start.system, start, until=1.0, parameters=both)
    gone = np.linalg.norm(motion.q[-1, 1:] - motion.q[0, 1:])
    if rests:
        assert gone < 1e-15
    else:
        assert_close(gone, 0.5 * 1e-7 * G * np.cos(np.arctan(0.5)), rtol=1e-3)


@pytest.mark.long
def test_a_thrown_cube_slides_flat_and_stops():
    """v^2/(2 mu g), its front pressed by (1 + mu)/2 of its weight."""
    motion = run("thrown_cube", 1.5)
    assert_close(motion["cube"].position[-1, 0], 36 / (2 * 0.5 * G), rtol=1e-9)
    assert np.ptp(motion["cube"].position[:, 2]) < 1e-12
    assert_close(motion["base"].push[1, 2:].sum(), 0.75 * G, rtol=1e-9)


@pytest.mark.long
@pytest.mark.row("C-08")
def test_a_ladder_leaves_the_wall_at_two_thirds_and_falls_flat():
    """Its angle, its time, and where its foot is when it lies."""
    motion = run("ladder", 0.8, rtol=1e-10)
    off = motion.events["wall"][0]
    assert off.kind == "opens"
    assert_close(off.before.q[2], 2 / 3 * motion.q[0, 2], rtol=1e-8)
    flat = motion.events["top"][0]
    assert_close(flat.t, 0.686139515733025448, atol=1e-8)
    assert_close(flat.before.z[0], 3.4178355965870194, atol=1e-7)
    assert_close(flat.before.q[1] + 1.0, 2.08598971323550612, atol=1e-7)
    assert np.max(np.abs(motion.z[-1, [0, 2]])) < 1e-12


@pytest.mark.long  # of the quick suite is Housner's block
def test_a_block_rocks_on_at_the_default_tolerance():
    """Every impact leaves 1 - 1.5 sin^2(alpha) of its speed, to the end."""
    motion = run("rocking_block", 3.0)
    touches = [e for e in motion.events if e.kind == "touches"]
    kept = [e.after.z[0] / e.before.z[0] for e in touches]
    assert len(kept) > 10
    assert_close(kept, [0.85] * len(kept), rtol=1e-5)


@pytest.mark.long
@pytest.mark.row("C-11")
def test_a_ball_struck_low_comes_back():
    """It rolls with (5 v + 2 r w)/7, whatever the friction."""
    motion = run("billiard_ball", 1.6)
    v = (5 * 2.0 + 2 * 0.0286 * -250) / 7
    assert_close(motion["ball"].velocity[-1, 0], v, rtol=1e-6)
    assert v < 0
    assert motion["cloth"].status[-1, 0] == "rolls"


@pytest.mark.long
def test_a_rimless_wheel_finds_its_speed():
    """An error halves with every step."""
    motion = run("rimless_wheel", 8.0)
    feet = [e for e in motion.events if e.kind == "touches"]
    rates = np.array([-e.after.z[0] for e in feet])
    limit = 1.09546283964765683
    errors = rates**2 - limit**2
    assert len(errors) >= 6
    assert_close(errors[1:6] / errors[:5], [0.5] * 5, rtol=1e-3)


@pytest.mark.long
def test_a_belt_that_runs_evenly_makes_a_block_jerk():
    """The cycle is the same after the first jerk: 2 s of sticking, 1.187 s of slip."""
    motion = run("belt_oscillator", 10.0)
    t, kinds = motion.events.t, [e.kind for e in motion.events]
    slips = [k for k, kind in enumerate(kinds) if kind == "slides"]
    first, second = slips[:2]
    assert_close(t[first + 1] - t[first], 1.18716564304768797, rtol=1e-6)
    assert_close(t[second] - t[first + 1], 2.0, rtol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize(
    ("order", "after"),
    [("in sequence", [0, 0, 0, 0, 1]), ("at once", [-0.6, 0.4, 0.4, 0.4, 0.4])],
)
def test_a_cradle_is_decided_by_the_order_of_impacts(order, after):
    """Momentum and energy are kept by both."""
    motion = run("cradle", 0.4, impacts=order)
    first = motion.events[0]
    v = first.before.z[0]
    assert_close(first.after.z / v, after, atol=1e-12)


@pytest.mark.parametrize(("share", "word"), [(-1e-6, "unstable"), (1e-6, "stable")])
def test_a_quadruped_buckles_below_a_stiffness_of_its_hips(share, word):
    """(m l + 4 m_leg (l - c)) g/4, where straight legs bear nothing in their hips."""
    limit = (8.0 * 0.28 + 4 * 0.5 * (0.28 - 0.15)) * G / 4
    standing = quadruped_start(0.0)
    straight = ph.models.start("quadruped").changed(standing[0])
    rest = ph.static_rest(straight, table={"k": limit * (1 + share)})
    assert rest.rests
    assert str(rest.stability()).splitlines()[0].endswith(f": {word})")


@pytest.mark.long
def test_a_quadruped_on_weak_springs_falls_on_feet_that_hold():
    """Its four legs go alike, and nothing slips until they have leaned by 0.6 rad."""
    motion = run("quadruped", 0.7)
    assert not len(motion.events)
    hips = motion.q[:, -4:]
    assert np.ptp(hips, axis=1).max() < 1e-9
    assert hips[-1, 0] > 0.6
    height = 0.28 * np.cos(hips[:, 0]) + 0.02
    assert_close(motion["trunk"].position[:, 2], height, atol=1e-9)
