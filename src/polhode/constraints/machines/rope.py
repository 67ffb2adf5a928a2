"""`ph.machines.Rope`: of one length, over pulleys that turn with it or do not.

A strand ends at the rope's end or at a mark on a pulley that turns, so that each strand
keeps its own length and its multiplier is the tension in it:

    sum of its straight lengths and arcs = length of the strand

The difference of two tensions turns the pulley between them, as its inertia asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import (
    Attachment,
    Placed,
    parameters_of,
    place,
)
from polhode.constraints.machines.rope_path import Arc, Stop, strands_and_arcs
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.joints.revolute import Revolute
from polhode.matter.axes import Z, direction
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    distinct,
    named,
    parameters_in,
    quantity,
)
from polhode.matter.quantities.scalar import POSITIVE, scalar


@final
@dataclass(frozen=True, eq=False)
class Pulley:
    """A pulley on the way of a rope.

    on       its axle, a revolute joint: the rope turns it without slip, against its
             inertia. Or its centre, a point of a body: the rope slides round it
    radius   m
    side     on which side of it the rope lies, in the axes of the body that carries it;
             at angle 0 of the axle its mark is there
    sense    +1 if the rope, followed from its first point, goes round the axis
             counterclockwise, along axis x side on that side; -1 if clockwise
    axis     of a pulley given by its centre, in the same axes

    >>> import polhode as ph
    >>> Pulley(ph.World().origin, 0.1, axis=ph.Y).turns
    False
    """

    on: Any
    radius: Quantity
    _: KW_ONLY
    side: Any = Z
    sense: int = 1
    axis: Any = None
    name: str = ""

    def __post_init__(self) -> None:
        name = self.name or (self.on.name if self.turns else "pulley")
        object.__setattr__(self, "name", name)
        if not self.turns and (not _is_point(self.on) or self.axis is None):
            raise ModelError(
                f"pulley {name!r} has no axle: {self.on!r} was given.",
                "A rope goes round an axis.",
                "Give its revolute joint, or its centre and axis=ph.Y.",
            )
        if self.sense not in (1, -1):
            raise ModelError(
                f"the sense of pulley {name!r} is {self.sense!r}.",
                "A rope goes round an axis one way or the other.",
                "Give sense=1, along axis x side on its side of the pulley, or -1.",
            )
        radius = scalar(
            *(name, "radius", self.radius, POSITIVE),
            kind="pulley",
            unit="m",
            why="A pulley has a size; an eye through which a rope runs is a point.",
            repair="Give a positive radius, or the point itself.",
        )
        object.__setattr__(self, "radius", radius)
        n, side = self._axes(name)
        object.__setattr__(self, "axis", n)
        object.__setattr__(self, "side", side)

    def _axes(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The axis, and the side square to it, both in the axes of the carrier."""
        own = self.on.axis if self.turns else self.axis
        n = np.asarray(direction(own, f"the axis of {name!r}"), float)
        if self.turns:
            n = np.asarray(self.on.first_frame()[0], float) @ n
        side = np.asarray(direction(self.side, f"the side of {name!r}"), float)
        flat = side - (side @ n) * n
        if np.linalg.norm(flat) < 1e-6:
            raise ModelError(
                f"the side of pulley {name!r} is along its axis.",
                "A rope lies on the rim, square to the axis.",
                "Give side=ph.Z, ph.X or another direction across the axis.",
            )
        return n, flat / np.linalg.norm(flat)

    @property
    def turns(self) -> bool:
        """Whether the rope turns it."""
        return isinstance(self.on, Revolute)

    @property
    def centre(self) -> Attachment:
        """Its centre: a point of the wheel, so that the axle carries what ropes pull;
        of one that does not turn a point of the body that has it.
        """
        return self.on.second if self.turns else self.on

    @property
    def carrier(self) -> Frame:
        """The frame in which its axis and side stay."""
        return (self.on.first if self.turns else self.on).frame


class _Mark(NamedTuple):
    """Where a strand begins or ends: on which arc, with which angle of its pulley."""

    arc: Arc
    pulley: Pulley
    angle: Any

    def length(self, table: Table, sign: float) -> Any:
        """From the mark to where the rope leaves (-1), or from where it comes (+1)."""
        ahead = self.pulley.sense * (self.angle - self.arc.middle)
        return at(self.pulley.radius, table) * (self.arc.angle / 2 + sign * ahead)


