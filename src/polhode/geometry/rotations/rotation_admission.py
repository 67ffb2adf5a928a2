"""The door checks of rotations: what describes one, and what cannot.

Each takes `who`, the rotation in the user's words, and gives a read-only float64
array, or the refusal. Tracers pass unchecked: their numbers are not known yet.
"""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import (
    NotARotation,
    NumericalWarning,
    SingularParametrisation,
    ZeroAxis,
    ZeroQuaternion,
)
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.rotations import quaternion, so3
from polhode.geometry.vector import norm, shown
from polhode.tracebacks import warn

ORTHOGONALITY = 1e-6
UNIT_LENGTH = 1e-3
SINGLE_PRECISION = 1e-6
SINGULAR = 1e-12
# Beyond this the squares of tan(θ/2) overflow; the rotation is the same to rounding.
LONGEST = 1e150


def admit_matrix(value: Array, who: str) -> Any:
    """A rotation matrix: orthogonal within 1e-6, then made so to rounding."""
    matrix = admit(value, (3, 3), f"the matrix of {who}")
    if is_traced(matrix):
        return matrix
    with np.errstate(over="ignore", invalid="ignore"):
        determinant, gram = np.linalg.det(matrix), matrix.T @ matrix
    if determinant < 0:
        raise NotARotation(
            f"the matrix of {who} has a negative determinant, {determinant:.6g}.",
            "It turns a right-handed triad into a left-handed one: a reflection,"
            " perhaps with a turn. No rigid body can follow it.",
            "Look for a changed sign, two exchanged axes or a left-handed triad.",
        )
    defect = np.max(np.abs(gram - np.eye(3)))
    if not defect <= ORTHOGONALITY:
        raise NotARotation(
            f"the matrix of {who} is not orthogonal: RᵀR misses the identity by"
            f" {defect:.3g}, where at most {ORTHOGONALITY:g} is put right silently.",
            "A rotation keeps lengths and right angles, so its columns are unit"
            " vectors square to each other.",
            "Give more digits, or ask for Rotation.nearest(matrix, of=..., "
            "seen_from=...) if the nearest rotation is what you want.",
            f"RᵀR = {shown(gram)}",
        )
    return matrix if defect < 1e-15 else frozen(so3.orthonormalised(matrix))


def nearest_matrix(value: Any, who: str) -> Any:
    """The rotation matrix nearest to a matrix (least squares), if there is one."""
    matrix = admit(value, (3, 3), f"the matrix of {who}")
    left, sizes, right = np.linalg.svd(matrix)
    handed = np.sign(np.linalg.det(left @ right))
    if sizes[1] + handed * sizes[2] <= SINGULAR * sizes[0]:
        raise NotARotation(
            f"the matrix of {who} has no single nearest rotation.",
            "It flattens space to a line, or reflects it evenly: several rotations"
            " are equally near.",
            "Give the images of two directions that are not parallel.",
            f"Singular values: {shown(sizes)}",
        )
    return frozen(left @ np.diag([1.0, 1.0, handed]) @ right)


def admit_quaternion(value: Any, who: str) -> Any:
    """A quaternion (w, x, y, z), unit within 1e-3, then made so to rounding.

    A length further from one than single precision explains is put right aloud.
    """
    q = admit(value, (4,), f"the quaternion (w, x, y, z) of {who}")
    if is_traced(q):
        return quaternion.normalised(q)
    length = hypot(*q)
    if length == 0:
        raise ZeroQuaternion(
            f"{who} cannot have the zero quaternion (0, 0, 0, 0).",
            "A rotation is a quaternion of length one; zero has no direction to"
            " normalise to.",
            "The rotation that does nothing is (1, 0, 0, 0), scalar first.",
        )
    if abs(length - 1) > UNIT_LENGTH:
        raise NotARotation(
            f"the quaternion (w, x, y, z) = {shown(q)} of {who} has length"
            f" {length:.6g}, not 1.",
            f"Only unit quaternions are rotations; within {UNIT_LENGTH:g} the length"
            " is put right, further away something else was meant.",
            "Divide it by its length if its direction is what you mean, and check"
            " that the scalar part comes first.",
        )
    if abs(length - 1) > SINGLE_PRECISION:
        warn(
            f"the quaternion of {who} had length {length:.9g} and was normalised.",
            NumericalWarning,
        )
    return frozen(quaternion.normalised(q))


def admit_axis(value: Any, who: str) -> Any:
    """A direction of any length but zero, made a unit vector."""
    axis = admit(value, (3,), f"the axis of {who}")
    if is_traced(axis):
        return axis / norm(axis)
    scale = np.max(np.abs(axis))
    if scale < 1 / LONGEST:
        raise ZeroAxis(
            f"the axis of {who} is {shown(axis)}: too small to have a direction.",
            "A turn needs the line it is about.",
            "Give any vector along that line, such as (0, 0, 1).",
        )
    return frozen((axis / scale) / norm(axis / scale))


def admit_angles(value: Any, shape: tuple[int, ...], who: str) -> Any:
    """Angles in radians; a warning where degrees were surely meant."""
    angles = admit(value, shape, f"the angle of {who}")
    if not is_traced(angles) and np.max(np.abs(angles)) > 100 * np.pi:
        warn(
            f"the angle {shown(angles)} of {who} is over 50 whole turns;"
            " angles are in radians (numpy.radians(...) turns degrees into them).",
            NumericalWarning,
        )
    return angles


def admit_tangents(value: Any, who: str) -> Any:
    """A vector along the axis, long as a tangent of the angle: (modified) Rodrigues."""
    vector = admit(value, (3,), f"the Rodrigues vector of {who}")
    if is_traced(vector) or np.max(np.abs(vector)) <= LONGEST:
        return vector
    return frozen(vector / np.max(np.abs(vector)) * LONGEST)


def refuse_singular(regularity: Scalar, what: str, why: str, repair: str) -> None:
    """Refuse parameters that are infinite at this orientation."""
    if is_traced(regularity) or regularity >= SINGULAR:
        return
    fact = f"Regularity (1 best, 0 singular): {float(regularity):.3g}"
    raise SingularParametrisation(what, why, repair, fact)


def frozen(array: Array) -> np.ndarray:
    """The array, read-only."""
    own = np.asarray(array)
    own.setflags(write=False)
    return own
