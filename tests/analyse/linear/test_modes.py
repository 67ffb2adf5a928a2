"""Modes: closed forms, orthogonality, superposition, chains that become strings."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg

import polhode as ph
from closeness import assert_close


@cache
def chain(n: int) -> ph.System:
    """n equal masses on a line between walls, springs between all neighbours."""
    world, joints = ph.World(), []
    points = [world.point(0, 0, 0)]
    for j in range(1, n + 1):
        bead = ph.Particle(f"m{j}", 0.5)
        here = world.point(j, 0, 0)
        joints.append(ph.Prismatic(f"x{j}", here, bead.mass_centre, axis=ph.X))
        points.append(bead.mass_centre)
    points.append(world.point(n + 1, 0, 0))
    springs = [
        ph.Spring(a, b, 8.0, 0.5, name=f"s{j}")
        for j, (a, b) in enumerate(pairwise(points))
    ]
    return ph.System(joints, springs, name=f"chain of {n}")


@cache
def string(n: int) -> ph.System:
    """A string of length 2, tension 30, 0.9 kg in n beads that move across it."""
    world, joints = ph.World(), []
    pitch = 2.0 / (n + 1)
    points = [world.point(0, 0, 0)]
    for j in range(1, n + 1):
        bead = ph.Particle(f"m{j}", 0.45 * pitch)
        here = world.point(j * pitch, 0, 0)
        joints.append(ph.Prismatic(f"y{j}", here, bead.mass_centre, axis=ph.Y))
        points.append(bead.mass_centre)
    points.append(world.point(2.0, 0, 0))
    # A spring of no rest length pulls with the same tension however it is drawn.
    springs = [
        ph.Spring(a, b, 30.0 / pitch, name=f"s{j}")
        for j, (a, b) in enumerate(pairwise(points))
    ]
    return ph.System(joints, springs, name="string")


@pytest.mark.row("D-31")
def test_a_chain_has_the_frequencies_of_its_closed_form():
    """w_j = 2 sqrt(k/m) sin(j pi / (2 (n + 1)))."""
    modes = ph.linearise(chain(4)).modes()
    j = np.arange(1, 5)
    expected = 2 * np.sqrt(8.0 / 0.5) * np.sin(j * np.pi / 10)
    assert_close(modes.frequencies, expected, rtol=1e-12)
    shape = np.sin(j * np.pi / 5)
    shape /= np.linalg.norm(shape) * np.sqrt(0.5)
    assert_close(np.abs(modes.shapes[0]), shape, rtol=1e-10)
    assert modes.shape(0).keys() == {f"x{i}" for i in j}


@pytest.mark.row("D-31", "E-07")
def test_the_sum_of_modes_is_the_motion():
    """Every linear system is many oscillators: their sum is the simulated motion."""
    system = chain(4)
    rng = np.random.default_rng(3)
    p, v = 0.05 * rng.normal(size=4), 0.1 * rng.normal(size=4)
    names = system.speed_names
    start = system.state(
        dict(zip(names, p, strict=True)), speeds=dict(zip(names, v, strict=True))
    )
    times = np.linspace(0, 10, 21)
    method = ph.methods.DormandPrince8(rtol=1e-12)
    motion = ph.simulate(system, start, until=10.0, samples=times, method=method)
    summed = ph.linearise(system).modes().superposition(p, v, times)
    assert_close(summed, motion.q, rtol=1e-8)


@pytest.mark.row("E-07")
def test_modes_are_orthogonal_and_of_mass_one():
    """phi_i M phi_j = 1 or 0, phi_i K phi_j = w_i^2 or 0; Rayleigh's quotient."""
    linear = ph.linearise(chain(4))
    modes, parts = linear.modes(), linear.parts
    phi = modes.shapes
    assert modes.is_symmetric
    assert_close(phi @ parts.mass @ phi.T, np.eye(4), rtol=1e-12)
    assert_close(
        phi @ parts.stiffness @ phi.T, np.diag(modes.frequencies**2), rtol=1e-12
    )
    assert_close(modes.participation.sum(axis=1), np.ones(4), rtol=1e-12)
    x = np.random.default_rng(1).normal(size=4)
    rayleigh = (x @ parts.stiffness @ x) / (x @ parts.mass @ x)
    low, high = modes.frequencies[[0, -1]] ** 2
    assert low < rayleigh < high
    assert_close(modes.hertz * 2 * np.pi, modes.frequencies, rtol=1e-14)


