"""A motion asked by row, by name and by time; many motions at once."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum, heavy_top, point_pendulum
from polhode.errors import IntegrationError, StateError


@pytest.fixture(scope="module")
def motion():
    """The double pendulum for two seconds."""
    system = double_pendulum()
    return ph.simulate(system, system.state(shoulder=1.0, elbow=0.5), until=2.0)


def test_names_and_rows_agree(motion):
    """What a name gives is what the state of the row gives."""
    system = motion.system
    k = len(motion) // 2
    state = motion[k]
    poses = system.poses(state.t, state.q)
    twists = system.twists(state.t, state.q, state.z)
    for i, body in enumerate(system.bodies):
        part = motion[body.name]
        assert np.allclose(part.position[k], poses.origins[i], rtol=0, atol=1e-14)
        assert np.allclose(part.orientation[k], poses.rotations[i], atol=1e-14)
        assert np.allclose(part.velocity[k], twists.linear[i], rtol=0, atol=1e-13)
        assert np.allclose(part.angular_velocity[k], twists.angular[i], atol=1e-13)
    elbow = motion["elbow"]
    assert np.array_equal(elbow.coordinates[:, 0], motion.q[:, 1])
    assert np.array_equal(elbow.speeds[:, 0], motion.z[:, 1])
    with pytest.raises(StateError, match="Did you mean 'elbow'"):
        motion["elbo"]


def test_velocities_are_rates_of_positions(motion):
    """The dense output is differentiable: (p(t + h) - p(t - h))/2h = v."""
    h, t = 1e-5, np.linspace(0.2, 1.8, 9)
    later, before = (motion.resampled(t + s)["lower"].position for s in (h, -h))
    velocity = motion.resampled(t)["lower"].velocity
    assert np.allclose((later - before) / (2 * h), velocity, rtol=0, atol=1e-5)


def test_slices_keep_what_lies_between(motion):
    """A slice of neighbouring rows is dense, one with gaps is not."""
    part = motion[5:20]
    middle = (part.t[3] + part.t[4]) / 2
    assert part.at(middle).is_close(motion.at(middle))
    gaps = motion[::3]
    assert gaps.at(gaps.t[2]).is_close(motion[6])
    with pytest.raises(IntegrationError, match="was not kept at t ="):
        gaps.at(middle)
    with pytest.raises(IntegrationError, match="has no t = 9 s"):
        motion.at(9.0)


def test_rows_are_chosen_by_number_or_by_truth(motion):
    """Lists of rows and masks over them choose as NumPy's do; they are not dense."""
    late = motion[motion.t > 1.0]
    assert late.t[0] > 1.0
    assert len(late) == np.sum(motion.t > 1.0)
    few = motion[[0, -1, 3]]
    assert np.array_equal(few.q, motion.q[[0, -1, 3]])
    with pytest.raises(IntegrationError, match="was not kept at t ="):
        late.at((late.t[0] + late.t[1]) / 2)
    assert "elbow" in motion
    assert "upper" in motion
    assert "knee" not in motion


@pytest.mark.parametrize(
    "key", [0.5, slice(0.5, 1.0), slice(None, None, 0), None, [10**6], [0.5], [True]]
)
def test_what_chooses_no_rows_is_refused(motion, key):
    """Times are not rows: the two ways to ask are both named."""
    with pytest.raises(IntegrationError, match=r"chooses no rows(.|\n)*at\(0\.5\)"):
        motion[key]


@pytest.mark.parametrize("times", ["a", [[0.1, 0.2]], {"t": 1.0}])
def test_what_is_no_time_is_refused(motion, times):
    """A number, or one list of them."""
    with pytest.raises(IntegrationError, match="are no times of the motion"):
        motion.resampled(times)


def test_ends_are_met_up_to_rounding(motion):
    """A time a few units of rounding past an end is that end, no more is."""
    last = motion.at(np.nextafter(2.0, 3.0))
    assert last.t == 2.0
    assert np.array_equal(last.q, motion.q[-1])
    with pytest.raises(IntegrationError, match=r"has no t = 2\.0000001 s"):
        motion.at(2.0000001)


def test_samples_may_miss_the_ends_by_rounding(motion):
    """A sample a unit of rounding past the end is at the end."""
    system, start = motion.system, motion[0]
    times = [0.0, 1.0, np.nextafter(2.0, 3.0)]
    assert ph.simulate(system, start, until=2.0, samples=times).t[-1] == 2.0
    with pytest.raises(IntegrationError, match="is outside 0 to 2 s"):
        ph.simulate(system, start, until=2.0, samples=[0.0, 2.001])


