"""`ph.tether`: two points at most a length apart; slack, taut, and jerked taut."""

from __future__ import annotations

from typing import Any

from polhode.constraints.constraint import Attachment
from polhode.constraints.surfaces import bowl, point
from polhode.supports.support import Support


def tether(
    first: Attachment,
    second: Attachment,
    length: float,
    *,
    restitution: Any = 0.0,
    name: str = "tether",
) -> Support:
    """A support that keeps two points at most `length` apart, as a rope without mass.

    It is a point in a bowl: 0 <= length - |AB|  _|_  N >= 0, with N the tension. Where
    it is jerked taut it strikes, by the law of `restitution`. `ph.Distance` is the rod
    that also pushes; with `at_most` in the place of its length it is this rope. The
    points must not coincide: a rope has no direction there.

    >>> import polhode as ph
    >>> bob = ph.Particle("bob", 1.0)
    >>> tether(bob.mass_centre, ph.World().origin, 2.0, name="string")
    Support('string': point of 'bob' on a bowl of 'world', 1 point)
    """
    return Support(
        point(first), bowl(second, length), restitution=restitution, name=name
    )
