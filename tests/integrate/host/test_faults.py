"""Faults of runs: refused before the first step, or told of with all that was reached.

The numbers are those of the list of faults that the project keeps.
"""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from moving import point_pendulum
from polhode.errors import (
    ConstraintError,
    ForceError,
    IntegrationError,
    IntegrationWarning,
    ModelError,
    NumericalWarning,
)
from polhode.integrate.host.prescribed_jumps import require_smooth_drivers


def block_on_track(**more):
    block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X, **more)
    return block, track


@cache
def sprung() -> ph.System:
    """x'' = -x."""
    _, track = block_on_track()
    return ph.System([track], [ph.JointSpring(track, 1.0)], name="sprung")


def pushed(law):
    _, track = block_on_track()
    return ph.System([track], [ph.Motor(track, law, name="push")], name="pushed")


def go(system, until=1.0, **more):
    return ph.simulate(system, system.state(track=1.0), until=until, **more)


# ------------------------------------------------------------------- 39: drivers


def driven(law, until=2.0):
    _, track = block_on_track()
    system = ph.System([track], [], [ph.PrescribedMotion(track, law)], name="driven")
    start = ph.State(system, 0.0, [float(law(0.0))], [0.0])
    return ph.simulate(system, start, until=until)


@pytest.mark.parametrize("at", [0.3, 1.0, 1.9999])
def test_a_step_in_a_prescribed_place_is_refused(at):
    """39: the driver, the time and the jump are named; nothing has moved."""
    words = rf"'track driven' of 'driven'.* place jumps by 0\.1 m at t = {at:g} s"
    with pytest.raises(ConstraintError, match=words):
        driven(lambda t: jnp.where(t > at, 0.1, 0.0))


def test_a_step_in_a_prescribed_speed_is_refused():
    """39: a corner needs an impulse, which no run of finite forces gives."""
    with pytest.raises(ConstraintError, match=r"speed jumps by 2 m/s at t = 1 s"):
        driven(lambda t: 2.0 * jnp.maximum(t - 1.0, 0.0))


def test_smooth_drivers_pass_however_quick():
    """39: a rounded step and an oscillation are followed, not refused."""
    motion = driven(lambda t: 0.1 * jnp.tanh(50 * (t - 1)) + 0.1 * jnp.tanh(50.0))
    assert motion.final["track"] == pytest.approx(0.2, abs=1e-12)
    for law in (lambda t: 0.1 * jnp.cos(400 * t), lambda t: jnp.where(t > 3, 0.1, 0.0)):
        _, track = block_on_track()
        system = ph.System([track], [], [ph.PrescribedMotion(track, law)])
        require_smooth_drivers(system, 0.0, 2.0)


# ------------------------------------------------------------------- 41 to 47: forces


def test_a_spring_of_no_length_pulls_nowhere():
    """41: without rest length its force is zero; with one it has no direction."""

    def held_by(rest):
        ball = ph.Particle("ball", 1.0)
        spring = ph.Spring(
            ph.World().origin, ball.mass_centre, 10.0, rest, name="spring"
        )
        system = ph.System([ball], [spring], name="held")
        return ph.simulate(system, system.rest(), until=1.0)

    assert np.all(held_by(0.0).q == 0.0)
    with pytest.raises(ForceError, match="'spring' gives no force there"):
        held_by(0.5)


def test_a_mass_that_falls_into_a_source_stops():
    """47: at the source there is no force; the run ends before it, all rows numbers."""
    a, b = ph.Particle("a", 1.0), ph.Particle("b", 1.0)
    masses = [ph.PointMass.of(each) for each in (a, b)]
    pull = ph.Gravitation(masses, constant=1.0, name="pull")
    system = ph.System([a, b], [pull], name="pair")
    start = system.state({"a": (-0.5, 0, 0), "b": (0.5, 0, 0)})
    with pytest.warns(IntegrationWarning) as told:
        motion = ph.simulate(system, start, until=2.0)
    # Two masses of 1 at a distance of 1 meet after pi/4.
    assert motion.t[-1] == pytest.approx(np.pi / 4, rel=1e-6)
    assert motion.outcome.code in ("INTEG", "FORCE")
    assert "'pair' stopped at t = 0.785" in str(told[0].message)
    assert all(np.all(np.isfinite(part)) for part in motion.steps)