@pytest.mark.parametrize("wrong", [None, 3, np.zeros(2)])
def test_a_stepper_steps_states_of_its_own_system(motion, wrong):
    """What is none, and those of another system, are refused by name."""
    step = ph.stepper(motion.system, 0.01)
    for state in (wrong, heavy_top().rest(), point_pendulum().rest()):
        words = "'double pendulum' cannot step|belongs to another system"
        with pytest.raises(StateError, match=words):
            step(state)


def test_an_empty_part_is_told_of(motion):
    """It has no state, no ledger and nothing to record."""
    nothing = motion[5:5]
    assert len(nothing) == len(nothing.to_pandas()) == 0
    asks = (
        lambda: nothing.final,
        lambda: nothing.at(0.1),
        nothing.ledger,
        lambda: nothing.logs({"elbow.speeds": 1.0}),
    )
    for ask in asks:
        with pytest.raises(IntegrationError, match="is empty"):
            ask()


def test_columns_have_names(motion):
    """A table for others: time, coordinates, speeds."""
    columns = motion.columns()
    names = ["t", "shoulder", "elbow", "speed of shoulder", "speed of elbow"]
    assert list(columns) == names
    assert np.array_equal(columns["speed of elbow"], motion.z[:, 1])


def test_a_motion_says_what_made_it(motion):
    """The method that was picked, the steps, the span."""
    text = repr(motion)
    assert "'double pendulum', 0 to 2 s" in text
    assert "Dormand-Prince 5(4) (picked)" in text
    top = heavy_top()
    assert "unit quaternions" in repr(ph.simulate(top, top.rest(), until=0.1))


def test_rows_cannot_be_changed(motion):
    """A motion is what happened."""
    with pytest.raises(ValueError, match="read-only"):
        motion.q[0, 0] = 3.0


def test_samples_are_the_motion_at_their_times(motion):
    """Sampling while running and afterwards give the same bits."""
    system, times = motion.system, np.linspace(0, 2, 41)
    start = system.state(shoulder=1.0, elbow=0.5)
    sampled = ph.simulate(system, start, until=2.0, samples=times)
    assert np.array_equal(sampled.t, times)
    assert np.array_equal(sampled.q, motion.resampled(times).q)
    top = heavy_top()
    spinning = top.state(speeds={"ball": (0.3, 0.5, 5.0)})
    few = ph.simulate(top, spinning, until=2.0, samples=41)
    assert np.max(np.abs(np.linalg.norm(few.q, axis=1) - 1)) < 1e-15


def test_same_bits_alone_and_together():
    """A run does not know whether others run beside it, nor how many."""
    system, rng = double_pendulum(), np.random.default_rng(5)
    q, z = rng.uniform(-2, 2, (21, 2)), rng.uniform(-1, 1, (21, 2))
    together = ph.simulate(system, ph.States(system, 0.0, q, z), until=3.0)
    assert len({len(m) for m in together}) > 5
    for k in (0, 7, 20):
        alone = ph.simulate(system, ph.State(system, 0.0, q[k], z[k]), until=3.0)
        assert np.array_equal(alone.t, together[k].t)
        assert np.array_equal(alone.steps.x, together[k].steps.x)
        assert np.array_equal(alone.steps.dense, together[k].steps.dense)
    with pytest.raises(IntegrationError, match="no array holds all"):
        _ = together.q
    assert together.final_q.shape == together.final_z.shape == (21, 2)


def test_slabs_and_chunks_leave_no_mark(monkeypatch):
    """Runs in slabs of a few are the runs in one slab."""
    from polhode.integrate.host import loop

    system = point_pendulum()
    angles = np.linspace(0.1, 3.0, 9)[:, None]
    states = ph.States(system, 0.0, angles, 0 * angles)
    whole = ph.simulate(system, states, until=20.0, samples=5)
    monkeypatch.setattr(loop, "SLAB_BYTES", 1e5)
    assert np.array_equal(ph.simulate(system, states, until=20.0, samples=5).q, whole.q)


def test_parameters_sweep():
    """One state and many values of a parameter are many runs, each its own system's."""
    ball = ph.Particle("ball", 0.3)
    system = ph.System([ball], [ph.Weight(ph.Parameter("g", 9.81))], name="thrown")
    start = system.state(speeds={"ball": (1, 0, 0)})
    planets = np.array([3.7, 8.87, 9.81])
    motions = ph.simulate(
        system, start, until=2.0, samples=[2.0], parameters={"g": planets}
    )
    assert np.allclose(motions.q[:, 0, 2], -planets * 2.0, rtol=1e-12)
    with pytest.raises(IntegrationError, match="2 values for 3 runs"):
        ph.simulate(system, [start] * 3, until=1.0, parameters={"g": [1.0, 2.0]})
