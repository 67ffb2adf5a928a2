"""Laws of potentials of relative poses: invariance, rates, forces, the third law."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.actions.action import power_of, third_law_residual
from polhode.actions.force_elements.spring import Spring
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, power
from polhode.actions.potentials.invariant import (
    Slopes,
    constrained_wrenches,
    rate_of_invariant,
    relative,
    superposed,
    turned_to_observer,
    with_reaction,
)
from polhode.actions.potentials.potential import ForceFunction, Potential
from polhode.actions.potentials.raw_potential import RawPotential
from polhode.errors import ForceError, ModelError
from polhode.files.expression import Formula
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import cross
from strategies_actions import (
    generators,
    moved,
    random_poses,
    random_rotation,
    random_twists,
)

PIVOT, SECOND, THIRD = Frame("pivot"), Frame("second"), Frame("third")


A = np.array([[1.0, 0.3, -0.2], [0.1, 2.0, 0.4], [0.7, -0.5, 1.5]])


def uneven(b, c, k):
    """No symmetry at all: all places and rotations enter, mixed."""
    lean = b.rotation @ jnp.asarray(A) @ c.rotation.T
    pull = jnp.sin(b.position @ c.position) + k * b.position @ lean @ c.position
    return pull + jnp.trace(lean @ jnp.asarray(A)) + c.position[0] ** 2


THREE = Potential((PIVOT, SECOND, THIRD), uneven, {"k": 0.7}, name="uneven")


SAME = [THREE, THREE.with_pivot(SECOND), THREE.with_pivot(THIRD)]


def random_motion(rng):
    turn = Poses(random_rotation(rng), rng.normal(size=3))
    return turn, Twists(rng.normal(size=3), rng.normal(size=3))


@pytest.mark.row("P-07", "P-13", "P-14")
@given(generators)
def test_functions_of_relative_poses_are_invariant(rng):
    """y and Y, hence any V(y, Y), are the same before two observers in relative motion.

    The same functional form, evaluated by either observer, gives one value: material
    frame-indifference.
    """
    poses, twists = random_poses(rng, 3), random_twists(rng, 3)
    turn, rate = random_motion(rng)
    other, _ = superposed(poses, twists, turn, rate)
    assert_close(relative(other).origins, relative(poses).origins, atol=1e-14)
    assert_close(relative(other).rotations, relative(poses).rotations, atol=1e-14)
    assert_close(THREE.energy(other), THREE.energy(poses), rtol=1e-12, atol=1e-13)


@pytest.mark.row("P-08")
@given(generators)
def test_any_pivot_will_do(rng):
    """Written relative to another body: the same value, the same wrenches."""
    poses, twists = random_poses(rng, 3), random_twists(rng, 3)
    forces = {}
    for potential in SAME:
        order = [THREE.bodies.index(body) for body in potential.bodies]
        seen = Poses(poses.rotations[order], poses.origins[order])
        assert_close(
            potential.energy(seen), THREE.energy(poses), rtol=1e-12, atol=1e-13
        )
        torques, pushes = potential.wrenches(seen, twists)
        back = np.argsort(order)
        forces[potential] = np.stack([torques[back], pushes[back]])
    for potential in SAME[1:]:
        assert_close(forces[potential], forces[THREE], rtol=1e-12, atol=1e-12)


@pytest.mark.row("P-09")
@given(generators)
def test_rate_of_an_invariant_function(rng):
    """dV/dt by the corrected formula; with the printed + before the moment it fails."""
    poses, twists = random_poses(rng, 3), random_twists(rng, 3)
    slopes = THREE.slopes(poses)
    rate = rate_of_invariant(poses, twists, slopes)
    exact = derivative(lambda h: THREE.energy(moved(poses, twists, h)), 0.0, 0.02)
    assert_close(rate, exact, rtol=1e-7, atol=1e-7)
    f = turned_to_observer(poses, slopes).by_position
    arms = poses.origins[1:] - poses.origins[0]
    moment = (cross(arms, f) @ twists.angular[0]).sum()
    printed = rate + 2 * moment
    assert abs(printed - exact) > 1e-4 * abs(moment)
    assert_close(printed - exact, 2 * moment, rtol=1e-5, atol=1e-6)


@pytest.mark.row("P-10")
@given(generators)
def test_slopes_in_the_pivot_frame_are_invariant_too(rng):
    """V_y and v_Y, and dV/dt, do not change under a superposed rigid motion."""
    poses, twists = random_poses(rng, 3), random_twists(rng, 3)
    turn, rate = random_motion(rng)
    other, speeds = superposed(poses, twists, turn, rate)
    before, after = THREE.slopes(poses), THREE.slopes(other)
    assert_close(after.by_position, before.by_position, rtol=1e-12, atol=1e-12)
    assert_close(after.by_rotation, before.by_rotation, rtol=1e-12, atol=1e-12)
    assert_close(
        rate_of_invariant(other, speeds, after),
        rate_of_invariant(poses, twists, before),
        rtol=1e-11,
        atol=1e-11,
    )


BODY_AND_PARTICLE = Potential(
    (PIVOT, SECOND),
    lambda b: b.position[0] ** 2 * b.position[1] + jnp.cos(b.position[2]),
    name="body and particle",
)


@pytest.mark.row("P-11")
@given(generators)
def test_a_particle_feels_no_moment_and_the_body_all_of_it(rng):
    """V(Q_1^T (x_2 - x_1)): no moment on the particle, (x_2 - x_1) x F on the body."""
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)
    torques, forces = BODY_AND_PARTICLE.wrenches(poses, twists)
    assert_close(torques[1], np.zeros(3), atol=1e-15)
    arm = poses.origins[1] - poses.origins[0]
    assert_close(torques[0], -cross(arm, forces[1]), atol=1e-13)
    assert_close(forces[0], -forces[1])
    assert max(third_law_residual(BODY_AND_PARTICLE, poses, twists)) < 1e-14


@pytest.mark.row("P-24")
@pytest.mark.parametrize("potential", [*SAME, BODY_AND_PARTICLE])
def test_power_is_the_loss_of_energy(potential):
    """dV/dt = -sum F.v - sum M.w in random motions."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        count = len(potential.bodies)
        poses, twists = random_poses(rng, count), random_twists(rng, count)
        gain = derivative(
            lambda h, p=poses, v=twists: potential.energy(moved(p, v, h)), 0.0, 0.02
        )
        size = np.max(np.abs(potential.wrenches(poses, twists).forces))
        given_up = -power_of(potential, poses, twists)
        assert_close(given_up, gain, rtol=1e-7, atol=1e-7 * size)


