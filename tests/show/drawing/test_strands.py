"""Ropes and belts lie on their wheels in every frame."""

from __future__ import annotations

import numpy as np

import polhode as ph
from closeness import assert_close
from polhode.analyse.machinery.mode_motion import rows_of
from polhode.show.drawing.scene import motion_of_frames, stage_of
from polhode.show.drawing.strands import rope_line


def test_the_drawn_rope_is_as_long_as_the_rope():
    """Two strands and an arc in straight pieces, a little shorter than the arc."""
    start = ph.models.start("atwood")
    motion = ph.simulate(start.system, start, until=0.4)
    rows = motion_of_frames(motion, 4)
    (rope,) = start.system.constraints
    line = rope_line(rows, rope)
    whole = start.system.parameters["rope.length"]
    long = np.sum(np.linalg.norm(np.diff(line, axis=1), axis=-1), axis=1)
    assert_close(long, np.full(4, float(whole)), rtol=1e-3)
    assert np.all(long < whole)


def belt_drive(crossed):
    """Two wheels of 0.2 m and 0.1 m, 1 m apart, the second driven."""
    world = ph.World()
    wheels = [ph.Body(n, ph.solids.disc(mass=1, radius=0.3, along=ph.Y)) for n in "ab"]
    one = ph.Revolute("one", world.origin, wheels[0].origin, axis=ph.Y)
    two = ph.Revolute("two", world.point(1, 0, 0), wheels[1].origin, axis=ph.Y)
    belt = ph.machines.Belt(two, one, 0.1, driver_radius=0.2, crossed=crossed)
    return ph.System([one, two], constraints=[belt], name="drive")


def drawn_belt(system):
    """The one strand of a scene at rest."""
    (strand,) = stage_of(rows_of([system.rest()], np.zeros(1))).strands
    return strand


def test_a_belt_goes_round_both_wheels():
    """Its length is that of two tangents and two arcs, open or crossed.

    L = 2 sqrt(d^2 - (R - r)^2) + R (pi + 2 a) + r (pi - 2 a), sin a = (R - r)/d; of a
    crossed one the difference is a sum, and both arcs are the longer.
    """
    R, r, d = 0.2, 0.1, 1.0
    for crossed, step, sign in ((False, R - r, -1), (True, R + r, 1)):
        strand = drawn_belt(belt_drive(crossed))
        a = np.arcsin(step / d)
        whole = 2 * np.sqrt(d**2 - step**2)
        whole += R * (np.pi + 2 * a) + r * (np.pi + sign * 2 * a)
        points = strand.points[0]
        long = np.sum(np.linalg.norm(np.diff(points, axis=0), axis=-1))
        assert strand.kind == "belt"
        assert_close(long, whole, rtol=0.01)
        assert np.min(np.linalg.norm(points, axis=1)) > 0.98 * R * np.cos(np.pi / 24)


def test_wheels_in_mesh_have_no_belt():
    """A negative ratio without radii is that of gears."""
    pair = ph.models.gears_on_arm("gear")
    assert stage_of(rows_of([pair.rest()], np.zeros(1))).strands == ()
