"""Motions for others: reactions by name, joined motions, tables, logs, poles."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum, heavy_top
from polhode.errors import IntegrationError, PolhodeError
from strategies_system import cart_pendulum


@pytest.fixture(scope="module")
def motion():
    """The double pendulum for two seconds."""
    system = double_pendulum()
    return ph.simulate(system, system.state(shoulder=1.0, elbow=0.5), until=2.0)


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(None, id="tree"),
        pytest.param(ph.lagrange_first_kind, id="free", marks=pytest.mark.long),
    ],
)
def test_reactions_along_a_motion_are_those_of_its_states(form):
    """What a row says is what the equations say at its state, in both kinds of form."""
    system = double_pendulum()
    model = form(system) if form else system
    start = system.state(shoulder=1.0, elbow=0.5)
    motion = ph.simulate(model, start, until=0.3)
    k = len(motion) // 2
    known = motion.equations.reactions(motion[k])
    for name in ("shoulder", "elbow"):
        found = motion[name].reaction
        scale = np.linalg.norm(known[name].force)
        assert scale > 1.0
        assert np.allclose(found.force[k], known[name].force, atol=1e-9 * scale)
        assert np.allclose(found.torque[k], known[name].torque, atol=1e-9 * scale)


def test_the_root_carries_the_change_of_momentum(motion):
    """The shoulder's force and the weight are the rate of momentum, all the way."""
    ledger, t = motion.ledger(), motion.t
    mass = sum(float(b.moments().mass) for b in motion.system.bodies)
    force = motion["shoulder"].reaction.force - [0, 0, 9.81 * mass]
    mean = (force[1:] + force[:-1]) / 2 * np.diff(t)[:, None]
    change = np.diff(ledger.momentum, axis=0)
    assert np.max(np.abs(force)) > 5.0
    assert np.allclose(mean, change, rtol=0, atol=2e-4)  # by the trapezoidal rule