@pytest.mark.row("L-26")
def test_a_chain_of_beads_becomes_a_string():
    """The lowest frequency is sqrt(T/m)/(2 L) Hz, to pi^2/(24 (n+1)^2) of itself."""
    whole = np.sqrt(30.0 / 0.45) / (2 * 2.0)
    for n in (2, 5):
        short = 1 - ph.linearise(string(n)).modes().hertz[0] / whole
        assert_close(short, np.pi**2 / (24 * (n + 1) ** 2), rtol=0.02)


@pytest.mark.long
def test_the_double_pendulum_has_two_modes():
    """(K - w^2 M) for two rods: in step below, against each other above."""
    m1, l1, m2, l2, g = 1.0, 1.0, 0.7, 0.8, 9.81
    modes = ph.linearise(ph.models.double_pendulum()).modes()
    # In angles of each rod from the vertical, a textbook's M and K.
    M = np.array([
        [m1 * l1**2 / 3 + m2 * l1**2, m2 * l1 * l2 / 2],
        [m2 * l1 * l2 / 2, m2 * l2**2 / 3],
    ])  # fmt: skip
    K = np.diag([(m1 / 2 + m2) * g * l1, m2 * g * l2 / 2])
    squares = scipy.linalg.eigvalsh(K, M)
    assert_close(modes.frequencies**2, squares, rtol=1e-12)
    turn = np.cumsum(modes.shapes, axis=1)  # angles from the vertical
    assert turn[0, 0] * turn[0, 1] > 0 > turn[1, 0] * turn[1, 1]


@pytest.mark.long
def test_damped_modes_sum_up_too():
    """With dampers modes are complex; damping and the sum are right all the same."""
    world = ph.World()
    beads = [ph.Particle(f"m{j}", 1.0 + j) for j in range(2)]
    rails = [
        ph.Prismatic(f"x{j}", world.origin, bead.mass_centre, axis=ph.X)
        for j, bead in enumerate(beads)
    ]
    actions = [
        *(ph.JointSpring(rail, 9.0) for rail in rails),
        ph.JointDamper(rails[0], 0.7),
    ]
    modes = ph.linearise(ph.System(rails, actions, name="pair")).modes()
    assert not modes.is_symmetric
    assert_close(modes.frequencies, [np.sqrt(4.5), 3.0], rtol=1e-12)
    assert_close(modes.damping, [0.0, 0.7 / 6], atol=1e-13)
    t = np.linspace(0, 3, 7)
    w = np.sqrt(9 - 0.35**2)
    decay = np.exp(-0.35 * t) * (np.cos(w * t) + 0.35 / w * np.sin(w * t))
    found = modes.superposition([1.0, 0.0], [0.0, 0.0], t)
    assert_close(found[:, 0], decay, rtol=1e-12)
    assert "x0 100%" in repr(modes)


def test_modes_are_drawn():
    """A panel a mode, a bar a coordinate."""
    figure = ph.linearise(chain(4)).modes().plot().figure
    assert len(figure.axes) == 4
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert_close(max(heights), 1.0)


def test_modes_that_only_drift_do_not_hide_the_others():
    """Two blocks on one spring along a line: of two modes the one that swings."""
    left, right = (ph.Body(n, ph.solids.sphere(mass=1.0, radius=0.1)) for n in "ab")
    rail = ph.Prismatic("rail", ph.World().origin, left.origin, axis=ph.X)
    apart = ph.Prismatic("apart", left.origin, right.origin, axis=ph.X)
    system = ph.System([rail, apart], [ph.JointSpring(apart, 8.0)], name="pair")
    (panel,) = ph.linearise(system).modes().plot().figure.axes
    assert panel.get_title(loc="left") == "mode 2: 0.6366 Hz, damping 0"
