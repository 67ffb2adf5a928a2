"""Failure is a value with a sentence; refusals come before the first step."""

from __future__ import annotations

import warnings
from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from moving import point_pendulum
from polhode.errors import (
    ForceError,
    IntegrationError,
    IntegrationWarning,
    ModelError,
    NumericalWarning,
    StateError,
)
from polhode.integrate.host import loop


@cache
def pushed(law) -> ph.System:
    """A block on a track, pushed by a law of time, place and speed."""
    block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X)
    return ph.System([track], [ph.Motor(track, law, name="push")], name="pushed")


def missing_after_two(t, q, z):
    """No number after t = 2 s."""
    return jnp.where(t > 2.0, jnp.nan, -q)


def missing_at_once(t, q, z):
    """Never a number."""
    return q * jnp.nan


def bursting(t, q, z):
    """x'' = 6 x^2: x = 1/(1 - t)^2 from 1 at speed 2, infinite at t = 1."""
    return 6.0 * q * q


def stiff(t, q, z):
    """A spring and damper a million times quicker than the run."""
    return -1e8 * q - 1e8 * z


def all_finite(motion) -> bool:
    return all(bool(np.all(np.isfinite(part))) for part in motion.steps)


@pytest.mark.parametrize(
    "method", [None, ph.methods.RungeKutta4(0.01)], ids=["picked", "rk4"]
)
def test_a_force_that_is_no_number_stops_the_run(method):
    """The action and the time are named, all rows until then kept, none with NaN."""
    system = pushed(missing_after_two)
    with pytest.warns(IntegrationWarning, match="action 'push' is not finite"):
        motion = ph.simulate(system, system.state(track=1.0), until=5.0, method=method)
    assert motion.outcome.code == "FORCE"
    assert not motion.outcome.is_complete
    assert f"t = {motion.t[-1]:.9g} s" in motion.outcome.sentence
    assert abs(motion.outcome.t - 2.0) < (1e-9 if method is None else 0.02)
    assert all_finite(motion)
    # The cosine is good to the last row: nothing after 2 s has leaked in.
    assert np.allclose(motion.q[:, 0], np.cos(motion.t), rtol=0, atol=1e-7)


def test_a_start_without_force_is_refused():
    """Before the first step, with the name of the action."""
    system = pushed(missing_at_once)
    with pytest.raises(ForceError, match=r"'pushed' cannot start at t = 0 s: 'push'"):
        ph.simulate(system, system.state(track=1.0), until=5.0)


def test_a_singularity_in_finite_time_stops_the_run():
    """x'' = 6 x^2 bursts at t = 1: steps shrink, nothing overflows."""
    system = pushed(bursting)
    start = system.state(track=1.0, speeds={"track": 2.0})
    with pytest.warns(IntegrationWarning, match="no step, however small"):
        motion = ph.simulate(system, start, until=5.0)
    assert motion.outcome.code == "INTEG"
    assert abs(motion.outcome.t - 1.0) < 1e-4
    assert all_finite(motion)


def test_a_run_that_costs_too_much_is_stopped():
    """The limit of attempts ends it, with a word on what may be stiff."""
    system, method = pushed(stiff), ph.methods.DormandPrince()
    start, wish = system.state(track=1.0), {"method": method, "limit": 2000}
    with pytest.warns(IntegrationWarning, match="It is stiff"):
        motion = ph.simulate(system, start, until=5.0, **wish)
    assert motion.outcome.code == "INTEG"
    assert 2000 <= motion.outcome.accepted + motion.outcome.rejected < 2600
    assert 0 < motion.t[-1] < 5.0


def test_an_interrupted_run_keeps_its_rows():
    """Ctrl-C between chunks gives what is done, the same rows as without it."""
    system = point_pendulum()
    start = system.state(hinge=2.0)

    def interrupt(progress):
        assert 0 < progress.share < 1
        raise KeyboardInterrupt

    with pytest.warns(IntegrationWarning, match="was interrupted"):
        part = ph.simulate(system, start, until=30.0, watch=interrupt)
    whole = ph.simulate(system, start, until=30.0)
    assert part.outcome.code == "INTERRUPTED"
    assert 0 < len(part) < len(whole)
    assert np.array_equal(part.q, whole.q[: len(part)])


