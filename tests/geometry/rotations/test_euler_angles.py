"""The twelve sequences of Euler angles: matrices, lock, and rates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from finite import derivative
from polhode.errors import StateError
from polhode.geometry.motion.angular_velocity import body_components, spatial_components
from polhode.geometry.rotations import axis_angle, euler_angles
from polhode.geometry.vector import skew
from strategies_rotation import (
    applied,
    generator,
    numbers,
    rotations,
    seeded_columns,
    seeded_path,
    sequences,
    transposed,
)

ALL = pytest.mark.parametrize("sequence", euler_angles.SEQUENCES)
EYE = np.eye(3)


def middle_of_lock(sequence: str) -> list[float]:
    """The middle angles at which a sequence locks."""
    proper = euler_angles.axes_of(sequence).proper
    return [0.0, np.pi] if proper else [np.pi / 2, -np.pi / 2]


def seeded_angles(sequence: str, count: int = 24) -> np.ndarray:
    """Angles on the principal branch, at least 0.1 from lock."""
    outer = generator(3).uniform(-np.pi, np.pi, (count, 3))
    proper = euler_angles.axes_of(sequence).proper
    low, high = (0.1, np.pi - 0.1) if proper else (0.1 - np.pi / 2, np.pi / 2 - 0.1)
    outer[:, 1] = generator(4).uniform(low, high, count)
    return outer


@pytest.mark.row("R-17")
@ALL
def test_matrix_is_three_turns_about_intermediate_axes(sequence):
    """R_i(α) R_j(β) R_k(γ) turns about e_i, then the new e_j, then the newest e_k."""
    axes = ["xyz".index(letter) for letter in sequence]
    for angles in seeded_angles(sequence):
        triad = np.eye(3)
        for axis, angle in zip(axes, angles, strict=True):
            triad = axis_angle.to_matrix(triad[:, axis], angle) @ triad
        assert_close(euler_angles.to_matrix(sequence, angles), triad, rtol=1e-14)


@pytest.mark.row("R-17")
@ALL
def test_angles_come_back_away_from_lock(sequence):
    """angles → R → angles and R → angles → R, on either branch."""
    angles = seeded_angles(sequence)
    matrix = euler_angles.to_matrix(sequence, angles)
    back = euler_angles.from_matrix(sequence, matrix)
    assert_close(back, angles, atol=1e-14)
    assert_close(euler_angles.to_matrix(sequence, back), matrix, rtol=1e-14)
    other = euler_angles.other_branch(sequence, angles)
    assert_close(euler_angles.to_matrix(sequence, other), matrix, rtol=1e-14)
    assert np.all(np.abs(other - angles).max(axis=1) > 0.1)


@given(sequences(), rotations())
def test_any_rotation_comes_back_from_its_angles(sequence, matrix):
    """R → angles → R to 1e-14 for every rotation, at lock and beside it as well."""
    angles = euler_angles.from_matrix(sequence, matrix)
    assert_close(euler_angles.to_matrix(sequence, angles), matrix, rtol=1e-14)


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9, 1e-11, 1e-13, 0.0])
@ALL
def test_near_lock_only_the_outer_angles_lose_digits(sequence, distance):
    """The matrix, the middle angle, and the sum or difference of the outer ones come
    back to 1e-14, each outer angle to 2e-15 / distance."""
    for middle in middle_of_lock(sequence):
        angles = np.array([0.7, middle + distance * (-1 if middle > 0 else 1), -1.1])
        matrix = euler_angles.to_matrix(sequence, angles)
        back = euler_angles.from_matrix(sequence, matrix)
        assert_close(euler_angles.to_matrix(sequence, back), matrix, rtol=1e-14)
        assert_close(back[1], angles[1], atol=1e-14)
        moved = euler_angles.lock_fibre(sequence, back, angles[2] - back[2])
        assert_close(moved[0], angles[0], atol=1e-14)
        if distance > 0:
            assert_close(back, angles, atol=2e-15 / distance)


@pytest.mark.row("R-18")
def test_the_zyx_matrix_written_out():
    """Its columns are x3, y3, z3 in basis 0, and it is Rz(ψ) Ry(θ) Rx(φ).

    The book prints its transpose, with two wrong entries: all three ways fail.
    """
    for psi, theta, phi in seeded_angles("zyx"):
        sps, cps, sth, cth = np.sin(psi), np.cos(psi), np.sin(theta), np.cos(theta)
        sph, cph = np.sin(phi), np.cos(phi)
        x3 = [cth * cps, cth * sps, -sth]
        y3 = [-cph * sps + sph * sth * cps, cph * cps + sph * sth * sps, sph * cth]
        z3 = [sph * sps + cph * sth * cps, -sph * cps + cph * sth * sps, cph * cth]
        columns = np.stack([x3, y3, z3], axis=1)
        R = euler_angles.to_matrix("zyx", np.array([psi, theta, phi]))
        assert_close(R, columns, rtol=1e-14)
        Rz, Ry, Rx = (
            euler_angles.elementary(axis, angle)
            for axis, angle in ((2, psi), (1, theta), (0, phi))
        )
        assert_close(R, Rz @ Ry @ Rx, rtol=1e-14)
        # ERR-003-05, -06, -07.
        printed_y3 = [y3[0], cph * cps + sph * sps, y3[2]]
        printed = np.array([x3, [y3[0], y3[1], -sph * cph], z3])
        assert np.max(np.abs(printed_y3 - R[:, 1])) > 1e-3
        assert np.max(np.abs(printed - R)) > 1e-3
        assert np.max(np.abs(printed - R.T)) > 1e-3


@pytest.mark.row("R-18")
@given(numbers(7.0))
def test_elementary_changes_of_basis_both_ways(angle):
    """About z: x1 = c x0 + s y0, y1 = -s x0 + c y0, and back x0 = c x1 - s y1."""
    c, s = np.cos(angle), np.sin(angle)
    for axis in range(3):
        x, y, z = EYE[(axis + 1) % 3], EYE[(axis + 2) % 3], EYE[axis]
        R = euler_angles.elementary(axis, np.float64(angle))
        assert_close(R @ x, c * x + s * y, rtol=1e-15)
        assert_close(R @ y, -s * x + c * y, rtol=1e-15)
        assert_close(R @ z, z)
        assert_close(R.T @ x, c * x - s * y, rtol=1e-15)
        assert_close(R.T @ y, s * x + c * y, rtol=1e-15)


@pytest.mark.row("R-19")
@ALL
def test_at_lock_a_family_of_angles_gives_one_rotation(sequence):
    """Along the fibre R stays; off it R moves; `regularity` is 0 on the lock."""
    for middle in middle_of_lock(sequence):
        angles = np.array([0.4, middle, -1.3])
        matrix = euler_angles.to_matrix(sequence, angles)
        assert euler_angles.regularity(sequence, angles) < 1e-15
        for shift in (-2.0, 0.3, 1.7):
            moved = euler_angles.lock_fibre(sequence, angles, shift)
            assert_close(euler_angles.to_matrix(sequence, moved), matrix, rtol=1e-12)
            off = moved * [0, 1, 1] + angles * [1, 0, 0]
            assert np.max(np.abs(euler_angles.to_matrix(sequence, off) - matrix)) > 0.1


@pytest.mark.row("R-19")
@pytest.mark.parametrize(("theta", "sign"), [(-np.pi / 2, 1), (np.pi / 2, -1)])
def test_zyx_lock_keeps_the_sum_or_the_difference(theta, sign):
    """θ = -π/2 depends on ψ + φ only, θ = +π/2 on ψ - φ only."""

    def at(psi, phi):
        return euler_angles.to_matrix("zyx", np.array([psi, theta, phi]))

    for psi, phi, shift in seeded_columns():
        assert_close(at(psi + shift, phi - sign * shift), at(psi, phi), rtol=1e-12)
        wrong = at(psi + shift, phi + sign * shift)
        assert np.max(np.abs(wrong - at(psi, phi))) > 1e-3 * abs(shift)


@pytest.mark.row("R-19")
@ALL
def test_determinant_of_the_euler_basis(sequence):
    """±cos β by the parity of the axes for Tait-Bryan, -sin β for proper sequences."""
    angles = generator(6).uniform(-7, 7, (30, 3))
    got = np.linalg.det(euler_angles.spatial_rate_matrix(sequence, angles))
    parity = np.linalg.det(EYE[["xyz".index(letter) for letter in sequence]])
    proper = parity == 0
    sine = -np.sin(angles[:, 1]) if proper else parity * np.cos(angles[:, 1])
    assert_close(got, sine, atol=1e-12)
    assert_close(euler_angles.lock_sine(sequence, angles), sine, atol=1e-15)


@pytest.mark.row("R-20")
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_elementary_angular_velocity(axis):
    """A turn about a shared axis has ω = ψ̇ e in both bases; others do not."""

    def turned(t):
        return euler_angles.elementary(axis, np.sin(t) + t**2)

    t = 0.6
    R, R_dot = turned(t), derivative(turned, t)
    expected = (np.cos(t) + 2 * t) * EYE[axis]
    assert_close(spatial_components(R, R_dot), expected, atol=1e-10)
    assert_close(body_components(R, R_dot), expected, atol=1e-10)
    angles, _ = seeded_path(count=1)
    path = euler_angles.to_matrix("zyx", angles(t))[0]
    change = derivative(lambda t: euler_angles.to_matrix("zyx", angles(t))[0], t)
    gap = spatial_components(path, change) - body_components(path, change)
    assert np.max(np.abs(gap)) > 0.05


@pytest.mark.row("R-21")
@ALL
def test_rate_matrices_give_angular_velocity_in_both_frames(sequence):
    """ω = S (α̇, β̇, γ̇) against Ṙ Rᵀ in frame 0 and Rᵀ Ṙ in frame 3."""
    path, rate = seeded_path()
    t = 0.5
    angles, rates = path(t), rate(t)
    R = euler_angles.to_matrix(sequence, angles)
    R_dot = derivative(lambda t: euler_angles.to_matrix(sequence, path(t)), t)
    spatial = applied(euler_angles.spatial_rate_matrix(sequence, angles), rates)
    body = applied(euler_angles.body_rate_matrix(sequence, angles), rates)
    assert_close(spatial, spatial_components(R, R_dot), rtol=1e-10)
    assert_close(body, body_components(R, R_dot), rtol=1e-10)


@pytest.mark.row("R-21")
def test_zyx_rates_written_out():
    """p = φ̇ - ψ̇ sin θ, q = θ̇ cos φ + ψ̇ cos θ sin φ, r = -θ̇ sin φ + ψ̇ cos θ cos φ."""
    for (psi, theta, phi), (psd, thd, phd) in zip(
        seeded_angles("zyx"), seeded_columns(), strict=True
    ):
        angles, rates = np.array([psi, theta, phi]), np.array([psd, thd, phd])
        body = [
            phd - psd * np.sin(theta),
            thd * np.cos(phi) + psd * np.cos(theta) * np.sin(phi),
            -thd * np.sin(phi) + psd * np.cos(theta) * np.cos(phi),
        ]
        ground = [
            -thd * np.sin(psi) + phd * np.cos(theta) * np.cos(psi),
            thd * np.cos(psi) + phd * np.cos(theta) * np.sin(psi),
            psd - phd * np.sin(theta),
        ]
        assert_close(euler_angles.body_rate_matrix("zyx", angles) @ rates, body)
        assert_close(euler_angles.spatial_rate_matrix("zyx", angles) @ rates, ground)


@pytest.mark.row("R-22")
@ALL
def test_inverse_rates_and_their_growth(sequence):
    """S S⁻¹ = 1 in both frames; the largest entry grows as 1/|sine of the lock|."""
    angles = seeded_angles(sequence)
    for direct, inverse in (
        (euler_angles.spatial_rate_matrix, euler_angles.spatial_rate_inverse),
        (euler_angles.body_rate_matrix, euler_angles.body_rate_inverse),
    ):
        product = direct(sequence, angles) @ inverse(sequence, angles)
        assert_close(product, np.broadcast_to(EYE, product.shape), rtol=1e-12)
        for middle in middle_of_lock(sequence):
            near = [np.array([0.3, middle + d, 0.8]) for d in (1e-3, 1e-4, 1e-5)]
            sizes = [np.linalg.norm(inverse(sequence, a), 2) for a in near]
            assert_close(np.divide(sizes[1:], sizes[:-1]), [10, 10], rtol=1e-3)


@pytest.mark.row("R-22")
def test_zyx_inverse_rates_written_out():
    """φ̇ = p + tan θ (q sin φ + r cos φ), θ̇ = q cos φ - r sin φ,
    ψ̇ = (q sin φ + r cos φ)/cos θ; the printed (1, 1) entry 1/cos θ fails."""
    for (psi, theta, phi), spin in zip(
        seeded_angles("zyx"), seeded_columns(), strict=True
    ):
        p, q, r = spin
        swing = q * np.sin(phi) + r * np.cos(phi)
        phd = p + np.tan(theta) * swing
        expected = [swing / np.cos(theta), q * np.cos(phi) - r * np.sin(phi), phd]
        angles = np.array([psi, theta, phi])
        got = euler_angles.body_rate_inverse("zyx", angles) @ spin
        assert_close(got, expected, rtol=1e-13)
        printed = p / np.cos(theta) + np.tan(theta) * swing
        assert abs(printed - phd) > 1e-3 * abs(p) * theta**2


@pytest.mark.row("R-22")
@ALL
def test_at_lock_the_kernel_gives_least_squares_rates(sequence):
    """At lock S⁻¹ is the pseudo-inverse: finite, and the smallest nearest rates."""
    for middle in middle_of_lock(sequence):
        angles = np.array([0.3, middle, -0.8])
        for direct, inverse in (
            (euler_angles.spatial_rate_matrix, euler_angles.spatial_rate_inverse),
            (euler_angles.body_rate_matrix, euler_angles.body_rate_inverse),
        ):
            wanted = np.linalg.pinv(direct(sequence, angles), rcond=1e-9)
            assert_close(inverse(sequence, angles), wanted, atol=1e-14)


@pytest.mark.row("R-23")
@ALL
def test_angle_increments_are_rotation_increments_to_first_order(sequence):
    """|R(q + e d) - R(q) (1 + e [S d])| falls fourfold when e is halved."""
    angles, step = seeded_angles(sequence)[0], np.array([0.5, -0.3, 0.8])
    R = euler_angles.to_matrix(sequence, angles)
    increment = euler_angles.body_rate_matrix(sequence, angles) @ step

    def gap(e):
        first_order = R @ (EYE + e * skew(increment))
        moved = euler_angles.to_matrix(sequence, angles + e * step)
        return np.linalg.norm(moved - first_order)

    for e in (1e-2, 5e-3, 2.5e-3):
        assert abs(gap(e) / gap(e / 2) - 4) < 0.2


@pytest.mark.row("R-23")
def test_about_zero_angles_increments_are_the_angles():
    """For all-different axes, δ = (dφ, dθ, dψ) by axis at zero angles."""
    for sequence in euler_angles.TAIT_BRYAN:
        S = euler_angles.body_rate_matrix(sequence, np.zeros(3))
        axes = ["xyz".index(letter) for letter in sequence]
        assert_close(S, EYE[:, axes])


@given(st.sampled_from(["xxz", "zyy", "abc", "zy", "ZYX", ""]))
def test_other_letters_are_no_sequence(sequence):
    """Repeated neighbours or unknown letters are refused, and the twelve are listed."""
    with pytest.raises(StateError, match=r"not a sequence of Euler angles") as caught:
        euler_angles.axes_of(sequence)
    assert "no two neighbours share an axis" in str(caught.value)
    assert "zyx" in str(caught.value)


@ALL
def test_batches_are_one_by_one(sequence):
    """A batch of angles gives the matrices, angles and rates of its members."""
    angles = seeded_angles(sequence, 3)
    matrix = euler_angles.to_matrix(sequence, angles)
    S = euler_angles.body_rate_matrix(sequence, angles)
    for k in range(3):
        assert_close(euler_angles.to_matrix(sequence, angles[k]), matrix[k], rtol=0)
        assert_close(euler_angles.body_rate_matrix(sequence, angles[k]), S[k], rtol=0)
    spatial = euler_angles.spatial_rate_matrix(sequence, angles)
    assert_close(transposed(matrix) @ spatial, S, rtol=1e-14)
