r"""Ackermann's steering: the front wheels turn about one point of the rear axle's line.

    cot(right) - cot(left) = track / wheelbase        angles to the left positive

written without poles as sin(left - right) = (track/wheelbase) sin(left) sin(right).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np

from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import JointCoupling, Placed, require_single
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    parameters_in,
)
from polhode.matter.quantities.scalar import POSITIVE, scalar


def ackermann_angles(
    steer: Scalar, *, wheelbase: float, track: float
) -> tuple[float, float]:
    """(left, right) of the front wheels where their mean cotangent is cot(steer).

    >>> left, right = ackermann_angles(0.2, wheelbase=2.7, track=1.5)
    >>> left > 0.2 > right
    True
    """
    if steer == 0:
        return 0.0, 0.0
    cot, half = 1 / np.tan(steer), track / wheelbase / 2
    return float(np.arctan(1 / (cot - half))), float(np.arctan(1 / (cot + half)))


@final
@dataclass(frozen=True, eq=False)
class Ackermann(JointCoupling):
    """Two steered wheels whose axles meet on the line of the rear axle.

    left, right   the joints of the kingpins, positive to the left
    wheelbase     from the front axle to the rear one, m
    track         between the kingpins, m

    >>> import polhode as ph
    >>> car = ph.Body("car", ph.solids.box(mass=1, x=1, y=1, z=1))
    >>> hubs = [ph.Body(n, ph.solids.disc(mass=1, radius=0.3)) for n in "lr"]
    >>> pins = [ph.Revolute(f"pin {h.name}", car.origin, h.origin, axis=ph.Z)
    ...         for h in hubs]
    >>> Ackermann(*pins, wheelbase=2.7, track=1.5).rows
    ('steer',)
    """

    left: Joint
    right: Joint
    _: KW_ONLY
    wheelbase: Quantity
    track: Quantity
    name: str = "Ackermann"

    def __post_init__(self) -> None:
        require_single(self.name, self.left)
        require_single(self.name, self.right)
        for word in ("wheelbase", "track"):
            length = scalar(
                *(self.name, word, getattr(self, word), POSITIVE),
                unit="m",
                why="Axles and kingpins are apart.",
                repair="Give a positive length.",
            )
            object.__setattr__(self, word, length)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The left kingpin, then the right one."""
        return (self.left, self.right)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Wheelbase and track."""
        return parameters_in([self.wheelbase, self.track])

    @property
    def rows(self) -> tuple[str, ...]:
        """One: the relation of the two angles."""
        return ("steer",)

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """sin(left - right) - (track/wheelbase) sin(left) sin(right)"""
        left, right = (q[0] for q in placed.coordinates)
        xp = namespace(left, right)
        ratio = at(self.track, table) / at(self.wheelbase, table)
        row = xp.sin(left - right) - ratio * xp.sin(left) * xp.sin(right)
        return xp.stack([row])
