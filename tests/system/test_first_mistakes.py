"""What people write in their first hour: each mistake is told, and how to write it."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import ModelError, StateError


@pytest.fixture(scope="module")
def pendulum():
    """The pendulum of the gallery."""
    return ph.models.pendulum()


def joint():
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    return ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)


def test_one_member_without_brackets():
    """A joint is no list of members, nor is a weight one of actions."""
    hinge = joint()
    with pytest.raises(ModelError, match=r"members of a system are a list, not Rev"):
        ph.System(hinge)
    with pytest.raises(ModelError, match=r"Write actions=\[\.\.\.\], with brackets"):
        ph.System([hinge], actions=ph.Weight(9.81))
    with pytest.raises(ModelError, match="constraints of a system are a list"):
        ph.System([hinge], constraints="gear")


def test_a_state_without_names(pendulum):
    """Bare numbers do not say whose they are."""
    with pytest.raises(StateError, match=r"by names of joints, not by \[1\.0\]"):
        pendulum.state([1.0])
    with pytest.raises(StateError, match="there are: 'hinge'"):
        pendulum.state(hinge=1.0, speeds=2.0)


def test_a_speed_among_the_coordinates():
    """The rates of a free body have names of their own, and a place of their own."""
    body = ph.Body("body", ph.solids.box(mass=1.0, x=0.3, y=0.2, z=0.1))
    craft = ph.System([ph.Free("free", ph.World().origin, body.mass_centre)])
    with pytest.raises(StateError, match=r"speeds=\{'free\.wx': \.\.\.\}"):
        craft.state({"free.wx": 1.0})
    assert craft.state(speeds={"free.wx": 1.0}).z[0] == 1.0


@pytest.mark.parametrize("given", [1.0, {"hinge": 1.0}, None])
def test_a_run_from_no_state(pendulum, given):
    """A number, a mapping or nothing is no state."""
    with pytest.raises(StateError, match=r"cannot start from (1\.0|{'hinge'|None)"):
        ph.simulate(pendulum, given, until=1.0)


def test_a_misspelt_name():
    """Of the library, and of the gallery."""
    with pytest.raises(AttributeError, match="did you mean 'simulate'"):
        _ = ph.simulat
    with pytest.raises(ph.PolhodeError, match="Did you mean 'pendulum'"):
        ph.models.start("pendulun")


def test_a_motion_where_a_system_is_asked(pendulum):
    """Forms are compared of systems."""
    with pytest.raises(ModelError, match=r"compare takes a ph\.System"):
        ph.compare(pendulum.rest())


def test_a_joint_that_closes_a_loop_is_asked_for_its_coordinates():
    """It says which joint has none, and that another order gives it some."""
    crank = ph.Body("crank", ph.solids.rod(mass=1.0, length=0.1, along=ph.X))
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=0.3, along=ph.X))
    slide, world = ph.Particle("slide", 1.0), ph.World()
    main = ph.Revolute("main", world.origin, crank.point(-0.05, 0, 0), axis=ph.Y)
    pin = ph.Revolute("pin", crank.point(0.05, 0, 0), rod.point(-0.15, 0, 0), axis=ph.Y)
    wrist = ph.Revolute("wrist", rod.point(0.15, 0, 0), slide.mass_centre, axis=ph.Y)
    bore = ph.Prismatic("bore", world.origin, slide.mass_centre, axis=ph.X)
    spring = ph.JointSpring(bore, 10.0)
    with pytest.raises(
        ModelError, match=r"(?s)'bore' closes a loop.*Give 'bore' earlier"
    ):
        ph.System([main, pin, wrist, bore], [spring])
