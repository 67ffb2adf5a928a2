"""How many ways a system can move, where constraints repeat each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import polhode as ph
from unit_systems import rod


def box(name: str) -> ph.Body:
    return ph.Body(name, ph.solids.box(mass=1, x=0.3, y=0.2, z=0.1))


def tilted() -> np.ndarray:
    """Axes that are those of no frame: what cancels leaves rounding."""
    axes, _ = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))
    return axes * np.sign(np.linalg.det(axes))


def in_line(kind: type, places: tuple[float, ...]) -> ph.System:
    """A box on several joints along one leaning axis."""
    body, world, axes = box("box"), ph.World(), tilted()
    joints = [
        kind(
            f"{k}",
            world.point(*(axes @ [0.1, 0.2, z])),
            body.point(0.1, 0.2, z),
            axis=ph.Z,
            first_axes=axes,
        )
        for k, z in enumerate(places)
    ]
    return ph.System(joints, [ph.Weight(9.81)])


def parallelogram(cranks: tuple[float, ...]) -> list[ph.theory.Joint]:
    """Cranks side by side and one beam; all in one line where it is made."""
    world, beam = ph.World(), rod("beam", 2.0, 2.0)
    bars = [rod(f"crank {k}", 1.0, 1.0) for k in range(len(cranks))]
    pairs = list(enumerate(zip(cranks, bars, strict=True)))
    return [
        ph.Revolute(f"g{k}", world.point(x, 0, 0), bar.origin, axis=ph.Y)
        for k, (x, bar) in pairs
    ] + [
        ph.Revolute(f"k{k}", bar.point(1, 0, 0), beam.point(x, 0, 0), axis=ph.Y)
        for k, (x, bar) in pairs
    ]


def sarrus() -> ph.System:
    """A plate on two legs of three hinges each, square to each other: it lifts."""
    top, world, joints = box("top"), ph.World(), []
    for name, axis, way in (("x", ph.Y, (1, 0)), ("y", ph.X, (0, 1))):
        foot = np.array([*way, 0.0]) / 2
        up, back = 1.2 * foot + [0, 0, 0.8], -1.2 * foot + [0, 0, 0.8]
        lower, upper = (
            ph.Body(
                f"{word} {name}",
                ph.solids.placed(ph.solids.rod(mass=1, length=1, along=w), w / 2),
            )
            for word, w in (("lower", up), ("upper", back))
        )
        joints += [
            ph.Revolute(f"{name}1", world.point(*foot), lower.origin, axis=axis),
            ph.Revolute(f"{name}2", lower.point(*up), upper.origin, axis=axis),
            ph.Revolute(f"{name}3", upper.point(*back), top.point(*foot), axis=axis),
        ]
    return ph.System(joints, [ph.Weight(9.81)], name="Sarrus's linkage")


def gears(count: int) -> ph.System:
    """Wheels in a train, and a gear from the last to the first that says the same."""
    world, joints = ph.World(), []
    for k in range(count):
        disc = ph.solids.disc(mass=1, radius=0.1 * (k + 1), along=ph.Z)
        wheel = ph.Body(f"wheel {k}", disc)
        joints.append(
            ph.Revolute(f"j{k}", world.point(k, 0, 0), wheel.origin, axis=ph.Z)
        )
    pairs = pairwise(joints)
    rows = [ph.Gear(b, a, ratio=0.7, name=f"gear to {b.name}") for a, b in pairs]
    round_ = ph.Gear(joints[-1], joints[0], ratio=0.7 ** (count - 1), name="round")
    return ph.System(joints, [], [*rows, round_])


def wheels(frame: type, count: int) -> ph.System:
    """Wheels on one axle that roll on a leaning plane, under a frame on a joint."""
    world, r, axes = ph.World(), 0.3, tilted()
    body, rows = box("frame"), []
    along = {"normal": ph.Z} if frame is ph.Planar else {"axis": ph.X}
    up = world.point(*(axes @ [0, 0, r]))
    joints = [frame("frame", up, body.origin, first_axes=axes, **along)]
    for k in range(count):
        disc = ph.solids.disc(mass=1, radius=r, along=ph.Y)
        wheel = ph.Body(f"wheel {k}", disc)
        place = body.point(0, k - 0.5, 0)
        joints.append(ph.Revolute(f"axle {k}", place, wheel.origin, axis=ph.Y))
        rim = ph.surfaces.disc(wheel.origin, r, axis=ph.Y)
        normal = axes[:, 2]
        rows += ph.rolling(rim, world.origin, normal=normal, name=f"rolling {k}")
    return ph.System(joints, [ph.Weight(9.81)], rows)


CASES = {
    "two hinges in line": (lambda: in_line(ph.Revolute, (0.0, 0.7)), 1),
    "three hinges in line": (lambda: in_line(ph.Revolute, (0.0, 0.5, 1.3)), 1),
    "two cylindrical joints": (lambda: in_line(ph.Cylindrical, (0.0, 0.7)), 2),
    "two slides": (lambda: in_line(ph.Prismatic, (0.0, 0.7)), 1),
    "Bricard's ring": (ph.models.bricard, 1),
    "Sarrus's linkage": (sarrus, 1),
    "a four-bar of hinges": (ph.models.four_bar, 1),
    "a slider-crank of hinges": (ph.models.slider_crank, 1),
    "gears in a ring": (lambda: gears(4), 1),
    "one wheel on a rail": (lambda: wheels(ph.Prismatic, 1), 1),
    "two wheels on a rail": (lambda: wheels(ph.Prismatic, 2), 1),
    "one wheel on a plane": (lambda: wheels(ph.Planar, 1), 2),
    "two wheels on a plane": (lambda: wheels(ph.Planar, 2), 2),
    "a parallelogram": (lambda: ph.System(parallelogram((0.0, 2.0))), 1),
    "with a third crank": (lambda: ph.System(parallelogram((0.0, 2.0, 1.0))), 1),
}


@pytest.mark.parametrize("name", CASES)
def test_redundant_rows_take_no_freedom(name):
    """The count is that of the motions that go on, and the system says the same."""
    make, freedoms = CASES[name]
    system = make()
    found = ph.mobility(system)
    assert found.freedoms == freedoms
    assert found.rank < len(found.rows)
    assert f"{freedoms} degree" in repr(system)


def test_a_place_where_more_moves_for_an_instant_is_singular():
    """A parallelogram in one line: two motions there, one beside."""
    system = ph.System(parallelogram((0.0, 2.0)))
    flat = ph.mobility(system)
    assert (flat.by_rank, flat.freedoms, flat.is_singular) == (2, 1, True)
    assert "singular" in repr(flat)
    open_ = ph.assemble(system, g0=0.7, g1=0.7, k0=-0.7).state
    beside = ph.mobility(system, open_)
    assert (beside.by_rank, beside.freedoms, beside.is_singular) == (1, 1, False)


def test_taut_rods_in_line_hold_what_they_let_move_for_an_instant():
    """A particle between two rods that are just long enough goes nowhere."""
    ball, world = ph.Particle("ball", 1.0), ph.World()
    rods = [
        ph.Distance(world.point(x, 0, 0), ball.mass_centre, 1.0, name=f"rod {x}")
        for x in (-1, 1)
    ]
    found = ph.mobility(ph.System([ball], [ph.Weight(9.81)], rods))
    assert (found.by_rank, found.freedoms) == (2, 0)


def test_a_driver_takes_the_last_freedom_of_redundant_loops():
    """Beside a parallelogram of one freedom, open as its law has it."""
    joints = parallelogram((0.0, 2.0))
    law = ph.PrescribedMotion(joints[0], lambda t: 0.3 + 0.1 * t)
    found = ph.mobility(ph.System(joints, [ph.Weight(9.81)], [law]))
    assert found.freedoms == found.by_rank == 0
