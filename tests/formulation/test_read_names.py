"""Readings call each thing by a symbol of its own, and LaTeX reads what is written."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy

import polhode as ph
from polhode.formulation.reading.read import symbols_of


def cart(name: str = "s") -> ph.System:
    """A cart on a spring and a damper, driven beside a second one by a gear."""
    world = ph.World()
    block = ph.solids.box(mass=ph.Parameter("M", 2.0), x=1, y=1, z=1)
    one, two = (
        ph.Body("one", block),
        ph.Body("two", ph.solids.box(mass=1, x=1, y=1, z=1)),
    )
    slide = ph.Prismatic(name, world.origin, one.origin, axis=ph.X)
    other = ph.Prismatic("r", world.point(0, 3, 0), two.origin, axis=ph.X)
    spring = ph.Spring(slide, ph.Parameter("k", 3.0))
    damper = ph.Damper(slide, ph.Parameter("c", 0.5))
    return ph.System([slide, other], [spring, damper], [ph.Gear(other, slide, 2.0)])


@pytest.mark.parametrize("form", [ph.maggi, ph.lagrange, ph.gauss])
def test_a_coordinate_and_its_speed_are_two_symbols(form):
    """Also where a form has fewer velocities than the system has coordinates."""
    found = symbols_of(form(cart()), {})
    all_ = [*found.q, *found.y, *found.y_dot]
    assert len(set(all_)) == len(all_)
    assert {str(s) for s in found.y} <= {"sdot", "rdot"}
    assert {str(s) for s in found.y_dot} <= {"sddot", "rddot"}


def test_a_hinge_beside_a_ball_has_a_speed_of_its_own():
    """Where not all speeds are rates of coordinates, those that are stay so."""
    world = ph.World()
    one, two = (
        ph.Body(n, ph.solids.box(mass=1, x=1, y=2, z=3)) for n in ("one", "two")
    )
    joints = [
        ph.Revolute("theta", world.origin, one.origin, axis=ph.Z),
        ph.Spherical("ball", one.point(1, 0, 0), two.origin),
    ]
    found = symbols_of(ph.lagrange(ph.System(joints)), {})
    assert str(found.q[0]) == "theta"
    assert [str(s[0]) for s in (found.z, found.y, found.y_dot)] == [
        "thetadot",
        "thetadot",
        "thetaddot",
    ]


def test_maggis_reading_is_what_it_computes():
    """What is printed, at a drawn state, is M s_dot + b - f."""
    system = cart()
    equations = ph.maggi(system)
    reading = equations.read()
    state = ph.assemble(system, s=0.3, speeds={"s": 0.7}).state
    symbols, rate = reading.origin.symbols, 1.9
    values = {sympy.Symbol("t"): 0.0, symbols.y_dot[0]: rate}
    values |= dict(zip(symbols.q, state.q, strict=True))
    values |= dict(zip(symbols.y, equations.velocities(state), strict=True))
    values |= {symbols.table[n]: v for n, v in system.parameters.items()}
    printed = float(reading.motion[0].subs(values))
    M, b = equations.mass_matrix(state), equations.bias(state)
    assert np.isclose(printed, (M @ [rate] + b - equations.force(state))[0], rtol=1e-12)


def test_a_joint_called_by_a_number_is_no_number():
    """sin(q_2) and not sin(2): else length**2 were a power and a coordinate at once."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute("2", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    reading = ph.gauss(ph.System([hinge], [ph.Weight(9.81)], name="p")).read()
    names = {str(symbol) for symbol in reading.motion[0].free_symbols}
    assert {"q_2", "q_2ddot"} <= names
    assert r"\ddot{q}_{2}" in reading.latex()


def test_a_twist_and_a_speed_of_one_name_are_two_symbols():
    """A free craft's joint and body are both "craft"; the form has its own twists."""
    system = ph.models.offset_craft()
    symbols = symbols_of(ph.newton_euler(system), {})
    assert not {*symbols.z} & {*symbols.y}
    same = symbols_of(ph.gauss(system), {})
    assert same.z == same.y


def test_a_parameter_and_a_place_of_one_name_are_two_symbols():
    """The side x of the box "A" is not where "A" is; nor is a length "t" the time."""
    sides = {"x": 0.2, "y": 0.3, "z": 0.4}
    box = ph.Body("A", ph.solids.box(mass=ph.Parameter("t", 2.0), **sides))
    system = ph.System([box], [ph.Weight(9.81)])
    symbols = symbols_of(ph.newton_euler(system), {})
    moving = {str(s) for part in symbols[1:5] for s in part} | {str(symbols[0])}
    named = [str(s) for s in symbols[6].values()]
    assert len({*named}) == len(named)
    assert not moving & {*named}
    assert str(symbols[6]["A.x"]) == "p_A_x"
    assert "p_t*" in str(ph.lagrange(system).read())


def test_parameters_of_like_names_are_two_symbols():
    """A dot is printed as an underscore, and may stand beside one."""
    one, two = ph.Parameter("a_mass", 2.0), ph.Particle("a", 3.0)
    rail = ph.Prismatic("s", ph.World().origin, two.mass_centre, axis=ph.X)
    system = ph.System([rail], [ph.JointSpring(rail, one)])
    assert {"a_mass", "a.mass"} <= {*system.parameters}
    text = str(ph.lagrange(system).read())
    assert "a_mass*s" in text
    assert "p_a_mass" in text


def test_latex_escapes_names():
    """A comment sign would swallow the rest of the line."""
    latex = ph.lagrange(cart("left_arm#1 50%")).read().latex()
    assert r"left\_arm\#1 50\%" in latex
    assert not re.search(r"(?<!\\)[#%]", latex)


def test_forms_with_nothing_to_say_of_rows_are_read():
    """Of a body on a ball, whose quaternion is one: an empty part is left as it is."""
    system = ph.models.heavy_top()
    reading = ph.kirchhoff(system).read()
    assert len(reading.motion) == 6
