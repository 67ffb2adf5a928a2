"""The questions every parametrisation answers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

from closeness import assert_close
from finite import derivative
from polhode.errors import SingularParametrisation
from polhode.geometry.motion.angular_velocity import body_components, spatial_components
from polhode.geometry.rotations import parametrisation, quaternion, so3
from polhode.geometry.rotations.euler_angles import SEQUENCES
from polhode.geometry.rotations.parametrisation import (
    AXIS_ANGLE,
    EULER,
    FREEDOMS,
    MODIFIED_RODRIGUES,
    PARAMETRISATIONS,
    QUATERNION,
    RODRIGUES,
    ROTATION_VECTOR,
    THREE_PARAMETERS,
    convert,
)
from polhode.geometry.vector import alternator
from strategies_rotation import (
    applied,
    seeded_columns,
    seeded_path,
    seeded_rotations,
    transposed,
)

BY_NAME = {"ids": lambda chart: chart.name}
EYE = np.eye(3)
HALF_TURN_AXES = [*EYE, np.array([0.6, 0, 0.8]), np.array([2, -3, 6]) / 7]
HALF_TURNS = [2 * np.outer(n, n) - EYE for n in HALF_TURN_AXES]
QUARTERS = [so3.exp(np.pi / 2 * sign * n) for n in EYE for sign in (1, -1)]
SPECIAL = np.stack([EYE, *HALF_TURNS, *QUARTERS])


@pytest.mark.row("R-28")
@pytest.mark.parametrize("source", PARAMETRISATIONS, **BY_NAME)
def test_all_ordered_pairs_of_parametrisations_round_trip(source):
    """source → target → source gives the same R on 1000 rotations, for each target."""
    R = seeded_rotations(1000)
    start = source.from_matrix(R)
    for target in PARAMETRISATIONS:
        there = convert(start, source, target)
        assert there.shape == (1000, target.size)
        back = convert(there, target, source)
        assert_close(target.to_matrix(there), R, rtol=1e-12)
        assert_close(source.to_matrix(back), R, rtol=1e-12)


@pytest.mark.row("R-28")
@pytest.mark.parametrize("source", PARAMETRISATIONS, **BY_NAME)
def test_special_rotations_round_trip_too(source):
    """The identity, half turns and every lock convert; only a Rodrigues vector of a
    half turn is refused, because it is infinite."""
    finite = SPECIAL if source is not RODRIGUES else np.stack([EYE, *QUARTERS])
    for R in finite:
        start = source.from_matrix(R)
        half = np.trace(R) < -0.999
        for target in PARAMETRISATIONS:
            if target is RODRIGUES and half:
                with pytest.raises(SingularParametrisation):
                    convert(start, source, target)
                continue
            there = convert(start, source, target)
            assert_close(target.to_matrix(there), R, atol=1e-12)
            back = convert(there, target, source)
            assert_close(source.to_matrix(back), R, atol=1e-12)


@pytest.mark.row("R-29")
@pytest.mark.parametrize("chart", PARAMETRISATIONS, **BY_NAME)
def test_basis_is_the_axial_vector_of_each_derivative(chart):
    """g_i = -1/2 ε[∂R/∂γⁱ Rᵀ], and ω = γ̇ⁱ g_i along a motion."""
    R = seeded_rotations(seed=4)
    start = chart.from_matrix(R)
    basis = chart.basis(start)
    if chart.size == 3:
        for i in range(3):
            change = derivative(
                lambda e, i=i: chart.to_matrix(start + e * np.eye(3)[i]), 0.0
            )
            g = -alternator(change @ transposed(R)) / 2
            assert_close(basis[..., i], g, rtol=1e-9)
    path, _ = seeded_path(scale=0.3)
    start, t = np.array([1.2, -0.7, 0.9]), 0.2

    def moved(t):
        return so3.exp(path(t) + start)

    def parameters(t):
        """Continuous along the motion: q keeps its sign."""
        here = chart.from_matrix(moved(t))
        if chart is QUATERNION:
            here = quaternion.canonical(here)
        return here

    rates = derivative(parameters, t, step=1e-3)
    change = derivative(moved, t)
    omega = spatial_components(moved(t), change)
    got = parametrisation.angular_velocity(chart, parameters(t), rates)
    assert_close(got, omega, rtol=1e-8)
    body = parametrisation.body_angular_velocity(chart, parameters(t), rates)
    assert_close(body, body_components(moved(t), change), rtol=1e-8)
    back = parametrisation.rates(chart, parameters(t), omega)
    assert_close(back, rates, rtol=1e-8)
    back = parametrisation.rates_of_body(chart, parameters(t), body)
    assert_close(back, rates, rtol=1e-8)


@pytest.mark.row("R-29")
@pytest.mark.parametrize("chart", PARAMETRISATIONS, **BY_NAME)
def test_dual_basis_pairs_with_the_basis(chart):
    """gʲ · g_i = δ for three parameters; for four, g_j gʲ = 1 on all of space."""
    parameters = chart.from_matrix(seeded_rotations(seed=6))
    basis, dual = chart.basis(parameters), chart.dual_basis(parameters)
    size = np.max(np.abs(dual))
    assert_close(basis @ dual, np.broadcast_to(EYE, (24, 3, 3)), atol=1e-13 * size)
    if chart.size == 3:
        assert_close(dual @ basis, np.broadcast_to(EYE, (24, 3, 3)), atol=1e-13 * size)
    assert np.max(np.abs(basis)) > 0.1


LOCKS = [np.array([0.3, middle, 1.0]) for middle in (0.0, 1.0)]
SINGULAR = [
    *((chart, raw) for chart in EULER for raw in LOCKS),
    (ROTATION_VECTOR, np.array([0, 0, 2 * np.pi])),
    (RODRIGUES, np.array([0, 1e13, 0])),
    (MODIFIED_RODRIGUES, np.array([0, 1e7, 0])),
    (AXIS_ANGLE, np.array([0, 0, 1, 0.0])),
]


def singular_point(chart, raw):
    """Middle angle 1.0 stands for the lock of Tait-Bryan sequences."""
    if chart not in EULER:
        return raw
    proper = chart.name.split()[1][0] == chart.name.split()[1][2]
    if proper:
        return raw * [1, 0, 1] + [0, np.pi * (raw[1] > 0), 0]
    return raw * [1, 0, 1] + [0, np.pi / 2 * (1 if raw[1] > 0 else -1), 0]


@pytest.mark.row("R-29")
@pytest.mark.parametrize(
    ("chart", "raw"), SINGULAR, ids=[f"{c.name} {p}" for c, p in SINGULAR]
)
def test_rates_are_refused_where_singular(chart, raw):
    """The door names the parameters, says where they fail, and offers a way out; the
    kernel stays finite."""
    parameters = singular_point(chart, raw)
    for act in (
        lambda: parametrisation.dual_basis(chart, parameters),
        lambda: parametrisation.rates(chart, parameters, np.ones(3)),
        lambda: parametrisation.rates_of_body(chart, parameters, np.ones(3)),
    ):
        with pytest.raises(SingularParametrisation) as caught:
            act()
        text = str(caught.value)
        assert chart.name in text
        assert "have no unique rates here" in text
        assert f"The set is singular {chart.singular}" in text
        assert "quaternions are regular at every rotation" in text
        assert "Regularity (1 best, 0 singular)" in text
    assert np.all(np.isfinite(chart.dual_basis(parameters)))


@pytest.mark.row("R-22")
@pytest.mark.parametrize("chart", EULER, **BY_NAME)
def test_condition_number_grows_to_the_lock(chart):
    """The condition is 1 in the middle of the range and grows as 2/distance."""
    proper = "middle angle of 0" in chart.singular
    far, lock = (np.pi / 2, 0.0) if proper else (0.0, np.pi / 2)
    assert_close(parametrisation.condition(chart, np.array([0.2, far, 1.0])), 1.0)
    near = [
        parametrisation.condition(chart, np.array([0.2, lock + d, 1.0]))
        for d in (1e-2, 1e-3, 1e-4)
    ]
    assert_close(np.divide(near[1:], near[:-1]), [10, 10], rtol=1e-2)
    assert_close(near[2], 2e4, rtol=1e-3)


@pytest.mark.row("R-33")
@pytest.mark.parametrize("chart", THREE_PARAMETERS, **BY_NAME)
def test_every_set_of_three_is_singular_somewhere(chart):
    """A search for the least volume of the basis finds zero, at the stated place."""

    def volume(parameters):
        return abs(np.linalg.det(chart.basis(parameters)))

    best = min(
        (
            scipy.optimize.minimize(
                volume, start, method="Nelder-Mead", options={"xatol": 1e-12}
            )
            for start in np.array([[5.0, 1.2, 2.4], [1.2, 6.0, -2.0], [3, 3, 3]])
        ),
        key=lambda found: found.fun,
    )
    assert best.fun < 1e-9
    assert chart.regularity(best.x) < 1e-4
    assert chart.singular != "nowhere"


@pytest.mark.row("R-33")
def test_quaternions_are_regular_and_double():
    """Everywhere the basis of q has rank 3 with all stretches 2; q and -q are one."""
    q = quaternion.normalised(seeded_columns(1000, 4))
    stretches = np.linalg.svd(QUATERNION.basis(q), compute_uv=False)
    assert_close(stretches, np.full((1000, 3), 2.0), rtol=1e-14)
    assert_close(QUATERNION.regularity(q), np.ones(1000), rtol=1e-15)
    assert_close(QUATERNION.to_matrix(-q), QUATERNION.to_matrix(q), rtol=0)


@pytest.mark.row("R-33")
def test_the_safest_parametrisation_is_regular():
    """Of two sequences that lock at different places, the better one is picked."""
    zyx, zxz = (EULER[SEQUENCES.index(s)] for s in ("zyx", "zxz"))
    assert parametrisation.safest(EYE, [zyx, zxz]) is zyx
    locked = zyx.to_matrix(np.array([0.4, np.pi / 2, 0.3]))
    assert parametrisation.safest(locked, [zyx, zxz]) is zxz
    for R in seeded_rotations(200):
        chart = parametrisation.safest(R, [zyx, zxz])
        assert chart.regularity(chart.from_matrix(R)) > 0.5


def pivot_reaction(chart, R, spin, multiplier):
    """The force of the pivot on a heavy body, by way of parameters of its orientation.

    The potential is that of the weight plus `multiplier` (γ·γ - 1), as if the length of
    the parameters were held by a force.
    """
    mass, gravity, c = 2.0, np.array([0, 0, -9.81]), np.array([0.1, -0.2, 0.4])
    gamma = chart.from_matrix(R)

    def potential(g):
        return multiplier * (g @ g - 1) - mass * gravity @ (chart.to_matrix(g) @ c)

    slopes = [
        derivative(lambda e, unit=unit: potential(gamma + e * unit), 0.0)
        for unit in np.eye(chart.size)
    ]
    moment = -parametrisation.dual_basis(chart, gamma).T @ np.array(slopes)
    inertia = R @ np.diag([0.5, 0.7, 0.6]) @ R.T
    alpha = np.linalg.solve(inertia, moment - np.cross(spin, inertia @ spin))
    arm = R @ c
    a = np.cross(alpha, arm) + np.cross(spin, np.cross(spin, arm))
    return mass * (a - gravity)


@pytest.mark.row("R-32")
def test_normalisation_is_no_constraint_on_the_motion():
    """Quaternion and Euler models of one pivoted body have 3 freedoms and the same
    reaction; a force that holds |q| = 1, of any size, does nothing."""
    zxz = EULER[SEQUENCES.index("zxz")]
    for R, spin in zip(seeded_rotations(), seeded_columns(), strict=True):
        for chart in (zxz, QUATERNION):
            rank = np.linalg.matrix_rank(chart.basis(chart.from_matrix(R)))
            assert rank == FREEDOMS == 3
        expected = pivot_reaction(zxz, R, spin, 0.0)
        for multiplier in (0.0, 37.0):
            got = pivot_reaction(QUATERNION, R, spin, multiplier)
            assert_close(got, expected, rtol=1e-9)


def test_parametrisations_read_well():
    """repr gives the name and where the set is singular."""
    assert repr(QUATERNION).startswith("Parametrisation('the quaternion components")
    assert "at half turns" in repr(RODRIGUES)


def test_rates_of_a_batch_are_those_of_its_members():
    """Batches run through every verb."""
    R = seeded_rotations(5)
    spin = seeded_columns(5)
    for chart in PARAMETRISATIONS:
        parameters = chart.from_matrix(R)
        rates = parametrisation.rates(chart, parameters, spin)
        assert_close(applied(chart.basis(parameters), rates), spin, rtol=1e-12)
