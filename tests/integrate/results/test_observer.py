"""One motion, many observers: what each sees transforms into what the others see."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.geometry.motion.moving_frame import MovingFrame, MovingPoint, see_point
from polhode.geometry.motion.path import moving_frame
from polhode.geometry.rotations import so3

MU = 5.0
SPIN = np.array([0.2, -0.1, 0.3])


def platform(t):
    """A frame that turns about changing axes and flies."""
    turn = so3.exp(jnp.asarray(SPIN) * t + 0.2 * jnp.sin(t))
    return turn, jnp.stack([jnp.sin(t), 0.1 * t**2, 0.3 * jnp.cos(t)])


@cache
def motion():
    """Two craft about a centre, one of them turning and driven by a motor."""
    world = ph.World()
    one, two = (
        ph.Body.from_inertia(n, mass=2.0, inertia=(1.0, 1.5, 2.0), centre=(0.1, 0, 0.2))
        for n in ("leader", "follower")
    )
    joints = [ph.Free(b.name, world.origin, b.origin) for b in (one, two)]
    pull = ph.space.ZonalGravity((one, two), world.origin, mu=MU, zonals=())
    motor = ph.Motor(joints[1], 0.0, name="jets")
    system = ph.System(joints, [pull, motor], name="pair")
    start = system.state(
        {"leader": {"x": 2.0, "qw": 1.0}, "follower": {"y": 2.2, "qw": 0.8, "qx": 0.6}},
        speeds={
            "leader": (0.3, 0.1, -0.2, 0, 1.5, 0.3),
            "follower": (1, 0, 2, -1.5, 0, 0.2),
        },
    )
    law = {"jets": lambda t, state: 0.1 * jnp.arange(6.0) * jnp.cos(t)}
    method = ph.methods.DormandPrince8(rtol=1e-11)
    return ph.simulate(system, start, until=3.0, inputs=law, method=method)


OBSERVERS = {
    "body": "leader",
    "path": platform,
    "local": ph.space.LocalFrame("leader", "lvlh"),
}


def frame_of(name):
    """The observer's frame before the world at all rows, made elsewhere."""
    run = motion()
    lead = run["leader"]
    if name == "path":
        each = [moving_frame(platform, t) for t in run.t]
        return MovingFrame(*(np.stack(part) for part in zip(*each, strict=True)))
    if name == "body":
        rates = lead.angular_acceleration, lead.acceleration
        twist = lead.angular_velocity, lead.velocity
        return MovingFrame(lead.orientation, lead.position, *twist, *rates)
    return None


@pytest.mark.row("S-17")
@pytest.mark.parametrize("name", ["body", "path"])
def test_what_observers_see_is_one_motion(name):
    """Place, velocity, acceleration and spins, back in the world's axes: the same."""
    run, frame = motion(), frame_of(name)
    own, seen = run["follower"], run["follower"].seen_from(OBSERVERS[name])
    back = see_point(
        frame, MovingPoint(seen.position, seen.velocity, seen.acceleration)
    )
    assert_close(back.place, own.position, rtol=1e-13)
    assert_close(back.velocity, own.velocity, rtol=1e-12)
    assert_close(back.acceleration, own.acceleration, rtol=1e-11)
    R = frame.rotation
    assert_close(R @ seen.orientation, own.orientation, rtol=1e-13)
    w = np.einsum("nij,nj->ni", R, seen.angular_velocity) + frame.angular_velocity
    assert_close(w, own.angular_velocity, rtol=1e-12)


@pytest.mark.row("S-17")
@pytest.mark.parametrize("name", OBSERVERS)
def test_rates_are_the_rates_of_what_is_seen(name):
    """Differences along the motion, in the observer's own axes: three frames."""
    run = motion()
    h, at = 1e-4, np.linspace(0.1, 2.9, 15)
    parts = [run.resampled(at + k * h)["follower"] for k in (-1, 0, 1)]
    before, seen, after = (part.seen_from(OBSERVERS[name]) for part in parts)
    velocity = (after.position - before.position) / (2 * h)
    assert_close(seen.velocity, velocity, rtol=1e-5)
    acceleration = (after.velocity - before.velocity) / (2 * h)
    assert_close(seen.acceleration, acceleration, rtol=1e-5)
    turning = (after.orientation - before.orientation) / (2 * h)
    spin = turning @ np.swapaxes(seen.orientation, 1, 2)
    w = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    assert_close(seen.angular_velocity, w, rtol=1e-5)
    rate = (after.angular_velocity - before.angular_velocity) / (2 * h)
    assert_close(seen.angular_acceleration, rate, rtol=1e-5)


@pytest.mark.row("S-17")
@pytest.mark.parametrize("name", OBSERVERS)
def test_invariants_are_the_same_to_all(name):
    """Distances and the sizes of vectors; energies are the observer's own."""
    run = motion()
    pair = [run[n].seen_from(OBSERVERS[name]).position for n in ("leader", "follower")]
    own = [run[n].position for n in ("leader", "follower")]
    apart = [np.linalg.norm(b - a, axis=1) for a, b in (pair, own)]
    assert_close(*apart, rtol=1e-13)
    seen = run["follower"].seen_from(OBSERVERS[name])
    force = run.joint("follower").speeds[:, 3:]
    assert_close(
        np.linalg.norm(seen.written(force), axis=1), np.linalg.norm(force, axis=1)
    )


def test_the_world_sees_what_a_body_motion_is():
    """By name and by frame; momenta and energy are those of the ledger's kind."""
    run = motion()
    own, seen = run["follower"], run["follower"].seen_from("world")
    assert np.array_equal(seen.position, own.position)
    assert_close(seen.velocity, own.velocity)
    again = own.seen_from(run.system.tree.world)
    assert np.array_equal(again.velocity, seen.velocity)
    both = [run[n].seen_from("world").kinetic_energy for n in ("leader", "follower")]
    whole = [
        run.system.kinetic_energy(t, q, z)
        for t, q, z in zip(run.t, run.q, run.z, strict=True)
    ]
    assert_close(both[0] + both[1], whole, rtol=1e-12)
    # A central pull has no moment about the world's origin but on a body's size.
    lead = run["leader"].seen_from("world")
    assert_close(
        lead.angular_momentum - lead.angular_momentum[0], 0 * own.position, atol=1e-8
    )
    assert np.ptp(lead.momentum, axis=0).max() > 1.0


@pytest.mark.row("S-17")
def test_an_orbit_is_at_rest_before_its_local_frame():
    """The leader is at the origin and its velocity zero; radial is first."""
    seen = motion()["leader"].seen_from(ph.space.LocalFrame("leader"))
    zero = np.zeros_like(seen.position)
    assert_close(seen.position, zero, atol=1e-15)
    assert_close(seen.velocity, zero, atol=1e-14)
    assert_close(seen.acceleration, zero, atol=1e-13)


@pytest.mark.parametrize("observer", ["leadr", ph.World(), 3, lambda t: t])
def test_observers_that_are_none_are_refused(observer):
    """In words, with the nearest name."""
    with pytest.raises(ph.PolhodeError, match="cannot be seen"):
        motion()["follower"].seen_from(observer)
