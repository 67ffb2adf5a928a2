"""Motions with printed answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import polhode as ph
from moving import G, point_pendulum, spin, turning

SWING = {  # t: theta, x, y; planar pendulum of 1 m from the horizontal
    1: (-1.405027311524799, 0.9862917511318753, -0.1650108531255412),
    2: (0.916647589663245, -0.7935661953433217, -0.6084839304437915),
    5: (1.229451811485386, -0.9423054350437573, -0.3347543384140006),
    9.99: (0.3219705556880201, -0.3164364699130323, -0.9486137045757765),
    10: (0.2786806735699829, -0.2750874625761169, -0.9614192050991251),
}


def test_the_pendulum_in_its_angle():
    """Swinging from the horizontal, against elliptic functions to ten digits."""
    system = point_pendulum()
    start = system.state(hinge=np.pi / 2)
    motion = ph.simulate(system, start, until=10.0, rtol=1e-11)
    for t, (theta, x, y) in SWING.items():
        state = motion.at(t)
        assert abs(state["hinge"] - theta) < 1e-9
        R = motion.resampled([t])["bob"].orientation[0]
        assert np.allclose(R @ [0, 0, -1], (x, 0, y), rtol=0, atol=1e-9)
    assert np.max(np.abs(motion.ledger().balance)) < 1e-8


def test_the_pendulum_in_cartesian_coordinates():
    """A particle at a fixed distance: the same swing, the distance kept throughout."""
    world, bob = ph.World(), ph.Particle("bob", 1.0)
    rod = ph.Distance(world.origin, bob.mass_centre, 1.0, name="rod")
    system = ph.System([bob], [ph.Weight(G)], [rod], name="bob on a rod")
    state = system.state(bob=(-1.0, 0.0, 0.0))
    motion = ph.simulate(system, state, until=10.0)
    for t, (_, x, y) in SWING.items():
        place = motion.at(t)["bob"]
        assert np.allclose(place, (x, 0, y), rtol=0, atol=1e-7)
    assert np.max(np.abs(np.sum(motion.q**2, axis=1) - 1)) < 1e-10
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 5e-5
    assert max(ledger.constraint_violation.max(), ledger.velocity_miss.max()) < 1e-10


@pytest.mark.row("D-28")
def test_the_period_of_a_pendulum():
    """T = 4 sqrt(l/g) K(sin(th0/2)); 2 pi sqrt(l/g) for small swings; a separatrix."""
    system = point_pendulum()
    for amplitude in (1e-4, 0.5, np.pi / 2, 3.0):
        state = system.state(hinge=amplitude)
        quarter = ellipk(np.sin(amplitude / 2) ** 2) / np.sqrt(G)
        motion = ph.simulate(system, state, until=5 * quarter, rtol=1e-12)
        down = motion.at(quarter)
        assert abs(down["hinge"]) < 1e-9
        assert abs(motion.at(4 * quarter)["hinge"] - amplitude) < 1e-9
    assert np.isclose(4 * ellipk(0.0) / np.sqrt(G), 2 * np.pi / np.sqrt(G))
    # Just below and just above the speed that takes it over the top.
    top = 2 * np.sqrt(G)
    turns = []
    for share in (0.999, 1.001):
        start = system.state(speeds={"hinge": share * top})
        turns.append(ph.simulate(system, start, until=5.0).q[:, 0].max())
    assert turns[0] < np.pi < 2 * np.pi < turns[1]


def test_the_rigid_body_of_krogh():
    """y1' = -2 y2 y3, y2' = 1.25 y1 y3, y3' = -0.5 y1 y2 is free rotation, rescaled."""
    b = np.array([-2.0, 1.25, -0.5])
    a = np.array([(2 - 3) / 1, (3 - 1) / 2, (1 - 2) / 3])
    scale = np.sqrt(np.prod(a / b) * b / a)  # y = scale w
    system = turning(1.0, 2.0, 3.0)
    start = spin(system, tuple(np.array([1.0, 0.0, 0.9]) / scale))
    motion = ph.simulate(system, start, until=20.0, rtol=1e-12)
    printed = {
        1: (0.24466697533995619, 0.76654177608676247, 0.75826478370388578),
        5: (0.97168999706775502, 0.18677953179896722, 0.89221374266505413),
        10: (0.89018057222794878, 0.36018966256328212, 0.87069246166084359),
        20: (0.60620385396481222, 0.62874721045017797, 0.80738514857560258),
    }
    for t, y in printed.items():
        assert np.allclose(scale * motion.at(t).z, y, rtol=0, atol=1e-10)


