"""Sampled controllers and noise inside the compiled loop: alone and in sweeps."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import polhode as ph
from polhode.errors import IntegrationError, IntegrationWarning
from polhode.integrate.inputs.inputs import admit_inputs
from polhode.integrate.inputs.normal_stream import normals_program, philox, stream_key
from polhode.integrate.storage.laws import input_laws
from track import MOTOR, driven, held_feedback, run

WORD = 2**32 - 1


def integral(t, state, x):
    """A law with a discrete state."""
    u = -3.0 * state["track"] - state.speed("track") - x[0] + jnp.sin(2.0 * t)
    return u, x + 0.05 * state["track"]


def integral_by_python(t, state, x):
    """The same, which cannot be traced."""
    u, x = integral(t, state, x)
    return float(u), np.asarray(x)


def feedback(t, state):
    return -3.0 * state["track"] - state.speed("track")


@pytest.fixture(scope="module")
def block():
    """A block with a motor and a gust."""
    body = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, body.origin, axis=ph.X)
    motors = [ph.Motor(track, 0.0, name=name) for name in ("motor", "gust")]
    return ph.System([track], motors, name="block")


INPUTS = {
    "motor": ph.Sampled(integral, 0.05, state=[0.0]),
    "gust": ph.Noise(0.3, 0.02, seed=5),
}


def starts(system, count=7):
    q, z = np.random.default_rng(8).uniform(-1, 1, (2, count, 1))
    return ph.States(system, 0.0, q, z)


# ------------------------------------------------------------------- one run


@pytest.mark.parametrize("method", [None, ph.methods.RungeKutta4(0.017)])
def test_the_loop_samples_as_the_host_does(method):
    """The same rows at the same times as with plain Python, to rounding."""
    wish = {"until": 3.0, "method": method}
    ours = run(ph.Sampled(integral, 0.05, state=[0.0]), **wish)
    theirs = run(ph.Sampled(integral_by_python, 0.05, state=[0.0]), **wish)
    assert np.array_equal(ours.t, theirs.t)
    assert np.allclose(ours.q, theirs.q, rtol=0, atol=1e-13)
    assert np.array_equal(ours.inputs[MOTOR][0], theirs.inputs[MOTOR][0])
    assert np.allclose(*(m.inputs[MOTOR][1] for m in (ours, theirs)), atol=1e-13)
    assert np.max(np.abs(ours.ledger().balance)) < 1e-13


def test_only_laws_of_their_arguments_are_traced():
    """A law that counts, or asks for a value, stays on the host, and finds no tracer in
    what it keeps."""
    told = {"times": []}

    def counting(t, state):
        told["times"].append(t)
        return -state["track"]

    system = driven()
    for law, is_traced in ((feedback, True), (held_feedback, False), (counting, False)):
        found = admit_inputs(system, {MOTOR: ph.Sampled(law, 0.1)})
        assert bool(found.drive.samplers) == is_traced
    assert told["times"] == []
    run(ph.Sampled(counting, 0.25))
    assert told["times"] == [0.0, 0.25, 0.5, 0.75]


def test_a_sample_that_is_no_number_ends_the_run_in_the_loop():
    """Named, with the time; what was reached is kept; in a sweep as well."""

    def lost(t, state):
        return jnp.where((t > 0.45) & (state["track"] > 0), jnp.nan, 0.5)

    words = f"t = 0.5 s, .* the input '{MOTOR}' gave nan, which is not a finite number"
    with pytest.warns(IntegrationWarning, match=words):
        motion = run(ph.Sampled(lost, 0.1))
    assert (motion.outcome.code, motion.t[-1]) == ("FORCE", 0.5)
    system = driven()
    states = [system.state(track=x) for x in (1.0, -9.0)]
    with pytest.warns(IntegrationWarning, match="1 of 2 runs stopped"):
        found = ph.sweep(
            system, states, until=1.0, inputs={MOTOR: ph.Sampled(lost, 0.1)}
        )
    assert found.failed.tolist() == [0]
    assert str(found.outcome(0)) == str(motion.outcome)


# ------------------------------------------------------------------- many runs


def test_controlled_runs_of_a_sweep_are_the_runs_alone(block):
    """The bits of simulate, at the end and at samples, whatever the slabs are."""
    states, wish = starts(block), {"until": 1.0, "inputs": INPUTS}
    swept = ph.sweep(block, states, **wish)
    slabs = ph.sweep(block, states, **wish, slab=3)
    sampled = ph.sweep(block, states, **wish, samples=9)
    motions = ph.simulate(block, states, **wish)
    for k, motion in enumerate(motions):
        assert np.array_equal(swept.final_q[k], motion.q[-1])
        assert np.array_equal(slabs.final_z[k], motion.z[-1])
        assert np.array_equal(sampled.q[k], motion.resampled(sampled.t[k]).q)
    alone = ph.simulate(block, states[0], **wish)
    assert np.array_equal(alone.q, motions[0].q)
    assert not np.array_equal(
        motions[0].inputs["gust"][1], motions[1].inputs["gust"][1]
    )


def test_controlled_runs_meet_events_as_alone(block):
    """Resets, and a guard that the sample itself carries over zero."""
    wall = ph.Event(
        "wall",
        lambda t, state: state["track"] - 0.3,
        reset=lambda t, state: state.changed(speeds={"track": -state.speed("track")}),
    )
    states, wish = starts(block, 4), {"until": 1.0, "inputs": INPUTS, "events": wall}
    swept = ph.sweep(block, states, **wish)
    motions = ph.simulate(block, states, **wish)
    assert len(swept.events) > 2
    for k, motion in enumerate(motions):
        assert np.array_equal(swept.final_q[k], motion.q[-1])
        assert np.array_equal([e.t for e in swept.events.of(k)], motion.events.t)


def test_a_controlled_sweep_is_audited_and_kept(block, tmp_path):
    """Energy is the work of the motors; a folder knows laws, states and seeds."""
    states, wish = starts(block), {"until": 1.0, "audited": True, "slab": 4}
    swept = ph.sweep(block, states, **wish, inputs=INPUTS)
    assert np.max(np.abs(swept.ledger.balance)) < 1e-13
    parts = ph.sweep(block, states, **wish, inputs=INPUTS, to=tmp_path / "a")
    assert np.array_equal(parts.whole().q, swept.q)
    other = {**INPUTS, "gust": ph.Noise(0.3, 0.02, seed=6)}
    with pytest.raises(ph.errors.FileError, match="another sweep"):
        ph.sweep(block, states, **wish, inputs=other, to=tmp_path / "a")


def tuned(t, state, x, gain):
    """A law with a discrete state and a constant."""
    return -gain * state["track"] - x[0], x + 0.05 * state["track"]


def test_constants_of_sampled_laws_vary_from_run_to_run(block):
    """A sweep over a gain has the bits of runs with that gain, and simulate follows."""
    gains, states = np.array([1.0, 2.0, 5.0]), starts(block, 3)

    def law(gain):
        own = {"gain": ph.Parameter("gain", gain)}
        return {"motor": ph.Sampled(tuned, 0.05, state=[0.0], constants=own)}

    given = {"until": 0.5, "method": ph.methods.RungeKutta4(0.025)}
    varied = {"inputs": law(9.0), "parameters": {"gain": gains}}
    many = ph.sweep(block, states, **given, **varied)
    alone = ph.simulate(block, states, **given, **varied)
    for k, gain in enumerate(gains):
        mine = ph.simulate(block, states[k], **given, inputs=law(gain))
        np.testing.assert_allclose(many.final_q[k], mine.q[-1], rtol=1e-14)
        np.testing.assert_array_equal(many.final_q[k], alone[k].q[-1])


def test_constants_reach_plain_python_and_files_tell_them_apart(block):
    """The host gives them by name; a file knows a law with others as another."""

    def by_python(t, state, gain):
        return float(-gain * state["track"])

    def law(gain):
        return {"motor": ph.Sampled(by_python, 0.05, constants={"gain": gain})}

    start = block.state(track=1.0)
    motion = ph.simulate(block, start, until=0.05, inputs=law(2.0))
    assert motion.z[-1, 0] == pytest.approx(-2.0 * 0.05, rel=1e-9)
    two, same, three = (input_laws(admit_inputs(block, law(g))) for g in (2, 2, 3))
    assert two == same != three


def test_plain_python_is_refused_in_a_sweep(block):
    """With the way out."""
    law = ph.Sampled(integral_by_python, 0.05, state=[0.0])
    with pytest.raises(IntegrationError, match="cannot be sampled") as told:
        ph.sweep(block, starts(block), until=1.0, inputs={"motor": law})
    assert "jax.numpy" in str(told.value)


# ------------------------------------------------------------------- noise


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        ((0, 0), (0,) * 4, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((WORD,) * 2, (WORD,) * 4, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            (0xA4093822, 0x299F31D0),
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_has_the_published_answers(key, counter, words):
    """Philox4x32-10 of the test vectors of Random123."""
    assert " ".join(f"{word:08x}" for word in philox(key, counter)) == words


def test_noise_is_normal_and_streams_are_apart():
    """Kolmogorov and Smirnov find nothing; runs and names have nothing in common."""
    program = normals_program(2)

    def drawn(name, stream):
        key = np.array(stream_key(3, name), np.int64)
        return np.array(
            [program(key, np.int64(stream), np.int64(k)) for k in range(800)]
        )

    columns = [drawn("a", 0), drawn("a", 1), drawn("b", 0)]
    every = np.concatenate(columns, axis=1)
    assert stats.kstest(every.ravel(), "norm").pvalue > 1e-3
    linked = np.corrcoef(every.T) - np.eye(every.shape[1])
    assert np.max(np.abs(linked)) < 4.5 / np.sqrt(len(every))
