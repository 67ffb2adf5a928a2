"""The same systems in any units of length, mass and time."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import polhode as ph


class Units(NamedTuple):
    """How many of one's own units a metre, a kilogram and a second are."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def gravity(self) -> float:
        """9.81 m/s2."""
        return 9.81 * self.length / self.time**2

    @property
    def force(self) -> float:
        """A newton."""
        return self.mass * self.length / self.time**2


class Posed(NamedTuple):
    """A system, joints that are held where it is assembled, and speeds there."""

    system: ph.System
    held: dict[str, float]
    speeds: dict[str, float]

    def state(self, units: Units) -> ph.State:
        """Assembled."""
        speeds = {name: rate / units.time for name, rate in self.speeds.items()}
        return ph.assemble(self.system, self.held, speeds=speeds).state


def rod(name: str, mass: float, length: float) -> ph.Body:
    """From its origin along X."""
    thin = ph.solids.rod(mass=mass, length=length, along=ph.X)
    return ph.Body(name, ph.solids.placed(thin, (length / 2, 0, 0)))


def four_bar(u: Units) -> Posed:
    """Closed by a hinge of five rows, three of them redundant."""
    world, L = ph.World(), u.length
    a, b, c = (rod(n, m * u.mass, m * L) for n, m in (("a", 1), ("b", 2), ("c", 1.5)))
    ends = (
        ("A", world.origin, a.origin),
        ("B", a.point(L, 0, 0), b.origin),
        ("C", b.point(2 * L, 0, 0), c.origin),
        ("D", c.point(1.5 * L, 0, 0), world.point(2 * L, 0, 0)),
    )
    hinges = [ph.Revolute(name, one, two, axis=ph.Y) for name, one, two in ends]
    system = ph.System(hinges, [ph.Weight(u.gravity)], name="four-bar")
    return Posed(system, {"A": 0.7}, {"A": 0.5})


def two_loops(u: Units) -> Posed:
    """Three cranks side by side, and two couplers."""
    world, L = ph.World(), u.length
    cranks = [rod(f"crank {k}", u.mass, L) for k in range(3)]
    hinges = [
        ph.Revolute(f"G{k}", world.point(2 * k * L, 0, 0), crank.origin, axis=ph.Y)
        for k, crank in enumerate(cranks)
    ]
    for k in range(2):
        beam = rod(f"coupler {k}", 2 * u.mass, 2 * L)
        one, two = cranks[k].point(L, 0, 0), cranks[k + 1].point(L, 0, 0)
        hinges.append(ph.Revolute(f"K{k}", one, beam.origin, axis=ph.Y))
        hinges.append(ph.Revolute(f"E{k}", beam.point(2 * L, 0, 0), two, axis=ph.Y))
    held = {"G0": 0.4, "G1": 0.4, "G2": 0.4, "K0": -0.4, "K1": -0.4}
    system = ph.System(hinges, [ph.Weight(u.gravity)], name="two loops")
    return Posed(system, held, {"G0": 0.3})


def spatial_loop(u: Units) -> Posed:
    """A crank, a rod on two balls and a slide: metres beside radians."""
    world, L = ph.World(), u.length
    crank, link = rod("crank", u.mass, 0.5 * L), rod("link", u.mass, 2 * L)
    block = ph.solids.box(mass=0.5 * u.mass, x=0.2 * L, y=0.2 * L, z=0.2 * L)
    piston, guide = ph.Body("piston", block), world.point(0.4 * L, 0.3 * L, 0)
    members = [
        ph.Revolute("main", world.point(0, 0, L), crank.origin, axis=(0.6, 0, 0.8)),
        ph.Spherical("big end", crank.point(0.5 * L, 0, 0), link.origin),
        ph.Prismatic("guide", guide, piston.origin, axis=ph.X),
        ph.Universal(
            "small end",
            link.point(2 * L, 0, 0),
            piston.origin,
            axis=ph.Y,
            second_axis=ph.Z,
        ),
    ]
    system = ph.System(members, [ph.Weight(u.gravity)], name="spatial loop")
    return Posed(system, {"main": 0.4}, {"main": 0.7})


def rolling_disc(u: Units) -> Posed:
    """A coin on a plane: rows of places and of velocities."""
    world, r = ph.World(), 0.26 * u.length
    disc = ph.Body("disc", ph.solids.disc(mass=3 * u.mass, radius=r, along=ph.Y))
    free = ph.Free("free", world.point(0, 0, r), disc.origin)
    ground = ph.rolling(ph.surfaces.disc(disc.origin, r, axis=ph.Y), world.origin)
    pull = ph.Spring(world.point(r, r, r), disc.point(r, 0, 0), 5 * u.mass / u.time**2)
    actions = [ph.Weight(u.gravity), pull]
    system = ph.System([free], actions, ground, name="disc")
    return Posed(system, {}, {})


def pendulum(u: Units) -> Posed:
    """On a spring: no rows at all."""
    world, arm = ph.World(), rod("arm", u.mass, u.length)
    hinge = ph.Revolute("hinge", world.origin, arm.origin, axis=ph.Y)
    spring = ph.Spring(
        world.point(0, 0, u.length),
        arm.point(u.length, 0, 0),
        stiffness=30 * u.mass / u.time**2,
        rest_length=0.5 * u.length,
    )
    system = ph.System([hinge], [ph.Weight(u.gravity), spring], name="pendulum")
    return Posed(system, {"hinge": 0.4}, {"hinge": 0.6})


def door(u: Units) -> Posed:
    """On two hinges in line: every row is redundant, and compiled it is rounding."""
    world, L = ph.World(), u.length
    box = ph.solids.box(mass=10 * u.mass, x=0.8 * L, y=0.04 * L, z=2 * L)
    panel = ph.Body("panel", box)
    axis = np.array([0.3, 0.1, 1.0]) / np.linalg.norm([0.3, 0.1, 1.0])
    across = np.cross([0.0, 1.0, 0.0], axis)
    across /= np.linalg.norm(across)
    axes = np.stack([across, np.cross(axis, across), axis], axis=-1)
    hinges = [
        ph.Revolute(
            name,
            world.point(*(z * L * axis + [0.1 * L, 0.2 * L, L])),
            panel.point(-0.4 * L, 0, z * L),
            axis=ph.Z,
            first_axes=axes,
        )
        for name, z in (("upper", 0.8), ("lower", -0.8))
    ]
    system = ph.System(hinges, [ph.Weight(u.gravity)], name="door")
    return Posed(system, {"upper": 0.3}, {"upper": 0.7})


SYSTEMS: dict[str, Callable[[Units], Posed]] = {
    each.__name__: each
    for each in (four_bar, two_loops, spatial_loop, rolling_disc, pendulum, door)
}


def speed_units(system: ph.System, units: Units) -> np.ndarray:
    """What one metre a second, or radian a second, is along each speed (nz,)."""
    names = [unit for joint in system.joints for unit in joint.speed_units]
    return np.where(np.array(names) == "m/s", units.length, 1.0) / units.time


def coordinate_units(system: ph.System, units: Units) -> np.ndarray:
    """What one metre, or radian, is along each coordinate (nq,)."""
    names = [unit for joint in system.joints for unit in joint.units]
    return np.where(np.array(names) == "m", units.length, 1.0)
