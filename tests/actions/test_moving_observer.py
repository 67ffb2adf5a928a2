"""Motions before moving frames, with apparent forces, are the inertial ones mapped."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.actions.moving_observer import TERMS
from polhode.errors import ModelError
from polhode.geometry.motion.moving_frame import MovingPoint, see_point
from polhode.geometry.motion.path import moving_frame
from polhode.geometry.rotations import so3
from strategies_system import block

PUSH, TWIST = np.array([0.7, -1.1, 0.4]), np.array([0.2, 0.5, -0.9])


def path(t):
    """A frame that turns about changing axes and flies."""
    turn = so3.exp(jnp.array([0.3, 1.1, -0.6]) * t + 0.4 * jnp.sin(t))
    return turn, jnp.stack([jnp.sin(t), 0.5 * t**2, 0.3 * jnp.cos(2 * t)])


def system_of(body, actions):
    """A pushed body, with forces that turn with it; its world may move."""
    push = ph.AppliedForce(
        body.point(0.3, -0.2, 0.5), ph.theory.Vector(PUSH, body.frame)
    )
    couple = ph.AppliedCouple(body.frame, ph.theory.Vector(TWIST, body.frame))
    free = ph.Free("free", ph.World().origin, body.origin)
    return ph.System([free], [push, couple, *actions], name="craft")


# Of a fluid: no two of its moments and masses are equal, and all are coupled.
FLUID = np.diag([0.3, 0.5, 0.4, 0.9, 1.7, 1.2]) + 0.05 * np.ones((6, 6))


@cache
def craft(is_observed: bool, is_wet: bool = False) -> ph.System:
    body = block("craft")
    if is_wet:
        body = ph.Body("craft", ph.marine.with_added_mass(body.matter, FLUID))
    return system_of(body, ph.theory.observed_from(path, [body]) if is_observed else ())


def mapped(state: ph.State) -> tuple[np.ndarray, ...]:
    """Rotation, place and body twist before the inertial frame."""
    system, at = craft(False), moving_frame(path, state.t)
    poses = system.poses(state.t, state.q)
    R, p = poses.rotations[0], poses.origins[0]
    w, v = state.z[:3], state.z[3:]
    seen = see_point(at, MovingPoint(p, R @ v, np.zeros(3)))
    R_in = at.rotation @ R
    w_in = R_in.T @ at.angular_velocity + w
    return R_in, seen.place, np.r_[w_in, R_in.T @ seen.velocity]


@pytest.mark.row("D-05")
@pytest.mark.parametrize("is_wet", [False, True])
def test_a_motion_in_a_moving_frame_maps_back_to_the_inertial_one(is_wet):
    """A body that tumbles before a frame that turns and flies moves as it must.

    So does one in a fluid, which rests before the inertial frame.
    """
    seen, plain = craft(True, is_wet), craft(False, is_wet)
    begin = seen.state(
        free={"qw": 0.8, "qx": 0.6, "x": 0.5, "y": -0.3},
        speeds={"free": (0.4, -0.9, 0.7, 0.2, 0.5, -0.1)},
    )
    R, p, V = mapped(begin)
    (edge,) = plain.tree.edges
    q = edge.joint.coordinates_from(R, p)
    inertial = ph.simulate(plain, ph.State(plain, 0.0, q, V), until=1.5, rtol=1e-11)
    moving = ph.simulate(seen, begin, until=1.5, rtol=1e-11)
    last = inertial.final
    expected = plain.poses(last.t, last.q)
    R, p, V = mapped(moving.final)
    assert_close(p, expected.origins[0], rtol=1e-8)
    assert_close(R, expected.rotations[0], rtol=1e-8)
    assert_close(V, last.z, rtol=1e-8)


@pytest.mark.row("D-05")
def test_each_apparent_force_is_itemised_by_particles():
    """-m [a_o], -m [alpha x d], -2m [w x v], -m [w x (w x d)], summed over particles.

    Forces and moments of a body are those of the particles of which it is made.
    """
    rng = np.random.default_rng(3)
    masses, places = rng.uniform(0.2, 1.0, 7), rng.uniform(-0.5, 0.5, (7, 3))
    body = ph.Body("body", ph.Cloud(masses, places))
    system = system_of(body, ph.theory.observed_from(path, [body]))
    t = 0.4
    q = np.r_[rng.normal(size=4), rng.normal(size=3)]
    q[:4] /= np.linalg.norm(q[:4])
    state = ph.State(system, t, q, rng.normal(size=6))
    at = moving_frame(path, t)
    back = at.rotation.T
    w, alpha, a_o = (
        back @ x
        for x in (at.angular_velocity, at.angular_acceleration, at.acceleration)
    )
    poses, twists = system.poses(t, q), system.twists(t, q, state.z)
    arms = places @ poses.rotations[0].T
    d = poses.origins[0] + arms
    v = twists.linear[0] + np.cross(twists.angular[0], arms)
    terms = {
        "origin": np.broadcast_to(a_o, d.shape),
        "euler": np.cross(alpha, d),
        "coriolis": 2 * np.cross(w, v),
        "centrifugal": np.cross(w, np.cross(w, d)),
    }
    found = system.wrenches(t, q, state.z)
    assert set(TERMS) < set(found)
    shares = ph.gauss(system).shares(state)
    for name, term in terms.items():
        forces = -masses[:, None] * term
        assert_close(found[name].forces[0], forces.sum(0), rtol=1e-11)
        moment = np.cross(arms, forces).sum(0)
        assert_close(found[name].torques[0], moment, rtol=1e-11)
        assert np.linalg.norm(shares[name]) > 1e-2


@pytest.mark.row("D-05")
def test_foucaults_pendulum_turns_against_the_earth():
    """Its plane turns at -W sin(latitude) before the ground: not at all at the equator.

    Let go at rest before the stars; Earth turns a hundred times too fast here.
    """
    turn, latitude = 0.0073, 0.8

    def ground(t):
        axis = jnp.array([0.0, np.cos(latitude), np.sin(latitude)])
        return so3.exp(turn * t * axis), jnp.zeros(3)

    bob = ph.Body.from_inertia("bob", mass=0.8, inertia=(0, 0, 0))
    hook = ph.Universal(
        "hook", ph.World().origin, bob.point(0, 0, 2.0), axis=ph.Y, second_axis=ph.X
    )
    actions = [ph.Weight(9.81), *ph.theory.observed_from(ground, [bob])]
    system = ph.System([hook], actions, name="Foucault")
    swing, rate = 0.02, turn * np.sin(latitude)
    # From x = l swing; the ground moves under it.
    start = system.state(hook=(-swing, 0.0), speeds={"hook": (0.0, -swing * rate)})
    periods = 10
    w = np.sqrt(9.81 / 2.0 + rate**2)
    run = ph.simulate(system, start, until=2 * np.pi * periods / w, rtol=1e-11)
    places = [
        system.poses(t, q).origins[0] for t, q in ((s.t, s.q) for s in (run.final,))
    ]
    x, y, _ = places[0]
    found = np.arctan2(y, x) / run.final.t
    assert_close(found, -rate, rtol=1e-2)
    assert abs(run.final.t * rate) > 0.1


def test_unknown_terms_are_refused():
    """A moving frame has four apparent forces, and they are named."""
    with pytest.raises(ModelError, match="no apparent force 'magnetic'"):
        ph.theory.ApparentForce("magnetic", (), path)
