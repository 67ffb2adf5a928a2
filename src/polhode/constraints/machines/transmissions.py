"""Transmissions by one call: belts, chains, racks, worms, differentials, planetaries.

All are one linear equation between coordinates of joints, a `Gear` or, of three joints,
a `TendonLength`; ratios follow from radii or numbers of teeth, which may be parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polhode.constraints.gear import Gear
from polhode.constraints.tendon_length import TendonLength
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.joints.joint import Joint
from polhode.matter.parameter import Parameter, Quantity, at
from polhode.matter.quantities.scalar import POSITIVE, scalar


def Belt(
    driven: Joint,
    driver: Joint,
    driven_radius: Quantity,
    *,
    driver_radius: Quantity,
    crossed: bool = False,
    name: str = "belt",
) -> Gear:
    """A belt without slip between two wheels; a crossed one turns them oppositely.

        q_driven = (r_driver / r_driven) q_driver

    >>> import polhode as ph
    >>> a, b = (ph.Body(n, ph.solids.disc(mass=1, radius=0.1)) for n in "ab")
    >>> world = ph.World()
    >>> one = ph.Revolute("one", world.origin, a.origin, axis=ph.Z)
    >>> two = ph.Revolute("two", world.point(1, 0, 0), b.origin, axis=ph.Z)
    >>> ph.machines.Belt(two, one, 0.2, driver_radius=0.1).ratio.value
    0.5
    """
    ratio = _size(name, "driver_radius", driver_radius) / _size(
        name, "driven_radius", driven_radius
    )
    return Gear(driven, driver, -ratio if crossed else ratio, name=name)


def Chain(
    driven: Joint,
    driver: Joint,
    driven_teeth: Quantity,
    *,
    driver_teeth: Quantity,
    name: str = "chain",
) -> Gear:
    """A chain between two sprockets: the ratio is that of their teeth.

        q_driven = (n_driver / n_driven) q_driver

    >>> import polhode as ph
    >>> a, b = (ph.Body(n, ph.solids.disc(mass=1, radius=0.1)) for n in "ab")
    >>> world = ph.World()
    >>> crank = ph.Revolute("crank", world.origin, a.origin, axis=ph.Y)
    >>> hub = ph.Revolute("hub", world.point(1, 0, 0), b.origin, axis=ph.Y)
    >>> round(ph.machines.Chain(hub, crank, 16, driver_teeth=44).ratio.value, 3)
    2.75
    """
    ratio = _size(name, "driver_teeth", driver_teeth) / _size(
        name, "driven_teeth", driven_teeth
    )
    return Gear(driven, driver, ratio, name=name)


def rack_and_pinion(
    rack: Joint, pinion: Joint, radius: Quantity, *, name: str = "rack"
) -> Gear:
    """A rack that slides as its pinion rolls:   x = r q

    >>> import polhode as ph
    >>> world, bar = ph.World(), ph.Body("bar", ph.solids.rod(mass=1, length=1))
    >>> disc = ph.Body("disc", ph.solids.disc(mass=1, radius=0.03))
    >>> slide = ph.Prismatic("slide", world.origin, bar.origin, axis=ph.Z)
    >>> turn = ph.Revolute("turn", world.origin, disc.origin, axis=ph.Y)
    >>> rack_and_pinion(slide, turn, 0.03).ratio.value
    0.03
    """
    return Gear(rack, pinion, _size(name, "radius", radius), name=name)


def worm_gear(
    wheel: Joint,
    worm: Joint,
    teeth: Quantity,
    *,
    starts: Quantity = 1,
    name: str = "worm",
) -> Gear:
    """A worm and its wheel:   q_wheel = (starts / teeth) q_worm

    Without friction either may drive; a worm that locks is a `ConstraintFriction`.

    >>> import polhode as ph
    >>> a, b = (ph.Body(n, ph.solids.disc(mass=1, radius=0.1)) for n in "ab")
    >>> world = ph.World()
    >>> screw = ph.Revolute("screw", world.origin, a.origin, axis=ph.X)
    >>> wheel = ph.Revolute("wheel", world.point(0, 1, 0), b.origin, axis=ph.Z)
    >>> worm_gear(wheel, screw, 40, starts=2).ratio.value
    0.05
    """
    ratio = _size(name, "starts", starts) / _size(name, "teeth", teeth)
    return Gear(wheel, worm, ratio, name=name)


def differential(
    carrier: Joint, left: Joint, right: Joint, *, name: str = "differential"
) -> TendonLength:
    """An open differential: the carrier turns with the mean of its two sides.

        2 q_carrier = q_left + q_right

    All three joints turn in the same housing. Both sides feel half the torque of the
    carrier, however they turn.

    >>> import polhode as ph
    >>> bodies = [ph.Body(n, ph.solids.disc(mass=1, radius=0.1)) for n in "abc"]
    >>> joints = [ph.Revolute(b.name, ph.World().origin, b.origin, axis=ph.Y)
    ...           for b in bodies]
    >>> differential(*joints).arms
    (2.0, -1.0, -1.0)
    """
    return TendonLength([carrier, left, right], [2.0, -1.0, -1.0], name=name)


def planetary_gear(
    sun: Joint,
    ring: Joint,
    carrier: Joint,
    *,
    sun_teeth: Quantity,
    ring_teeth: Quantity,
    planets: Sequence[Joint] = (),
    name: str = "planetary",
) -> tuple[TendonLength | Gear, ...]:
    """A planetary gear: Willis's equation, and a row for every planet that is modelled.

        n_s (q_sun - q_carrier) + n_r (q_ring - q_carrier) = 0
        n_p q_planet + n_s (q_sun - q_carrier) = 0,      n_p = (n_r - n_s)/2

    Sun, ring and carrier turn in the same housing; `planets` turn on the carrier. Hold
    one of the three with `ph.lock`, or leave both inputs free.

    >>> import polhode as ph
    >>> bodies = [ph.Body(n, ph.solids.disc(mass=1, radius=0.1)) for n in "src"]
    >>> joints = [ph.Revolute(b.name, ph.World().origin, b.origin, axis=ph.Z)
    ...           for b in bodies]
    >>> willis, = planetary_gear(*joints, sun_teeth=20, ring_teeth=60)
    >>> [arm.value for arm in willis.arms]
    [20.0, 60.0, -80.0]
    """
    n_s = _size(name, "sun_teeth", sun_teeth)
    n_r = _size(name, "ring_teeth", ring_teeth)
    if not is_traced(at(n_s), at(n_r)) and at(n_r) <= at(n_s):
        raise ModelError(
            f"the ring of {name!r} has {at(n_r):g} teeth and its sun {at(n_s):g}.",
            "The ring goes round sun and planets: n_ring = n_sun + 2 n_planet.",
            "Give the ring more teeth than the sun.",
        )
    willis = TendonLength([sun, ring, carrier], [n_s, n_r, -(n_s + n_r)], name=name)
    rows = [
        TendonLength(
            [planet, sun, carrier],
            [(n_r - n_s) / 2, n_s, -n_s],
            name=f"{name}, {planet.name}",
        )
        for planet in planets
    ]
    return (willis, *rows)


def _size(name: str, what: str, value: Any) -> Parameter:
    """A radius or a number of teeth as a parameter; refused if it is not positive."""
    why = "Wheels have a size; which way they turn is said by the kind of drive."
    repair = "Give a positive number."
    unit = "m" if what.endswith("radius") else ""
    return scalar(name, what, value, POSITIVE, unit=unit, why=why, repair=repair)
