"""A sweep of one run goes a way of its own, and is the run that it is among others."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum, heavy_top
from polhode.errors import ForceError, IntegrationError, IntegrationWarning
from polhode.integrate.host import single_run

MOST = ("t", "q", "z", "status", "accepted", "rejected", "stiff", "tried")


def raised(count: int) -> ph.States:
    """The first of these is always the same."""
    rng, system = np.random.default_rng(8), double_pendulum()
    q, z = rng.uniform(-2, 2, (count, 2)), rng.uniform(-1, 1, (count, 2))
    return ph.States(system, 0.0, q, z)


@pytest.mark.parametrize(
    "wish",
    [
        {"until": 2.0},
        {"until": -2.0, "rtol": 1e-7},
        {"until": 2.0, "samples": 5},
        {"until": 2.0, "samples": [0.3, 0.31, 1.1], "audited": True},
        {"until": 0.5, "method": ph.methods.RungeKutta4(step=0.01)},
        {"until": 0.0},
    ],
)
def test_alone_and_among_others_the_bits_are_the_same(wish, monkeypatch):
    """Ends, samples, counts and work, in one chunk or in many."""
    system, states = double_pendulum(), raised(3)
    among, only = ph.sweep(system, states, **wish), states.part(slice(0, 1))
    for room in (4096, 3):
        monkeypatch.setattr(single_run, "ROOM", room)
        system.compiled.clear()
        alone = ph.sweep(system, only, **wish)
        for word in MOST:
            own, of_all = getattr(alone, word), getattr(among, word)[:1]
            assert np.array_equal(own, of_all), word
        if alone.ledger is not None:
            assert np.array_equal(alone.ledger.kinetic, among.ledger.kinetic[:1])


def test_attitudes_and_parameters_alone():
    """A top has more coordinates than speeds; one value of a parameter is a run too."""
    top = heavy_top()
    start = top.state(speeds={"ball": (0.1, 0.2, 9.0)})
    among = ph.sweep(top, [start, start], until=0.5, samples=3)
    alone = ph.sweep(top, start, until=0.5, samples=3)
    assert np.array_equal(alone.q, among.q[:1])
    ball = ph.Particle("ball", 0.1)
    thrown = ph.System([ball], actions=[ph.Weight(ph.Parameter("g", 9.81))])
    start = thrown.state(speeds={"ball": (3, 0, 4)})
    both = ph.sweep(thrown, start, until=1.0, parameters={"g": [1.6, 9.8]})
    one = ph.sweep(thrown, start, until=1.0, parameters={"g": [1.6]})
    assert np.array_equal(one.q, both.q[:1])
    assert one.parameters["g"] == [1.6]


def test_a_lone_run_is_watched_limited_and_stopped(monkeypatch):
    """Shares grow to one; a limit and Ctrl-C end it with what is done."""
    monkeypatch.setattr(single_run, "ROOM", 8)
    system, only, told = double_pendulum(), raised(1), []
    system.compiled.clear()
    ph.sweep(system, only, until=5.0, watch=told.append)
    shares = [progress.share for progress in told]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with pytest.warns(IntegrationWarning, match="limit of steps"):
        found = ph.sweep(system, only, until=5.0, limit=20)
    assert 0 < found.t[0, -1] < 5.0

    def press(progress):
        raise KeyboardInterrupt

    with pytest.warns(IntegrationWarning, match="was interrupted at t ="):
        found = ph.sweep(system, only, until=5.0, watch=press)
    assert 0 < found.t[0, -1] < 5.0
    system.compiled.clear()


def test_a_lone_start_that_cannot_be_is_refused():
    """By the name of what gives no force, and by what rounding leaves of a step."""
    import jax.numpy as jnp

    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute("angle", ph.World().origin, rod.origin, axis=ph.Y)
    law = ph.Motor(hinge, lambda t, q, z: jnp.sqrt(1.0 - q[0]))
    system = ph.System([hinge], [law], name="pulled")
    with pytest.raises(ForceError, match="'motor of angle' gives no force there"):
        ph.sweep(system, system.state({"angle": 2.0}), until=1.0)
    start = system.state({"angle": 0.5})
    with pytest.raises(IntegrationError, match="double precision knows no step below"):
        ph.sweep(system, start, until=1e18)
    with pytest.raises(IntegrationError, match="cannot make 1e"):
        ph.sweep(system, start, until=1.0, method=ph.methods.RungeKutta4(step=1e-30))
