"""What no spread of mass can have, refused at the door in the user's words.

Nothing is checked inside a trace: the numbers are not known yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError, UnphysicalInertia
from polhode.geometry.admission import is_traced
from polhode.geometry.vector import shown
from polhode.matter.spread import spread

# Relative to the largest moment: far above rounding, far below any misprint.
ROUNDING = 1e-10


def require_mass(mass: Any, who: str) -> None:
    """Refuse a negative or non-finite mass."""
    if is_traced(mass):
        return
    if not np.isfinite(mass):
        raise UnphysicalInertia(
            f"{who} cannot have mass {mass:g} kg.",
            "A mass is a finite number.",
            "Look where the number comes from: a division by zero or a missing value.",
        )
    if mass < 0:
        raise UnphysicalInertia(
            f"{who} cannot have mass {mass:g} kg.",
            "Mass is not negative: kinetic energy m v^2/2 would be.",
            "Give a mass of zero or more; to cut a hole, use ph.solids.pierced.",
        )


def require_symmetric(matrix: Any, who: str, what: str = "inertia") -> Any:
    """The matrix made exactly symmetric; refused if it is not so within rounding."""
    if is_traced(matrix):
        return matrix
    matrix = np.asarray(matrix, float)
    if not np.all(np.isfinite(matrix)):
        raise UnphysicalInertia(
            f"{who} cannot have {what} {shown(matrix)}.",
            "NaN and infinity measure nothing.",
            "Look where the numbers come from: a division by zero or a missing value.",
        )
    skew = np.abs(matrix - matrix.T)
    i, j = np.unravel_index(np.argmax(skew), skew.shape)
    if skew[i, j] > ROUNDING * np.max(np.abs(matrix)):
        article = "an" if what[0] in "aeiou" else "a"
        raise UnphysicalInertia(
            f"{who} cannot have {article} {what} that is not symmetric: entry ({i + 1},"
            f" {j + 1}) is {matrix[i, j]:g} and ({j + 1}, {i + 1}) {matrix[j, i]:g}.",
            "Both stand for the same sum over the mass.",
            "Correct one of them; products of inertia carry their minus sign here:"
            " I_xy = -sum m x y.",
        )
    return 0.5 * (matrix + matrix.T)


def require_physical(
    mass: Any, inertia: Array, r_GO: Any = (0.0, 0.0, 0.0), *, who: str, about: str = ""
) -> None:
    """Refuse an inertia about O that no spread of mass has.

    The moments that count are the central ones, I_G = I_O - m S(r_GO): a tensor that
    looks sound about O can hide a negative moment about the mass centre.
    r_GO is the column from the mass centre to O; `about` is what O is called.
    """
    if is_traced(mass, inertia, r_GO):
        return
    require_mass(mass, who)
    inertia = require_symmetric(inertia, who)
    with np.errstate(over="ignore", invalid="ignore"):
        leave = require_symmetric(mass * spread(np.asarray(r_GO, float)), who)
    slack = ROUNDING * max(np.max(np.abs(inertia)), np.max(np.abs(leave)))
    central = _principal_moments(inertia - leave)
    if mass == 0 and np.max(central) > slack:
        raise _refused(who, central, "Nothing without mass has a moment of inertia.")
    if np.min(central) < -slack:
        looks_sound = np.any(leave) and np.linalg.eigvalsh(inertia)[0] >= -slack
        raise _negative(who, central, about if looks_sound else "", mass)
    if 2 * np.max(central) > np.sum(central) + slack:
        raise _triangle(who, central, about)


def nearest_physical(inertia: np.ndarray) -> np.ndarray:
    """The central inertia (3, 3) of some mass that is nearest to a given one.

        min |I - I'|   over   I' = tr(S) 1 - S,   S = sum m r r^T  not negative

    In the Frobenius norm the principal axes stay, and the moments are projected on
    those that a spread of mass has: (s2 + s3, s1 + s3, s1 + s2) with no s below zero.

    >>> np.diag(nearest_physical(np.diag([1.0, 1.0, 5.0])))
    array([2., 2., 4.])
    """
    from scipy.optimize import nnls

    moments, axes = np.linalg.eigh(inertia)
    size = np.max(np.abs(moments))
    if not size:
        return np.zeros((3, 3))
    spreads, _ = nnls(1.0 - np.eye(3), moments / size)
    nearest = size * ((1.0 - np.eye(3)) @ spreads)
    if not np.any(inertia - np.diag(np.diag(inertia))):
        # Axes of equal moments are any: a diagonal tensor stays one.
        order = np.argsort(np.argsort(np.diag(inertia)))
        return np.diag(nearest[order])
    return axes @ np.diag(nearest) @ axes.T


def _principal_moments(inertia: np.ndarray) -> np.ndarray:
    """As the user gave them if the matrix is diagonal, else in ascending order."""
    entries = np.diag(inertia)
    if np.count_nonzero(inertia - np.diag(entries)) == 0:
        return entries
    return np.linalg.eigvalsh(inertia)


def _triangle(who: str, moments: np.ndarray, about: str) -> UnphysicalInertia:
    largest = int(np.argmax(moments))
    one, other = (f"{m:.6g}" for m in np.delete(moments, largest))
    return _refused(
        who,
        moments,
        "No spread of mass has one principal moment above the sum of the other two:"
        f" {moments[largest]:.6g} > {one} + {other}.",
        f"Check that the values are about the mass centre and not about {about}."
        if about
        else "Check that the values are about the mass centre.",
    )


def _negative(who: str, moments: Any, about: str, mass: Any) -> UnphysicalInertia:
    why = "A moment of inertia is a sum of masses times squared distances: never < 0."
    if about:
        why += (
            f"\nAbout {about} all moments look sound, but mass {mass:g} kg at the"
            " mass centre's distance takes more than is there."
        )
    repair = "Check the products of inertia against the diagonal, and the mass centre."
    return _refused(who, moments, why, repair)


def _refused(
    who: str, moments: np.ndarray, why: str, repair: str = "Give it mass."
) -> UnphysicalInertia:
    numbers = ", ".join(f"{moment:.6g}" for moment in moments)
    what = f"{who} cannot have principal moments ({numbers}) kg m^2"
    return UnphysicalInertia(f"{what} about its mass centre.", why, repair)


def require_positive(value: Any, what: str) -> None:
    """Refuse a length, radius or density that is not above zero."""
    if not is_traced(value) and not value > 0:
        raise _no_extent(value, what, "more than zero")


def require_not_negative(value: Scalar, what: str) -> None:
    """Refuse a length or radius below zero."""
    if not is_traced(value) and not value >= 0:
        raise _no_extent(value, what, "zero or more")


def _no_extent(value: Any, what: str, least: str) -> ModelError:
    return ModelError(
        f"{what} cannot be {value:g}.",
        f"It measures an extent of matter, so it is {least}.",
        f"Give a number that is {least}, in SI units.",
    )
