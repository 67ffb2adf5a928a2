"""Derivatives of motions: forward, backward, and against high precision."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.errors import AnalysisError

START, UNTIL, DAMPING = 1.1, 2.0, 0.3


@cache
def swing() -> ph.System:
    """A damped pendulum: I th'' = -m g l/2 sin th - c th', I = m l^2/3."""
    m, l = ph.Parameter("m", 1.2), ph.Parameter("l", 0.8)
    rod = ph.Body("rod", ph.solids.rod(mass=m, length=l))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, l / 2), axis=-ph.Y)
    damper = ph.Damper(hinge, ph.Parameter("c", DAMPING))
    actions = [ph.Weight(ph.Parameter("g", 9.81)), damper]
    return ph.System([hinge], actions, name="swing")


@cache
def swung() -> ph.results.Trajectory:
    """The pendulum let go, to many digits."""
    start = swing().state(hinge=START, speeds={"hinge": -0.4})
    return ph.simulate(swing(), start, until=UNTIL, rtol=1e-13)


@cache
def exact() -> dict[str, np.ndarray]:
    """d(th, th')/d(l, c, th0, th'0) at the end, by mpmath to 20 digits."""
    m, l, g, c = (mpmath.mpf(v) for v in ("1.2", "0.8", "9.81", "0.3"))

    def law(t, y):
        th, w = y[0], y[1]
        stiff, damp = 3 * g / (2 * l), 3 * c / (m * l**2)
        rates = [w, -stiff * mpmath.sin(th) - damp * w]
        by_th = -stiff * mpmath.cos(th)
        own = [stiff / l * mpmath.sin(th) + 2 * damp / l * w, -damp / c * w, 0, 0]
        for k in range(4):
            d, e = y[2 + 2 * k], y[3 + 2 * k]
            rates += [e, by_th * d - damp * e + own[k]]
        return rates

    with mpmath.workdps(20):
        first = [mpmath.mpf("1.1"), mpmath.mpf("-0.4"), 0, 0, 0, 0, 1, 0, 0, 1]
        y = mpmath.odefun(law, 0, first, tol=1e-15)(UNTIL)
    names = ("l", "c", "first hinge", "first speed of hinge")
    return {n: np.array(y[2 + 2 * k : 4 + 2 * k], float) for k, n in enumerate(names)}


@pytest.mark.row("E-13", "E-14")
def test_the_sensitivity_of_a_pendulum_is_exact():
    """By length, damping and first state the derivatives are right to 1e-8."""
    found = ph.sensitivity(swung(), ["l", "c"])
    assert found.columns == tuple(exact())
    for name, expected in exact().items():
        assert np.allclose(found[name][-1], expected, rtol=0, atol=1e-9)
    P = np.stack([exact()["first hinge"], exact()["first speed of hinge"]], axis=-1)
    assert np.allclose(found.transition[-1], P, rtol=0, atol=1e-9)
    assert np.allclose(found.transition[0], np.eye(2), rtol=0, atol=0)


@pytest.mark.long
def test_forward_and_backward_are_one_derivative():
    """The gradient of a cost is the cost's slope times the sensitivities."""
    weights, times = np.array([0.7, -1.3]), [0.31, 1.2, UNTIL]

    def cost(t, state):
        return (1 + t) * (
            weights[0] * state["hinge"] + weights[1] * state.speed("hinge") ** 2
        )

    back = ph.gradient(swung(), cost, ["l", "c"], times=times)
    forward = ph.sensitivity(swung(), ["l", "c"], times=times)
    speeds = np.array([swung().at(t).speed("hinge") for t in times])
    slopes = np.stack([weights[0] + 0 * speeds, 2 * weights[1] * speeds], axis=-1)
    for name in forward.columns:
        expected = np.sum((1 + forward.t)[:, None] * slopes * forward[name])
        assert abs(back[name] - expected) < 1e-8
    assert abs(back.value - sum(float(cost(t, swung().at(t))) for t in times)) < 1e-8


@pytest.mark.long
def test_backward_agrees_with_high_precision():
    """The gradient of the last angle is right to 1e-8."""
    found = ph.gradient(swung(), lambda t, state: state["hinge"], ["l", "c"])
    for name, expected in exact().items():
        assert abs(found[name] - expected[0]) < 1e-9


