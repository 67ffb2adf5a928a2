"""The three axes of a frame by name: X, Y and Z, which is up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.errors import FrameMismatch, ModelError
from polhode.geometry.admission import admit
from polhode.geometry.frame import Frame


@final
@dataclass(frozen=True)
class Axis:
    """A direction along one axis of whatever frame it is used in.

    >>> -Z
    -Z
    >>> np.asarray(Y)
    array([0., 1., 0.])
    """

    name: str
    components: tuple[float, float, float]

    def __neg__(self) -> Axis:
        x, y, z = self.components
        name = self.name[1:] if self.name.startswith("-") else f"-{self.name}"
        return Axis(name, (0.0 - x, 0.0 - y, 0.0 - z))

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.components, dtype=dtype)

    def __repr__(self) -> str:
        return self.name


X = Axis("X", (1.0, 0.0, 0.0))
Y = Axis("Y", (0.0, 1.0, 0.0))
Z = Axis("Z", (0.0, 0.0, 1.0))


def direction(axis: Any, what: str, frame: Frame | None = None) -> np.ndarray:
    """The unit column of an axis, or of any three numbers that are not all zero.

    A vector must be written in `frame`, where one is given; else it is refused.
    """
    own: Any = getattr(axis, "frame", frame)
    if own is not frame:
        raise FrameMismatch(
            f"{what} is written in {own.name!r}"
            + (f", not in {frame.name!r}." if frame else ", where plain numbers go."),
            "The same three numbers are different directions in different axes.",
            "Give X, Y, Z or three numbers along the axes that are meant.",
        )
    column = admit(np.asarray(axis), (3,), what)
    largest = np.max(np.abs(column))
    if largest == 0:
        raise ModelError(
            f"{what} is zero.",
            "A direction needs some length.",
            "Give X, Y, Z or three numbers that are not all zero.",
        )
    column = column / largest
    return column / np.sqrt(column @ column)


def turn_to(axis: Any, what: str) -> np.ndarray:
    """A rotation matrix that takes Z to the axis; exact for X, Y, Z.

    For X and Y the three axes are exchanged cyclically. For others it is the shortest
    turn, about Z x axis (and about X for -Z).
    """
    turn = _turn_to(axis, what)
    turn.setflags(write=False)
    return turn


def _turn_to(axis: Any, what: str) -> np.ndarray:
    x, y, z = unit = direction(axis, what)
    for turns in range(3):
        cyclic = np.roll(np.eye(3), turns, axis=1)
        if np.array_equal(cyclic[:, 2], unit):
            return cyclic
    if z < -0.5:
        # The shortest turn is ill-defined near -Z: go there by way of half a turn.
        half = np.diag([1.0, -1.0, -1.0])
        return half @ _turn_to(half @ unit, what)
    k = 1.0 / (1.0 + z)
    return np.array(
        [
            [1.0 - k * x * x, -k * x * y, x],
            [-k * x * y, 1.0 - k * y * y, y],
            [-x, -y, z],
        ]
    )
