"""Taylor's method: order by tolerance, last digits, the same bits everywhere."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.polynomial import polynomial
from scipy.special import ellipk

import polhode as ph
from moving import point_pendulum
from polhode.errors import IntegrationError
from polhode.integrate.field.dense_output import between
from polhode.integrate.methods.taylor import dense_weights

Taylor = ph.methods.Taylor
E = 0.5


def kepler() -> ph.State:
    """An ellipse of period 2 pi, at its nearest."""
    ball, sun = ph.Particle("planet", 1.0), ph.World().origin
    masses = ph.PointMass(ball.mass_centre, 1.0), ph.PointMass(sun, 1.0, "sun")
    system = ph.System([ball], [ph.Gravitation(masses, 1.0)], name="Kepler")
    speed = np.sqrt((1 + E) / (1 - E))
    return system.state(planet=[1 - E, 0, 0], speeds={"planet": [0, speed, 0]})


@pytest.fixture(scope="module")
def orbit() -> ph.State:
    return kepler()


def test_the_order_follows_from_the_tolerance():
    """p = ceil(1 - ln(tol)/2); the last digits are no longer refused."""
    assert [Taylor(rtol=r).order for r in (1e-3, 1e-6, 1e-10, 1e-15)] == [5, 8, 13, 19]
    assert Taylor(rtol=0.0, atol=1e-10).order == 13
    with pytest.warns(match="more than double precision"):
        assert Taylor(rtol=1e-30).order == Taylor(rtol=1e-18).order


def test_dense_output_is_the_polynomial():
    """Terms beyond Hermite's cubic, from the coefficients of any polynomial."""
    c = np.random.default_rng(1).normal(size=13)
    s = np.linspace(0, 1, 17)
    slope = polynomial.polyder(c)
    ends = [(polynomial.polyval(u, c),
             polynomial.polyval(u, slope)) for u in (0.0, 1.0)]  # fmt: skip
    terms = [sum(w * c[k] for k, w in row.items()) for row in dense_weights(12)]
    found = between(s, 1.0, *ends, np.array(terms))
    assert np.allclose(found, polynomial.polyval(s, c), atol=1e-11)


def test_errors_follow_the_tolerance_and_steps_do_not(orbit):
    """Ten turns of an ellipse end where they began."""
    errors, steps = [], []
    for rtol in (1e-8, 1e-12):
        motion = ph.simulate(
            orbit.system, orbit, until=20 * np.pi, method=Taylor(rtol=rtol)
        )
        errors.append(np.max(np.abs(motion.final.q - orbit.q)))
        steps.append(motion.outcome.accepted)
    assert errors[0] < 1e-4
    assert errors[1] < 1e-3 * errors[0]
    assert abs(steps[1] - steps[0]) < 0.3 * steps[0]


@pytest.mark.long
def test_the_energy_of_an_orbit_walks_at_random():
    """At 1e-15 it errs as sqrt(n): each step by a rounding, none in one direction."""
    orbit, method = kepler(), Taylor(rtol=1e-15, atol=1e-15)
    motion = ph.simulate(orbit.system, orbit, until=200 * np.pi, method=method)
    r, v = motion.q, motion.z
    energy = 0.5 * np.sum(v * v, 1) - 1 / np.linalg.norm(r, axis=1)
    drift, n = np.abs(energy - energy[0]), len(energy)
    assert np.max(drift) < 10 * np.finfo(float).eps * np.sqrt(n)
    assert np.max(np.abs(motion.final.q - orbit.q)) < 1e-10


def test_a_pendulum_swings_in_its_period():
    """4 K(k) sqrt(l/g), to the last digits, and unit quaternions stay so."""
    state = point_pendulum().state({"hinge": 2.0})
    period = 4 * ellipk(np.sin(1.0) ** 2) / np.sqrt(9.81)
    motion = ph.simulate(state.system, state, until=period, method=Taylor(rtol=1e-15))
    assert abs(motion.final["hinge"] - 2.0) < 2e-13
    top = ph.models.start("heavy_top")
    spun = ph.simulate(top.system, top, until=0.5, method=Taylor(rtol=1e-12))
    fine = ph.methods.DormandPrince8(rtol=1e-13)
    other = ph.simulate(top.system, top, until=0.5, method=fine)
    assert np.max(np.abs(spun.final.q - other.final.q)) < 1e-11
    norms = [np.linalg.norm(q[-4:]) for q in spun.q]
    assert len(top.q) != 4 or np.max(np.abs(np.array(norms) - 1)) < 1e-14


def test_one_run_has_the_bits_of_lanes_sweeps_and_resumed_files(orbit, tmp_path):
    """Alone, in a batch, kept or not, cut and continued."""
    system, method = orbit.system, Taylor(rtol=1e-14)
    starts = [
        system.state(planet=orbit.q * s, speeds={"planet": orbit.z})
        for s in np.linspace(0.9, 1.1, 9)
    ]
    many = ph.sweep(system, starts, until=9.0, method=method)
    one = ph.simulate(system, starts[4], until=9.0, method=method)
    assert np.array_equal(many.final_q[4], one.final.q)
    assert np.array_equal(many.final_z[4], one.final.z)
    path = tmp_path / "orbit.nc"
    with pytest.warns(match="attempts|limit"):
        ph.simulate(system, starts[4], until=9.0, method=method, limit=20, to=path)
    whole = ph.resume(path, system, limit=10**6)
    assert whole.method == method
    assert np.array_equal(whole.q, one.q)
    assert np.array_equal(whole.z, one.z)