def test_one_of_many_that_fails_leaves_the_others():
    """A batch names the run that stopped; the others reach the end."""
    system = pushed(bursting)
    states = [
        system.state(track=-1.0, speeds={"track": -0.5}),
        system.state(track=1.0, speeds={"track": 2.0}),
        system.state(track=-0.5),
    ]
    with pytest.warns(IntegrationWarning, match="1 of 3 runs stopped; run 1: 'pushed'"):
        motions = ph.simulate(system, states, until=1.5)
    assert [m.outcome.is_complete for m in motions] == [True, False, True]
    assert all(map(all_finite, motions))


@pytest.mark.parametrize(
    ("rtol", "atol"), [(0.0, 0.0), (-1e-6, None), (np.nan, None), (1e-6, -1.0)]
)
def test_impossible_tolerances_are_refused(rtol, atol):
    """Zero for both, negative, not a number."""
    system = point_pendulum()
    with pytest.raises(IntegrationError, match="no motion can be computed to rtol"):
        ph.simulate(system, system.rest(), until=1.0, rtol=rtol, atol=atol)


def test_a_tolerance_below_rounding_is_raised():
    """To the floor of double precision, with a warning."""
    with pytest.warns(NumericalWarning, match="more than double precision can give"):
        method = ph.methods.DormandPrince(rtol=1e-18)
    assert method.rtol == 100 * np.finfo(float).eps


@pytest.mark.parametrize(
    "samples", [[0, 2, 1], [0, 1, 1], [0, 1.5], [-0.1, 0.5], [np.nan], [], 1]
)
def test_sample_times_must_follow_the_run(samples):
    """Unsorted, doubled, outside, none at all: refused."""
    system = point_pendulum()
    with pytest.raises(IntegrationError, match="sample"):
        ph.simulate(system, system.rest(), until=1.0, samples=samples)


def test_a_run_of_no_time_is_its_start():
    """until = the start gives the one row; an end that is no time is refused."""
    system = point_pendulum()
    start = system.state(hinge=0.3, speeds={"hinge": 1.0})
    motion = ph.simulate(system, start, until=0.0)
    assert len(motion) == 1
    assert motion.outcome.is_complete
    assert motion.final.is_close(start)
    with pytest.raises(IntegrationError, match="cannot end at until = nan"):
        ph.simulate(system, start, until=np.nan)


def test_backwards_returns():
    """A run to an earlier time undoes one to a later time."""
    system = point_pendulum()
    start = system.state(hinge=2.0, t=1.0)
    there = ph.simulate(system, start, until=4.0, rtol=1e-12).final
    back = ph.simulate(system, there, until=1.0, rtol=1e-12)
    assert np.all(np.diff(back.t) < 0)
    assert back.final.is_close(start, rtol=1e-9, atol=1e-9)


def test_time_that_cannot_advance_is_refused():
    """Near t = 1e17 a step of a second is lost in rounding."""
    system = point_pendulum()
    start = system.state(hinge=2.0, t=1e17)
    with pytest.raises(IntegrationError, match="knows no step below"):
        ph.simulate(system, start, until=1e17 + 1e6)


def test_steps_that_are_none_are_refused():
    """Zero, negative and missing steps; tolerances beside a method; no method."""
    system = point_pendulum()
    for step in (0.0, -0.1, np.inf, np.nan):
        with pytest.raises(IntegrationError, match="cannot step by"):
            ph.methods.RungeKutta4(step)
    method = ph.methods.RungeKutta4(0.1)
    with pytest.raises(IntegrationError, match="together with rtol or atol"):
        ph.simulate(system, system.rest(), until=1.0, method=method, rtol=1e-6)
    with pytest.raises(IntegrationError, match="is not a method of integration"):
        ph.simulate(system, system.rest(), until=1.0, method="rk4")
    with pytest.raises(ModelError, match="cannot be simulated"):
        ph.simulate("pendulum", system.rest(), until=1.0)


def test_rows_that_do_not_fit_are_refused():
    """A billion steps run, but not if each is to be kept in memory."""
    system = point_pendulum()
    method = ph.methods.RungeKutta4(1e-6)
    with pytest.raises(IntegrationError, match=r"1000000001 rows would need 40 GB"):
        ph.simulate(system, system.rest(), until=1000.0, method=method)


