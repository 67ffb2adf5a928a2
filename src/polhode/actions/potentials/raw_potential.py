"""Potential energies of absolute poses and time: audited, not trusted.

What depends on where bodies are before some observer, and on the time, hides a body:
the Earth below, the table that turns, the driver that moves. `audit_invariance` says
which, and `seen_from` makes it a body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, final

from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.actions.potentials.invariance import audit_invariance
from polhode.actions.potentials.invariant import (
    Placement,
    Slopes,
    placements,
    slopes_of,
)
from polhode.actions.potentials.potential import (
    Energy,
    Potential,
    distinct,
    energy_by,
)
from polhode.arrays import Scalar
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.matter.parameter import NOMINAL, Parameter, Table, parameters_in
from polhode.matter.quantities.constants import admit_constants, values_of


class FullSlopes(NamedTuple):
    """Derivatives of W(x, Q, t): by places and turns (n, 3), and by time."""

    by_poses: Slopes
    by_time: Any


def rate_of_function(twists: Twists, slopes: FullSlopes) -> Any:
    """How fast a function of the motion changes, by the chain rule.

    dW/dt = sum dW/dx . v + sum w_Q . w + (dW/dt at fixed poses)
    """
    by_position, by_rotation = slopes.by_poses
    each = dot(by_position, twists.linear) + dot(by_rotation, twists.angular)
    return each.sum(-1) + slopes.by_time


@final
@dataclass(frozen=True, eq=False)
class RawPotential:
    """A potential energy W of the absolute placements of bodies, and of time.

    `law(a, b, ..., t, **constants)` is the energy in joules: a, b, ... are placements
    (position, rotation) of the bodies before the observer; traceable.
    """

    bodies: tuple[Frame, ...]
    law: Energy
    constants: Mapping[str, Any] = field(default_factory=dict)
    _: KW_ONLY
    name: str = "raw potential"

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", distinct(self.name, self.bodies, 1))
        object.__setattr__(
            self, "constants", admit_constants(self.name, self.constants)
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The constants of the law."""
        return parameters_in(self.constants.values())

    @property
    def is_conservative(self) -> bool:
        """Not in general: explicit time makes energy come and go."""
        return False

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """W at the poses of the bodies and the time."""
        return self._energy(poses, t, values_of(self.constants, table))

    def slopes(
        self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> FullSlopes:
        """dW/dx and w_Q for each body along the observer's axes, and dW/dt."""
        return self._slopes(poses, t, values_of(self.constants, table))

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """F = -dW/dx, M = -w_Q at frozen time."""
        by_position, by_rotation = self.slopes(poses, t, table).by_poses
        return Wrenches(-by_rotation, -by_position)

    def seen_from(self, body: Frame) -> Potential:
        """The repair: the same energy, of placements relative to one more body.

        The body (Earth, table, wall) takes the observer's role, and feels the reaction.
        The energy must not depend on time: give a driver its own prescribed motion.
        """
        law = self.law

        def energy(*others: Placement, **constants: Any) -> Any:
            return law(*others, 0.0, **constants)

        _refuse_explicit_time(self)
        return Potential((body, *self.bodies), energy, self.constants, name=self.name)

    def fault(self) -> str:
        """The energy has no slope there."""
        return "The energy or its slope is not finite at these poses and this time."

    @cached_property
    def _energy(self) -> Callable[..., Any]:
        return doubled(lambda poses, t, c: energy_by(self, *placements(poses), t, **c))

    @cached_property
    def _slopes(self) -> Callable[..., Any]:
        import jax

        def slopes(poses: Poses, t: Scalar, c: dict[str, Any]) -> FullSlopes:
            by_poses = slopes_of(
                lambda p: energy_by(self, *placements(p), t, **c), poses
            )
            one = jax.numpy.ones_like(t)
            by_time = jax.jvp(
                lambda at: energy_by(self, *placements(poses), at, **c),
                (t,),
                (one,),
            )[1]
            return FullSlopes(by_poses, by_time)

        return doubled(slopes)

    def __repr__(self) -> str:
        names = ", ".join(repr(body.name) for body in self.bodies)
        return f"RawPotential({self.name!r} of {names})"


def _refuse_explicit_time(potential: RawPotential) -> None:
    if not audit_invariance(potential).depends_on_time:
        return
    raise ModelError(
        f"{potential.name!r} depends on time, so no body at rest repairs it.",
        "Something moves that is not in the model: a hinge, a table, a driver.",
        "Make it a body with prescribed motion, and write the energy by placements"
        " relative to it: Potential((driver, ...), law).",
    )
