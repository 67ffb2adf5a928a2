r"""`ph.Support`: a contact that pushes and does not pull, with friction and impact.

    0 <= g   _|_   N >= 0           open, or pressed
    |T| <= mu_s N                   sticks
    T = -mu_d N v/|v|               slides, v of the material points (K-23)

While a contact is closed the same holds of g' and of g''. It opens when N reaches zero,
and strikes when g does.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, final

from polhode.actions.contact.friction_laws import Anisotropic
from polhode.constraints.constraint import Attachment, require_two_bodies
from polhode.constraints.surfaces import Corners, Cylinder, Surface, Track
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.matter.axes import Z, turn_to
from polhode.matter.parameter import Parameter, Table, at, distinct
from polhode.supports.belt import belt_of
from polhode.supports.candidates import Candidates, candidates
from polhode.supports.friction import (
    SupportFriction,
    named_friction,
    require_tangent_axis,
)
from polhode.supports.restitution import Restitution, restitution_law


@final
@dataclass(frozen=True, eq=False, repr=False)
class Support:
    """A surface of one body that may rest on, slide on and strike another.

    `on` is a point of a plane square to `normal` (in the axes of the body that has it,
    towards the one that rests), a ball, a capsule, a box, a hull, a smooth surface or a
    track. Without `friction` (`ph.Coulomb`, `ph.contact.Stribeck`,
    `ph.contact.Anisotropic`) it is smooth; `restitution` is a law, or a number for
    Stronge's. `belt` is the velocity (3,) with which the plane's own matter runs in its
    body's axes: numbers, parameters or functions of time, or one function that gives
    all three; a table that shakes is a body with a prescribed motion. Where friction is
    so strong that no push keeps a sliding point out (Painleve) a run ends in words;
    with `jam=True` it jams: an impact without collision, along Routh's path.

    >>> import polhode as ph
    >>> block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    >>> Support(ph.surfaces.box(block.origin, (0.1, 0.1, 0.1)), ph.World().origin,
    ...         friction=ph.Coulomb(0.4, 0.5), restitution=0.3, name="rest")
    Support('rest': box of 'block' on a plane of 'world', 8 points)
    """

    surface: Surface | Corners | Cylinder
    on: Attachment | Surface | Track | Corners
    _: KW_ONLY
    normal: Any = Z
    friction: SupportFriction | None = None
    restitution: Any = 0.0
    belt: Any = None
    jam: bool = False
    name: str = "support"
    law: Restitution = field(init=False)
    candidates: Candidates = field(init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(
                f"a support cannot be called {self.name!r}.",
                "Motions and ledgers ask for it by name.",
                'Give name="rest".',
            )
        _require_pair(self.name, self.surface, self.on)
        axes = turn_to(self.normal, f"the normal of {self.name!r}")
        own = self.on if isinstance(self.on, Attachment) else self.on.centre
        require_two_bodies(self.name, self.surface.centre, own)
        put(self, "friction", named_friction(self.name, self.friction))
        if isinstance(self.on, Attachment):
            require_tangent_axis(self.name, self.friction, axes[:, 2])
        put(self, "law", restitution_law(self.name, self.restitution))
        put(self, "belt", belt_of(self.name, self.belt))
        put(self, "candidates", candidates(self.name, self.surface, self.on, axes))

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body that rests, and the one it rests on."""
        return self.candidates.bodies

    @property
    def joints(self) -> tuple[Any, ...]:
        """None: it reads bodies only."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of its points, of the friction and of the restitution."""
        rubs = self.friction.parameters if self.friction else ()
        runs = self.belt.parameters if self.belt else ()
        own = (*self.candidates.parameters, *rubs, *self.law.parameters, *runs)
        return distinct([*own])

    def coefficients(self, table: Table) -> tuple[Any, Any, Any]:
        """mu_d, mu_s and the number of the law of restitution.

        Of Stribeck's law mu_d is that of quick slips, of an ellipse the greater one.
        """
        e = at(self.law.restitution, table)
        if self.friction is None:
            return 0.0, 0.0, e
        if isinstance(self.friction, Anisotropic):
            return *self.friction.greatest(table), e
        return at(self.friction.dynamic, table), at(self.friction.static, table), e

    def __repr__(self) -> str:
        shape = self.surface.shape or "surface"
        kind = "plane" if isinstance(self.on, Attachment) else self.on.shape or "track"
        body, ground = self.bodies
        count = len(self.candidates.names)
        points = "1 point" if count == 1 else f"{count} points"
        return (
            f"Support({self.name!r}: {shape} of {body.name!r} on a {kind} of"
            f" {ground.name!r}, {points})"
        )


def _require_pair(name: str, surface: Any, on: Any) -> None:
    if not isinstance(surface, Surface | Corners | Cylinder):
        raise ModelError(
            f"{name!r} has no surface that touches: {surface!r} was given.",
            "Where a body touches follows from its shape.",
            "Give ph.surfaces.point(body.point(x, y, z)), ph.surfaces.box(body.origin,"
            " sides), ph.surfaces.sphere(point, radius) or another of ph.surfaces.",
        )
    if not isinstance(on, Surface | Track | Attachment | Corners):
        raise ModelError(
            f"{name!r} has nothing to rest on: {on!r} was given.",
            "A body rests on a plane through a point, on a smooth surface, a capsule, a"
            " box, a hull or a track.",
            "Give a point such as world.origin, ph.surfaces.sphere, or a track.",
        )
