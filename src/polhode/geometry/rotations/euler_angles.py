"""The twelve sequences of three turns: Euler's (zxz, ...), Tait and Bryan's (zyx, ...).

    R = R_i(α) R_j(β) R_k(γ)        turn about i, then the new j, then the newest k

The turns are about the axes of the moving frame, in the order in which the sequence
names them; the three angles are always in that order too, in matrices and in rates.

    frame 0 --α about i--> frame 1 --β about j--> frame 2 --γ about k--> frame 3

Six sequences end on their first axis (i = k, "proper"), six use all three. The outer
axes are parallel, the set is locked, where sin β = 0 (proper) or cos β = 0 (others).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from polhode.arrays import Array, Scalar, namespace
from polhode.errors import StateError
from polhode.geometry.vector import cross

if TYPE_CHECKING:
    from polhode.public.shapes import Columns3, Matrices3

PROPER = ("zxz", "xyx", "yzy", "zyz", "xzx", "yxy")
TAIT_BRYAN = ("xyz", "yzx", "zxy", "xzy", "yxz", "zyx")
SEQUENCES = PROPER + TAIT_BRYAN
# The sine of the angle between the outer axes below which their two turns cannot be
# told apart: in a matrix, and in an angular velocity.
ONE_ANGLE = 1e-15
LOCKED = 1e-12


class Axes(NamedTuple):
    """A sequence as numbers: its three axes, the axis left over, and their parity."""

    first: int
    second: int
    third: int
    other: int
    parity: float
    proper: bool


def axes_of(sequence: str) -> Axes:
    """The axes of one of the twelve sequences; `other` completes (first, second)."""
    if sequence not in SEQUENCES:
        raise StateError(
            f"{sequence!r} is not a sequence of Euler angles.",
            "Three turns reach every orientation if no two neighbours share an axis.",
            f"Choose one of {', '.join(SEQUENCES)}.",
        )
    first, second, third = ("xyz".index(letter) for letter in sequence)
    other = 3 - first - second
    parity = 1.0 if (second - first) % 3 == 1 else -1.0
    return Axes(first, second, third, other, parity, first == third)


def elementary(axis: int, angle: Scalar) -> Matrices3:
    """The matrix (..., 3, 3) of a turn about basis axis 0, 1 or 2.

    About z: x turns towards y, so R = [[c, -s, 0], [s, c, 0], [0, 0, 1]].
    """
    xp = namespace(angle)
    c, s = xp.cos(angle), xp.sin(angle)
    o, e = xp.zeros_like(c), xp.ones_like(c)
    rows = [[e, o, o], [o, c, -s], [o, s, c]]
    order = [(i - axis) % 3 for i in range(3)]
    return xp.stack(
        [xp.stack([rows[i][j] for j in order], axis=-1) for i in order], axis=-2
    )


def to_matrix(sequence: str, angles: Columns3) -> Matrices3:
    """R = R_i(α) R_j(β) R_k(γ) (..., 3, 3) of the angles (..., 3).

    >>> import numpy as np
    >>> to_matrix("zyx", np.array([np.pi / 2, 0.0, 0.0])).round(12) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    first, second, third = (
        elementary(axis, angles[..., n]) for n, axis in enumerate(axes_of(sequence)[:3])
    )
    return first @ second @ third


def from_matrix(sequence: str, matrix: Matrices3) -> Columns3:
    """The angles (..., 3) of a rotation matrix.

    Middle angle in [0, π] for proper sequences, [-π/2, π/2] for the others; the other
    branch is `other_branch`. Near lock the outer angles are ill-determined one by one,
    but the first is found after the third is taken out, so that together they give R
    back to rounding. At lock the third angle is 0.
    """
    xp = namespace(matrix)
    i, j, _, k, parity, proper = axes_of(sequence)
    ii, ij, ik = matrix[..., i, i], matrix[..., i, j], parity * matrix[..., i, k]
    sine, cosine = (ij, ik) if proper else (-parity * ij, ii)
    locked = sine**2 + cosine**2 < ONE_ANGLE**2
    third = xp.arctan2(xp.where(locked, 0.0, sine), xp.where(locked, 1.0, cosine))
    s, c = xp.sin(third), xp.cos(third)
    across = sine * s + cosine * c
    middle = xp.arctan2(across, ii) if proper else xp.arctan2(ik, across)
    # Column j of R_i(α) R_j(β): the last turn undone.
    partner, sign = (k, -parity) if proper else (i, parity)
    column = c[..., None] * matrix[..., j] + sign * s[..., None] * matrix[..., partner]
    first = xp.arctan2(parity * column[..., k], column[..., j])
    return xp.stack([first, middle, third], axis=-1)