def random_rows(rng, poses, count):
    """K invariant constraint rows on the bodies after the pivot, and on all bodies."""
    shape = (count, len(poses.origins) - 1, 3)
    rows = Wrenches(rng.normal(size=shape), rng.normal(size=shape))
    closed = [with_reaction(poses, Wrenches(g, f)) for g, f in zip(*rows, strict=True)]
    return rows, closed


def compatible(rng, closed, bodies):
    """A motion that the constraints let through."""
    full = rng.normal(size=6 * bodies)
    if closed:
        J = np.stack(
            [np.concatenate([np.ravel(r.torques), np.ravel(r.forces)]) for r in closed]
        )
        full = full - np.linalg.pinv(J) @ (J @ full)
    return Twists(*full.reshape(2, bodies, 3))


@pytest.mark.row("P-25", "P-26")
@pytest.mark.parametrize("count", [0, 1, 2, 3])
@given(generators)
def test_energy_balances_with_constraint_terms(count, rng):
    """With K constraints any mu gives the same power in the motions they let through.

    Summed as printed, over J outside the potential terms, the pivot's moment has the
    potential part K times and the balance fails for K > 1.
    """
    poses = random_poses(rng, 3)
    rows, closed = random_rows(rng, poses, count)
    twists, mu = compatible(rng, closed, 3), rng.normal(size=count)
    slopes = THREE.slopes(poses)
    wrenches = constrained_wrenches(poses, slopes, rows, mu)
    rate = rate_of_invariant(poses, twists, slopes)
    size = np.max(np.abs(wrenches.torques)) + np.max(np.abs(wrenches.forces))
    assert_close(power(wrenches, twists), -rate, atol=1e-12 * size)
    f, g = turned_to_observer(poses, slopes)
    arms = poses.origins[1:] - poses.origins[0]
    potential_part = (cross(arms, f) + g).sum(0)
    printed = wrenches.torques.copy()
    printed[0] += (count - 1) * potential_part
    off = power(Wrenches(printed, wrenches.forces), twists) + rate
    expected = (count - 1) * potential_part @ twists.angular[0]
    assert_close(off, expected, atol=1e-11 * size)
    if count != 1:
        assert abs(off) > 1e-6 * abs(potential_part @ twists.angular[0])


