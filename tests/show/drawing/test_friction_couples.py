"""Couples against rolling are drawn as arcs: on pages, live, and in stills."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.show.drawing.contacts import contact_frames, paint_contacts
from polhode.show.drawing.scene import scene_of

R, ARM, MASS, G = 0.1, 0.004, 1.0, 9.81


@pytest.fixture(scope="module")
def motion():
    """A ball that rolls along X on felt."""
    ball = ph.Body("ball", ph.solids.sphere(mass=MASS, radius=R))
    felt = ph.Support(ph.surfaces.sphere(ball.origin, R), ph.World().origin,
                      friction=ph.Coulomb(0.5), name="felt")  # fmt: skip
    slows = ph.contact.RollingFriction(felt, ARM, name="slows")
    system = ph.System([ball], [ph.Weight(G)], supports=[felt, slows])
    speeds = {"ball": (0, 1.0 / R, 0, 1.0, 0, 0)}
    return ph.simulate(system, system.state(ball={"z": R}, speeds=speeds), until=0.2)


def test_a_ball_that_rolls_has_a_bent_arrow_against_its_turn(motion):
    """-a N about +Y at the place where it touches; it rolls, and says so."""
    (kind,) = [k for k in scene_of(motion).arrows if k.kind == "friction couple"]
    assert kind.is_bent
    assert kind.unit == "N m"
    (arrow,) = kind.arrows
    assert arrow.name == "slows"
    assert_close(arrow.vectors[-1], [0, -ARM * MASS * G, 0], atol=1e-12)
    assert np.max(np.abs(arrow.tails[:, 2])) < 1e-9
    assert set(motion["felt"].status[:, 0]) == {"rolls"}


def test_a_still_has_an_arc_for_it(motion):
    """Painted beside push and friction: one curve more than there are cone lines."""
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.add_subplot()

    class View:
        def project(self, points):
            return points[:, 0], points[:, 2], points[:, 1]

    found = contact_frames(motion, 1.0)
    paint_contacts(axes, View(), found, 0)
    with_arc = [len(line.get_xdata()) for line in axes.lines]
    assert with_arc.count(25) == 1