@pytest.mark.long
def test_disturbances_shrink_by_what_damping_takes():
    """det P = exp(integral of tr A) (Liouville): here tr A = -c/I."""
    found = ph.sensitivity(swung())
    inertia = 1.2 * 0.8**2 / 3
    shrunk = np.exp(-DAMPING / inertia * found.t)
    assert np.allclose(np.linalg.det(found.transition), shrunk, rtol=1e-10, atol=0)


@pytest.mark.long
def test_momenta_of_the_same_first_speeds_change_with_the_mass():
    """Hamilton's momenta start from the speeds: alone with its weight, m moves nothing.

    A start that kept the momentum would swing otherwise.
    """
    system = ph.models.pendulum()
    start = system.state(hinge=0.4, speeds={"hinge": 1.0})
    method = ph.methods.RungeKutta4(0.01)
    motion = ph.simulate(ph.hamilton(system), start, until=1.0, method=method)
    assert np.max(np.abs(ph.sensitivity(motion, ["m"])["m"])) < 1e-12
    found = ph.gradient(motion, lambda t, state: state.speed("hinge"), ["m"])
    assert abs(found["m"]) < 1e-12


@cache
def spun() -> ph.results.Trajectory:
    """A heavy top, let go leaning."""
    top = ph.models.heavy_top()
    lean = {"qw": np.cos(0.2), "qx": np.sin(0.2), "qy": 0.0, "qz": 0.0}
    start = top.state(tip=lean, speeds={"tip": (0.3, 0.2, 25.0)})
    return ph.simulate(top, start, until=0.6, rtol=1e-12)


@pytest.mark.long
def test_rotations_are_carried_on_their_manifold():
    """Changes of a unit quaternion are across it, and the nine of errors make them."""
    found = ph.sensitivity(spun(), ["m", "A"])
    q = np.einsum("ni,nik->nk", spun().q, found.q)
    assert np.max(np.abs(q)) < 1e-11
    w = np.arange(1.0, 8.0)
    back = ph.gradient(
        spun(), lambda t, state: w @ jnp.concatenate([state.q, state.z]), ["m", "A"]
    )
    for name in found.columns:
        assert abs(back[name] - w @ found[name][-1]) < 1e-10


@pytest.mark.row("S-14")
def test_a_formation_is_differentiated_by_all_that_moves_it():
    """Phi' = A Phi + df/dp: mass, inertia, mass centre, field and tether of craft."""
    system, start = formation()
    names = ("m_1", "J", "c", "mu", "k")
    values = np.array([2.0, 0.3, 0.05, 1.3, 0.4])
    speeds = len(values) + system.speed_names.index("craft.vx")
    steps = np.zeros((6, len(values) + system.speeds))
    steps[np.arange(6), [0, 1, 2, 3, 4, speeds]] = [*(1e-3 * values), 1e-3]
    # Central differences of two sizes, extrapolated, all in one batch of runs.
    moves = np.concatenate([steps, -steps, steps / 2, -steps / 2])
    moved = moves + np.concatenate([values, start.z])
    runs = ph.simulate(
        system,
        ph.States(system, 0.0, np.tile(start.q, (24, 1)), moved[:, len(values) :]),
        until=1.0,
        method=ph.methods.RungeKutta4(0.005),
        parameters=dict(zip(names, moved[:, : len(values)].T, strict=True)),
    )
    ends = np.array([[*m.q[-1], *m.z[-1]] for m in runs]).reshape(4, 6, -1)
    far, near = ends[0] - ends[1], ends[2] - ends[3]
    central = (8 * near - far) / 6 / np.max(steps, axis=1)[:, None]

    motion = ph.simulate(
        system, start, until=1.0, method=ph.methods.RungeKutta4(0.005),
        parameters=dict(zip(names, values, strict=True)),
    )  # fmt: skip
    found = ph.sensitivity(motion, names, times=[1.0])
    columns = (*names, "first speed of craft.vx")
    for name, expected in zip(columns, central, strict=True):
        size = np.max(np.abs(expected))
        assert size > 1e-3, name
        assert np.max(np.abs(found[name][0] - expected)) < 1e-6 * size, name