@pytest.mark.row("P-26")
@given(generators)
def test_the_motion_does_not_depend_on_mu(rng):
    """Accelerations of constrained masses are the same for any mu; lambda takes -mu.

    Two unit-inertia bodies with K = 2 rows J: a = F + J^T lambda, J a = gamma.
    """
    poses = random_poses(rng, 3)
    rows, closed = random_rows(rng, poses, 2)
    J = np.stack(
        [np.concatenate([np.ravel(r.torques), np.ravel(r.forces)]) for r in closed]
    )
    gamma, mu = rng.normal(size=2), rng.normal(size=2)
    slopes = THREE.slopes(poses)

    def solved(multipliers):
        w = constrained_wrenches(poses, slopes, rows, multipliers)
        F = np.concatenate([np.ravel(w.torques), np.ravel(w.forces)])
        lam = np.linalg.solve(J @ J.T, gamma - J @ F)
        return F + J.T @ lam, lam

    plain, lam = solved(np.zeros(2))
    shifted, lam_mu = solved(mu)
    assert_close(shifted, plain, rtol=1e-10)
    assert_close(lam_mu - lam, -mu, rtol=1e-9)


@pytest.mark.row("P-27")
@given(generators)
def test_generalised_third_law_for_potentials_and_reactions(rng):
    """F_p = -sum F_D, M_p = -sum((x_D - x_p) x F_D + M_D), any pivot, both kinds."""
    poses, twists = random_poses(rng, 3), random_twists(rng, 3)
    _, closed = random_rows(rng, poses, 2)
    lam = rng.normal(size=2)
    reaction = Wrenches(
        sum(s * r.torques for s, r in zip(lam, closed, strict=True)),
        sum(s * r.forces for s, r in zip(lam, closed, strict=True)),
    )
    for torques, forces in (THREE.wrenches(poses, twists), reaction):
        for p in range(3):
            others = [k for k in range(3) if k != p]
            arms = poses.origins[others] - poses.origins[p]
            moment = -(cross(arms, forces[others]) + torques[others]).sum(0)
            size = np.max(np.abs(torques)) + np.max(np.abs(forces))
            assert_close(forces[p], -forces[others].sum(0), atol=1e-13 * size)
            assert_close(torques[p], moment, atol=1e-12 * size)
    # As printed once, F_q = -sum F_p: a reaction read as the opposite of an action.
    potential = THREE.wrenches(poses, twists)
    assert np.max(np.abs(reaction.forces[0] + potential.forces[1:].sum(0))) > 1e-6


@pytest.mark.row("CV-04")
@given(generators)
def test_force_function_and_potential_energy_differ_by_sign_only(rng):
    """The same spring by V = k d^2/2 and by U = -k d^2/2, and as a Spring."""
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)
    expected = SPRING.wrenches(poses, twists)
    for potential in (BY_ENERGY, BY_FUNCTION, THERE_AND_BACK):
        torques, forces = potential.wrenches(poses, twists)
        assert_close(forces, expected.forces, rtol=1e-12, atol=1e-13)
        assert_close(torques, expected.torques, rtol=1e-12, atol=1e-12)


SPRING = Spring(Point(PIVOT, [0.1, 0.2, 0.3]), Point.origin(SECOND), 4.0)


HOOK = np.array([0.1, 0.2, 0.3])


BY_ENERGY = Potential(
    (PIVOT, SECOND),
    lambda b: 2.0 * (b.position - HOOK) @ (b.position - HOOK),
)


BY_FUNCTION = ForceFunction(
    (PIVOT, SECOND),
    lambda b: -2.0 * (b.position - HOOK) @ (b.position - HOOK),
).potential()


THERE_AND_BACK = ForceFunction.of(BY_ENERGY).potential()


def test_parameters_of_a_potential_can_vary():
    """The constants of a law are named after it, and a table overrides them."""
    assert [p.name for p in THREE.parameters] == ["uneven.k"]
    rng = np.random.default_rng(5)
    poses = random_poses(rng, 3)
    values = [float(THREE.energy(poses, 0.0, {"uneven.k": k})) for k in (0.0, 1.0, 2.0)]
    assert_close(values[2] - values[1], values[1] - values[0])
    assert abs(values[1] - values[0]) > 1e-3


@pytest.mark.parametrize("bodies", [(PIVOT,), (PIVOT, PIVOT)])
def test_a_potential_needs_two_bodies(bodies):
    """An energy of one body alone is refused: something that acts is missing."""
    with pytest.raises(ModelError, match=r"'alone' cannot act .*'pivot'"):
        Potential(bodies, lambda b: 0.0, name="alone")


