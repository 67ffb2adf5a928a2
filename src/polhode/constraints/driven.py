"""Bodies with prescribed motion, kept as members or taken out of a constraint.

A body that a driver moves along a given path, x_3 = p(t), Q_3 = P(t), is a member like
any other; what moves it is a reaction, with a force, a moment and a power. Where these
do not matter the body may be taken out of a constraint, which then depends on time:

    sum a . v + sum b . w + c = 0,     c = f_3 . p_dot + g_3 . w_P

a, b are the rows of the other bodies, f_3, g_3 those of the driven one, all along the
world's axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import Constraint, Moving, Placed
from polhode.constraints.prescribed_motion import PrescribedMotion
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.motion.path import moving_frame
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Parameter, Table
from polhode.matter.rigid_body import Body
from polhode.matter.world import World

Path = Callable[[Any], tuple[Any, Any]]


def prescribed(
    body: Body, path: Path, world: World, *, name: str = ""
) -> PrescribedMotion:
    """A body that a driver moves along a path t -> (R, p) before the world.

    The constraint to give to the system; its joint is the member. The driver's wrench
    is the reaction of that name, and its power is in `powers` and in the ledger.
    """
    joint = Free(body.name, world.origin, body.origin)

    def law(t: Scalar) -> Any:
        return joint.coordinates_from(*path(t))

    return PrescribedMotion(joint, law, name=name or f"driver of {body.name}")


@final
@dataclass(frozen=True, eq=False)
class Driven:
    """A constraint one of whose bodies moves along a path t -> (P, p); traceable."""

    constraint: Any  # of bodies: a holonomic one has `position`, others `velocity`
    driver: Frame
    path: Path

    def __post_init__(self) -> None:
        if self.driver in self.constraint.bodies:
            return
        names = ", ".join(repr(body.name) for body in self.constraint.bodies)
        raise ModelError(
            f"{self.name!r} cannot be driven by {self.driver.name!r}.",
            f"It reads the bodies {names}." if names else "It reads no bodies.",
            "Give the frame of one of them.",
        )

    @property
    def name(self) -> str:
        """That of the constraint."""
        return self.constraint.name

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """Those that are not driven."""
        return tuple(b for b in self.constraint.bodies if b is not self.driver)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Those of the constraint."""
        return self.constraint.joints

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the constraint; the path holds its own numbers."""
        return self.constraint.parameters

    @property
    def rows(self) -> tuple[str, ...]:
        """Those of the constraint."""
        return self.constraint.rows

    @property
    def is_holonomic(self) -> bool:
        """As the constraint."""
        return self.constraint.is_holonomic

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """g (rows,), the driven body being where its path has it."""
        return self.constraint.position(self._among(placed, t), t, table)

    def velocity(
        self, placed: Placed, moving: Moving, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """phi (rows,), the driven body moving as its path has it."""
        at = moving_frame(self.path, t)
        angular = self._with(moving.angular, at.angular_velocity)
        linear = self._with(moving.linear, at.velocity)
        everyone = Moving(angular, linear, moving.speeds)
        return self.constraint.velocity(self._among(placed, t), everyone, t, table)

    def _among(self, placed: Placed, t: Scalar) -> Placed:
        P, p = self._placement(t)
        rotations = self._with(placed.rotations, P)
        return Placed(rotations, self._with(placed.origins, p), placed.coordinates)

    @cached_property
    def _placement(self) -> Path:
        return doubled(self.path)

    def _with(self, others: Any, own: Any) -> Any:
        """The rows of all bodies of the constraint, in its order."""
        k = self.constraint.bodies.index(self.driver)
        xp = namespace(others, own)
        parts = [xp.asarray(others)[:k], xp.asarray(own)[None], xp.asarray(others)[k:]]
        return xp.concatenate(parts)


def driven(constraint: Constraint, driver: Frame, path: Path) -> Driven:
    """The constraint on the other bodies, one of its bodies moving along a path.

    `path(t)` is (P, p): rotation (3, 3) and place (3,) before the world; traceable.
    """
    return Driven(constraint, driver, path)
