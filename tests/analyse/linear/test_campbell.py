"""Rotors: branches against the closed form, critical speeds, whirl, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import AnalysisError

A, C, K = 6.0 * (3 * 0.15**2 + 0.03**2) / 12 + 6.0 * 0.25**2, 6.0 * 0.15**2 / 2, 2000.0


def test_frequencies_of_a_rotor_part_as_the_closed_form_says():
    """w = (+-C W + sqrt(C^2 W^2 + 4 A k)) / 2 A, forward above, backward below.

    Damping and the mass of the shaft change it by less than 2e-4.
    """
    W = np.linspace(0.0, 300.0, 7)
    found = ph.campbell(ph.models.rotor(), "spin", W, lateral=("lean x", "lean y"))
    root = np.sqrt((C * W) ** 2 + 4 * A * K)
    wanted = {1: (C * W + root) / (2 * A), -1: (-C * W + root) / (2 * A)}
    for k in range(2):
        whirl = int(found.whirl[-1, k])
        np.testing.assert_allclose(found.frequencies[:, k], wanted[whirl], rtol=2e-4)
    assert set(found.whirl[-1]) == {1, -1}
    forward = {c.whirl: c.speed for c in found.criticals}
    assert forward[1] == pytest.approx(np.sqrt(K / (A - C)), rel=2e-4)
    assert forward[-1] == pytest.approx(np.sqrt(K / (A + C)), rel=2e-4)
    assert "critical speeds" in repr(found)


def test_unbalance_is_answered_most_at_the_forward_critical_speed():
    """The steady answer to a load that turns with the rotor peaks where w = W."""
    rotor = ph.models.rotor()
    found = ph.campbell(rotor, "spin", [0.0, 60, 90], lateral=("lean x", "lean y"))
    critical = next(c.speed for c in found.criticals if c.whirl == 1)

    def answer(W):
        state = rotor.state(speeds={"spin": W})
        A_of = ph.linearise(rotor, state).matrices
        load = np.zeros(len(A_of.A), complex)
        load[[A_of.states.index("lean x'"), A_of.states.index("lean y'")]] = 1, -1j
        x = np.linalg.solve(1j * W * np.eye(len(load)) - A_of.A, load)
        return abs(x[A_of.states.index("lean x")])

    near = answer(critical)
    assert near > 5 * answer(0.9 * critical)
    assert near > 5 * answer(1.1 * critical)


def test_speeds_and_joints_are_admitted():
    """Rising speeds of a joint that is there."""
    rotor = ph.models.rotor()
    with pytest.raises(AnalysisError, match="no rotor 'spinn'"):
        ph.campbell(rotor, "spinn", [0.0, 1.0])
    with pytest.raises(AnalysisError, match="no speeds to go along"):
        ph.campbell(rotor, "spin", [1.0, 0.0])
    with pytest.raises(AnalysisError, match="across the shaft"):
        ph.campbell(rotor, "spin", [0.0, 1.0], lateral=("lean x", "lean"))


def test_margins_are_where_the_loop_meets_its_edge():
    """L = 24/(s + 1)^3: at s = i sqrt 3 its value is -3, so the gain margin is 1/3."""
    from polhode.analyse.linear.state_space import StateSpace

    A_ = np.array([[0, 1, 0], [0, 0, 1], [-1, -3, -3.0]])
    B, D = np.array([[0, 0, 24.0]]).T, np.zeros((1, 1))
    loop = StateSpace(A_, B, np.eye(3)[:1], D, ("a", "b", "c"), ("u",), ("y",))
    found = loop.margins("y", "u")
    assert found.gain == pytest.approx(1 / 3, rel=1e-9)
    assert found.gains[0, 0] == pytest.approx(np.sqrt(3), rel=1e-9)
    W = np.sqrt(24 ** (2 / 3) - 1)
    assert found.phase == pytest.approx(np.pi - 3 * np.arctan(W), rel=1e-9)
    assert not found.is_stable
    tame = StateSpace(A_, B / 24, np.eye(3)[:1], D, ("a", "b", "c"), ("u",), ("y",))
    assert tame.margins("y", "u").is_stable
    assert tame.margins("y", "u").gain == pytest.approx(8.0, rel=1e-9)
