r"""Compliant contact: bodies that dent each other and are pushed apart.

            n |    ___
              |  /     \          x = -height > 0 is how deep P is
     _________|_|_______|____     N = law(x, x'), along n
              '--\__P__/          T = friction(slip, N), across it

Height, normal and the place P are those of the contact geometry of rolling. x' and the
slip are of the material points of both bodies at P. In a system it is up to three
actions, so that every form and every ledger counts each once: the elastic one, whose
energy is a potential, and `damping of ...` and `friction of ...`, which do work.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, final

from polhode.actions.action import require_two_bodies
from polhode.actions.contact.contact_laws import ContactLaw, Hertz
from polhode.actions.contact.friction import Coulomb, FrictionLaw
from polhode.actions.defaults import BodyAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    arm_from_other,
    interaction,
    velocity_of,
)
from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import Attachment, Placed
from polhode.constraints.rolling import AnyContact, contact_of
from polhode.constraints.surfaces import Surface, Track, point
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.matter.axes import Z, turn_to
from polhode.matter.parameter import NOMINAL, Parameter, Table, distinct

NOT_FINITE = "The place of contact is undefined, or the velocities are not finite."


class ContactState(NamedTuple):
    """Where and how two bodies touch, along the observer's axes.

    depth, rate   x (m), positive when they dent each other, and x' (m/s)
    arm, normal   P from the origin of the first body (3,); n (3,) towards that body
    slip          of the first body's material point at P over the other's (3,)
    """

    depth: Any
    rate: Any
    arm: Any
    normal: Any
    slip: Any


@final
@dataclass(frozen=True, eq=False)
class CompliantContact(BodyAction):
    """A body that pushes back where another dents it, with friction if it is given.

    `surface` is one of `ph.surfaces`, or a point of the body; `on` a point of a plane
    with the `normal` out of it, in the axes of the body that has it, or another surface
    or track. Friction is smooth through rest: `ph.contact.Regularised(mu, speed)`
    creeps below the speed that it names.

    >>> import polhode as ph
    >>> ball, floor = ph.Body("ball", ph.solids.sphere(mass=1, radius=0.1)), ph.World()
    >>> law = ph.contact.HuntCrossley(1e6, restitution=0.8, at_speed=2.0)
    >>> skin = ph.surfaces.sphere(ball.origin, 0.1)
    >>> bounce = ph.CompliantContact(skin, floor.origin, law, name="bounce")
    >>> system = ph.System([ball], [ph.Weight(9.81), bounce])
    >>> [action.name for action in system.actions]
    ['weight', 'bounce', 'damping of bounce']
    """

    surface: Surface | Attachment
    on: Attachment | Surface | Track
    law: ContactLaw
    _: KW_ONLY
    friction: FrictionLaw | None = None
    normal: Any = field(default=None, repr=False)
    name: str = "contact"

    def __post_init__(self) -> None:
        _require_surface(self.name, self.surface)
        _require_ground(self.name, self.on)
        _require_law(self.name, self.law)
        _require_friction(self.name, self.friction)
        given = Z if self.normal is None else self.normal
        axes = turn_to(given, f"the normal of {self.name!r}")
        object.__setattr__(self, "normal", axes[:, 2])
        require_two_bodies(self.name, *self.contact.bodies)

    @cached_property
    def contact(self) -> AnyContact:
        """The geometry: height, place and normal."""
        skin = (
            self.surface if isinstance(self.surface, Surface) else point(self.surface)
        )
        return contact_of(skin, self.on, turn_to(self.normal, "the normal"))

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body with the surface, then the one it touches."""
        return self.contact.bodies

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the geometry, of the law and of friction."""
        rubs = () if self.friction is None else self.friction.parameters
        return distinct((*self.contact.parameters, *self.law.parameters, *rubs))

    @property
    def parts(self) -> tuple[Any, ...]:
        """What a system has for it: the elastic action, its damping, its friction."""
        damping = () if isinstance(self.law, Hertz) else (ContactDamping(self),)
        rubs = () if self.friction is None else (ContactFriction(self),)
        return (ElasticContact(self), *damping, *rubs)

    def state(self, poses: Poses, twists: Twists, table: Table) -> ContactState:
        """Depth, its rate, the place and the slip."""
        arm, n = self._place(poses, table)
        v = velocity_of(twists, 0, arm)
        v = v - velocity_of(twists, 1, arm_from_other(poses, arm))
        rate = -dot(n, v)
        return ContactState(self.depth(poses, table), rate, arm, n, v + rate * n)

    def depth(self, poses: Poses, table: Table) -> Any:
        """How deep P is in the other body, negative when they are apart."""
        return -self.contact.height(Placed(*poses, ()), table)

    def push(self, state: ContactState, table: Table) -> Any:
        """N, not negative."""
        elastic = self.law.elastic(state.depth, table)
        return elastic + self.law.damping_force(state.depth, state.rate, table)

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Push and friction at P, and their opposites at the same place."""
        now = self.state(poses, twists, table)
        F = self.push(now, table) * now.normal + _tangential(self, now, table)
        return interaction(poses, now.arm, F, 0.0 * F)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """What the dent stores."""
        return self.law.energy(self.depth(poses, table), table)

    def fault(self) -> str:
        """Where the surfaces have no common normal."""
        return NOT_FINITE

    def _place(self, poses: Poses, table: Table) -> tuple[Any, Any]:
        placed = Placed(*poses, ())
        arm = self.contact.point(placed, table) - poses.origins[..., 0, :]
        return arm, poses.rotations[1] @ self.contact.normal(placed, table)


