"""Rolling contacts: the friction that they need, and balls on tables that turn."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError

G, SLOPE, R = 9.81, 0.3, 0.4


@cache
def rolling_ball(rate: float = 0.0, slope: float = 0.0, lean: float = 0.0):
    """A homogeneous ball on a table that turns about Z; gravity may lean."""
    world = ph.World()
    table = ph.Body("table", ph.solids.cylinder(mass=5.0, radius=2.0, length=0.1))
    ball = ph.Body("ball", ph.solids.sphere(mass=1.5, radius=R))
    axle = ph.Revolute("axle", world.origin, table.origin, axis=ph.Z)
    free = ph.Free("free", world.point(0, 0, R), ball.origin)
    driver = ph.PrescribedMotion(axle, lambda t: rate * t, name="driver")
    roll = ph.rolling(ph.surfaces.sphere(ball.origin, R), table.origin)
    up = (-np.sin(slope), 0.0, np.cos(slope) * (1 - 2 * lean))
    system = ph.System(
        [axle, free], [ph.Weight(G, up=up)], [driver, *roll], name="ball on a table"
    )
    return ph.recursive(system)


def test_a_ball_on_a_turning_table_goes_in_circles():
    """v' = (2/7) Omega z x v: two turns of its path take seven of the table."""
    rate = 1.3
    form = rolling_ball(rate)
    rng = np.random.default_rng(1)
    for _ in range(3):
        place, spin = rng.normal(size=2), rng.normal()
        v = np.array([*rng.normal(size=2), 0.0])
        # Without slip: v + w x (-R z) = Omega z x r.
        r = np.array([*place, 0.0])
        carried = np.cross([0, 0, rate], r)
        w = np.cross([0, 0, 1.0], v - carried) / R + [0, 0, spin]
        speeds = {"axle": rate, "free": (*w, *v)}
        where = {"free": {"x": place[0], "y": place[1]}}
        state = form.system.state(where, speeds=speeds)
        found = form.body_accelerations(state)[1][3:] + np.cross(w, v)
        assert_close(found, 2 / 7 * np.cross([0, 0, rate], v), rtol=1e-9)


def test_friction_that_a_ball_needs_on_a_slope():
    """mu = tan b I/(I + m R^2), 2/7 tan b for a ball; on the level none."""
    form = rolling_ball(0.0, SLOPE)
    found = ph.needed_friction(form, form.system.rest())
    assert_close(found, 2 / 7 * np.tan(SLOPE), rtol=1e-9)
    level = rolling_ball()
    assert ph.needed_friction(level, level.system.rest()) < 1e-12


def test_a_plane_that_would_have_to_pull_needs_more_than_friction():
    """Hung from below it is held by the constraint, and by no friction."""
    form = rolling_ball(0.0, SLOPE, 1.0)
    assert ph.needed_friction(form, form.system.rest()) == np.inf


def test_contacts_that_are_not_there_are_refused():
    """By name, with those that are."""
    form = rolling_ball()
    with pytest.raises(ModelError, match="Did you mean 'rolling'"):
        ph.needed_friction(form, form.system.rest(), "roling")