@cache
def formation():
    """An extended craft on a soft tether beside its mass centre, and a follower."""
    world, c = ph.World(), ph.Parameter("c", 0.05)
    J, m = ph.Parameter("J", 0.3), ph.Parameter("m_1", 2.0)
    craft = ph.Body.from_inertia(
        "craft", mass=m, inertia=(J, 0.4, 0.5), centre=(c, 0.0, 0.02)
    )
    follower = ph.Particle("follower", 0.5)
    free = ph.Free("craft", world.origin, craft.origin)
    mu = ph.Parameter("mu", 1.3)
    masses = [
        ph.PointMass(world.origin, mu),
        ph.PointMass(craft.point(c, 0, 0.3), m / 2),
        ph.PointMass(craft.point(c, 0, -0.3), m / 2),
        ph.PointMass.of(follower),
    ]
    k = ph.Parameter("k", 0.4)
    tether = ph.Spring(craft.point(0, 0.2, 0), follower.mass_centre, k, 0.2)
    system = ph.System([free, follower], [ph.Gravitation(masses, 1.0), tether])
    start = system.state(
        craft={"qw": 1.0, "x": 1.0}, follower=(1.3, 0.1, 0),
        speeds={"craft": (0.1, 0.2, 0.3, 0, 1.1, 0), "follower": (0, 0.9, 0.1)},
    )  # fmt: skip
    return system, start


@pytest.mark.long
def test_constraints_are_kept_by_what_is_carried_along_them():
    """A ball held by a distance, and one on an arm with an angle, are one system."""
    ball, g = ph.Particle("ball", 0.7), ph.Weight(9.81)
    world, l = ph.World(), ph.Parameter("l", 0.5)
    rod = ph.Distance(world.origin, ball.mass_centre, l, name="rod")
    held = ph.System([ball], [g], [rod], name="held")
    a, w = 0.9, 0.8
    start = held.state(
        ball=(0.5 * np.sin(a), 0, -0.5 * np.cos(a)),
        speeds={"ball": (0.5 * w * np.cos(a), 0, 0.5 * w * np.sin(a))},
    )
    motion = ph.simulate(held, start, until=1.0, rtol=1e-11)
    found = ph.sensitivity(motion, ["l"])
    # The length moves the first place along the rod and leaves the speed, across it.
    arm, omega = ph.Parameter("l", 0.5), w
    bob = ph.Body.from_inertia("bob", mass=0.7, inertia=(1e-9, 1e-9, 1e-9))
    hinge = ph.Revolute("hinge", world.origin, bob.point(0, 0, arm), axis=-ph.Y)
    turning = ph.System([hinge], [g], name="turning")
    swings = turning.state(hinge=a, speeds={"hinge": omega})
    turned = ph.simulate(turning, swings, until=1.0, rtol=1e-11)
    own = ph.sensitivity(turned, ["l"])
    th, by_l, by_w = turned.q[-1, 0], own["l"][-1, 0], own.errors[-1, 0, -1]
    moved = by_l - omega / 0.5 * by_w  # the same speed is a slower turn of a longer arm
    x = np.array([np.sin(th), 0, -np.cos(th)])
    across = 0.5 * np.array([np.cos(th), 0, np.sin(th)])
    assert np.allclose(found["l"][-1, :3], x + across * moved, rtol=0, atol=1e-6)

    def cost(t, state):
        return state.q @ jnp.array([1.0, 2.0, 3.0]) + state.z @ jnp.array([4.0, 5, 6])

    back = ph.gradient(motion, cost, ["l"])
    for name in found.columns:
        expected = np.arange(1.0, 7.0) @ found[name][-1]
        assert abs(back[name] - expected) < 1e-9 * (1 + abs(expected))


@pytest.mark.long
def test_uncertain_parameters_make_an_uncertain_motion():
    """To first order the spread of the end is that of samples: D C D^T."""
    found = ph.sensitivity(swung(), ["l", "c"], initial=False)
    spread = 1e-4
    C = found.covariance([spread, 0.0])[-1]
    lengths = 0.8 + spread * np.sqrt(3) * np.linspace(-1, 1, 21)
    runs = ph.simulate(swing(), swung()[0], until=UNTIL, parameters={"l": lengths})
    ends = np.array([[m.q[-1, 0], m.z[-1, 0]] for m in runs])
    # Even samples between +-sqrt(3) s have the variance s^2 (1 + 2/20).
    assert np.allclose(np.cov(ends.T, bias=True), C * (1 + 2 / 20), rtol=1e-3, atol=0)