class ContactPart(BodyAction):
    """One of the actions that a compliant contact is in a system."""

    contact: CompliantContact

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """Those of the contact."""
        return self.contact.bodies

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the contact."""
        return self.contact.parameters

    def fault(self) -> str:
        """Where the surfaces have no common normal."""
        return NOT_FINITE


@final
@dataclass(frozen=True, eq=False)
class ElasticContact(ContactPart):
    """The part of a compliant contact that comes from its stored energy."""

    contact: CompliantContact

    @property
    def name(self) -> str:
        """That of the contact."""
        return self.contact.name

    @property
    def is_conservative(self) -> bool:
        """All that it takes it gives back."""
        return True

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """N_e n at P."""
        arm, n = self.contact._place(poses, table)
        F = self.contact.law.elastic(self.contact.depth(poses, table), table) * n
        return interaction(poses, arm, F, 0.0 * F)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """What the dent stores."""
        return self.contact.energy(poses, t, table)


@final
@dataclass(frozen=True, eq=False)
class ContactDamping(ContactPart):
    """The part of a compliant contact that is lost as it dents."""

    contact: CompliantContact

    @property
    def name(self) -> str:
        """Of which contact."""
        return f"damping of {self.contact.name}"

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """N_d n at P."""
        now = self.contact.state(poses, twists, table)
        lost = self.contact.law.damping_force(now.depth, now.rate, table)
        F = lost * now.normal
        return interaction(poses, now.arm, F, 0.0 * F)


@final
@dataclass(frozen=True, eq=False)
class ContactFriction(ContactPart):
    """The part of a compliant contact across its normal."""

    contact: CompliantContact

    @property
    def name(self) -> str:
        """Of which contact."""
        return f"friction of {self.contact.name}"

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """T at P."""
        now = self.contact.state(poses, twists, table)
        T = _tangential(self.contact, now, table)
        return interaction(poses, now.arm, T, 0.0 * T)


def _tangential(contact: CompliantContact, state: ContactState, table: Table) -> Any:
    """T (3,) on the first body, zero while they are apart."""
    if contact.friction is None:
        return 0.0 * state.slip
    T = contact.friction.force(state.slip, contact.push(state, table), table)
    return namespace(T).where(state.depth <= 0, 0.0, T)


def _require_surface(name: str, surface: Any) -> None:
    if not isinstance(surface, Surface | Attachment):
        raise ModelError(
            f"{name!r} has no surface that touches: {surface!r} was given.",
            "What touches is the outside of a body, or a point of it.",
            "Give one of ph.surfaces at a point of the body, or body.point(x, y, z).",
        )


def _require_ground(name: str, on: Any) -> None:
    if not isinstance(on, Surface | Track | Attachment):
        raise ModelError(
            f"{name!r} has nothing to touch: {on!r} was given.",
            "A body touches a plane through a point, or the surface of another.",
            "Give a point such as world.origin, one of ph.surfaces, or a track.",
        )


def _require_law(name: str, law: Any) -> None:
    if not callable(getattr(law, "damping_force", None)):
        raise ModelError(
            f"{name!r} cannot follow {law!r}.",
            "A law of contact gives a push from the depth and its rate.",
            "Give one of ph.contact: Hertz(k), HuntCrossley(k, restitution=e,"
            " at_speed=v), Flores, LankaraniNikravesh or KelvinVoigt.",
        )


def _require_friction(name: str, law: Any) -> None:
    if law is None:
        return
    if isinstance(law, Coulomb):
        raise ModelError(
            f"{name!r} cannot rub by {law!r}.",
            "A compliant contact has no constraint that would hold it at rest, where"
            " Coulomb's law names no force.",
            "Give ph.contact.Regularised(mu, speed), which creeps below the speed, or a"
            " rigid ph.Support, which sticks.",
        )
    if not callable(getattr(law, "force", None)):
        raise ModelError(
            f"{name!r} cannot rub by {law!r}.",
            "A law of friction gives a force from the slip and the push.",
            "Give ph.contact.Regularised(mu, speed) or ph.contact.Viscous(c).",
        )
