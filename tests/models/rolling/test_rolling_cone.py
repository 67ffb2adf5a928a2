"""Exercise 7.2: a disc on a hinged axle rolls under a plane."""

from __future__ import annotations

from functools import cache
from math import cos, sin, tan

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.models.rolling.rolling_cone import leaning

A, D, M, IX, IZ, G = 0.5, 1.3, 1.7, 0.35, 0.22, 9.81
B, R, H = D * cos(A) ** 2, D * sin(A), D * sin(A) * cos(A)
IT = M * B**2 + IX * (B / R) ** 2 + IZ * cos(A) ** 2


@cache
def cone() -> ph.results.Equations:
    return ph.gauss(ph.models.rolling_cone())


def turned(axis: int, angle: float) -> np.ndarray:
    """The rotation about a coordinate axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = cos(angle)
    matrix[j, i], matrix[i, j] = sin(angle), -sin(angle)
    return matrix


def state_at(th: float, rate: float, spin: float = 0.3) -> ph.State:
    """OA at the angle th, turning at th'; the disc turned by `spin` on its axle."""
    system = cone().system
    R_WC = turned(2, th) @ leaning(A) @ turned(0, spin)
    R_FM = R_WC @ leaning(A).T
    w = rate / tan(A) * np.array([cos(th), sin(th), 0])
    (ball,) = system.joints
    q = ball.coordinates_from(R_FM, np.zeros(3))
    return ph.State(system, 0.0, q, R_FM.T @ w)


def directions(th: float) -> tuple[np.ndarray, ...]:
    """r along OA, y1 across it in the plane, and z."""
    r = np.array([cos(th), sin(th), 0])
    return r, np.array([-sin(th), cos(th), 0]), np.array([0, 0, 1.0])


@pytest.mark.row("X-07")
@pytest.mark.parametrize("spin", [0.0, 2.0])
def test_the_cone_rolls_about_the_line_to_its_contact(spin):
    """w = th' cot a along OA: A is at rest, C goes at b th' y1, R ph' = d th'."""
    th, rate = 0.7, 0.9
    state, system = state_at(th, rate, spin), cone().system
    assert system.consistent(state).is_close(state, rtol=1e-9)  # it rolls and touches
    r, y1, z = directions(th)
    poses, twists = system.poses(0, state.q), system.twists(0, state.q, state.z)
    w, C = twists.angular[0], poses.rotations[0] @ [D * cos(A), 0, 0]
    assert_close(C, B * r - H * z, rtol=1e-12)
    assert_close(np.cross(w, D * r), np.zeros(3), atol=1e-12)
    assert_close(np.cross(w, C), B * rate * y1, rtol=1e-12)
    x1 = poses.rotations[0][:, 0]
    assert_close(x1, cos(A) * r - sin(A) * z, rtol=1e-12)
    spin_rate = (R * sin(A) + B) / R * rate
    assert_close(w, rate * z + spin_rate * x1, rtol=1e-12)


