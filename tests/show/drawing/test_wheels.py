"""Tyres and cams are as large as they act; springs stand between what they join."""

from __future__ import annotations

import numpy as np

import polhode as ph
from closeness import assert_close
from polhode.analyse.machinery.mode_motion import rows_of
from polhode.show.drawing.glyphs import links_of
from polhode.show.drawing.scene import motion_of_frames, stage_of
from polhode.show.drawing.wheels import cam_surface, tyre_surfaces


def test_a_tyre_has_its_radius_about_its_axis():
    """The farthest from the axle is the tread."""
    centre = np.array([1.0, 2.0, 0.3])
    tyre, rim = tyre_surfaces(0.3, (0, 1, 0), centre)
    away = (tyre.corners - centre)[:, [0, 2]]
    assert_close(np.max(np.linalg.norm(away, axis=1)), 0.3, rtol=1e-9)
    inner = (rim.corners - centre)[:, [0, 2]]
    assert np.max(np.linalg.norm(inner, axis=1)) < 0.3


def valve():
    """A cam that lifts a valve by 10 mm, whose foot is 40 mm above the shaft."""
    world = ph.World()
    disc = ph.Body("disc", ph.solids.disc(mass=1.0, radius=0.03, along=ph.Y))
    stem = ph.Body("stem", ph.solids.rod(mass=0.1, length=0.1, along=ph.Z))
    shaft = ph.Revolute("shaft", world.origin, disc.origin, axis=ph.Y)
    slide = ph.Prismatic(
        "slide", world.point(0, 0, 0.04), stem.point(0, 0, -0.05), axis=ph.Z
    )
    lift = ph.Formula("0.005 * (1 - cos(angle))", ("angle",))
    cam = ph.machines.Cam(slide, shaft, lift)
    return ph.System([shaft, slide], constraints=[cam], name="valve")


def test_the_follower_stands_on_the_cam_that_is_drawn():
    """At every angle the top of the plate is where the foot of the stem is."""
    system = valve()
    (cam,) = system.constraints
    first = system.state({"shaft": 0.0, "slide": 0.0}, speeds={"shaft": 4.0})
    motion = ph.simulate(system, system.consistent(first), until=1.0)
    rows = motion_of_frames(motion, 9)
    plate = cam_surface(rows, cam)
    shaft = stage_of(rows).bodies[0]
    foot = 0.04 + np.ravel(rows["slide"])
    for R, height in zip(shaft.rotations, foot, strict=True):
        corners = plate.corners @ R.T
        above = corners[(np.abs(corners[:, 0]) < 1e-3) & (corners[:, 2] > 0)]
        assert_close(np.max(above[:, 2]), height, atol=3e-4)


def test_springs_and_dampers_of_one_slide_stand_side_by_side():
    """Between the mass centres of what they join, on both sides of the line."""
    start = ph.models.start("quarter_car")
    links = links_of(rows_of([start], np.zeros(1)))
    by_name = {link.kind + str(link.bodies): link for link in links}
    coil, cup = by_name["spring(1, 2)"], by_name["damper(1, 2)"]
    assert coil.aside == -cup.aside != 0
    assert by_name["spring(0, 1)"].aside == 0