def test_events_are_located_on_the_polynomial(orbit):
    """Apsides of an ellipse: half a period apart."""
    system = orbit.system
    event = ph.Event("apsis", lambda t, state: state.q @ state.z)
    motion = ph.simulate(
        system, orbit, until=15.0, method=Taylor(rtol=1e-14), events=[event]
    )
    times = np.array([met.t for met in motion.events])
    late = times[times > 1.0]
    assert np.allclose(late, np.pi * np.arange(1, 1 + len(late)), atol=1e-11)


def test_laws_of_time_and_inputs_are_taken_in():
    """A driven hinge without weight: two integrals of sin(3 t)."""
    bar = ph.Body.from_inertia("bar", mass=1.0, inertia=np.eye(3))
    hinge = ph.Revolute("hinge", ph.World().origin, bar.origin, axis=[0, 0, 1.0])
    system = ph.System([hinge], [ph.Motor(hinge, 0.0, name="drive")], name="driven")
    law = {"drive": lambda t: jnp.sin(3 * t)}
    motion = ph.simulate(
        system, system.rest(), until=2.0, method=Taylor(rtol=1e-13), inputs=law
    )
    assert abs(motion.final["hinge"] - (2 / 3 - np.sin(6) / 9)) < 1e-13


def driven_bar() -> tuple[ph.System, ph.Revolute]:
    """A hinge without weight, inertia one, and its motor."""
    bar = ph.Body.from_inertia("bar", mass=1.0, inertia=np.eye(3))
    hinge = ph.Revolute("hinge", ph.World().origin, bar.origin, axis=[0, 0, 1.0])
    return ph.System(
        [hinge], [ph.Motor(hinge, 0.0, name="drive")], name="driven"
    ), hinge


@pytest.mark.parametrize("is_traced", [True, False])
def test_sampled_inputs_are_held_between_their_samples(is_traced):
    """A torque of t, held over 0.1 s each: q is the sum of their parabolas."""
    system, _ = driven_bar()
    dt, count = 0.1, 10

    def law(t, state):
        return 1.0 + t if is_traced else 1.0 + float(t)

    inputs = {"drive": ph.Sampled(law, dt)}
    end = system.rest()
    motion = ph.simulate(
        system, end, until=count * dt, method=Taylor(rtol=1e-13), inputs=inputs
    )
    q = z = 0.0
    for k in range(count):
        torque = 1.0 + k * dt
        q, z = q + z * dt + torque * dt * dt / 2, z + torque * dt
    assert abs(motion.final["hinge"] - q) < 1e-13
    assert abs(motion.final.z[0] - z) < 1e-13


def test_sampled_inputs_in_sweeps_have_the_bits_of_one_run():
    """A controller held for a while each: alone and in lanes."""
    system, _ = driven_bar()
    control = ph.Sampled(lambda t, state: -4.0 * state["hinge"], 0.05)
    starts = [system.state({"hinge": q}) for q in np.linspace(0.1, 1.0, 9)]
    given = {"until": 1.0, "method": Taylor(rtol=1e-12), "inputs": {"drive": control}}
    many = ph.sweep(system, starts, **given)
    one = ph.simulate(system, starts[4], **given)
    assert np.array_equal(many.final_q[4], one.final.q)
    assert np.array_equal(many.final_z[4], one.final.z)


def test_a_ball_bounces_to_the_height_of_its_restitution():
    """Resets at events, alone and in sweeps: e^2 of the height after each bounce."""
    ball = ph.Particle("ball", 1.0)
    system = ph.System([ball], [ph.Weight(9.81)], name="bouncing")

    def bounced(t, state):
        return state.changed(speeds={"ball": -0.5 * state.z})

    floor = ph.Event("floor", lambda t, state: state.q[2], -1, reset=bounced)
    starts = [system.state(ball=[0, 0, h]) for h in np.linspace(0.5, 1.5, 9)]
    given = {"method": Taylor(rtol=1e-13), "events": [floor]}
    fall = np.sqrt(2 / 9.81)
    top = ph.simulate(system, starts[4], until=1.5 * fall, **given)
    assert len(top.events) == 1
    assert abs(top.events[0].t - fall) < 1e-14
    assert abs(top.final.q[2] - 0.25) < 1e-13
    many = ph.sweep(system, starts, until=1.5 * fall, **given)
    assert np.array_equal(many.final_q[4], top.final.q)


def test_what_is_not_analytic_is_refused_in_words():
    """The law, its line and another method are named."""
    bar = ph.Body.from_inertia("bar", mass=1.0, inertia=np.eye(3))
    hinge = ph.Revolute("hinge", ph.World().origin, bar.origin, axis=[0, 0, 1.0])
    motor = ph.Motor(hinge, 0.0, name="drive")
    system = ph.System([hinge], [motor], name="driven")
    law = {"drive": lambda t, state: -jnp.abs(state["hinge"])}
    with pytest.raises(IntegrationError) as told:
        ph.simulate(system, system.rest(), until=1.0, method=Taylor(), inputs=law)
    words = str(told.value)
    assert "abs at " in words
    assert "test_taylor.py" in words
    assert "DormandPrince8" in words
