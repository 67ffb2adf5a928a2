r"""Bushings: rubber between two bodies, stiff and damped in all six directions.

    xi = [phi; y]       phi = log(R_by^T R_on), y from `by` to `on`, in the axes of `by`
    V = xi^T K xi / 2   F = -(K xi)_y,  M = -J^-T (K xi)_phi,   J of phi's rate
    damping             [M; F] = -C [w; v], of `on` before `by`

The spring's wrench is the slope of its energy at any angle, not only at small ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    parameters_of,
    require_points,
    separation,
)
from polhode.actions.defaults import PointAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    arm_from_other,
    interaction,
    turn,
    velocity_of,
)
from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.rotations import so3
from polhode.matter.parameter import NOMINAL, Parameter, Table, at, named, quantity

PARTS = ("rx", "ry", "rz", "x", "y", "z")


@final
@dataclass(frozen=True, eq=False)
class Bushing(PointAction):
    """Six springs and dampers, coupled or not, between points of two bodies.

    stiffness   six numbers, N m/rad about X, Y, Z, then N/m along them, in the axes of
                `by`; or a symmetric matrix (6, 6) in this order. Entries may be
                parameters
    damping     likewise, N m s/rad and N s/m; with it, it is not conservative. Two
                bushings, one of each, keep what is stored and what is lost apart

    >>> import polhode as ph
    >>> arm = ph.Body("arm", ph.solids.rod(mass=2, length=0.4))
    >>> rubber = ph.machines.Bushing(arm.origin, ph.World().origin,
    ...                              [50, 50, 5, 2e5, 2e5, 4e4])
    >>> rubber.stiffness[3][3]
    Parameter('bushing.stiffness.x', 200000)
    """

    on: Attachment
    by: Attachment
    stiffness: Sequence[Any]
    damping: Any = None
    _: KW_ONLY
    name: str = "bushing"

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        for word in ("stiffness", "damping"):
            matrix = _matrix(self.name, word, getattr(self, word))
            object.__setattr__(self, word, matrix)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All entries that are not zero, and those of its ends."""
        entries = [
            e for rows in (self.stiffness, self.damping) for r in rows for e in r
        ]
        return parameters_of((self.on, self.by), *entries)

    @property
    def is_conservative(self) -> bool:
        """Without damping it gives back all it takes."""
        return all(isinstance(e, float) and e == 0.0 for r in self.damping for e in r)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite wrenches at the place of `on`."""
        xp = namespace(*poses, *twists)
        xi, arm = self._deflection(poses, table)
        load = -_times(self.stiffness, xi, table)
        # phi' = J^-1 w: the moment is J^-T of the slope by phi.
        back = xp.swapaxes(so3.left_jacobian_inverse(xi[..., :3]), -1, -2)
        moment = (back * load[..., None, :3]).sum(-1)
        force = load[..., 3:]
        if not self.is_conservative:
            lost = -_times(self.damping, self._rates(poses, twists, arm), table)
            moment, force = moment + lost[..., :3], force + lost[..., 3:]
        return interaction(poses, arm, turn(poses, 1, force), turn(poses, 1, moment))

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = xi^T K xi / 2"""
        xi, _ = self._deflection(poses, table)
        return (xi * _times(self.stiffness, xi, table)).sum(-1) / 2

    def _deflection(self, poses: Poses, table: Table) -> tuple[Any, Any]:
        """xi (..., 6) in the axes of `by`, and the arm of `on`."""
        xp = namespace(*poses)
        d, arm = separation(poses, self.on, self.by, table)
        R_on, R_by = poses.rotations[..., 0, :, :], poses.rotations[..., 1, :, :]
        phi = so3.log(xp.swapaxes(R_by, -1, -2) @ R_on)
        return xp.concatenate([phi, _into(R_by, d)], axis=-1), arm

    def _rates(self, poses: Poses, twists: Twists, arm: Array) -> Any:
        """[w; v] of `on` before `by` at its place, in the axes of `by`."""
        R_by = poses.rotations[..., 1, :, :]
        w = twists.angular[..., 0, :] - twists.angular[..., 1, :]
        v = velocity_of(twists, 0, arm)
        v = v - velocity_of(twists, 1, arm_from_other(poses, arm))
        return namespace(w, v).concatenate([_into(R_by, w), _into(R_by, v)], axis=-1)

    def fault(self) -> str:
        """Rubber bends within half a turn."""
        return "Its two bodies are turned by half a turn, or are nowhere."


def _into(R: Array, vector: Array) -> Any:
    """R^T a"""
    return (R * vector[..., :, None]).sum(-2)


def _times(rows: Any, column: Array, table: Table) -> Any:
    """A matrix of quantities times a column (..., 6); zeros cost nothing."""
    xp = namespace(column)
    found = []
    for row in rows:
        total = 0.0 * column[..., 0]
        for j, entry in enumerate(row):
            if not (isinstance(entry, float) and entry == 0.0):
                total = total + at(entry, table) * column[..., j]
        found.append(total)
    return xp.stack(found, axis=-1)


def _matrix(name: str, word: str, given: Any) -> tuple[tuple[Any, ...], ...]:
    """Six rows of quantities, from six numbers or a matrix."""
    if given is None:
        given = [0.0] * 6
    rows = [list(r) if isinstance(r, list | tuple | np.ndarray) else r for r in given]
    is_matrix = len(rows) == 6 and all(
        isinstance(r, list) and len(r) == 6 for r in rows
    )
    if not is_matrix and (len(rows) != 6 or any(isinstance(r, list) for r in rows)):
        raise ModelError(
            f"the {word} of {name!r} is neither six numbers nor a matrix (6, 6).",
            "There are three turns and three ways between two bodies.",
            "Give [rx, ry, rz, x, y, z], or six rows of six.",
        )
    if not is_matrix:
        rows = [[r if i == j else 0.0 for j in range(6)] for i, r in enumerate(rows)]
    # A symmetric pair of numbers is one parameter.
    checked = [
        [_entry(name, word, rows[i][j], *sorted((i, j))) for j in range(6)]
        for i in range(6)
    ]
    _require_passive(name, word, checked)
    return tuple(map(tuple, checked))


def _entry(name: str, word: str, value: Any, i: int, j: int) -> Any:
    place = PARTS[i] if i == j else f"{PARTS[i]}.{PARTS[j]}"
    unit = ("N*m", "N", "N/m")[(i >= 3) + (j >= 3)]
    unit += "*s" if word == "damping" else ""
    given = quantity(value, f"the {word} {place} of {name!r}", unit)
    return named(given, f"{name}.{word}.{place}")


def _require_passive(name: str, word: str, rows: list[list[Any]]) -> None:
    """Refuse a matrix that is not symmetric, or that drives motion."""
    values = [[at(e) for e in row] for row in rows]
    if is_traced(*(e for row in values for e in row)):
        return
    K = np.array(values, dtype=float)
    size = float(np.max(np.abs(K), initial=0.0))
    if np.max(np.abs(K - K.T), initial=0.0) > 1e-12 * size:
        raise ModelError(
            f"the {word} of {name!r} is not symmetric.",
            "Springs have an energy, so that K_ij = K_ji; dampers likewise by Onsager.",
            "Give the mean of the matrix and its transpose.",
        )
    least = float(np.linalg.eigvalsh(K)[0])
    if least < -1e-12 * size:
        raise ModelError(
            f"the {word} of {name!r} has the eigenvalue {least:g}.",
            "In that direction it would drive motion instead of resisting it.",
            "Check its coupled entries: K_ij^2 <= K_ii K_jj.",
        )
