"""Laws of time and state drive all runs of a sweep as they drive one."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import (
    FileError,
    IntegrationError,
    IntegrationWarning,
    ModelError,
)
from track import MOTOR, driven, held_feedback

WISH = {"until": 4.0, "rtol": 1e-8}


def feedback(t, state):
    """A spring and damper by a motor, and a push that swings."""
    return -3.0 * state["track"] - state.speed("track") + jnp.sin(2.0 * t)


def pushed(t):
    """A law of time alone."""
    return jnp.cos(3.0 * t)


def lost(t, state):
    """No number beyond one metre and a half."""
    return jnp.where(state["track"] > 1.5, jnp.nan, 1.0)


def starts(count: int) -> ph.States:
    rng = np.random.default_rng(8)
    q, z = rng.uniform(-1, 1, (2, count, 1))
    return ph.States(driven(), 0.0, q, z)


def test_a_law_of_time_drives_all_runs():
    """x'' = cos 3t from any start."""
    states, t = starts(6), WISH["until"]
    found = ph.sweep(driven(), states, **WISH, inputs={MOTOR: pushed})
    known = states.q + states.z * t + (1 - np.cos(3 * t)) / 9
    assert np.allclose(found.final_q, known, rtol=0, atol=1e-7)


def test_driven_runs_of_a_sweep_are_the_runs_alone():
    """The bits of simulate, at the end and at samples, for one run and for many."""
    system, states, inputs = driven(), starts(5), {MOTOR: feedback}
    found = ph.sweep(system, states, **WISH, inputs=inputs)
    sampled = ph.sweep(system, states, **WISH, inputs=inputs, samples=9)
    motions = ph.simulate(system, states, **WISH, inputs=inputs)
    for k in (0, 4):
        alone = ph.simulate(system, states[k], **WISH, inputs=inputs)
        one = ph.sweep(system, states[k], **WISH, inputs=inputs)
        assert np.array_equal(found.final_q[k], alone.q[-1])
        assert np.array_equal(one.final_z[0], alone.z[-1])
        assert np.array_equal(motions[k].q, alone.q)
        assert found.outcome(k) == alone.outcome
        kept = ph.simulate(system, states[k], **WISH, inputs=inputs, samples=9)
        assert np.array_equal(sampled.q[k], kept.q)
    free = ph.sweep(system, states, **WISH)
    assert np.all(np.abs(free.final_q - found.final_q) > 1e-3)


def test_the_work_of_laws_is_reckoned_on_the_way():
    """Energy changes by what the motor does, and by nothing else."""
    inputs = {MOTOR: feedback}
    found = ph.sweep(driven(), starts(4), **WISH, inputs=inputs, audited=True)
    work = found.ledger.work[MOTOR]
    assert np.all(np.abs(work) > 1e-2)
    assert np.all(np.abs(found.ledger.balance) < 1e-7)
    one = ph.sweep(driven(), starts(4)[1], **WISH, inputs=inputs, audited=True)
    assert one.ledger.work[MOTOR][0] == work[1]


def test_events_of_driven_runs_are_met():
    """The same as in one run, though they depend on what drives it."""
    system, states = driven(), starts(4)
    passing = ph.Event("passing", lambda t, state: state["track"] - 0.1 * jnp.sin(t))
    wish = {**WISH, "inputs": {MOTOR: feedback}, "events": [passing]}
    found = ph.sweep(system, states, **wish)
    for k in range(4):
        alone = ph.simulate(system, states[k], **wish)
        assert [e.t for e in found.events.of(k)] == [e.t for e in alone.events]
        assert len(alone.events)


def test_a_law_that_gives_no_number_is_named():
    """A value with a sentence, of each run that it stopped."""
    system = driven()
    states = ph.States(system, 0.0, np.array([[0.0], [-9.0]]), np.zeros((2, 1)))
    wish = {"until": 2.0, "inputs": {MOTOR: lost}}
    with pytest.warns(IntegrationWarning, match=f"the action '{MOTOR}' is not finite"):
        found = ph.sweep(system, states, **wish)
    with pytest.warns(IntegrationWarning):
        alone = ph.simulate(system, states[0], **wish)
    assert found.failed.tolist() == [0]
    assert found.outcome(0) == alone.outcome
    assert np.all(np.isfinite(found.q))


def test_what_only_the_host_can_sample_is_refused():
    """It is asked run by run; the way that there is is named."""
    inputs = {MOTOR: ph.Sampled(held_feedback, 0.1)}
    with pytest.raises(IntegrationError, match=r"cannot be sampled[^$]*simulate"):
        ph.sweep(driven(), starts(2), **WISH, inputs=inputs)


def test_inputs_are_named_before_anything_runs():
    """What cannot be driven is refused as by simulate."""
    with pytest.raises(ModelError, match="has no input 'motr"):
        ph.sweep(driven(), starts(2), **WISH, inputs={"motr of track": feedback})


def test_a_driven_sweep_on_disk_is_that_in_memory(tmp_path):
    """Outcomes too; a folder of other inputs, or another end, is another sweep's."""
    q = np.array([[0.0], [-9.0]])
    states, place = ph.States(driven(), 0.0, q, 0 * q), {"to": tmp_path / "runs"}
    wish = {"until": 2.0, "samples": [0.0, 1.0], "inputs": {MOTOR: lost}}
    with pytest.warns(IntegrationWarning):
        stored = ph.sweep(driven(), states, **wish, **place)
    with pytest.warns(IntegrationWarning):
        found = ph.sweep(driven(), states, **wish)
    assert np.array_equal(stored.whole().q, found.q)
    assert [stored.outcome(k) for k in (0, 1)] == [found.outcome(k) for k in (0, 1)]
    assert "reached t = 2 s" in stored.outcome(1).sentence
    for other in ({"inputs": None}, {"until": 3.0}):
        with pytest.raises(FileError, match="has another sweep in it"):
            ph.sweep(driven(), states, **{**wish, **other}, **place)
