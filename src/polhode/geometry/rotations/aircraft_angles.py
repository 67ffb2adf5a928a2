"""Roll, pitch and yaw by name, because texts list them in both orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from polhode.arrays import Array, namespace
from polhode.geometry.admission import admit


@final
@dataclass(frozen=True, kw_only=True)
class AircraftAngles:
    """The zyx angles by their names: yaw about z, then pitch about y, roll about x.

    R = R_z(yaw) R_y(pitch) R_x(roll)

    Matrices are often written R(ψ, θ, φ) and rates (φ̇, θ̇, ψ̇): the same three angles
    in opposite orders. Here each has its name, and both orders are asked for by name.

    >>> AircraftAngles(roll=0.1, pitch=0.2, yaw=0.3).turning_order()
    array([0.3, 0.2, 0.1])
    """

    roll: Any
    pitch: Any
    yaw: Any

    def __post_init__(self) -> None:
        for name in ("roll", "pitch", "yaw"):
            object.__setattr__(
                self, name, admit(getattr(self, name), (), f"the {name}")
            )

    @staticmethod
    def from_turning_order(angles: Array) -> AircraftAngles:
        """From (yaw, pitch, roll), the order of the turns: the zyx angles."""
        return AircraftAngles(yaw=angles[0], pitch=angles[1], roll=angles[2])

    @staticmethod
    def from_axis_order(angles: Array) -> AircraftAngles:
        """From (roll, pitch, yaw), the order of the axes x, y, z."""
        return AircraftAngles(roll=angles[0], pitch=angles[1], yaw=angles[2])

    def turning_order(self) -> Any:
        """(yaw, pitch, roll), as `from_euler_angles("zyx", ...)` takes them."""
        return namespace(*self._all()).stack([self.yaw, self.pitch, self.roll])

    def axis_order(self) -> Any:
        """(roll, pitch, yaw), as rates are often listed beside p, q, r."""
        return namespace(*self._all()).stack(self._all())

    def _all(self) -> list[Any]:
        return [self.roll, self.pitch, self.yaw]