def other_branch(sequence: str, angles: Columns3) -> Columns3:
    """The second set of angles of the same rotation.

    (α + π, -β, γ + π) for proper sequences, (α + π, π - β, γ + π) for the others.
    """
    xp = namespace(angles)
    a, b, c = angles[..., 0], angles[..., 1], angles[..., 2]
    middle = -b if axes_of(sequence).proper else xp.pi - b
    return xp.stack([a + xp.pi, middle, c + xp.pi], axis=-1)


def lock_sine(sequence: str, angles: Columns3) -> Any:
    """The determinant of the Euler basis, 0 at lock.

        g₁·(g₂ × g₃) = -sin β (proper),  ±cos β (others)

    + if the axes (i, j, k) are in cyclic order, as in xyz, else -.
    """
    xp = namespace(angles)
    axes = axes_of(sequence)
    middle = angles[..., 1]
    return -xp.sin(middle) if axes.proper else axes.parity * xp.cos(middle)


def regularity(sequence: str, angles: Columns3) -> Any:
    """How far from lock: |sin| of the angle between the outer axes, 0 to 1."""
    return namespace(angles).abs(lock_sine(sequence, angles))


def lock_fibre(sequence: str, angles: Columns3, shift: Scalar) -> Columns3:
    """At lock, the angles of the same rotation with the third moved by `shift`.

    The outer axes are parallel or opposite: first and third angle count only by their
    sum or difference. For zyx: ψ - φ at β = π/2, ψ + φ at β = -π/2.
    """
    xp = namespace(angles)
    axes = axes_of(sequence)
    middle = angles[..., 1]
    along = xp.cos(middle) if axes.proper else axes.parity * xp.sin(middle)
    step = shift * xp.where(along > 0, -1.0, 1.0)
    still = xp.zeros_like(step)
    return angles + xp.stack([step, still, still + shift], axis=-1)


def spatial_rate_matrix(sequence: str, angles: Columns3) -> Matrices3:
    """S (..., 3, 3) with ω = S (α̇, β̇, γ̇), ω in the axes of frame 0.

    Its columns are the axes of the three turns, the Euler basis:
    g₁ = e_i,  g₂ = R_i(α) e_j,  g₃ = R_i(α) R_j(β) e_k.
    """
    xp = namespace(angles)
    i, j, k = axes_of(sequence)[:3]
    first = elementary(i, angles[..., 0])
    second = first @ elementary(j, angles[..., 1])
    fixed = xp.zeros_like(angles) + xp.eye(3)[i]
    return xp.stack([fixed, first[..., j], second[..., k]], axis=-1)


def body_rate_matrix(sequence: str, angles: Columns3) -> Matrices3:
    """S (..., 3, 3) with ω = S (α̇, β̇, γ̇), ω in the axes of frame 3.

    Its columns: R_k(γ)ᵀ R_j(β)ᵀ e_i,  R_k(γ)ᵀ e_j,  e_k.
    """
    xp = namespace(angles)
    i, j, k = axes_of(sequence)[:3]
    third = elementary(k, angles[..., 2])
    second = elementary(j, angles[..., 1]) @ third
    fixed = xp.zeros_like(angles) + xp.eye(3)[k]
    return xp.stack([second[..., i, :], third[..., j, :], fixed], axis=-1)


def spatial_rate_inverse(sequence: str, angles: Columns3) -> Matrices3:
    """S⁻¹ with (α̇, β̇, γ̇) = S⁻¹ ω, ω in the axes of frame 0; rows: the dual basis.

    Grows as 1/|lock_sine|; at lock the smallest rates nearest to ω (least squares).
    """
    basis = spatial_rate_matrix(sequence, angles)
    return _dual_rows(basis, lock_sine(sequence, angles))


def body_rate_inverse(sequence: str, angles: Columns3) -> Matrices3:
    """S⁻¹ with (α̇, β̇, γ̇) = S⁻¹ ω, ω in the axes of frame 3.

    Grows as 1/|lock_sine|; at lock the smallest rates nearest to ω (least squares).
    """
    basis = body_rate_matrix(sequence, angles)
    return _dual_rows(basis, lock_sine(sequence, angles))


def _dual_rows(basis: Array, determinant: Array) -> Any:
    """The rows g² = g₂, g¹ = g₂ × g₃ / det, g³ = g₁ × g₂ / det.

    The middle axis is square to the outer two. At lock g₁ = ±g₃, and least squares
    shares the turn about it equally: g¹ = g₁/2, g³ = g₃/2.
    """
    xp = namespace(basis)
    one, two, three = basis[..., 0], basis[..., 1], basis[..., 2]
    locked = (xp.abs(determinant) < LOCKED)[..., None]
    safe = xp.where(locked, 1.0, determinant[..., None])
    first = xp.where(locked, one / 2, cross(two, three) / safe)
    third = xp.where(locked, three / 2, cross(one, two) / safe)
    return xp.stack([first, two, third], axis=-2)
