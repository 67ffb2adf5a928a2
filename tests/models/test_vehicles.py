"""Cars of the gallery: what text books print of them."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.models.vehicles.car import PRESSED, SPEED, TYRE

M_S, M_U, K_S, K_T = 300.0, 40.0, 18e3, 180e3


def quarter(c):
    """The gallery's model with another damper."""
    system = ph.models.quarter_car()
    return system, {"c_s": c}


def test_the_two_frequencies_of_a_quarter_car():
    """Roots of m_s m_u w^4 - (m_s (k_s + k_t) + m_u k_s) w^2 + k_s k_t = 0."""
    system, table = quarter(0.0)
    squares = np.roots([M_S * M_U, -(M_S * (K_S + K_T) + M_U * K_S), K_S * K_T])
    M = np.array([[M_S + M_U, M_S], [M_S, M_S]])  # along tyre and suspension
    state = ph.State(system, 0.0, np.array([0.0, 1e-3, 2e-3]), np.zeros(3))
    a = ph.gauss(system).accelerations(state, table)
    assert_close(M @ a[1:], [-K_T * 1e-3, -K_S * 2e-3], rtol=1e-9)
    own = np.linalg.eigvals(np.linalg.solve(M, np.diag([K_T, K_S])))
    assert_close(np.sort(own), np.sort(squares), rtol=1e-12)
    assert_close(np.sqrt(np.sort(squares)) / 2 / np.pi, [1.175, 11.2], rtol=1e-2)


@pytest.mark.parametrize("c", [100.0, 1200.0, 4000.0])
def test_no_suspension_changes_the_body_at_the_frequency_of_wheel_hop(c):
    """m_s s'' = k_t r at w^2 = k_t/m_u: the model, solved for a sine."""
    system, table = quarter(c)
    w = np.sqrt(K_T / M_U)
    form = ph.gauss(system)
    zero = form.accelerations(system.rest(), table)
    assert_close(zero, np.zeros(3), atol=1e-12)
    h = 1e-4  # the model is linear within its buffers
    columns = []
    for k in range(3):
        q, z = np.zeros(3), np.zeros(3)
        q[k] = h
        by_place = form.accelerations(ph.State(system, 0.0, q, z), table) / h
        q, z = np.zeros(3), np.zeros(3)
        z[k] = h
        by_speed = form.accelerations(ph.State(system, 0.0, q, z), table) / h
        columns.append(by_place + 1j * w * by_speed)
    A = np.stack(columns, axis=1)[1:]  # tyre and suspension, by all three
    # Steady: -w^2 x = A x + (road's own acceleration, felt through the slides).
    road = 0.02
    lhs = -(w**2) * np.eye(2) - A[:, 1:]
    x = np.linalg.solve(lhs, np.array([w**2 * road, 0.0]) + A[:, 0] * road)
    body = -(w**2) * (road + x.sum())
    assert_close(abs(M_S * body), K_T * road, rtol=1e-8)


def test_the_understeer_gradient():
    """In a steady bend r = u d/(L + K u^2), K = m/L (b/C_f - a/C_r)."""
    a, b, m, C_f, C_r = 1.2, 1.5, 1500.0, 80e3, 110e3
    L, d = a + b, 0.02
    K = m / L * (b / C_f - a / C_r)
    system = ph.models.single_track()
    form = ph.gauss(system)
    for u in (10.0, 20.0, 35.0):
        r = u * d / (L + K * u * u)
        v = b * r - a * m * u * r / (C_r * L) * u  # slip of the rear axle
        state = system.state(steer=d, speeds={"plane": (r, u, v)})
        turn, ahead, side, _ = form.accelerations(state)
        # To first order in the steering: no turn, and the pull of the bend alone.
        assert abs(turn) < 0.03 * C_f * a * d / 2500
        assert_close(side, u * r, rtol=0.03)
        assert abs(ahead) < 0.2


def test_an_oversteering_car_has_a_critical_speed():
    """Stiffness exchanged: above u_c = sqrt(-L/K) the straight run is unstable."""
    a, b, m = 1.2, 1.5, 1500.0
    L = a + b
    K = m / L * (b / 110e3 - a / 60e3)
    critical = np.sqrt(-L / K)
    system = ph.models.single_track(110e3, 60e3)
    form = ph.gauss(system)

    def growth(u):
        """The largest real part of side speed and turning about a straight run."""
        h, rows = 1e-5, []
        for r, v in ((h, 0.0), (0.0, h)):
            state = ph.State(system, 0.0, np.zeros(4), np.array([r, u, v, 0.0]))
            base = ph.State(system, 0.0, np.zeros(4), np.array([0.0, u, 0.0, 0.0]))
            state, base = (
                ph.State(system, 0.0, np.array([0, 0, 0, 0.02]), s.z)
                for s in (state, base)
            )
            x, y = form.accelerations(state), form.accelerations(base)
            slope = (x - y)[[0, 2]] / h
            slope[1] -= u * (r / h)  # the side speed is counted along the world
            rows.append(slope)
        return np.max(np.linalg.eigvals(np.stack(rows, axis=1)).real)

    assert growth(0.9 * critical) < 0 < growth(1.1 * critical)


def test_a_car_stands_on_its_springs():
    """At rest nothing accelerates, and the tyres carry the weight."""
    system = ph.models.car(steer="0 * t")
    where, _ = ph.models.gallery.car_start()
    start = system.state({"free": where["free"]})
    assert_close(ph.gauss(system).accelerations(start), np.zeros(16), atol=1e-9)
    forces = system.wrenches(0.0, start.q, start.z)
    lift = sum(forces[f"tyre {c}"].forces[:, 2].sum() for c in ("FL", "FR", "RL", "RR"))
    assert_close(lift, 4 * TYRE * PRESSED, rtol=1e-12)


@pytest.mark.long
def test_a_car_leans_out_of_its_bend():
    """Turning left, the right springs are pressed, and it runs on its circle."""
    start = ph.models.start("car")
    motion = ph.simulate(start.system, start, until=4.0)
    last = motion.at(4.0)
    assert last["slide FR"] > 0.01 > -0.01 > last["slide FL"]
    turn = last.speed("free")[2]
    # Neutral in front and behind: near the radius of Ackermann, less what slips.
    wanted = SPEED * np.tan(0.0297) / 2.6
    assert 0.7 * wanted < turn < 1.05 * wanted
