"""Parameters from records, their spread, and what no record can tell."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import AnalysisError

pytestmark = pytest.mark.long  # compiling takes longer than a quick suite has

TRUE = {"m": 1.2, "k": 30.0, "c": 0.8}
TIMES = np.linspace(0.05, 3.0, 60)


@cache
def bouncing() -> ph.System:
    """A mass pushed against a spring and damper: m x'' = -k x - c x' - 12 N.

    The known push tells m, k and c apart; under its weight alone their ratios are all.
    """
    world = ph.World()
    block = ph.Body.from_inertia(
        "block", mass=ph.Parameter("m", 1.0), inertia=(1.0, 1.0, 1.0)
    )
    slide = ph.Prismatic("slide", world.origin, block.origin, axis=ph.Z)
    spring = ph.Spring(slide, ph.Parameter("k", 25.0))
    damper = ph.Damper(slide, ph.Parameter("c", 1.0))
    push = ph.ForceLaw(
        block.origin, world.frame, lambda x, v, t: jnp.array([0.0, 0.0, -12.0])
    )
    return ph.System([slide], [push, spring, damper], name="bouncing")


@cache
def record(noise: float, seed: int = 5) -> np.ndarray:
    """The true motion at the times, with noise on it."""
    start = bouncing().rest()
    motion = ph.simulate(
        bouncing(), start, until=3.0, samples=TIMES, parameters=TRUE, rtol=1e-11
    )
    return motion.q + noise * np.random.default_rng(seed).normal(size=motion.q.shape)


def test_an_exact_record_gives_the_true_parameters():
    """Without noise, mass, stiffness and damping come back to 1e-7 of themselves."""
    found = ph.identify(bouncing(), bouncing().rest(), TIMES, record(0.0), list(TRUE))
    for name, value in TRUE.items():
        assert abs(found.values[name] / value - 1) < 1e-7
    assert found.blind.shape == (0, 3)
    assert found.noise < 1e-8


@pytest.mark.long
def test_the_spread_is_that_of_many_noisy_records():
    """The covariance says how far parameters scatter from record to record."""
    tries, noise = 16, 1e-3
    start, off, told = bouncing().rest(), [], []
    for seed in range(tries):
        found = ph.identify(bouncing(), start, TIMES, record(noise, seed), TRUE)
        off.append([found.values[name] - TRUE[name] for name in TRUE])
        told.append([found.deviations[name] for name in TRUE])
        assert 0.7 * noise < found.noise < 1.3 * noise
    ratio = np.std(off, axis=0) / np.mean(told, axis=0)
    assert np.all((ratio > 0.6) & (ratio < 1.5))
    correlated = found.covariance / np.outer(*2 * (np.sqrt(np.diag(found.covariance)),))
    assert np.all(np.abs(correlated) < 1 + 1e-12)


@pytest.mark.long
def test_a_free_swing_does_not_tell_what_only_ratios_move():
    """Of m, l and g in a swing only g/l is told; the others are named as untold."""
    swing = ph.models.pendulum()
    start = swing.state(hinge=1.0)
    times = np.linspace(0.1, 2.0, 20)
    seen = ph.simulate(swing, start, until=2.0, samples=times).q
    found = ph.identify(swing, start, times, seen, ["m", "l", "g"])
    assert found.blind.shape == (2, 3)
    assert np.allclose(found.blind, [[1, 0, 0], [0, 1, 1]], rtol=0, atol=1e-6)
    assert all(np.isinf(spread) for spread in found.deviations.values())
    assert "not determined by the record: +1 % l, +1 % g" in repr(found)


def test_what_a_record_does_not_tell_stays_as_it_was():
    """Noise moves l to where the swing says, and m, which it does not feel, nowhere."""
    swing = ph.models.pendulum()
    start, times = swing.state(hinge=1.0), np.linspace(0.1, 2.0, 20)
    seen = ph.simulate(swing, start, until=2.0, samples=times).q
    seen = seen + 1e-3 * np.random.default_rng(0).normal(size=seen.shape)
    found = ph.identify(swing, start, times, seen, {"m": 1.5, "l": 0.75, "g": 9.81})
    assert abs(found.values["m"] - 1.5) < 1e-6
    variances = np.linalg.eigvalsh(found.covariance)
    assert np.all(variances > -1e-12 * variances[-1])
    told = found.values["g"] / found.values["l"]
    assert abs(told / (9.81 / 0.8) - 1) < 1e-3
    # Of g/l the spread is that of l alone with g given.
    alone = ph.identify(swing, start, times, seen, {"l": 0.75})
    shares = np.array([0.0, -1 / found.values["l"], 1 / found.values["g"]])
    spread = np.sqrt(shares @ found.covariance @ shares)
    assert abs(spread / (alone.deviations["l"] / alone.values["l"]) - 1) < 1e-2


@cache
def swinging() -> ph.System:
    """A pendulum of unknown inertia about its mass centre, and with a damper."""
    inertia = ph.Parameter("I", 0.05)
    rod = ph.Body.from_inertia(
        "rod", mass=1.5, inertia=(inertia, inertia, 1e-3), centre=(0, 0, -0.4)
    )
    hinge = ph.Revolute("hinge", ph.World().origin, rod.origin, axis=ph.Y)
    damper = ph.JointDamper(hinge, ph.Parameter("c", 0.02))
    return ph.System([hinge], [ph.Weight(9.81), damper], name="pendulum")


def test_the_inertia_of_a_pendulum_is_told_with_its_start():
    """The start is guessed wrongly and found; parameters scatter as they are said to,
    more widely than if the start were known."""
    times, noise, draws = np.linspace(0.02, 4.0, 80), 0.01, 24
    true = swinging().state(hinge=1.0, speeds={"hinge": 0.5})
    exact = ph.simulate(swinging(), true, until=4.0, samples=times, rtol=1e-11).q
    guess, rng = swinging().state(hinge=0.8), np.random.default_rng(3)
    off, told = [], []
    asked = {"I": 0.06, "c": 0.03}
    for _ in range(draws):
        seen = exact + noise * rng.normal(size=exact.shape)
        found = ph.identify(swinging(), guess, times, seen, asked, initial=True)
        off.append([*found.values.values()])
        told.append([*found.deviations.values()])
    expected = [0.05, 0.02, 0.2, 0.5]
    assert tuple(found.values) == ("I", "c", "first hinge", "first speed of hinge")
    spread = np.mean(told, axis=0)
    assert np.all(np.abs(np.mean(off, axis=0) - expected) < 4 * spread / draws**0.5)
    ratio = np.std(off, axis=0, ddof=1) / spread
    assert np.all((ratio > 0.6) & (ratio < 1.5))
    known = ph.identify(swinging(), true, times, seen, asked)
    assert known.deviations["I"] < 0.8 * found.deviations["I"]
    assert abs(float(found.motion[0]["hinge"]) - 1.0) < 5 * spread[2]


def test_a_first_attitude_is_found_along_its_rotations():
    """A tumbling body that was guessed turned half a radian away is found again."""
    body = ph.Body.from_inertia("body", mass=1.0, inertia=(0.2, 0.3, 0.4))
    world = ph.World()
    ball = ph.Spherical("ball", world.origin, body.point(0, 0, 0.2))
    system = ph.System([ball], [ph.Weight(ph.Parameter("g", 9.0))], name="tumbler")
    turned = ph.Rotation.from_axis_angle(
        (1, 2, 3), 0.5, of=body.frame, seen_from=world.frame
    )
    true = system.state(ball=turned, speeds={"ball": [1, 2, 3]})
    times = np.linspace(0.05, 1.0, 20)

    def seen(t, state):
        return system.poses(t, state.q).rotations[0].ravel()

    moved = ph.simulate(system, true, until=1.0, samples=times, rtol=1e-11)
    rows = np.array([seen(0.0, moved[k]) for k in range(len(times))])
    guess = system.state(speeds={"ball": [0.8, 2.1, 3.2]})
    found = ph.identify(system, guess, times, rows, ["g"], measure=seen, initial=True)
    assert abs(found.values["g"] - 9.0) < 1e-6
    here, there = (system.poses(0.0, s.q).rotations[0] for s in (true, found.motion[0]))
    assert np.max(np.abs(here - there)) < 1e-7


@pytest.mark.long
def test_forces_tell_more_than_free_motion():
    """With known torques m l^2/3 and m g l/2 are told: of m, l, g only m l^2 hides."""
    found = ph.identifiable(ph.models.pendulum())
    assert found.names == ("m", "l", "g")
    # dI = 0 and d(m g l) = 0:  m + 2 l = 0 and m + l + g = 0 in shares.
    assert np.allclose(found.blind, [[1, -0.5, -0.5]], rtol=0, atol=1e-9)
    assert found.together == (("m", "l", "g"),)
    assert ph.identifiable(ph.models.pendulum(), ["m", "l"]).alone == ("m", "l")


@pytest.mark.long
def test_anything_can_be_measured():
    """A record of speed and of place squared serves as well as coordinates."""

    def seen(t, state):
        return jnp.stack([state.speed("slide"), state["slide"] ** 2])

    start = bouncing().rest()
    motion = ph.simulate(
        bouncing(), start, until=3.0, samples=TIMES, parameters=TRUE, rtol=1e-11
    )
    rows = np.stack([motion.z[:, 0], motion.q[:, 0] ** 2], axis=-1)
    found = ph.identify(bouncing(), start, TIMES, rows, list(TRUE), measure=seen)
    for name, value in TRUE.items():
        assert abs(found.values[name] / value - 1) < 1e-7


def test_records_that_do_not_fit_are_refused():
    """Shapes, times and names are checked before anything runs."""
    start = bouncing().rest()
    with pytest.raises(AnalysisError, match=r"shape \(5, 1\) does not fit 60 times"):
        ph.identify(bouncing(), start, TIMES, np.zeros(5), ["m"])
    with pytest.raises(AnalysisError, match="must grow from the start on"):
        ph.identify(bouncing(), start, TIMES[::-1], record(0.0), ["m"])
    with pytest.raises(AnalysisError, match="no parameter 'mass'"):
        ph.identify(bouncing(), start, TIMES, record(0.0), ["mass"])
