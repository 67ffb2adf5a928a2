"""Sweeps on a GPU: the kernel's text run on the host has the bits of native code."""

from __future__ import annotations

import os
import sys
from queue import SimpleQueue

import numpy as np
import pytest

import polhode as ph
from host_cupy import COMPILER, WITHOUT_COMPILER, host_cupy
from polhode.errors import IntegrationError
from polhode.integrate.gpu_workers import device_names, take_device

pytestmark = pytest.mark.skipif(COMPILER is None, reason=WITHOUT_COMPILER)


@pytest.fixture
def gpu(monkeypatch):
    module = host_cupy()
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module


@pytest.fixture(scope="module")
def pendulums():
    start, draw = ph.models.start("double_pendulum"), np.random.default_rng(1)
    q = start.q + draw.normal(size=(24, 2))
    return start.system, ph.States(start.system, 0.0, q, np.zeros((24, 2)))


@pytest.mark.parametrize("samples", [None, 7])
def test_a_sweep_on_a_gpu_has_the_bits_of_native_code(gpu, pendulums, samples):
    """Times, states and counts of steps, with samples and without."""
    system, states = pendulums
    given = {"until": 3.0, "samples": samples}
    given["method"] = ph.methods.DormandPrince8(rtol=1e-9, atol=1e-9)
    ours = ph.sweep(system, states, backend="cuda", **given)
    theirs = ph.sweep(system, states, **given)
    for name in ("t", "q", "z", "status", "accepted", "rejected"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


def test_what_does_not_fit_is_refused_before_the_run(monkeypatch, pendulums):
    """How much is needed is known before anything is allocated."""
    monkeypatch.setitem(sys.modules, "cupy", host_cupy(free_bytes=4096))
    with pytest.raises(IntegrationError, match="GiB on the GPU"):
        ph.sweep(*pendulums, until=1.0, backend="cuda")


@pytest.fixture(scope="module")
def cart():
    """A block on a track with a motor and a gust, under a sampled law and noise."""
    body = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, body.origin, axis=ph.X)
    motors = [ph.Motor(track, 0.0, name=name) for name in ("motor", "gust")]
    system = ph.System([track], motors, name="cart")
    q, z = np.random.default_rng(8).uniform(-1, 1, (2, 9, 1))
    return system, ph.States(system, 0.0, q, z)


def law(t, state, x):
    return -3.0 * state["track"] - state.speed("track") - x[0], x + state["track"]


CONTROLLED = {
    "until": 1.0,
    "inputs": {
        "motor": ph.Sampled(law, 0.05, state=[0.0]),
        "gust": ph.Noise(0.3, 0.02, seed=5),
    },
}


def test_controlled_runs_on_a_gpu_stay_there_if_asked(gpu, cart):
    """Sampled laws and noise in the kernel; arrays of the device in and out."""
    system, states = cart
    placed = ph.States(system, 0.0, *map(gpu.asarray, (states.q, states.z)))
    ours = ph.sweep(system, placed, backend="cuda", device=True, **CONTROLLED)
    theirs = ph.sweep(system, states, **CONTROLLED)
    assert isinstance(ours.q, gpu.ndarray)
    assert isinstance(ours.final_z, gpu.ndarray)
    for name in ("t", "q", "z", "status", "accepted", "rejected"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert str(ours.outcome(1)) == str(theirs.outcome(1))


@pytest.mark.parametrize("samples", [None, pytest.param(7, marks=pytest.mark.long)])
def test_events_on_a_gpu_have_the_bits_of_native_code(gpu, samples):
    """Bounces inside the kernel; what only grazes comes to the host, and goes back."""
    ball = ph.System([ph.Particle("ball", 0.1)], [ph.Weight(9.81)], name="ball")
    draw = np.random.default_rng(2)
    q, z = np.zeros((9, 3)), draw.normal(size=(9, 3))
    q[:, 2] = draw.uniform(0.5, 2.0, 9)
    states = ph.States(ball, 0.0, q, z)

    def rises(t, state):
        x, y, z = state.speed("ball")
        return state.changed(speeds={"ball": (x, y, -0.8 * z)})

    floor = ph.Event("floor", lambda t, state: state["ball"][2], -1, reset=rises)
    graze = ph.Event("level", lambda t, state: state["ball"][0] ** 2)
    given = {"until": 1.2, "events": [floor, graze], "samples": samples}
    ours = ph.sweep(ball, states, backend="cuda", **given)
    theirs = ph.sweep(ball, states, **given)
    assert len(theirs.events) > 9
    for name in ("t", "q", "z", "status", "accepted", "rejected"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for name in ("run", "number", "t", "before", "after"):
        pair = (getattr(each.events, name) for each in (ours, theirs))
        np.testing.assert_array_equal(*pair)


def test_processes_share_the_gpus_out(gpu, pendulums, monkeypatch):
    """Each sees one, by the name that the parent's environment gives it."""
    assert device_names(3, None) == ["0", "1", "2"]
    assert device_names(2, "5, 7") == ["5", "7"]
    queue = SimpleQueue()
    queue.put("5")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    take_device(queue)
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "5"
    with pytest.raises(IntegrationError, match="processes for GPUs"):
        ph.sweep(*pendulums, until=1.0, executor="gpus", to="unused")
    with pytest.raises(IntegrationError, match="only where it runs there"):
        ph.sweep(*pendulums, until=1.0, device=True)
