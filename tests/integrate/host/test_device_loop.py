"""Sweeps on a GPU: the kernel's text run on the host has the bits of native code."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import polhode as ph
from host_cupy import COMPILER, WITHOUT_COMPILER, host_cupy
from polhode.errors import IntegrationError

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


def test_events_are_refused_on_a_gpu(gpu, pendulums):
    """In words, before anything is compiled."""
    event = ph.Event("level", lambda t, s: s.q[0])
    with pytest.raises(IntegrationError, match="with events"):
        ph.sweep(*pendulums, until=1.0, backend="cuda", events=event)