@final
@dataclass(frozen=True, eq=False)
class Rope:
    """A rope that does not stretch, from a point over pulleys to a point.

    along    its way: the first point, pulleys (`Pulley`) and points that it runs
             through, the last point
    length   m; of the whole, or one for each strand between pulleys that turn. A whole
             is shared equally: at angle 0 of a pulley its mark, half way, is at `side`
    slack    whether it may go slack. Then it is among the supports of a system: a
             strand pulls or does nothing, and strikes when it is jerked taut
    restitution   of a rope that may go slack: a number for Stronge's law, or a law

    A rope is kept taut unless `slack` is given: the multiplier of a strand is the force
    along it, and a push means that a real rope would have gone slack.

    >>> import polhode as ph
    >>> world, load = ph.World(), ph.Particle("load", 2.0)
    >>> eye = world.point(0, 0, 1.0)
    >>> ph.machines.Rope([world.origin, eye, load.mass_centre], 3.0).rows
    ('length',)
    """

    along: Sequence[Any]
    length: Any
    _: KW_ONLY
    name: str = "rope"
    slack: bool = False
    restitution: Any = 0.0
    is_holonomic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        along = tuple(self.along)
        ends = len(along) >= 2 and _is_point(along[0]) and _is_point(along[-1])
        if not ends or not all(_is_point(s) or isinstance(s, Pulley) for s in along):
            raise ModelError(
                f"rope {self.name!r} has no way: {along!r}.",
                "It goes from a point of a body over pulleys to another point.",
                "Give [first.mass_centre, ph.machines.Pulley(axle, 0.1), last.origin].",
            )
        if not self.slack and not _is_zero(self.restitution):
            raise ModelError(
                f"rope {self.name!r} has a restitution and does not go slack.",
                "A rope that is always taut is never jerked.",
                "Give slack=True, or leave restitution out.",
            )
        object.__setattr__(self, "along", along)
        object.__setattr__(self, "length", self._admitted_length())

    def _admitted_length(self) -> Any:
        count = len(self._turning) + 1
        many = isinstance(self.length, tuple | list | np.ndarray)
        given = list(self.length) if many else [self.length]
        if many and len(given) != count:
            raise ModelError(
                f"rope {self.name!r} has {count} strands and {len(given)} lengths.",
                "A strand ends at each pulley that turns.",
                f"Give {count} lengths, or one of the whole.",
            )
        for value in given:
            size = at(quantity(value, f"the length of {self.name!r}", "m"))
            if not is_traced(size) and size <= 0:
                raise ModelError(
                    f"the length of rope {self.name!r} is {size:g} m.",
                    "A rope has some length.",
                    "Give it in metres.",
                )
        if not many:
            return named(_plain(given[0]), f"{self.name}.length")
        names = [f"{self.name}.length {k + 1}" for k in range(count)]
        pairs = zip(given, names, strict=True)
        return tuple(named(_plain(value), name) for value, name in pairs)

    @property
    def lengths(self) -> tuple[Any, ...]:
        """Of the strands: those given, or equal shares of the whole."""
        if isinstance(self.length, tuple):
            return self.length
        count = len(self._turning) + 1
        return (self.length if count == 1 else self.length / count,) * count

    @property
    def _turning(self) -> tuple[Pulley, ...]:
        return tuple(s for s in self.along if isinstance(s, Pulley) and s.turns)

    @property
    def points(self) -> tuple[Attachment, ...]:
        """The points and centres along it."""
        return tuple(s.centre if isinstance(s, Pulley) else s for s in self.along)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """Those of its points and of what carries its pulleys, each once."""
        carriers = [s.carrier for s in self.along if isinstance(s, Pulley)]
        frames = [*(point.frame for point in self.points), *carriers]
        return tuple(dict.fromkeys(frames))

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The axles of pulleys that turn."""
        return tuple(dict.fromkeys(p.on for p in self._turning))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Lengths and radii, and those of the points."""
        radii = [s.radius for s in self.along if isinstance(s, Pulley)]
        numbers = parameters_in([*self.lengths, *radii])
        return distinct([*parameters_of(*self.points), *numbers])

    @property
    def rows(self) -> tuple[str, ...]:
        """One a strand."""
        count = len(self.lengths)
        return (
            ("length",)
            if count == 1
            else tuple(f"strand {k + 1}" for k in range(count))
        )

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The length of every strand, less what it should be."""
        found = self.strand_lengths(placed, table)
        wanted = [at(length, table) for length in self.lengths]
        rows = [a - b for a, b in zip(found, wanted, strict=True)]
        return namespace(placed.origins, *rows).stack(rows)

    def strand_lengths(self, placed: Placed, table: Table = NOMINAL) -> list[Any]:
        """The length of each strand, along its straight parts and arcs."""
        stops = self.stops(placed, table)
        straight, arcs = strands_and_arcs(stops)
        angles = dict(zip(self.joints, placed.coordinates, strict=True))
        found, total = [], straight[0]
        for each, arc, length in zip(self.along[1:-1], arcs, straight[1:], strict=True):
            if isinstance(each, Pulley) and each.turns:
                mark = _Mark(arc, each, angles[each.on][0])
                found.append(total + mark.length(table, 1.0))
                total = mark.length(table, -1.0) + length
            elif isinstance(each, Pulley):
                total = total + at(each.radius, table) * arc.angle + length
            else:
                total = total + length
        return [*found, total]

    def stops(self, placed: Placed, table: Table = NOMINAL) -> list[Stop]:
        """The points and pulleys along it, where they are."""
        return [self._stop(placed, each, table) for each in self.along]

    def _stop(self, placed: Placed, each: Any, table: Table) -> Stop:
        point = each.centre if isinstance(each, Pulley) else each
        body = self.bodies.index(point.frame)
        centre = place(placed, body, point, table)
        if not isinstance(each, Pulley):
            return Stop(centre, 0.0, 0.0 * centre, 0.0 * centre, 0.0)
        R = placed.rotations[self.bodies.index(each.carrier)]
        axes = R @ each.axis, R @ each.side
        return Stop(centre, at(each.radius, table), *axes, float(each.sense))


def _is_point(thing: Any) -> bool:
    return isinstance(thing, Attachment)


def _is_zero(restitution: Scalar) -> bool:
    return isinstance(restitution, float | int) and restitution == 0


def _plain(value: Any) -> Any:
    return value if isinstance(value, Parameter) or is_traced(value) else float(value)