def raises(t, q, z):
    raise RuntimeError("no sensor")


def mutates(t, q, z):
    q[0] = 0.0
    return q


@pytest.mark.parametrize(
    ("law", "words", "cause"),
    [
        (raises, "law of 'push' raised RuntimeError: no sensor", RuntimeError),
        (mutates, "law of 'push' raised TypeError", TypeError),
        (lambda t, q, z: None, "law of 'push' raised", Exception),
        (lambda t, q, z: 1.0 if q[0] > 0 else 0.0, "law of 'push' raised", TypeError),
        (lambda t, q, z: jnp.ones(3), r"'push' gave the shape \(3,\)", None),
    ],
    ids=["raises", "mutates", "nothing", "branches", "shape"],
)
def test_a_motor_s_law_that_fails_is_refused_by_name(law, words, cause):
    """44, 45: the action is named and what Python raised is attached."""
    with pytest.raises(ForceError, match=words) as told:
        go(pushed(law))
    assert (told.value.__cause__ is None) == (cause is None)
    assert cause is None or isinstance(told.value.__cause__, cause)


@pytest.mark.parametrize("law", [lambda *_: jnp.ones(3), lambda *_: {}[0]])
def test_a_central_law_that_fails_is_refused_by_name(law):
    """44, 45: between two points as along a joint."""
    ball = ph.Particle("ball", 1.0)
    force = ph.CentralForce(ball.mass_centre, ph.World().origin, law, name="tether")
    system = ph.System([ball], [force], name="tied")
    with pytest.raises(ForceError, match="law of 'tether'"):
        ph.simulate(system, system.state({"ball": (1, 0, 0)}), until=1.0)


def test_a_state_is_the_same_after_a_refused_call():
    """Promise 13: what was refused has changed nothing."""
    system = pushed(raises)
    start = system.state(track=1.0)
    q, z = start.q.tobytes(), start.z.tobytes()
    with pytest.raises(ForceError):
        ph.simulate(system, start, until=1.0)
    assert (start.q.tobytes(), start.z.tobytes()) == (q, z)


# ------------------------------------------------------------------- 54 to 63: runs


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rtol": 0, "atol": 0}, "no motion can be computed to rtol"),
        ({"rtol": "tight"}, "no motion can be computed to rtol = 'tight'"),
        ({"rtol": [1e-6, 1e-6]}, "no motion can be computed to rtol"),
        ({"atol": np.nan}, "no motion can be computed to rtol"),
        ({"until": None}, "cannot end at until = None"),
        ({"until": np.inf}, "cannot end at until = inf"),
        ({"samples": "abc"}, "sample times cannot be used"),
        ({"samples": [0.5, 0.5]}, r"0\.5 s follows 0\.5 s"),
        ({"samples": [0.5, 0.25]}, r"0\.25 s follows 0\.5 s"),
        ({"samples": [-0.5, 0.25]}, r"-0\.5 s is outside 0 to 1 s"),
        ({"samples": 10**12}, "for their times alone"),
        ({"limit": 0}, "cannot be limited to 0 steps"),
        ({"limit": 2.5}, r"cannot be limited to 2\.5 steps"),
        ({"events": 3}, "3 is not an event"),
    ],
)
def test_settings_that_are_none_are_refused(given, words):
    """54, 59, 60, 63: tolerances, times, limits and tables, before any step."""
    with pytest.raises(IntegrationError, match=words):
        go(sprung(), **{"until": 1.0, **given})


@pytest.mark.parametrize("given", [{"parameters": 3}, {"inputs": [3]}])
def test_values_without_names_are_refused(given):
    """What changes a model is called by its name."""
    with pytest.raises(ModelError, match="gives nothing by name"):
        go(sprung(), **{"until": 1.0, **given})


def test_too_much_accuracy_is_lowered_with_a_warning():
    """55: below 100 units of rounding there is nothing to ask for."""
    with pytest.warns(NumericalWarning, match="more than double precision can give"):
        motion = go(sprung(), rtol=1e-15)
    assert motion.method.rtol == 100 * np.finfo(float).eps


