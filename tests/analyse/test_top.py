"""The heavy top: steady precession, sleep, and what it conserves."""

from __future__ import annotations

from functools import cache
from math import cos, pi, sqrt

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

A, C, M, L, G = 0.12, 0.05, 1.0, 0.3, 9.81


@cache
def top() -> ph.System:
    return ph.models.heavy_top()


@pytest.mark.row("D-35", "E-11")
@pytest.mark.parametrize(
    ("lean", "spin"), [(0.4, 40.0), pytest.param(2.0, 15.0, marks=pytest.mark.long)]
)
def test_a_top_precesses_slowly_and_fast(lean, spin):
    """A p^2 cos th - C s p + m g l = 0 has both precessions, found from the model."""
    found = ph.questions.steady_precessions(top(), lean, spin)
    roots = np.roots([A * cos(lean), -C * spin, M * G * L])
    expected = sorted(roots, key=abs)
    assert_close([each.rates["turn z"] for each in found], expected, rtol=1e-8)
    for each in found:
        assert_close(each.state.speed("tip")[2], spin, rtol=1e-10)
        assert each.stability().theorem == "energy-momentum"


@pytest.mark.row("D-35", "E-11")
def test_too_slow_a_top_does_not_precess():
    """C^2 s^2 < 4 A m g l cos th: no real root, and no steady motion is found."""
    lean = 0.4
    spin = 0.97 * sqrt(4 * A * M * G * L * cos(lean)) / C
    assert len(ph.questions.steady_precessions(top(), lean, spin)) == 0


@pytest.mark.row("D-35")
def test_a_top_sleeps_above_its_threshold():
    """C^2 s^2 > 4 A m g l: there the energy has a minimum among equal momenta."""
    threshold = sqrt(4 * A * M * G * L) / C
    assert_close(ph.questions.sleeping_spin(top()), threshold, rtol=1e-6)
    for factor, verdict in ((0.99, "unstable"), (1.01, "stable")):
        rates = {"turn z": 0.0, "tip.wz": factor * threshold}
        (upright,) = ph.steady_motions(top(), rates, starts=1)
        assert upright.stability().verdict == verdict


@pytest.mark.row("D-35")
def test_a_top_obeys_the_moment_of_its_weight():
    """I_O w_dot + w x I_O w = r_G x m g, in its own axes."""
    state = top().state(
        {"tip": {"qw": 0.8, "qx": 0.36, "qy": 0.48}}, speeds={"tip": (1.0, -2.0, 20.0)}
    )
    moments, w = np.diag([A, A, C]), state.z
    R = top().poses(0.0, state.q).rotations[0]
    weight = np.cross([0, 0, L], R.T @ [0, 0, -M * G])
    w_dot = ph.gauss(top()).accelerations(state)
    assert_close(moments @ w_dot + np.cross(w, moments @ w), weight, rtol=1e-12)


@pytest.mark.row("D-35")
def test_a_top_keeps_its_momenta_and_energy():
    """p about the vertical, p along the axis and E do not change as it nods."""
    start = top().state(
        {"tip": {"qw": 0.98, "qx": 0.199}}, speeds={"tip": (0.5, 0.0, 30.0)}
    )
    motion = ph.simulate(top(), start, until=2.0, rtol=1e-11)
    q, z = np.asarray(motion.q), np.asarray(motion.z)
    kept = []
    for each, speeds in zip(q, z, strict=True):
        R = top().poses(0.0, each).rotations[0]
        H = np.array([A, A, C]) * speeds
        energy = speeds @ H / 2 + M * G * L * R[2, 2]
        kept.append((R[2] @ H, H[2], energy))
    spread = np.ptp(np.array(kept), axis=0) / np.abs(kept[0])
    assert np.max(spread) < 1e-8
    assert np.ptp([np.arccos(top().poses(0.0, e).rotations[0][2, 2]) for e in q]) > 0.01


def test_what_is_no_top_is_refused():
    """A pendulum does not spin; the refusal says what a top is."""
    with pytest.raises(ph.PolhodeError, match="is no top"):
        ph.questions.steady_precessions(ph.models.pendulum(), 0.3, pi)
