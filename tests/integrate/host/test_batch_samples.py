"""Samples in the loop: the bits of runs alone, however many lie in a step."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.integrate.host import batch_loop

EIGHTH, FIFTH = ph.methods.DormandPrince8(1e-8), ph.methods.DormandPrince(1e-6)


@pytest.mark.parametrize(
    ("name", "method", "until", "samples"),
    [
        ("double_pendulum", EIGHTH, 2.0, 300),
        ("double_pendulum", FIFTH, -1.0, [0.0, -0.3, -0.3001, -1.0]),
        ("tennis_racket", EIGHTH, 5.0, 40),
        pytest.param("satellite", EIGHTH, 5.0, 40, marks=pytest.mark.long),
    ],
)
def test_samples_have_the_bits_of_runs_alone(name, method, until, samples):
    """Samples taken inside the loop of many runs are those of a run that halts."""
    start, draw = ph.models.start(name), np.random.default_rng(3)
    z = start.z + 0.2 * draw.normal(size=(9, len(start.z)))
    states = ph.States(start.system, 0.0, np.tile(start.q, (9, 1)), z)
    given = {"until": until, "method": method, "samples": samples}
    many = ph.sweep(start.system, states, **given)
    for k in range(9):
        alone = ph.sweep(start.system, states.part(slice(k, k + 1)), **given)
        np.testing.assert_array_equal(many.t[k], alone.t[0])
        np.testing.assert_array_equal(many.q[k], alone.q[0])
        np.testing.assert_array_equal(many.z[k], alone.z[0])


def ball():
    """Balls that bounce, and a level that some of them only graze."""
    system = ph.System([ph.Particle("ball", 0.1)], [ph.Weight(9.81)], name="ball")

    def rises(t, state):
        x, y, z = state.speed("ball")
        return state.changed(speeds={"ball": (x, y, -0.8 * z)})

    floor = ph.Event("floor", lambda t, state: state["ball"][2], -1, reset=rises)
    graze = ph.Event("level", lambda t, state: state["ball"][0] ** 2)
    draw = np.random.default_rng(2)
    q, z = np.zeros((7, 3)), draw.normal(size=(7, 3))
    q[:, 2] = draw.uniform(0.5, 2.0, 7)
    q[0, 2], z[0, 2] = 0.0, -4.0  # bounces at the very start
    given = {"until": 1.1, "events": [floor, graze]}
    return ph.States(system, 0.0, q, z), given


def cart():
    """A block under a sampled law, between walls from which it comes back."""
    body = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, body.origin, axis=ph.X)
    system = ph.System([track], [ph.Motor(track, 0.0, name="motor")], name="cart")

    def back(t, state):
        return state.changed(speeds={"track": -0.6 * state.speed("track")})

    def law(t, state, x):
        return x[0] - 3.0 * state["track"], x + 0.3

    wall = ph.Event("wall", lambda t, s: 0.5 - s["track"], -1, reset=back)
    q, z = np.random.default_rng(8).uniform(-0.4, 0.4, (2, 7, 1))
    inputs = {"motor": ph.Sampled(law, 0.1, state=[0.0])}
    return ph.States(system, 0.0, q, z), {
        "until": 2.0,
        "events": wall,
        "inputs": inputs,
    }


def support():
    """Balls that fall on a support."""
    start, draw = ph.models.start("bouncing_ball"), np.random.default_rng(4)
    z = start.z + 0.1 * draw.normal(size=(7, len(start.z)))
    states = ph.States(start.system, 0.0, np.repeat(start.q[None], 7, axis=0), z)
    return states, {"until": 1.0}


@pytest.mark.parametrize(
    "runs", [ball, cart, pytest.param(support, marks=pytest.mark.long)]
)
def test_samples_beside_events_have_the_bits_of_simulate(runs):
    """With events, sampled laws and contacts, more of them than a chunk takes.

    States before a reset at the time of a sample; steps that only the host can look at.
    """
    states, given = runs()
    samples = np.sort(np.append(np.linspace(0.0, given["until"], 130), [0.0, 0.5]))
    given = {**given, "samples": np.unique(samples)}
    many = ph.sweep(states.system, states, **given)
    assert len(many.events)
    for k in range(len(states)):
        start = ph.State(states.system, 0.0, states.q[k], states.z[k])
        alone = ph.simulate(states.system, start, **given)
        np.testing.assert_array_equal(many.t[k], alone.t)
        np.testing.assert_array_equal(many.q[k], alone.q)
        np.testing.assert_array_equal(many.z[k], alone.z)


def test_runs_with_events_do_not_halt_at_samples(monkeypatch):
    """The host is asked as often as without samples: they are taken in the loop."""
    (states, given), asked = cart(), []
    real = batch_loop.called

    def counted(*words, **named):
        asked.append(1)
        return real(*words, **named)

    monkeypatch.setattr(batch_loop, "called", counted)
    ph.sweep(states.system, states, **given, samples=40)
    assert len(asked) == 1