def test_a_motion_that_ends_in_finite_time_stops():
    """56: y' = y^2 from 1 bursts at t = 1; no overflow, no row without numbers."""

    def burst(t, q, z):
        return 2.0 * z**2 / q  # of q'' = 2 q'^2 / q: q = 1/(1 - t)

    system = pushed(burst)
    start = system.state(track=1.0, speeds={"track": 1.0})
    with pytest.warns(IntegrationWarning, match="no step, however small"):
        motion = ph.simulate(system, start, until=2.0)
    assert motion.outcome.code == "INTEG"
    assert motion.t[-1] == pytest.approx(1.0, abs=1e-6)
    assert all(np.all(np.isfinite(part)) for part in motion.steps)
    near = motion.t < 0.99
    assert np.allclose(motion.q[near, 0], 1 / (1 - motion.t[near]), rtol=1e-6)


def test_backwards_and_nowhere():
    """59: an end before the start runs backwards; one at the start is its row."""
    back = go(sprung(), until=-np.pi)
    assert back.final["track"] == pytest.approx(-1.0, abs=1e-8)
    assert np.all(np.diff(back.t) < 0)
    event = ph.Event("middle", lambda t, state: state["track"])
    for more in ({}, {"events": event}, {"samples": [0.0]}):
        nowhere = go(sprung(), until=0.0, **more)
        assert nowhere.t.tolist() == [0.0]
        assert nowhere.q.tolist() == [[1.0]]
        assert nowhere.outcome.is_complete


def test_a_billion_steps_are_begun_and_can_be_ended():
    """63: nothing is refused where little is kept; the watch may end it."""
    shares = []

    def watch(progress):
        shares.append(progress.share)
        if len(shares) == 3:
            raise KeyboardInterrupt

    method = ph.methods.RungeKutta4(1e-9)
    with pytest.warns(IntegrationWarning, match="was interrupted"):
        motion = go(sprung(), method=method, samples=[0.0, 1e-6, 1.0], watch=watch)
    assert 0 < shares[0] < shares[1] < 1e-4
    assert motion.t.tolist() == [0.0, 1e-6]
    assert np.allclose(motion.q[:, 0], np.cos(motion.t), rtol=1e-15)


@pytest.mark.parametrize("late", [1e6, 1.7e9])
def test_a_late_start_changes_no_motion(late):
    """Steps are as long as the clock says: a Unix time is as good as zero."""
    system = point_pendulum()
    start = system.state(hinge=2.0)
    early = ph.simulate(system, start, until=10.0).q[-1]
    moved = ph.State(system, late, start.q, start.z)
    end = ph.simulate(system, moved, until=late + 10.0).q[-1]
    assert np.allclose(end, early, rtol=0, atol=1e-11)


def test_fixed_steps_that_the_clock_does_not_see_are_refused():
    """Rows that are no later than those before them would be none."""
    system = point_pendulum()
    rest = system.rest()
    late = ph.State(system, 1e12, rest.q, rest.z)
    with pytest.raises(IntegrationError, match=r"no step below 0\.000888 s"):
        ph.simulate(system, late, until=1e12 + 1, method=ph.methods.RungeKutta4(1e-5))


def test_dry_friction_at_rest_is_told_to_hold_nothing():
    """A block on a slope that friction should hold slides, and nobody is left to think
    that it would: the way that there is is named."""
    block = ph.Particle("block", 1.0)
    slope = ph.Prismatic(
        "slope", ph.World().origin, block.mass_centre, axis=(0.94, 0, -0.34)
    )
    rubs = ph.JointFriction(slope, ph.Coulomb(0.2, 0.4))
    system = ph.System([slope], [ph.Weight(9.81), rubs], name="block")
    for go in (ph.simulate, ph.sweep):
        with pytest.warns(IntegrationWarning, match="holds nothing there"):
            go(system, system.rest(), until=0.1)
    sliding = system.state(speeds={"slope": 1.0})
    assert ph.simulate(system, sliding, until=0.1).outcome.is_complete