def test_a_run_that_fills_its_memory_is_stopped(tmp_path):
    """How many rows an adaptive run takes is seen on the way: what is there is kept.

    It is the beginning of the whole run, and goes on bit for bit from a file.
    """
    system, wish = point_pendulum(), {"until": 60.0, "memory": 1e5}
    start = system.state(hinge=2.0)
    with pytest.warns(IntegrationWarning, match="all the memory that was allowed"):
        part = ph.simulate(system, start, **wish)
    whole = ph.simulate(system, start, until=60.0)
    chunk = 512 * sum(column[0].nbytes for column in whole.steps)
    assert part.outcome.code == "INTEG"
    assert 1e5 < sum(column.nbytes for column in part.steps) <= 1e5 + chunk
    assert np.array_equal(part.q, whole.q[: len(part)])
    assert len(ph.simulate(system, start, **wish, to=tmp_path / "all.nc")) == len(whole)
    part.save(tmp_path / "part.nc")
    again = ph.resume(tmp_path / "part.nc", system)
    assert np.array_equal(again.q, whole.q)


def test_many_runs_share_their_memory(monkeypatch):
    """All rows count together, whatever slab they were made in."""
    monkeypatch.setattr(loop, "SLAB_BYTES", 1.0)
    system = point_pendulum()
    states = [system.state(hinge=angle) for angle in (0.5, 1.0, 1.5, 2.0, 2.5)]
    whole = ph.simulate(system, states, until=10.0)
    bytes_of = [sum(column.nbytes for column in m.steps) for m in whole]
    with pytest.warns(IntegrationWarning, match="all the memory that was allowed"):
        part = ph.simulate(system, states, until=10.0, memory=sum(bytes_of[:2]) + 100)
    assert [m.outcome.is_complete for m in part] == [True, True, False, False, False]
    assert [len(m) for m in part][3:] == [1, 1]
    assert np.array_equal(part[2].q, whole[2].q[: len(part[2])])
    assert len(part[2]) > 1


def test_states_of_another_system_are_refused():
    """Coordinates mean what their own system says."""
    other = pushed(stiff)
    with pytest.raises(StateError, match="belongs to another system, 'pushed'"):
        ph.simulate(point_pendulum(), other.rest(), until=1.0)
    with pytest.raises(StateError, match=r"cannot have q of shape \(2, 3\)"):
        ph.States(other, 0.0, np.zeros((2, 3)), np.zeros((2, 1)))
    some = ph.States(other, 0.0, np.zeros((2, 1)), [[0.0], [np.inf]])
    with pytest.raises(StateError, match="state 1 of 'pushed' has speeds that are not"):
        ph.simulate(other, some, until=1.0)


def test_inputs_are_converted_once_and_left_alone():
    """Lists, integers and single precision make the same run as doubles."""
    system = point_pendulum()
    q = np.array([[1], [2]], dtype=np.float32)
    q.setflags(write=False)
    z = [[0], [1]]
    mixed = ph.simulate(system, ph.States(system, 0, q, z), until=2, samples=[0, 1, 2])
    exact = ph.simulate(
        system,
        [system.state(hinge=1.0), system.state(hinge=2.0, speeds={"hinge": 1.0})],
        until=2.0,
        samples=3,
    )
    assert mixed.q.dtype == np.float64
    assert np.array_equal(mixed.q, exact.q)
    assert q.dtype == np.float32
    assert z == [[0], [1]]


def test_steps_that_let_a_motion_explode_are_told_though_all_is_finite():
    """A hundred steps of 10 ms over 1000 rad/s end at 1e259 m: no number overflows.

    The ledger has energies that are not finite, and says so; a sweep warns likewise.
    """
    cart = ph.Body("cart", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=ph.X)
    system = ph.System([track], [ph.JointSpring(track, 1e6)], name="stiff")
    start = system.state(track=0.1)
    wish = {"until": 1.0, "method": ph.methods.RungeKutta4(0.01)}
    with pytest.warns(NumericalWarning, match=r"speeds of 'stiff' grew to 7\.8e\+261"):
        motion = ph.simulate(system, start, **wish)
    assert motion.outcome.is_complete
    with pytest.warns(
        NumericalWarning, match="is not finite from t = 0.59 s on: steps"
    ):
        ledger = motion.ledger()
    assert "inf" in str(ledger)
    with pytest.warns(NumericalWarning, match="speeds of 'stiff' grew"):
        ph.sweep(system, [start, start], **wish)
    fine = ph.simulate(system, start, until=0.1, method=ph.methods.RungeKutta4(1e-5))
    assert abs(fine.ledger().balance[-1]) < 1e-3


def test_a_good_run_warns_of_nothing():
    """No warning, no failure, and the sentence says where it got."""
    system = point_pendulum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = ph.simulate(system, system.state(hinge=1.0), until=2.0)
    assert motion.outcome.sentence.startswith("'point pendulum' reached t = 2 s in")