def test_slopes_are_vectors_of_the_pivot_frame():
    """For V = a.y + b.(Y c) the slopes are a and (Y c) x b."""
    a, b, c = np.arange(9.0).reshape(3, 3) - 2
    potential = Potential(
        (PIVOT, SECOND), lambda s: a @ s.position + b @ (s.rotation @ c)
    )
    poses = random_poses(np.random.default_rng(1), 2)
    Y = relative(poses).rotations[0]
    slopes = potential.slopes(poses)
    assert isinstance(slopes, Slopes)
    assert_close(slopes.by_position[0], a, atol=1e-14)
    assert_close(slopes.by_rotation[0], cross(Y @ c, b), rtol=1e-13)


def test_a_potential_names_its_bodies():
    """repr tells the name and the bodies."""
    assert repr(THREE) == "Potential('uneven' of 'pivot', 'second', 'third')"


WRONG_LAWS = {
    "vector": (lambda b: b.position, r"shape \(3,\)"),
    "float": (lambda b: float(b.position[0]), "gave no energy"),
    "branch": (lambda b: 1.0 if b.position[0] > 0 else 2.0, "gave no energy"),
    "arguments": (lambda b, c: b.position @ c.position, "gave no energy"),
    "nothing": (lambda b: None, "gave no energy"),
    "complex": (lambda b: 1j * b.position[0], "a complex number"),
}


@pytest.mark.parametrize("kind", WRONG_LAWS)
@pytest.mark.parametrize("raw", [False, True])
def test_a_law_that_gives_no_energy_is_refused_by_name(kind, raw):
    """Vectors, float(), branches and wrong arguments: the potential is named."""
    law, said = WRONG_LAWS[kind]
    one, two = Frame("one"), Frame("two")
    made = (
        RawPotential((one,), lambda *a: law(*a[:-1]), name="mine")
        if raw
        else Potential((one, two), law, name="mine")
    )
    count = 1 if raw else 2
    poses = Poses(np.stack([np.eye(3)] * count), np.ones((count, 3)))
    twists = Twists(np.zeros((count, 3)), np.zeros((count, 3)))
    for ask in (lambda: made.energy(poses), lambda: made.wrenches(poses, twists)):
        with pytest.raises(ForceError, match=f"'mine'.*{said}|'mine' {said}"):
            ask()


def test_an_energy_that_is_a_whole_number_is_an_energy():
    """A constant law pushes nothing."""
    made = Potential((Frame("one"), Frame("two")), lambda b: 3)
    poses = Poses(np.stack([np.eye(3)] * 2), np.ones((2, 3)))
    assert made.energy(poses) == 3.0
    at_rest = Twists(np.zeros((2, 3)), np.zeros((2, 3)))
    assert not np.any(made.wrenches(poses, at_rest).forces)


def test_a_formula_is_the_function_that_it_says():
    """The same energy and the same forces, of a place and of a turn beside it."""
    c = {"k": 3.0}
    place = Formula("k * (x ** 2 + 2 * y ** 2) / 2", ("x", "y", "z"), constants=c)
    turn = Formula("k * R_23 * z", Potential.PLACEMENT, constants=c)
    poses = random_poses(np.random.default_rng(3), 2)
    for formula, law in (
        (place, lambda b, k: k * (b.position[0] ** 2 + 2 * b.position[1] ** 2) / 2),
        (turn, lambda b, k: k * b.rotation[1, 2] * b.position[2]),
    ):
        one = Potential((PIVOT, SECOND), formula)
        two = Potential((PIVOT, SECOND), law, {"k": 3.0})
        assert [p.name for p in one.parameters] == ["potential.k"]
        assert_close(one.energy(poses), two.energy(poses), rtol=1e-14)
        still = Twists(np.zeros((2, 3)), np.zeros((2, 3)))
        for a, b in zip(
            one.wrenches(poses, still), two.wrenches(poses, still), strict=True
        ):
            assert_close(a, b, rtol=1e-13, atol=1e-14)
        force = ForceFunction.of(one).potential()
        assert_close(force.energy(poses), two.energy(poses), rtol=1e-14)
    with pytest.raises(ForceError, match="is of x, and of 2 bodies"):
        Potential((PIVOT, SECOND), Formula("x", ("x",)))
    with pytest.raises(ForceError, match="and of 3 bodies"):
        Potential((PIVOT, SECOND, THIRD), place)
