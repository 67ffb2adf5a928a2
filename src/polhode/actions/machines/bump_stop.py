"""Bump stops: what pushes back where a joint comes to the end of its way."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import JointAction
from polhode.arrays import Array, Numbers, Scalar, namespace
from polhode.errors import ModelError
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    parameters_in,
)


@final
@dataclass(frozen=True, eq=False)
class BumpStop(JointAction):
    """Buffers at the ends of a joint's way, pressed by d beyond an end:

        tau = -k d^p (1 + c d_dot),   towards the inside and never back,   d > 0

    joint       of one coordinate
    stiffness   k, N/m^p or N m/rad^p
    limits      (lower, upper), m or rad; an infinite one has no buffer. Those of the
                joint if left out
    exponent    p, 1 or more: above 1 it grows stiffer as it is pressed
    damping     c, s/m or s/rad; as in Hunt and Crossley's law nothing jumps at d = 0

    >>> import polhode as ph
    >>> world, mass = ph.World(), ph.Particle("mass", 1.0)
    >>> slide = ph.Prismatic("slide", world.origin, mass.mass_centre, axis=ph.Z)
    >>> stop = BumpStop(slide, 2e4, limits=(-0.1, 0.1))
    >>> stop.effort(np.array([0.11]), np.zeros(1)).round(9)
    array([-200.])
    """

    joint: Joint
    stiffness: Quantity
    limits: Numbers = None
    _: KW_ONLY
    exponent: float = 1.0
    damping: Quantity = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        put, name = object.__setattr__, self.name or f"stop of {self.joint.name}"
        put(self, "name", name)
        if self.joint.coordinates != 1:
            raise ModelError(
                f"{name!r} cannot stop {self.joint.name!r}, which has"
                f" {self.joint.coordinates} coordinates.",
                "A buffer stands at an end of one way.",
                "Use a revolute, prismatic or screw joint.",
            )
        given = self.joint.limits if self.limits is None else self.limits
        lower, upper = (float(np.reshape(end, ())) for end in map(np.squeeze, given))
        if not lower < upper or not (np.isfinite(lower) or np.isfinite(upper)):
            raise ModelError(
                f"{name!r} stands at ({lower:g}, {upper:g}).",
                "A buffer stands at an end, and the lower end is below the upper one.",
                "Give limits=(lower, upper), here or to the joint.",
            )
        if not float(self.exponent) >= 1.0:
            raise ModelError(
                f"the exponent of {name!r} is {self.exponent!r}.",
                "Below 1 a buffer would be infinitely stiff where it begins.",
                "Give 1 for a linear buffer, 2 or 3 for one of rubber.",
            )
        put(self, "limits", (lower, upper))
        is_turn = self.joint.units == ("rad",)
        stiff = "N*m" if is_turn else f"N/m^{float(self.exponent):g}"
        k = coefficient(name, "stiffness", self.stiffness, unit=stiff)
        put(self, "stiffness", k)
        damp = "s" if is_turn else "s/m"
        put(self, "damping", coefficient(name, "damping", self.damping, unit=damp))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Stiffness and damping."""
        return parameters_in([self.stiffness, self.damping])

    @property
    def is_conservative(self) -> bool:
        """Without damping it gives back all it takes."""
        return isinstance(self.damping, float) and self.damping == 0.0

    def _compression(self, q: Array) -> list[tuple[float, Any]]:
        """(sign, d) at each end: how far it is pressed, zero where it is not."""
        xp = namespace(q)
        lower, upper = self.limits
        found = []
        if np.isfinite(upper):
            found.append((1.0, xp.maximum(q - upper, 0.0)))
        if np.isfinite(lower):
            found.append((-1.0, xp.maximum(lower - q, 0.0)))
        return found

    def effort(
        self, q: Array, z: Array, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """tau (1,)"""
        xp = namespace(q, z)
        k, c = at(self.stiffness, table), at(self.damping, table)
        total = 0.0 * q
        for sign, d in self._compression(q):
            push = k * d ** float(self.exponent)
            if not self.is_conservative:
                push = push * xp.maximum(1.0 + c * sign * z, 0.0)
            total = total - sign * push
        return total

    def energy(self, q: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = k d^(p + 1)/(p + 1)"""
        p = float(self.exponent) + 1.0
        parts = [(d**p / p).sum() for _, d in self._compression(q)]
        return at(self.stiffness, table) * sum(parts)
