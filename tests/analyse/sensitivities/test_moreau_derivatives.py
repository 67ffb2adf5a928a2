"""Derivatives of motions by Moreau's scheme: right while contacts keep their modes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import AnalysisError

G, MU, V, STEP, END = 9.81, 0.3, 2.0, 0.01, 0.4
LEFT = (V - MU * G * END) / V  # of the speed, at the end


@cache
def slide():
    """A point that slides along X on a floor, and never stops."""
    bob = ph.Particle("bob", 1.0)
    skin, rubs = ph.surfaces.point(bob.mass_centre), ph.Coulomb(MU, MU)
    floor = ph.Support(skin, ph.World().origin, friction=rubs, name="floor")
    system = ph.System([bob], [ph.Weight(G)], supports=[floor], name="slide")
    start = ph.State(system, 0.0, np.zeros(3), np.array([V, 0.0, 0.0]))
    return ph.simulate(system, start, until=END, method=ph.methods.Moreau(STEP))


def test_a_slide_changes_with_its_friction_and_its_first_speed():
    """x = v t - mu g t^2 / 2; a speed across is lost as the slip is."""
    found = ph.sensitivity(slide(), ["floor.dynamic"])
    by_friction = [-G * END**2 / 2, 0, 0, -G * END, 0, 0]
    assert_close(found["floor.dynamic"][-1], by_friction, rtol=1e-9)
    by_speed = [END, 0, 0, 1, 0, 0]
    assert_close(found["first speed of bob.vx"][-1], by_speed, rtol=1e-9)
    # Shares of loads are held by a term of 1e-7 of W, which damps what is not exact.
    assert_close(found.transition[-1][4, 4], LEFT, rtol=1e-8)
    # What falls into the floor is stopped there.
    assert_close(found.transition[-1][5, 5], 0.0, atol=1e-8)


def test_a_gradient_goes_back_through_the_steps():
    """The same, by transposed steps."""
    found = ph.gradient(slide(), lambda t, state: state["bob.x"], ["floor.dynamic"])
    assert_close(found.value, V * END - MU * G * END**2 / 2, rtol=1e-12)
    assert_close(found["floor.dynamic"], -G * END**2 / 2, rtol=1e-10)
    assert_close(found["first bob.vx"], 1.0, rtol=1e-12)
    assert_close(found["first speed of bob.vx"], END, rtol=1e-10)


@pytest.mark.long
def test_loads_that_corners_share_do_not_blur_derivatives():
    """A cube on four corners, one more than is needed, slides as a point does."""
    body = ph.Body("cube", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    skin, rubs = ph.surfaces.box(body.origin, (0.1, 0.1, 0.1)), ph.Coulomb(MU, MU)
    floor = ph.Support(skin, ph.World().origin, friction=rubs, name="floor")
    system = ph.System([body], [ph.Weight(G)], supports=[floor], name="cube")
    start = system.state(cube={"z": 0.05}, speeds={"cube": (0, 0, 0, V, 0, 0)})
    motion = ph.simulate(system, start, until=END, method=ph.methods.Moreau(STEP))
    found = ph.sensitivity(motion, ["floor.dynamic"])
    expected = np.zeros(13)
    expected[4], expected[10] = -G * END**2 / 2, -G * END
    assert_close(found["floor.dynamic"][-1], expected, rtol=1e-6)
    back = ph.gradient(motion, lambda t, state: state["cube.x"], ["floor.dynamic"])
    assert_close(back["floor.dynamic"], found["floor.dynamic"][-1][4], rtol=1e-9)


def test_contacts_in_tables_have_no_derivatives(monkeypatch):
    """They are solved by loops of unknown length, and say so."""
    monkeypatch.setitem(slide().system.compiled, "contact tables", True)
    for question in (ph.sensitivity, lambda m: ph.gradient(m, lambda t, s: s["bob.x"])):
        with pytest.raises(AnalysisError, match="rows of a table"):
            question(slide())
