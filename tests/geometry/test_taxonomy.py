"""One body, four ways to say what it is made of; one clock for all observers."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from polhode.geometry.frame import Frame
from polhode.geometry.motion.frame_motion import FrameMotion
from polhode.geometry.motion.frame_tree import FrameTree
from polhode.geometry.point import Point
from polhode.matter.cloud import Cloud
from polhode.matter.continuum import sampled

MASS, LENGTH, THIN = 1.2, 0.8, 1e-4


def as_points():
    """2000 equal particles, each at the middle of its piece."""
    count = 2000
    heights = (np.arange(count) + 0.5) / count * LENGTH
    places = np.stack([0 * heights, 0 * heights, heights], axis=1)
    return Cloud(np.full(count, MASS / count), places)


def as_wire():
    """A density along a line."""
    return sampled(lambda u: (0 * u, 0 * u, u), [(0.0, LENGTH)], MASS / LENGTH)


def as_plate():
    """A density over a narrow strip."""
    width = (-THIN / 2, THIN / 2)
    density = MASS / (LENGTH * THIN)
    return sampled(lambda u, v: (v, 0 * u, u), [(0.0, LENGTH), width], density, 8)


def as_solid():
    """A density over a thin prism."""
    width = (-THIN / 2, THIN / 2)
    bounds = [(0.0, LENGTH), width, width]
    density = MASS / (LENGTH * THIN**2)
    return sampled(lambda u, v, w: (v, w, u), bounds, density, 6)


@pytest.mark.row("K-02")
@pytest.mark.parametrize("made", [as_points, as_wire, as_plate, as_solid])
def test_points_wire_plate_and_solid_are_one_rod(made):
    """Dimension 0, 1, 2 or 3: mass, centre and inertia are a slender rod's, to 1e-6."""
    moments = made().moments()
    assert_close(moments.mass, MASS, rtol=1e-12)
    assert_close(moments.centre, [0, 0, LENGTH / 2], rtol=1e-12)
    across = MASS * LENGTH**2 / 12
    assert_close(moments.inertia, np.diag([across, across, 0]), rtol=1e-6)


@pytest.mark.row("K-02")
def test_motion_is_relative_and_time_is_common():
    """One instant, two observers: a point at rest for one moves for the other."""
    shore, ship = Frame("shore"), Frame("ship")
    placement = {"of": ship, "seen_from": shore}

    def sailing(t):
        return np.eye(3) + 0 * t, np.array([3.0, 0, 0]) * t

    tree = FrameTree([FrameMotion.along(sailing, 2.0, **placement)])
    mast = Point(ship, [0, 0, 5])
    assert_close(tree.point_motion(mast, seen_from=ship).velocity, np.zeros(3))
    seen = tree.point_motion(mast, seen_from=shore)
    assert_close(seen.velocity, [3.0, 0, 0])
    assert_close(seen.place, [6.0, 0, 5])