@pytest.mark.row("X-08")
def test_the_cone_swings_as_a_pendulum():
    """It th'' + m g b sin th = 0 with It = m b^2 + Ix (b/R)^2 + Iz cos^2 a."""
    assert_close(IT, 2.7766907345921767, rtol=1e-14)
    assert_close(np.sqrt(M * G * B / IT), 2.45219425106141, rtol=1e-12)
    for th, rate in ((0.7, 0.9), (0.7, 0.0), (2.5, -1.4), (-1.0, 3.0)):
        r, y1, _ = directions(th)
        found = cone().body_accelerations(state_at(th, rate))[0][:3]
        R_WC = cone().system.poses(0, state_at(th, rate).q).rotations[0]
        th_ddot = -M * G * B * sin(th) / IT
        expected = (th_ddot * r + rate**2 * y1) / tan(A)  # d/dt (th' cot a r)
        # Rates of components in the body's axes: the same vector, as w x w = 0.
        assert_close(R_WC @ found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.row("X-08")
def test_unlike_cross_moments_are_no_such_pendulum():
    """With Iy other than Iz the equation has terms that depend on the spin."""
    th, rate, found = 0.7, 0.9, []
    for moments in ((IX, IZ, IZ), (IX, IZ, 0.9 * IZ)):
        centre = (D * cos(A), 0, 0)
        disc = ph.Body.from_inertia("disc", mass=M, inertia=moments, centre=centre)
        ball = ph.Spherical(
            "O", ph.World().origin, disc.origin, second_axes=leaning(A).T
        )
        system = ph.System([ball])
        at = [state_at(th, rate, spin) for spin in (0.0, 1.0)]
        found.append([system.kinetic_energy(0, s.q, s.z) for s in at])
    assert_close(found[0], np.full(2, IT * rate**2 / 2), rtol=1e-12)
    assert abs(found[1][0] - found[1][1]) > 1e-3


@pytest.mark.row("X-09")
def test_the_cone_by_the_energy_theorem():
    """It th' th'' = -m g b sin th th': the energy It th'^2/2 - m g b cos th is kept."""
    system = cone().system
    for th, rate in ((0.7, 0.9), (2.5, -1.4)):
        state = state_at(th, rate)
        at = state.t, state.q, state.z
        assert_close(system.kinetic_energy(*at), IT * rate**2 / 2, rtol=1e-12)
        lifted = system.potential_energy(*at[:2])
        assert_close(lifted, -M * G * B * cos(th), rtol=1e-12)
        z_dot = cone().accelerations(state)
        change = state.z @ system.mass_matrix(*at[:2]) @ z_dot
        assert_close(change, -M * G * B * sin(th) * rate, rtol=1e-9)


@pytest.mark.long
def test_the_cone_keeps_its_energy_through_a_swing():
    """From th = 2 it comes to rest at -2, as a pendulum of It does."""
    system = cone().system
    motion = ph.simulate(system, state_at(2.0, 0.0, 0.0), until=4.0, rtol=1e-10)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-6
    C = motion["disc"].orientation @ [D * cos(A), 0, 0]
    assert_close(C[:, 2], np.full(len(C), -H), rtol=1e-8)
    angles = np.arctan2(C[:, 1], C[:, 0])
    assert -2.0 - 1e-6 < angles.min() < -1.9


@pytest.mark.row("X-10")
def test_what_holds_the_cone():
    """Contact and hinge forces in closed form; along OA only their sum is one."""
    th, rate = 0.7, 0.9
    state = state_at(th, rate)
    r, y1, z = directions(th)
    th_ddot = -M * G * B * sin(th) / IT
    I_t = IZ + M * D**2 * cos(A) ** 2
    N_z = -(IT * tan(A) * rate**2 + M * G * H * cos(th)) / D
    T = (th_ddot * cos(A) ** 2 * (I_t - IX) + M * G * B * sin(th)) / D
    along = -M * B * rate**2 - M * G * cos(th)
    O_y = M * B * th_ddot + M * G * sin(th) - T
    golden = (-3.87384628856904, -6.3117496557444, 3.4946261029645718)
    assert_close((th_ddot, N_z, T), golden, rtol=1e-13)
    assert_close((along, O_y), (-14.133920736210692, 0.6555739872963025), rtol=1e-12)
    found = cone().reactions(state)
    contact = found["rim contact on disc"].force + found["rim on disc"].force
    hinge = found["O"].force
    assert_close([contact @ z, contact @ y1], [N_z, T], rtol=1e-8)
    assert_close([hinge @ z, hinge @ y1], [-N_z, O_y], rtol=1e-8)
    assert_close((hinge + contact) @ r, along, rtol=1e-9)
    assert_close(found["O"].torque, np.zeros(3), atol=1e-9)


@pytest.mark.row("X-10")
def test_one_row_of_the_cone_is_redundant():
    """Six rows of rank five: 3 of the hinge, 3 of the contact; the split along OA."""
    system = cone().system
    found = ph.mobility(system, state_at(0.7, 0.9))
    assert (found.speeds, len(found.rows), found.rank, found.by_rank) == (3, 3, 2, 1)
    # What no motion feels is a force at the contact along OA.
    (combination,) = found.undetermined
    r, _, _ = directions(0.7)
    axes = dict(zip(found.rows, contact_axes(), strict=True))
    force = sum(c * axes[row] for c, row in zip(combination, found.rows, strict=True))
    assert_close(np.cross(force / np.linalg.norm(force), r), np.zeros(3), atol=1e-8)


def contact_axes() -> list[np.ndarray]:
    """The directions of the contact's rows: normal, along, across."""
    touching, _ = cone().system.constraints
    u, v, n = touching.contact.axes.T
    return [n, u, v]
