"""As few error coordinates as there are: places p, and the rates v of some of them.

    d = S_p p,      d' = S v + T d,      G S_p = 0,  A S = 0,  A T = -F

S and S_p span what the constraints leave free, with ones in the rows of the coordinates
that are kept, so that p and v keep their names. Where all constraints are equations of
place, v = p'. With velocity equations there are more places than speeds, and

    M_r v' + C_r v + K_r p = B_r u,      p' = (S v + T S_p p) in the kept rows

    M_r = S^T M S,  C_r = S^T (D S + M T S),  K_r = S^T (K + D T + M T T) S_p

Constraints enter after Gauss's principle and never into energies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from polhode.analyse.machinery.variations import Variations
from polhode.errors import AnalysisError
from polhode.system.members import suggestion
from polhode.system.system import System

DEPENDENT = 1e-8  # a singular value of rows of unit length that is not one


class Kept(NamedTuple):
    """Which error coordinates are kept: numbers of places, the speeds' first."""

    places: tuple[int, ...]
    speeds: tuple[int, ...]


class Reduced(NamedTuple):
    """The equations of p and v.

    mass, velocity   M_r, C_r (f, f)
    stiffness        K_r (f, h), by all places; forcing B_r (f, k)
    rates            p' = rates[0] v + rates[1] p: (h, f), (h, h)
    shape            d = shape p, (n, h)
    slip             d' = slip[0] v + slip[1] p: (n, f), (n, h)
    """

    mass: np.ndarray
    velocity: np.ndarray
    stiffness: np.ndarray
    forcing: np.ndarray
    rates: tuple[np.ndarray, np.ndarray]
    shape: np.ndarray
    slip: tuple[np.ndarray, np.ndarray]


def independent_places(
    system: System, near: Variations, wanted: Sequence[str] | None
) -> Kept:
    """Places and speeds that determine all others, best in the measure of masses.

    `wanted` names those whose speeds are independent; else they are chosen.
    """
    names = system.speed_names
    for name in wanted or ():
        if name not in names:
            raise AnalysisError(
                f"{system.name!r} has no speed {name!r}.",
                "Independent coordinates are called as the speeds of the joints are.",
                suggestion(name, names),
            )
    sizes = np.sqrt(np.diag(near.mass)) + 1e-300
    chosen = [names.index(name) for name in wanted or ()]
    places = _independent(_unit_rows(near.places / sizes), chosen)
    S_p = _spanning(near.places, places)
    among = [places.index(k) for k in chosen if k in places]
    weights = np.sqrt(np.diag(S_p.T @ near.mass @ S_p)) + 1e-300
    rows = _unit_rows(near.rows / sizes) @ (sizes[:, None] * S_p / weights)
    speeds = [places[k] for k in _independent(rows, among)]
    if wanted and set(speeds) != set(chosen):
        free = ", ".join(names[k] for k in speeds)
        raise AnalysisError(
            f"{', '.join(wanted)} cannot be the independent speeds of {system.name!r}.",
            f"It has {len(speeds)} freedoms, and its constraints must give all other"
            " speeds from as many.",
            f"Choose {free}, or leave the choice out.",
        )
    speeds = chosen or sorted(speeds)
    others = [k for k in sorted(places) if k not in speeds]
    return Kept((*speeds, *others), tuple(speeds))


def reduce(near: Variations, which: Kept) -> Reduced:
    """The equations of the kept places and speeds."""
    M, D, K = near.mass, near.damping, near.stiffness
    S_p = _spanning(near.places, which.places)
    S, T = _speeds(near, which)
    slip = T @ S_p
    rows = list(which.places)
    return Reduced(
        S.T @ M @ S,
        S.T @ (D @ S + M @ T @ S),
        S.T @ (K @ S_p + D @ slip + M @ T @ slip),
        S.T @ near.forcing,
        (S[rows], slip[rows]),
        S_p,
        (S, slip),
    )


def _spanning(rows: np.ndarray, places: Sequence[int]) -> np.ndarray:
    """S (n, k) with rows S = 0 and ones in the kept rows."""
    n, k = rows.shape[1], len(places)
    unit = np.eye(n)[list(places)]
    if not len(rows):
        return unit.T
    S, *_ = np.linalg.lstsq(
        np.concatenate([_unit_rows(rows), unit]),
        np.concatenate([np.zeros((len(rows), k)), np.eye(k)]),
        rcond=None,
    )
    S[list(places)] = np.eye(k)
    return S


def _speeds(near: Variations, which: Kept) -> tuple[np.ndarray, np.ndarray]:
    """S (n, f) and T (n, n) with d' = S v + T d and v = d' in the kept rows."""
    n, m = near.mass.shape[0], len(near.rows)
    S = _spanning(near.rows, which.speeds)
    if not m:
        return S, np.zeros((n, n))
    lengths = _lengths(near.rows)
    T, *_ = np.linalg.lstsq(
        np.concatenate([near.rows / lengths, np.eye(n)[list(which.speeds)]]),
        np.concatenate([-near.drift / lengths, np.zeros((len(which.speeds), n))]),
        rcond=None,
    )
    T[list(which.speeds)] = 0.0
    return S, T


def _independent(rows: np.ndarray, first: Sequence[int]) -> list[int]:
    """Columns that rows x = 0 leaves free; those in `first` if they can be.

    Rows are of about unit length: what is less than DEPENDENT of them is none.
    """
    from scipy.linalg import qr

    n = rows.shape[1]
    if not len(rows):
        return list(range(n))
    rank = int(np.sum(np.linalg.svd(rows, compute_uv=False) > DEPENDENT))
    rest = [k for k in range(n) if k not in first]
    R, order = qr(rows[:, rest], mode="r", pivoting=True)
    taken = int(np.sum(np.abs(np.diag(R)) > DEPENDENT))
    dependent = [rest[k] for k in order[: min(rank, taken)]]
    if len(dependent) < rank:  # some of `first` depend on others
        order = qr(rows, mode="r", pivoting=True)[1]
        dependent = list(order[:rank])
    return [k for k in range(n) if k not in dependent]


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    return rows / _lengths(rows)


def _lengths(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    largest = np.max(lengths, initial=0.0) or 1.0
    return np.where(lengths > DEPENDENT * largest, lengths, largest)
