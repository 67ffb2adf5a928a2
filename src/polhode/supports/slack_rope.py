r"""A rope over pulleys that pulls and does not push, as a support.

    0 <= s = L - (length of its line)   _|_   N >= 0,   N the tension

Each strand between pulleys that turn has a spare length s and a tension of its own: it
goes slack when its tension ends, and strikes when it is jerked taut.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, final

from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import Attachment, Placed
from polhode.constraints.machines.rope import Pulley, Rope
from polhode.constraints.machines.rope_path import directions
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Parameter, Table, at, distinct
from polhode.supports.geometry import Geometry
from polhode.supports.restitution import Restitution, restitution_law


@final
@dataclass(frozen=True, eq=False)
class StrandCandidates:
    """The strands of a rope, each with its spare length as its gap."""

    rope: Rope
    names: tuple[str, ...]

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """Those along the rope."""
        return self.rope.bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The axles of pulleys that turn."""
        return self.rope.joints

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Lengths, radii and those of the points."""
        return self.rope.parameters

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """Spare lengths (k,), zero where a strand is taut."""
        return -self.rope.position(placed, t, table)

    def geometry(self, placed: Placed, table: Table) -> Geometry:
        """Where tensions are drawn: at the first end, and where later strands end."""
        ends = _ends(self.rope, placed, table)
        xp = namespace(placed.origins, *(P for P, _ in ends))
        none = xp.zeros(3)
        axes = [xp.stack([n, none, none], axis=1) for _, n in ends]
        points = xp.stack([P for P, _ in ends])
        return Geometry(self.position(placed, 0.0, table), points, xp.stack(axes))


def _ends(rope: Rope, placed: Placed, table: Table) -> list[tuple[Any, Any]]:
    """Of every strand a point of it, and the unit vector in which it pulls there.

    Of the first it is the rope's first point, of others the stop where they end.
    """
    stops = rope.stops(placed, table)
    along = directions(stops)
    turning = (isinstance(s, Pulley) and s.turns for s in rope.along)
    marks = [k for k, turns in enumerate(turning) if turns]
    last = [*marks[1:], len(stops) - 1] if marks else []
    return [
        (stops[0].centre, along[0]),
        *((stops[k].centre, -along[k - 1]) for k in last),
    ]


@final
@dataclass(frozen=True, eq=False, repr=False)
class SlackRope:
    """What a `ph.machines.Rope` with `slack=True` is in a system: a support.

    It pulls with a tension N >= 0 along each taut strand; a slack strand does nothing.
    Where a strand comes taut it strikes, by the restitution of the rope: 0 keeps it
    taut. It has no friction of its own.

    rope   the rope, with `slack=True`

    >>> import polhode as ph
    >>> world, load = ph.World(), ph.Particle("load", 2.0)
    >>> way = [world.origin, world.point(0, 0, 1.0), load.mass_centre]
    >>> SlackRope(ph.machines.Rope(way, 3.0, slack=True))
    SlackRope('rope': 3 m in 1 strand)
    """

    rope: Rope
    law: Restitution = field(init=False)
    candidates: StrandCandidates = field(init=False)
    friction: ClassVar[None] = None
    belt: ClassVar[None] = None
    jam: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.rope, Rope) or not self.rope.slack:
            raise ModelError(
                f"{self.rope!r} does not go slack.",
                "A support may open; a rope that is kept taut is a constraint.",
                "Give ph.machines.Rope(along, length, slack=True).",
            )
        name, put = self.rope.name, object.__setattr__
        names = tuple(name if r == "length" else f"{name} {r}" for r in self.rope.rows)
        put(self, "law", restitution_law(name, self.rope.restitution))
        put(self, "candidates", StrandCandidates(self.rope, names))

    @property
    def name(self) -> str:
        """The rope's."""
        return self.rope.name

    @property
    def along(self) -> tuple[Any, ...]:
        """The way of the rope: points, and pulleys between them."""
        return tuple(self.rope.along)

    @property
    def length(self) -> Any:
        """Of the whole, or of each strand."""
        return self.rope.length

    @property
    def restitution(self) -> Any:
        """The law by which it is jerked taut, or the number of Stronge's."""
        return self.rope.restitution

    @property
    def points(self) -> tuple[Attachment, ...]:
        """The points and centres along it."""
        return self.rope.points

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """Those along the rope."""
        return self.rope.bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The axles of pulleys that turn."""
        return self.rope.joints

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the rope and of the restitution."""
        return distinct([*self.rope.parameters, *self.law.parameters])

    def coefficients(self, table: Table) -> tuple[Any, Any, Any]:
        """No friction, and the number of the law of restitution."""
        return 0.0, 0.0, at(self.law.restitution, table)

    def __repr__(self) -> str:
        lengths = [at(length) for length in self.rope.lengths]
        count = len(lengths)
        strands = "1 strand" if count == 1 else f"{count} strands"
        return f"SlackRope({self.name!r}: {sum(lengths):g} m in {strands})"
