"""The rolling disc and hoop near upright: Routh; Neimark, Fufaev; O'Reilly (1996)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.analyse.machinery.corotating import turned
from polhode.analyse.machinery.minimal_coordinates import independent_places, reduce
from polhode.analyse.machinery.variations import variations_of
from polhode.geometry.rotations import so3

R, G = 0.26, 9.81


@cache
def wheel(shape: str) -> ph.System:
    """A thin disc or a hoop that rolls on the ground."""
    if shape == "disc":
        return ph.models.rolling_disc()
    world = ph.World()
    body = ph.Body("hoop", ph.solids.ring(mass=2.0, radius=R, along=ph.Y))
    free = ph.Free("free", world.point(0, 0, R), body.origin)
    ground = ph.rolling(ph.surfaces.disc(body.origin, R, axis=ph.Y), world.origin)
    return ph.System([free], [ph.Weight(G)], ground, name="rolling hoop")


def linear(shape: str, square: float) -> ph.results.Linear:
    """About rolling straight on at w^2 = square g/R."""
    w = np.sqrt(square * G / R)
    system = wheel(shape)
    return ph.linearise(system, system.state(speeds={"free": (0, w, 0, w * R, 0, 0)}))


# I across and J along the axle, over m R^2
MOMENTS = {"disc": (1 / 4, 1 / 2), "hoop": (1 / 2, 1.0)}


@pytest.mark.row("N-09")
@pytest.mark.parametrize(("shape", "edge"), [("disc", 1 / 3), ("hoop", 1 / 4)])
def test_an_upright_wheel_is_stable_if_it_rolls_fast_enough(shape, edge):
    """It falls below w^2 = g/(3R), a hoop g/(4R), and sways above: by eigenvalues."""
    I, J = MOMENTS[shape]
    for square in (0.5 * edge, 0.99 * edge, 1.01 * edge, 3.0 * edge):
        found = linear(shape, square)
        values = found.spectrum.values
        # (I + m R^2) I s^2 = m g R I - J (J + m R^2) w^2
        expected = (I - J * (J + 1) * square) / (I * (I + 1)) * G / R
        assert_close(np.real(values**2), [expected] * 2, rtol=1e-8)
        assert (found.stability().verdict == "unstable") == (square < edge)


@pytest.mark.row("N-09")
def test_the_reactions_stay_in_the_linear_equations():
    """Without -d(a^T s)/dq, which is not symmetric, no disc would fall as it does."""
    w = np.sqrt(0.5 * G / (3 * R))
    system = wheel("disc")
    state = system.state(speeds={"free": (0, w, 0, w * R, 0, 0)})
    found = ph.linearise(system, state)
    geometric = found.whole.geometric
    assert np.max(np.abs(geometric)) > 1.0
    assert np.max(np.abs(geometric - geometric.T)) > 1.0
    near = variations_of(state, {}, {}, {})
    bare = replace_stiffness(turned(near, found.turning), geometric)
    without = reduce(bare, independent_places(system, bare, None))
    lean = np.linalg.solve(without.mass, without.stiffness)
    right = np.linalg.solve(found.reduced.mass, found.reduced.stiffness)
    assert np.max(np.abs(lean - right)) > 1.0
    # The constraint itself: a(q) q_dot' + (da/dq q_dot) q' = 0.
    S, T = found.reduced.slip
    assert_close(found.whole.rows @ S, np.zeros((3, 3)), atol=1e-12)
    drift = found.whole.rows @ T + found.whole.drift @ found.reduced.shape
    assert_close(drift, np.zeros(drift.shape), atol=1e-10)


def replace_stiffness(near, geometric):
    return near._replace(stiffness=near.stiffness - geometric)


def test_coordinates_turn_with_the_wheel():
    """Its own axes turn at -w about the axle; in those that do not, all is constant."""
    w = np.sqrt(0.5 * G / R)
    found = linear("disc", 0.5)
    assert not found.unsteady
    assert_close(np.sort(np.unique(np.abs(found.turning))), [0, w], rtol=1e-12)
    stopped = replace(found, unsteady="its stiffness changes")
    with pytest.raises(ph.PolhodeError, match="hold at that instant only"):
        stopped.modes()


def spin_of_turn(r: float, lean: float, u3: float) -> float:
    """u2 with u1' = (6 u2 u3 r - u3^2 r tan q2 + 4 g sin q2)/(5 r) = 0."""
    return (u3**2 * r * np.tan(lean) - 4 * G * np.sin(lean)) / (6 * u3 * r)


def test_a_disc_turning_steadily_is_a_steady_motion():
    """Leaning and turning at the printed rate its matrices are constant in its axes."""
    assert_close(spin_of_turn(0.5, 0.3, 1.2), -3.159303002686677, rtol=1e-14)
    system, lean = wheel("disc"), 0.3
    u = np.array([0.0, spin_of_turn(R, lean, 1.2), 1.2])
    R_WB = np.asarray(so3.exp(np.array([lean, 0.0, 0.0])))
    up = R_WB @ [0, 0, R]
    speeds = np.concatenate([u, R_WB.T @ np.cross(R_WB @ u, up)])
    (free,) = system.joints
    q = free.coordinates_from(R_WB, up - [0, 0, R])
    steady = ph.linearise(system, ph.State(system, 0.0, q, speeds))
    assert not steady.unsteady
    faster = ph.State(system, 0.0, q, speeds * 1.01)
    assert "accelerated" in ph.linearise(system, faster).unsteady