def test_an_input_is_felt_by_the_reaction():
    """A driven motor: the force of the hinge is that of the driven motion."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.X))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(-0.5, 0, 0), axis=ph.Z)
    system = ph.System([hinge], [ph.Motor(hinge, 0.0, name="push")])
    run = ph.simulate(
        system, system.state(), until=1.0, inputs={"push": lambda t: 2.0 * t}
    )
    # m l/2 (alpha e_t - w^2 e_r), with alpha = tau/(m l^2/3), w = int alpha
    t, angle, force = run.t, run.q[:, 0], run["hinge"].reaction.force
    alpha, w = 6.0 * t, 3.0 * t**2
    across = np.stack([-np.sin(angle), np.cos(angle), 0 * t], axis=1)
    along = np.stack([np.cos(angle), np.sin(angle), 0 * t], axis=1)
    expected = 0.5 * (alpha[:, None] * across - w[:, None] ** 2 * along)
    assert np.allclose(force, expected, rtol=0, atol=1e-7)


def test_one_motion_after_the_other(motion):
    """Two parts are the whole: rows, dense output, steps and the ledger."""
    system = motion.system
    first = ph.simulate(system, motion[0], until=0.9)
    second = ph.simulate(system, first.final, until=2.0)
    whole = first + second
    assert len(whole) == len(first) + len(second) - 1
    assert whole.outcome.accepted == first.outcome.accepted + second.outcome.accepted
    times = np.array([0.31, 0.9, 0.95, 1.7])
    assert np.allclose(whole.resampled(times).q, motion.resampled(times).q, atol=1e-8)
    assert np.max(np.abs(whole.ledger().balance)) < 1e-8
    again = motion[:20] + motion[19:]
    assert np.array_equal(again.t, motion.t)
    other = ph.simulate(
        system, first.final, until=1.2, method=ph.methods.RungeKutta4(step=0.001)
    )
    assert np.allclose((first + other).at(1.1).q, motion.at(1.1).q, atol=1e-8)
    struck = ph.State(system, 0.9, first.final.q, first.final.z + 1.0)
    kicked = first + ph.simulate(system, struck, until=1.0)
    assert np.sum(kicked.t == 0.9) == 2
    with pytest.raises(IntegrationError, match="cannot be made one"):
        _ = second + first
    lagrange = ph.simulate(ph.lagrange(system), first.final, until=1.0)
    with pytest.raises(IntegrationError, match="different equations"):
        _ = first + lagrange


def test_tables_have_names_units_and_times(motion):
    """xarray and pandas tables hold the rows under their names."""
    table = motion.to_xarray()
    assert np.array_equal(table["q"].sel(coordinate="elbow"), motion.q[:, 1])
    assert np.array_equal(table["z"].sel(speed="elbow"), motion.z[:, 1])
    assert list(table["speed_unit"].values) == ["rad/s", "rad/s"]
    assert table["time"].attrs["units"] == "s"
    frame = motion.to_pandas()
    assert np.array_equal(frame["speed of elbow"], motion.z[:, 1])


def test_many_motions_keep_their_dimension():
    """Sampled runs are one table with the dimension run; others are refused."""
    system = double_pendulum()
    starts = [system.state(shoulder=a) for a in (0.2, 0.9, 1.6)]
    motions = ph.simulate(system, starts, until=1.0, samples=11)
    table = motions.to_xarray()
    assert dict(table.sizes) == {"run": 3, "time": 11, "coordinate": 2, "speed": 2}
    assert np.array_equal(table["q"].isel(run=1), motions[1].q)
    own = ph.simulate(system, starts, until=1.0)
    with pytest.raises(IntegrationError, match="no array holds all"):
        own.to_xarray()
    shared = own.resampled(motions.t[0])
    assert np.array_equal(shared.q, motions.q)
    assert np.array_equal(shared["elbow"].speeds[2], motions[2]["elbow"].speeds)
    assert shared["lower"].position.shape == (3, 11, 3)
    assert shared["elbow"].reaction.force.shape == (3, 11, 3)
    assert len(motions[1:]) == 2
    frame = motions.to_pandas()
    assert np.array_equal(frame[frame["run"] == 1]["elbow"], motions[1].q[:, 1])
    for wrong in (7, "knee", 0.5):
        with pytest.raises(PolhodeError, match=r"there is no motion|no body or joint"):
            motions[wrong]


def test_quantities_are_logged_at_their_own_rates(motion):
    """Each at multiples of its own period, with the values of the dense output."""
    logs = motion.logs({"lower.position": 50.0, "elbow.speeds": 7.0})
    t, position = logs["lower.position"]
    assert np.allclose(t, np.arange(101) / 50, rtol=0, atol=1e-15)
    assert np.array_equal(position, motion.resampled(t)["lower"].position)
    t, speeds = logs["elbow.speeds"]
    assert len(t) == 15
    assert speeds.shape == (15, 1)
    with pytest.raises(IntegrationError, match="has no 'colour' to record"):
        motion.logs({"lower.colour": 1.0})
    for wrong in (0.0, "fast", 1e13, np.nan):
        with pytest.raises(IntegrationError, match=r"cannot be recorded at .* Hz"):
            motion.logs({"lower.position": wrong})
    with pytest.raises(IntegrationError, match="gives no rates by name"):
        motion.logs(["lower.position"])
    with pytest.raises(IntegrationError, match="has no '__class__' to record"):
        motion.logs({"lower.__class__": 1.0})


def test_angular_momentum_about_a_pole():
    """About any place it is the sum of r x v dm about that place, moving places too."""
    system = cart_pendulum()
    run = ph.simulate(system, system.state(pivot=1.0, track=0.3), until=1.0)
    ledger, rng = run.ledger(), np.random.default_rng(0)
    places = rng.normal(size=(len(run), 3))
    k = len(run) // 3
    state = run[k]
    poses = system.poses(state.t, state.q)
    twists = system.twists(state.t, state.q, state.z)
    total = np.zeros(3)
    for i, body in enumerate(system.bodies):
        mass, centre, inertia = body.moments()
        R, w = poses.rotations[i], twists.angular[i]
        arm = R @ centre
        v = twists.linear[i] + np.cross(w, arm)
        r = poses.origins[i] + arm - places[k]
        total += mass * np.cross(r, v) + R @ inertia @ R.T @ w
    assert np.allclose(ledger.angular_momentum_about(places)[k], total, atol=1e-12)
    at_origin = ledger.angular_momentum_about((0, 0, 0))
    assert np.array_equal(at_origin, ledger.angular_momentum)
    with pytest.raises(IntegrationError, match="a pole cannot be"):
        ledger.angular_momentum_about((1.0, 2.0))


def test_a_top_keeps_what_its_pole_promises():
    """About its tip along the vertical nothing turns a heavy top."""
    top = heavy_top()
    run = ph.simulate(top, top.state(speeds={"ball": (0.3, 0.5, 5.0)}), until=3.0)
    ledger = run.ledger()
    vertical = ledger.angular_momentum_about((0, 0, 7.0))[:, 2]
    assert np.ptp(vertical) < 1e-8
    aside = ledger.angular_momentum_about((1.0, 0, 0))[:, 2]
    assert np.ptp(aside) > 1e-3
