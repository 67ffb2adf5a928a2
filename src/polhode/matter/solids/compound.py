"""Solids joined and pierced: sums and differences of mass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, final

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError, UnphysicalInertia
from polhode.geometry.admission import admit, is_traced
from polhode.matter.moments import Moments, sum_of_moments
from polhode.matter.parameter import NOMINAL, Parameter, Table, distinct, quantity
from polhode.matter.solids.solid import Solid, an
from polhode.matter.validity import require_physical


@final
@dataclass(frozen=True, eq=False)
class Compound:
    """Named parts as one rigid whole; a part of sign -1 is cut away."""

    parts: tuple[tuple[str, Matter, float], ...]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers that the moments depend on."""
        return distinct(p for _, part, _ in self.parts for p in part.parameters)

    def named(self, place: str) -> Compound:
        """The same whole, bare numbers named from their place: 'hammer.head.mass'."""
        parts = tuple(
            (name, part.named(f"{place}.{name}"), sign)
            for name, part, sign in self.parts
        )
        return Compound(parts)

    def moments(self, table: Table = NOMINAL) -> Moments:
        """Mass, mass centre and central inertia, in the axes of the body."""
        moments = [part.moments(table) for _, part, _ in self.parts]
        return sum_of_moments(moments, [sign for *_, sign in self.parts])

    def __repr__(self) -> str:
        words = (f"{'-' if s < 0 else ''}{n}: {part!r}" for n, part, s in self.parts)
        return "joined(" + ", ".join(words) + ")"


Matter: TypeAlias = Solid | Compound


def joined(**parts: Matter) -> Compound:
    """Solids rigidly joined, each under its name.

    >>> from polhode.matter.solids import rod, sphere
    >>> shaft = rod(mass=0.2, length=0.3)
    >>> head = placed(sphere(mass=0.5, radius=0.02), (0, 0, 0.15))
    >>> joined(shaft=shaft, head=head).moments().mass
    0.7
    """
    return _whole("joined", [(name, part, 1.0) for name, part in parts.items()])


def pierced(body: Matter, **holes: Matter) -> Compound:
    """A solid less others that lie within it, each hole under its name.

    A hole's mass is the mass that is taken away: give both the same density.
    """
    cut = [(name, hole, -1.0) for name, hole in holes.items()]
    return _whole("pierced", [("whole", body, 1.0), *cut])


def placed(part: Matter, shift: Sequence[Any], turn: Array | None = None) -> Matter:
    """The same matter with its origin at `shift`, turned by a rotation matrix first.

    turn (3, 3) holds the part's axes as columns; a Rotation's `.matrix` fits.
    """
    if isinstance(part, Compound):
        moved = tuple((n, placed(p, shift, turn), s) for n, p, s in part.parts)
        return Compound(moved)
    x, y, z = (
        quantity(entry, f"the place of {an(part.shape)}", "m") for entry in shift
    )
    if turn is None:
        shift = tuple(_sum(a, b) for a, b in zip(part.shift, (x, y, z), strict=True))
        return replace(part, shift=shift)
    R = _proper_rotation(turn, part.shape)
    turned = [_combination(row, part.shift) for row in R]
    shift = tuple(_sum(a, b) for a, b in zip(turned, (x, y, z), strict=True))
    old = np.eye(3) if part.turn is None else part.turn
    whole = R @ old
    whole.setflags(write=False)
    return replace(part, shift=shift, turn=whole)


def _whole(act: str, parts: list[tuple[str, Matter, float]]) -> Compound:
    if not parts:
        raise ModelError(
            f"nothing was {act}.",
            "A whole has parts.",
            "Name at least one: joined(head=ph.solids.sphere(...)).",
        )
    compound = Compound(tuple(parts))
    names = (" - " if act == "pierced" else ", ").join(name for name, *_ in parts)
    _require_matter(compound, f"{act} solid ({names})")
    return compound


def _require_matter(compound: Compound, who: str) -> None:
    masses = [sign * part.moments().mass for _, part, sign in compound.parts]
    if is_traced(*masses):
        return
    if sum(masses) <= 1e-12 * max(masses):
        taken = -sum(min(mass, 0.0) for mass in masses)
        raise UnphysicalInertia(
            f"{who} has no mass left: {taken:g} of {sum(masses) + taken:g} kg are"
            " taken away.",
            "A body without mass has no mass centre.",
            "A hole's mass is what is cut away: give it the body's density.",
        )
    mass, _, inertia = compound.moments()
    require_physical(mass, inertia, who=who)


def _proper_rotation(turn: Array, shape: str) -> np.ndarray:
    R = admit(turn, (3, 3), f"the turn of {an(shape)}")
    if np.max(np.abs(R @ R.T - np.eye(3))) > 1e-9 or np.linalg.det(R) < 0:
        raise ModelError(
            f"the turn of {an(shape)} is not a rotation.",
            "Its columns must be three orthonormal right-handed axes.",
            "Give a Rotation's matrix.",
        )
    return R


def _combination(row: np.ndarray, entries: Sequence[Any]) -> Any:
    """row . entries, where literal zeros leave no trace."""
    total: Any = 0.0
    for factor, entry in zip(row, entries, strict=True):
        if factor != 0 and not _is_zero(entry):
            total = _sum(total, entry if factor == 1 else entry * float(factor))
    return total


def _sum(one: Scalar, other: Any) -> Any:
    if _is_zero(one):
        return other
    return one if _is_zero(other) else one + other


def _is_zero(value: Any) -> bool:
    return isinstance(value, float) and value == 0.0