@pytest.mark.long
def test_what_has_no_derivative_is_refused():
    """Samples, unknown names, columns not asked for: each says so."""
    some = ph.simulate(swing(), swung()[0], until=1.0, samples=5)
    with pytest.raises(AnalysisError, match="only samples of it were"):
        ph.sensitivity(some)
    with pytest.raises(AnalysisError, match="no parameter 'k'"):
        ph.sensitivity(swung(), ["k"])
    with pytest.raises(AnalysisError, match=r"has no t = 9 s"):
        ph.sensitivity(swung(), times=[9.0])
    found = ph.sensitivity(swung(), ["l", "c"], initial=False)
    with pytest.raises(AnalysisError, match=r"transition matrix .* was not requested"):
        _ = found.transition
    with pytest.raises(AnalysisError, match="no covariance of 2 columns"):
        found.covariance([1.0])
    with pytest.raises(AnalysisError, match="'g' was not requested"):
        _ = found["g"]
    with pytest.raises(AnalysisError, match=r"cost of shape \(1,\) has no gradient"):
        ph.gradient(swung(), lambda t, state: state.q)


@pytest.mark.long
def test_a_sensitivity_reads_as_a_table():
    """Rows are what was changed, columns what changes."""
    found = ph.sensitivity(swung(), ["l", "c"])
    text = repr(found).splitlines()
    assert text[0].startswith("Sensitivity('swing', 0 to 2 s")
    assert text[1].split()[:3] == ["d", "/", "d"]
    assert [line.split("  ")[0] for line in text[2:]] == list(found.columns)
    cost = ph.gradient(swung(), lambda t, state: state["hinge"], ["l", "c"])
    assert repr(cost).splitlines()[2].startswith("d / d l")


IMPLICIT = {
    "midpoint": (lambda: ph.methods.ImplicitMidpoint(0.05), "swing"),
    "Gauss": (lambda: ph.methods.GaussLegendre4(0.05), "swing"),
    "Radau": (lambda: ph.methods.RadauIIA(rtol=1e-6), "swing"),
    "variational": (lambda: ph.methods.Variational(0.05), "swing"),
    "energy-momentum": (lambda: ph.methods.EnergyMomentum(0.05), "swing"),
    "RATTLE": (lambda: ph.methods.Rattle(0.05), "loop"),
}


@cache
def swinging(kind: str) -> ph.State:
    """The damped pendulum, or a bead on a rod: joint, or rods as constraints."""
    if kind == "swing":
        return swing().state(hinge=START)
    bead, world = ph.Particle("bead", 0.7), ph.World()
    rod = ph.Distance(world.origin, bead.mass_centre, 0.9, name="rod")
    weight = ph.Weight(ph.Parameter("g", 9.81))
    system = ph.System([bead], [weight], [rod], name="bead")
    first = system.joints[0].name
    return system.state({first: [0.9 * np.sin(1.0), 0.0, -0.9 * np.cos(1.0)]})


@pytest.mark.long
@pytest.mark.parametrize("name", IMPLICIT)
def test_implicit_steps_are_differentiated_round_their_iterations(name):
    """Backward is forward, and both are what differences of whole runs show."""
    method, kind = IMPLICIT[name]
    start = swinging(kind)
    system, method = start.system, method()

    def run(g):
        changed = {"g": g}
        return ph.simulate(system, start, until=0.5, method=method, parameters=changed)

    def cost(t, state):
        return state.q @ state.q + state.z @ state.z + state.q[-1]

    motion = run(9.81)
    back = ph.gradient(motion, cost, ["g"])
    ahead = ph.sensitivity(motion, ["g"])
    slope = np.concatenate([2 * motion.q[-1], 2 * motion.z[-1]])
    slope[system.coordinates - 1] += 1.0
    rows = np.concatenate([ahead.q[-1], ahead.z[-1]])
    both = [back["g"], *back.places, *back.speeds]
    np.testing.assert_allclose(both, slope @ rows, rtol=1e-10, atol=1e-12)
    if method.is_adaptive:
        return  # another g takes other steps
    h = 1e-3
    ends = [run(9.81 + k * h).final for k in (-2, -1, 1, 2)]
    far, near, after, beyond = (cost(0, end) for end in ends)
    numeric = (8 * (after - near) - (beyond - far)) / (12 * h)
    assert abs(back["g"] - numeric) < 1e-9 * max(abs(numeric), 1)
