"""Rates of vectors and dyadics: always the rate that somebody sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, final

from polhode.errors import FrameMismatch
from polhode.geometry import transport
from polhode.geometry.frame import Frame, require_same_frame
from polhode.geometry.motion.angular_velocity import AngularVelocity
from polhode.geometry.vector import Dyadic, Vector

Tensor = TypeVar("Tensor", Vector, Dyadic)


@final
@dataclass(frozen=True, eq=False)
class Rate(Generic[Tensor]):
    """The time derivative of a vector or dyadic as one frame sees it.

    A superscript on d/dt is never enough: the frame is part of the rate.

        rate seen from A  =  rate seen from B  +  w_AB x vector
        rate seen from A  =  rate seen from B  +  [w_AB] T - T [w_AB]

    >>> ship, crane = Frame("ship"), Frame("crane")
    >>> w = AngularVelocity(Vector([0, 0, 2], crane), of=crane, seen_from=ship)
    >>> jib = Vector([3, 0, 0], crane)
    >>> Rate(jib, Vector([0, 0, 0], crane), seen_from=crane).seen_by(w).value
    Vector([0, 6, 0], 'crane')
    """

    quantity: Tensor
    value: Tensor
    seen_from: Frame

    def __post_init__(self) -> None:
        require_same_frame("take the rate of", self.quantity.frame, self.value.frame)

    def seen_by(self, angular_velocity: AngularVelocity) -> Rate[Tensor]:
        """The rate seen by the other of the two frames of the angular velocity."""
        outward = self._towards_observer(angular_velocity)
        require_same_frame("mix", self.quantity.frame, outward.vector.frame)
        is_dyadic = isinstance(self.quantity, Dyadic)
        kernel = transport.dyadic_rate if is_dyadic else transport.vector_rate
        w_AB = outward.vector.components
        column = kernel(self.value.components, w_AB, self.quantity.components)
        value = type(self.value)(column, self.value.frame)
        return Rate(self.quantity, value, seen_from=outward.seen_from)

    def is_close(
        self, other: Rate[Tensor], rtol: float = 1e-12, atol: float = 0.0
    ) -> bool:
        """The same rate of the same quantity, each within `rtol` or `atol`."""
        require_same_frame("compare", self.seen_from, other.seen_from)
        quantities = self.quantity.is_close(other.quantity, rtol, atol)
        return quantities and self.value.is_close(other.value, rtol, atol)

    def _towards_observer(self, w: AngularVelocity) -> AngularVelocity:
        if w.of is self.seen_from:
            return w
        if w.seen_from is self.seen_from:
            return w.reversed()
        raise FrameMismatch(
            f"a rate seen from {self.seen_from.name!r} cannot be moved by the angular"
            f" velocity of {w.of.name!r} seen from {w.seen_from.name!r}.",
            "The transport theorem joins the rates of exactly those two observers.",
            f"Give the angular velocity between {self.seen_from.name!r} and the"
            " wanted observer.",
        )

    def __repr__(self) -> str:
        return f"Rate({self.value!r}, seen_from={self.seen_from.name!r})"
