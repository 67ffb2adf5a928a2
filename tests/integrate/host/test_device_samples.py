"""`simulate` of many states on a GPU, by the kernel's text run on the host."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest

import polhode as ph
from host_cupy import COMPILER, WITHOUT_COMPILER, host_cupy
from injected import interrupted
from polhode.errors import IntegrationError, IntegrationWarning
from polhode.integrate.host import device_loop

pytestmark = pytest.mark.skipif(COMPILER is None, reason=WITHOUT_COMPILER)

TRIES = 12  # lines at which Ctrl-C is pressed, spread over all that run


@pytest.fixture
def gpu(monkeypatch):
    module = host_cupy()
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


def require_same_bits(ours, theirs):
    """Rows, outcomes, and all that a run needs to be gone on with."""
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        for name in ("t", "q", "z"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(other, name))
        assert str(mine.outcome) == str(other.outcome)
        assert [str(e) for e in mine.events] == [str(e) for e in other.events]
        cursors = (each.checkpoint.stepper_state for each in (mine, other))
        for pair in zip(*cursors, strict=True):
            np.testing.assert_array_equal(*pair)


@pytest.fixture(scope="module")
def pendulums():
    start, draw = ph.models.start("double_pendulum"), np.random.default_rng(1)
    q = start.q + draw.normal(size=(5, 2))
    return start.system, ph.States(start.system, 0.0, q, np.zeros((5, 2)))


@pytest.mark.parametrize(
    "wish",
    [
        {"samples": 7, "method": ph.methods.DormandPrince8(rtol=1e-9, atol=1e-9)},
        {"samples": [0.3, 0.1], "until": 0.0},
        {"samples": None},
    ],
    ids=["samples", "backwards", "all rows"],
)
def test_many_motions_on_a_gpu_have_the_bits_of_native_code(gpu, pendulums, wish):
    """Kept at samples, which stay there until the end, or at every step."""
    system, states = pendulums
    if "until" in wish:
        states = ph.States(system, 0.5, states.q, states.z)
    given = {"until": 1.0, **wish}
    ours = ph.simulate(system, states, backend="cuda", **given)
    require_same_bits(ours, ph.simulate(system, states, **given))


def test_runs_that_are_stopped_on_a_gpu_keep_what_they_have(gpu, pendulums):
    """A limit of steps ends all before their last sample, as it does here."""
    given = {"until": 1.0, "samples": [0.01, 0.05, 1.0], "limit": 40}
    with pytest.warns(IntegrationWarning, match="5 of 5 runs stopped"):
        ours = ph.simulate(*pendulums, backend="cuda", **given)
    with pytest.warns(IntegrationWarning, match="5 of 5 runs stopped"):
        theirs = ph.simulate(*pendulums, **given)
    assert {len(motion) for motion in ours} <= {1, 2}
    require_same_bits(ours, theirs)


@pytest.mark.parametrize("samples", [9, 400], ids=["few", "more than a chunk takes"])
def test_ctrl_c_on_a_gpu_keeps_the_samples_that_runs_have(gpu, pendulums, samples):
    """Wherever it comes between the first chunk and the last, as on the cores."""
    given = {"until": 3.0, "samples": samples}
    whole = ph.simulate(*pendulums, **given)

    def job():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IntegrationWarning)
            return ph.simulate(*pendulums, backend="cuda", **given)

    lines = interrupted([device_loop], 0, job)[1].lines
    kept = 0
    for at in np.linspace(1, lines, TRIES).astype(int).tolist():
        found, _ = interrupted([device_loop], at, job)
        for motion, all_of_it in zip(found or (), whole, strict=found is not None):
            count = len(motion)
            assert motion.outcome.code in ("INTERRUPTED", "DONE")
            np.testing.assert_array_equal(motion.t, all_of_it.t[:count])
            np.testing.assert_array_equal(motion.q, all_of_it.q[:count])
            # None lies between the last that it has and where it stands.
            reached = motion.checkpoint.stepper_state.t
            assert np.all(all_of_it.t[count:] > reached)
            kept += count
    assert kept


def test_a_sweep_that_is_interrupted_on_a_gpu_has_its_runs(gpu, pendulums):
    """Those that are done are whole; the others stand where they were."""
    whole = ph.sweep(*pendulums, until=3.0, samples=9)

    def job():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IntegrationWarning)
            return ph.sweep(*pendulums, until=3.0, samples=9, backend="cuda")

    lines = interrupted([device_loop], 0, job)[1].lines
    found, place = interrupted([device_loop], lines // 2, job)
    assert found is not None, place.place
    assert found.is_interrupted
    is_there = found.t == whole.t
    np.testing.assert_array_equal(found.q[is_there], whole.q[is_there])
    assert 0 < np.count_nonzero(is_there) < is_there.size


def test_a_force_that_ends_runs_ends_them_there_on_a_gpu(gpu):
    """Where a run ended is its last row, though no sample was asked there."""
    ball = ph.Particle("ball", 0.1)
    world = ph.World()
    bodies = (world.frame, ball.frame)
    well = ph.Potential(bodies, lambda b: -1e-3 / (b.position @ b.position))
    system = ph.System([ball], [well])
    q = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, 5.0]])
    states = ph.States(system, 0.0, q, np.zeros((2, 3)))
    given = {"until": 0.5, "samples": 5}
    with pytest.warns(IntegrationWarning, match="1 of 2 runs stopped"):
        ours = ph.simulate(system, states, backend="cuda", **given)
    with pytest.warns(IntegrationWarning, match="1 of 2 runs stopped"):
        theirs = ph.simulate(system, states, **given)
    assert ours[0].t[-1] not in np.linspace(0, 0.5, 5)
    require_same_bits(ours, theirs)


def test_motions_with_events_and_a_controller_on_a_gpu(gpu):
    """A block that rebounds from a wall, under a controller in plain Python."""
    body = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, body.origin, axis=ph.X)
    system = ph.System([track], [ph.Motor(track, 0.0, name="motor")], name="cart")

    def rebounds(t, state):
        return state.changed(speeds={"track": -0.8 * state.speed("track")})

    wall = ph.Event("wall", lambda t, s: s["track"] - 1.0, +1, reset=rebounds)
    push = ph.Sampled(lambda t, state: 2.0 - float(state["track"]), 0.25)
    q, z = np.random.default_rng(2).uniform(0, 0.9, (2, 3, 1))
    states = ph.States(system, 0.0, q, z)
    given = {"until": 2.0, "events": wall, "inputs": {"motor": push}}
    ours = ph.simulate(system, states, backend="cuda", **given)
    theirs = ph.simulate(system, states, **given)
    assert sum(len(motion.events) for motion in theirs) > 3
    require_same_bits(ours, theirs)


def test_only_known_places_make_runs(pendulums):
    """Another word is refused before anything is built."""
    with pytest.raises(IntegrationError, match="no backend 'gpu'"):
        ph.simulate(*pendulums, until=1.0, backend="gpu")


def test_motions_that_do_not_fit_are_refused_before_the_run(monkeypatch, pendulums):
    """How much samples take is known before anything is allocated."""
    monkeypatch.setitem(sys.modules, "cupy", host_cupy(free_bytes=4096))
    with pytest.raises(IntegrationError, match="GiB on the GPU"):
        ph.simulate(*pendulums, until=1.0, samples=9, backend="cuda")