POINSOT = [
    ((1, 2, 3), (1, 1, 1), 6.422703084225694),
    ((200, 300, 500), (-0.4, 0.7, 0.5), 11.93132388034231),
    ((1, 2, 3), (0.01, 1, 0.01), 39.10573419726872),
    ((1, 2, 3), (1e-4, 1, 1e-4), 71.01450607931696),
]


@pytest.mark.parametrize(("moments", "w", "period"), POINSOT)
def test_the_period_of_a_free_body(moments, w, period):
    """Euler and Poinsot: after a period the spin is back; the flip takes half."""
    system = turning(*map(float, moments))
    motion = ph.simulate(system, spin(system, w), until=period, rtol=1e-13)
    assert np.allclose(motion.final.z, w, rtol=0, atol=1e-8)
    if w[0] == w[2] != 1:
        assert motion.at(period / 2).z[1] < -0.99


def test_the_spin_of_a_free_body():
    """The printed spin of the body (1, 2, 3) kg m^2 that starts at (1, 1, 1) rad/s."""
    system = turning(1.0, 2.0, 3.0)
    motion = ph.simulate(system, spin(system, (1, 1, 1)), until=10.0, rtol=1e-12)
    printed = {
        1: (-0.12664292289241772, 1.4085317071622013, 0.81976387452296995),
        2: (-1.1995807424041675, 0.74900336611597839, 1.0706686318288732),
        5: (1.0079803309834225, -0.99195546893524909, 1.0026671677164279),
        10: (-0.60347042309251813, -1.2789931385478724, 0.88772678821573304),
    }
    for t, w in printed.items():
        assert np.allclose(motion.at(t).z, w, rtol=0, atol=1e-10)


def along_the_blade(q, t):
    """-sin a x' + cos a y' = 0 of the blade, the joint's speeds being (a', x', y')."""
    import jax.numpy as jnp

    return jnp.stack([0.0 * q[0], -jnp.sin(q[0]), jnp.cos(q[0])]), 0.0


def test_the_sleigh_of_chaplygin():
    """u = V tanh, w = (V/kappa) sech: the printed speeds, path and heading."""
    sled = ph.Body.from_inertia(
        "sled", mass=1.0, inertia=np.diag([0.5, 0.5, 0.5]), centre=(0.3, 0, 0)
    )
    ice = ph.Planar("ice", ph.World().origin, sled.origin, normal=ph.Z)
    blade = ph.VelocityRows([ice], along_the_blade, rows=("across",), name="blade")
    system = ph.System([ice], constraints=[blade], name="sleigh")
    start = system.state(speeds={"ice": (2.0, 1.0, 0.0)})
    motion = ph.simulate(system, start, until=40.0, rtol=1e-12)
    printed = {
        1: (1.673191826372095, 0.9746177974577406),
        2: (1.8073017401601603, 0.3984300121728992),
        5: (1.8329337264623318, 0.0244933196326423),
        10: (1.8330302693340128, 0.0002318140534212),
    }
    for t, (u, w) in printed.items():
        state = motion.at(t)
        turn, x_dot, y_dot = state.z
        along = np.cos(state.q[0]) * x_dot + np.sin(state.q[0]) * y_dot
        assert np.allclose((along, turn), (u, w), rtol=0, atol=1e-9)
    for t, place in ((5, (-3.66396636, 6.34965035)), (10, (-11.2136728, 11.5455508))):
        assert np.allclose(motion.at(t).q[1:], place, rtol=0, atol=1e-7)
    assert abs(motion.final.q[0] - 2.544398430467302) < 1e-8
    assert motion.ledger().velocity_miss.max() < 1e-12
