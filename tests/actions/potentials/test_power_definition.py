"""Forces of energies that depend on time, by power and by virtual work."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, power
from polhode.actions.potentials.power_definition import (
    AffineRows,
    require_independent_of_velocity,
)
from polhode.actions.potentials.raw_potential import RawPotential
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.rotations import so3
from strategies_geometry import generators

DRAWS = [np.random.default_rng(seed) for seed in range(4)]
ONE, TWO = Frame("one"), Frame("two")


def law(a, b, t):
    """Neither invariant nor steady: places, turns and time all mixed."""
    pull = jnp.sin(t) * a.position @ a.rotation @ b.position
    return pull + (2 + t) * b.rotation[0, 1] * a.position[2] + t**2 * a.rotation[1, 2]


SWAYING = RawPotential((ONE, TWO), law, name="swaying")
STEADY = RawPotential((ONE, TWO), lambda a, b, t: law(a, b, 1.0), name="steady")


def drawn(rng, count=3):
    """Poses of two bodies, and affine rows on them."""
    poses = Poses(so3.exp(rng.normal(size=(2, 3))), rng.normal(size=(2, 3)))
    a, b = rng.normal(size=(2, count, 2, 3))
    return poses, AffineRows(a, b, rng.normal(size=count))


def allowed(rng, rows, inhomogeneous=True):
    """A random velocity [v, w] (2, 6) that keeps the rows."""
    A = np.concatenate([rows.forces, rows.torques], axis=-1).reshape(-1, 12)
    V = rng.normal(size=12)
    missed = A @ V + inhomogeneous * np.asarray(rows.constants)
    return (V - np.linalg.pinv(A) @ missed).reshape(2, 6)


def moved(poses, V, s):
    """The poses a time s later, moving with [v, w]."""
    return Poses(so3.exp(s * V[:, 3:]) @ poses.rotations, poses.origins + s * V[:, :3])


def powers(wrenches, V):
    return float(np.sum(wrenches.forces * V[:, :3] + wrenches.torques * V[:, 3:]))


@pytest.mark.row("P-39")
@given(generators, st.integers(1, 6))
def test_one_equation_for_many_multipliers_has_three_classes(rng, count):
    """f = sum l_J g_J: none, one bound by the others, all free; and no solution else.

    In the middle class l_1 = (f - sum_{J>1} l_J g_J)/g_1.
    """
    f, g = rng.normal(), rng.normal(size=count)
    nothing = np.zeros(count)
    bound = ph.theory.multiplier_family(f, g)
    assert bound.kind == "one"
    l = bound.member(rng.normal(size=count - 1))
    assert_close(l @ g, f, rtol=1e-9, atol=1e-9)
    first = int(np.argmax(np.abs(g)))
    rest = np.delete(l * g, first).sum()
    assert_close(l[first], (f - rest) / g[first], rtol=1e-9, atol=1e-12)
    # Every solution is in the family.
    other = l + np.linalg.qr(g[:, None], mode="complete")[0][:, 1:] @ rng.normal(
        size=count - 1
    )
    inside = bound.free @ np.linalg.lstsq(bound.free, other - bound.particular)[0]
    assert_close(inside, other - bound.particular, rtol=1e-8, atol=1e-10)
    assert ph.theory.multiplier_family(f, nothing).kind == "none"
    free = ph.theory.multiplier_family(0.0, nothing)
    assert free.kind == "all"
    assert np.linalg.matrix_rank(free.free) == count
    homogeneous = ph.theory.multiplier_family(0.0, g)
    assert abs(homogeneous.member(rng.normal(size=count - 1)) @ g) < 1e-9


@pytest.mark.row("P-39", "P-21")
@given(generators)
def test_no_power_in_all_allowed_motions_is_a_multiple_of_the_rows(rng):
    """sum F.v + M.w = 0 for all v, w that keep the rows, exactly if (F, M) = l (a, b).

    The converse of the normality of reactions: what is not such a multiple has power.
    """
    _, rows = drawn(rng)
    A = np.concatenate([rows.forces, rows.torques], axis=-1).reshape(-1, 12)
    l = rng.normal(size=3)
    held = (A.T @ l).reshape(2, 6)
    other = (A.T @ l + rng.normal(size=12)).reshape(2, 6)
    found = np.linalg.lstsq(A.T, held.ravel())[0]
    assert_close(found, l, rtol=1e-7, atol=1e-9)
    seen = []
    for _ in range(20):
        V = allowed(rng, rows, inhomogeneous=False)
        size = np.linalg.norm(V) * np.linalg.norm(held)
        assert abs(np.sum(held * V)) < 1e-10 * size
        seen.append(abs(np.sum(other * V)) / size)
    assert max(seen) > 1e-6


@pytest.mark.row("P-31", "P-33", "P-39")
@pytest.mark.parametrize("rng", DRAWS)
def test_the_power_of_the_forces_is_the_loss_of_the_energy(rng):
    """dW/dt = -P in all motions that the moving constraints allow, for all mu.

    F = -dW/dx + sum mu a, M = -w_Q + sum mu b with sum mu c = dW/dt. The rate of W is
    by differences along the motion. Without the mu terms it fails.
    """
    poses, rows = drawn(rng)
    t = 0.7
    found = ph.theory.forces_by_power(SWAYING, poses, t, rows)
    assert found.family.kind == "one"
    for _ in range(3):
        V = allowed(rng, rows)
        rate = derivative(lambda s, V=V: SWAYING.energy(moved(poses, V, s), t + s), 0.0)
        given = powers(found.member(rng.normal(size=2)), V)
        close = {"rtol": 1e-7, "atol": 1e-7 * (1 + np.linalg.norm(V))}
        assert_close(-given, rate, **close)
        explicit = float(SWAYING.slopes(poses, t).by_time)
        bare = powers(found.wrenches, V)
        assert_close(rate + bare, explicit, **close)


@pytest.mark.row("P-32")
def test_the_exceptional_case_is_explained():
    """dW/dt != 0 and all c = 0: no forces have that power; virtual work has an answer.

    If the energy is steady, too, every multiplier serves.
    """
    poses, rows = drawn(np.random.default_rng(3))
    still = rows._replace(constants=np.zeros(3))
    with pytest.raises(ModelError, match=r"power of 'swaying' defines no forces") as no:
        ph.theory.forces_by_power(SWAYING, poses, 0.7, still)
    assert "forces_by_virtual_work" in str(no.value)
    assert "ph.theory.prescribed" in str(no.value)
    assert ph.theory.forces_by_power(STEADY, poses, 0.7, still).family.kind == "all"
    fallback = ph.theory.forces_by_virtual_work(SWAYING, poses, 0.7)
    assert np.linalg.norm(fallback.forces) > 0.1


@pytest.mark.row("P-33")
@pytest.mark.parametrize("rng", DRAWS)
def test_virtual_work_gives_the_same_forces_in_every_case(rng):
    """sum (dW/dx + F).dx + sum (w_Q + M).dtheta = 0 at frozen time, whatever dW/dt, c.

    With the constraint reactions F_c in place of F, as printed, it is not zero.
    """
    poses, rows = drawn(rng)
    for potential in (SWAYING, STEADY):
        found = ph.theory.forces_by_virtual_work(potential, poses, 0.7)
        expected = potential.wrenches(poses, None, 0.7)
        assert_close(found.forces, expected.forces, rtol=1e-10, atol=1e-12)
        assert_close(found.torques, expected.torques, rtol=1e-10, atol=1e-12)
    mu = rng.normal(size=3)
    full = Wrenches(
        found.torques + np.tensordot(mu, rows.torques, 1),
        found.forces + np.tensordot(mu, rows.forces, 1),
    )
    reaction = Wrenches(
        np.tensordot(mu, rows.torques, 1), np.tensordot(mu, rows.forces, 1)
    )
    for _ in range(3):
        d = allowed(rng, rows, inhomogeneous=False)
        varied = derivative(lambda s, d=d: STEADY.energy(moved(poses, d, s), 0.7), 0.0)
        limit = 1e-7 * (1 + np.linalg.norm(d))
        assert abs(varied + powers(full, d)) < limit
        if abs(varied) > 1e-3:
            assert abs(varied + powers(reaction, d)) > limit


@pytest.mark.row("P-40")
def test_forces_of_an_energy_do_not_depend_on_velocities():
    """A damper and a magnet's pull are refused as potentials; energies' forces pass.

    A force across the velocity has no power, so that power would not determine it: two
    different forces balance the same energy.
    """
    require_independent_of_velocity(SWAYING)
    body, world = ph.Particle("body", 1.0), ph.World()
    spring = ph.Spring(body.mass_centre, world.point(1, 0, 0), 3.0, 0.2)
    require_independent_of_velocity(spring)
    damper = ph.Damper(body.mass_centre, world.point(1, 0, 0), 0.4, name="damper")
    with pytest.raises(ModelError, match="'damper' has no potential energy"):
        require_independent_of_velocity(damper)

    class Magnet:
        name = "magnet"
        bodies = (ONE,)

        def wrenches(self, poses, twists, t=0.0, table=None):
            force = np.cross(twists.linear, [0.0, 0.0, 2.0])
            return Wrenches(0.0 * force, force)

    with pytest.raises(ModelError, match="'magnet' has no potential energy"):
        require_independent_of_velocity(Magnet())
    rng = np.random.default_rng(1)
    moving = Twists(np.zeros((1, 3)), rng.normal(size=(1, 3)))
    poses = Poses(np.eye(3)[None], np.zeros((1, 3)))
    pull = Magnet().wrenches(poses, moving)
    assert np.linalg.norm(pull.forces) > 0.1
    assert abs(power(pull, moving)) < 1e-15
