"""Drag of a craft by coefficients, linear and quadratic in its six body rates.

    [M; F] = -(D_linear + D_quadratic |nu|) nu,    nu = [w; v] in the craft's axes,
                                                   seen from the water

Each component by its own; in Fossen's letters D_linear = -(K_p, M_q, N_r, X_u, Y_v,
Z_w) and D_quadratic = -(K_p|p|, ..., Z_w|w|).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, final

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import FramedAction
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
from polhode.geometry.frame import Frame
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Table,
    at,
    named,
    quantity,
)

LETTERS = ("p", "q", "r", "u", "v", "w")
NONE = (0.0,) * 6
UNITS = {
    "linear": ("N*m*s",) * 3 + ("N*s/m",) * 3,
    "quadratic": ("N*m*s^2",) * 3 + ("N*s^2/m^2",) * 3,
}


@final
@dataclass(frozen=True, eq=False)
class HydrodynamicDrag(FramedAction):
    """Drag on the six rates of a craft at a point of it, in water that may run.

    on          the point about which the coefficients are
    by          the body in which the water rests, or along whose axes it runs
    linear      six, N m s/rad about X, Y, Z, then N s/m along them; of zero or more
    quadratic   six, N m s^2/rad^2, then N s^2/m^2; of zero or more
    current     (3,) m/s, the velocity of the water in the axes of `by`

    >>> import polhode as ph
    >>> craft = ph.Body("craft", ph.solids.box(mass=11, x=0.4, y=0.3, z=0.2))
    >>> ph.marine.HydrodynamicDrag(craft.origin, ph.World().frame,
    ...                            [0.07, 0.07, 0.07, 4.0, 6.2, 5.2]).linear[3]
    Parameter('water.linear.u', 4)
    """

    on: Attachment
    by: Frame
    linear: Sequence[Any] = NONE
    quadratic: Sequence[Any] = NONE
    _: KW_ONLY
    current: Any = (0.0, 0.0, 0.0)
    name: str = "water"

    def __post_init__(self) -> None:
        require_points(self.name, self.on)
        require_two_bodies(self.name, self.on.frame, self.by)
        for word, units in UNITS.items():
            values = self._several(word, 6)
            admitted = tuple(
                coefficient(self.name, f"{word}.{letter}", value, unit=unit)
                for letter, value, unit in zip(LETTERS, values, units, strict=True)
            )
            object.__setattr__(self, word, admitted)
        flow = tuple(
            named(
                quantity(v, f"the current of {self.name!r}", "m/s"),
                f"{self.name}.current.{k}",
            )
            for k, v in zip("xyz", self._several("current", 3), strict=True)
        )
        object.__setattr__(self, "current", flow)

    def _several(self, word: str, count: int) -> list[Any]:
        values = list(getattr(self, word))
        if len(values) != count:
            raise ModelError(
                f"the {word} of {self.name!r} has {len(values)} numbers.",
                f"It takes {count}: turns first, then ways."
                if count == 6
                else "A current has three components.",
                f"Give {count} numbers; zero where there is none.",
            )
        return values

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All coefficients, the current, and those of the point."""
        return parameters_of((self.on,), *self.linear, *self.quadratic, *self.current)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The drag about the point, and its opposite on the water."""
        xp = namespace(*poses, *twists)
        arm = arm_of(poses, 0, self.on, table)
        flow = xp.stack([1.0 * xp.asarray(at(c, table)) for c in self.current])
        v = velocity_of(twists, 0, arm)
        v = (
            v
            - velocity_of(twists, 1, arm_from_other(poses, arm))
            - turn(poses, 1, flow)
        )
        w = twists.angular[..., 0, :] - twists.angular[..., 1, :]
        moment = turn(poses, 0, self._resistance(poses, w, 0, table))
        force = turn(poses, 0, self._resistance(poses, v, 3, table))
        return interaction(poses, arm, force, moment)

    def _resistance(self, poses: Poses, rate: Array, first: int, table: Table) -> Any:
        """-(a + b |x|) x of three components, in the axes of the craft."""
        xp = namespace(rate)
        own = (poses.rotations[..., 0, :, :] * rate[..., :, None]).sum(-2)
        parts = []
        for k in range(3):
            a, b = self.linear[first + k], self.quadratic[first + k]
            x = own[..., k]
            parts.append(-(at(a, table) + at(b, table) * xp.abs(x)) * x)
        return xp.stack(parts, axis=-1)

    def fault(self) -> str:
        """Drag is finite at finite speeds."""
        return "The velocities are not finite."
