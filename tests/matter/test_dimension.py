"""Texts with units: read in SI, and refused by name where the dimension is wrong."""

from __future__ import annotations

import subprocess
import sys

import pint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from polhode.dimension import has_unit, measured
from polhode.errors import ModelError
from polhode.matter.parameter import at

REGISTRY = pint.UnitRegistry()


@pytest.mark.parametrize(
    "text",
    [
        "1.2 kg",
        "1200 g",
        "-3.5e-2 cm",
        "0.3 N*m/rad",
        "2 lbf ft",
        "30 deg",
        "9.81 m/s^2",
    ],
)
def test_a_text_is_what_pint_says_in_si(text):
    """The number and the dimension of pint's own parser."""
    value = ph.Parameter("a", text).value
    wanted = REGISTRY(text.replace("lbf ft", "lbf*ft")).to_base_units()
    assert value == pytest.approx(wanted.magnitude, rel=1e-15)
    found = REGISTRY.Unit(measured(text, "it").unit)
    assert found.dimensionality == wanted.dimensionality


def test_an_expression_is_not_a_unit():
    """What files read as arithmetic of parameters stays that."""
    assert not any(map(has_unit, ["2 * m", "m", "m / 2", "1.5", "-x", ""]))
    assert has_unit("2 m")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ph.solids.rod(mass="0.8 m", length=1.0), "the mass of a rod"),
        (lambda: ph.solids.rod(mass=1.0, length="2 kg"), "the length of a rod"),
        (lambda: ph.Weight("9.81 m/s"), "the gravity of 'weight'"),
        (lambda: ph.Particle("p", ph.Parameter("l", "1 m")), "parameter 'l'"),
        (
            lambda: ph.Particle(
                "p", ph.Parameter("m", "1 kg") * ph.Parameter("l", "1 m")
            ),
            r"parameter 'm \* l'",
        ),
        (
            lambda: ph.Particle(
                "p", ph.Parameter("m", "1 kg") + ph.Parameter("l", "1 m")
            ),
            r"'m \+ l' joins what has different dimensions",
        ),
    ],
)
def test_a_wrong_dimension_is_refused_by_name(make, words):
    """Who, with the unit that it has and the one it needs."""
    with pytest.raises(ModelError, match=words):
        make()


def joined(kind=ph.Revolute, **own):
    """A rod on a joint about or along X."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    return kind("joint", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.X, **own)


def ball():
    return ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.1))


def ground():
    return ph.World().frame


# How it is built of a number, where the number is then, and a unit with its size in SI.
DOORS = {
    "box": (lambda d: ph.solids.box(density=d, x=1, y=1, z=1).density, "g/cm^3", 1e3),
    "disc": (lambda d: ph.solids.disc(density=d, radius=1).density, "g/cm^2", 10.0),
    "rod": (lambda d: ph.solids.rod(density=d, length=1).density, "g/cm", 0.1),
    "torque": (lambda u: ph.Motor(joined(), u).law, "N*cm", 0.01),
    "force": (lambda u: ph.Motor(joined(ph.Prismatic), u).law, "kN", 1e3),
    "limits": (lambda a: joined(limits=(0, a)).limits[1][0], "deg", 0.0174532925199433),
    "travel": (lambda a: joined(ph.Prismatic, limits=(0, a)).limits[1][0], "cm", 0.01),
    "effort": (lambda a: joined(effort_limits=(0, a)).effort_limits[1][0], "kN*m", 1e3),
    "rotor": (lambda i: joined(rotor_inertia=i).rotor_inertia[0], "g*m^2", 1e-3),
    "hertz": (lambda k: ph.contact.Hertz(k).stiffness, "kN/m^1.5", 1e3),
    "voigt": (lambda k: ph.contact.KelvinVoigt(k, 1.0).stiffness, "N/mm", 1e3),
    "loss": (lambda c: ph.contact.KelvinVoigt(1.0, c).damping, "N*s/cm", 100.0),
    "speed": (lambda v: ph.contact.Regularised(0.3, v).speed, "mm/s", 1e-3),
    "drag": (lambda b: ph.Drag(ball().mass_centre, ground(), b).linear, "N*s/cm", 100),
    "stop": (lambda a: ph.Stop(joined(), upper=a).upper, "deg", 0.0174532925199433),
}


@pytest.mark.parametrize("name", DOORS)
@given(value=st.floats(1e-3, 1e3))
@settings(max_examples=5)
def test_a_door_reads_a_unit_and_refuses_another(name, value):
    """A number with a unit is its size in SI; that of a temperature is refused."""
    make, unit, size = DOORS[name]
    found = make(f"{value!r} {unit}")
    assert float(at(found)) == pytest.approx(value * size, rel=1e-12)
    with pytest.raises(ModelError, match="has the unit K, and needs"):
        make(f"{value!r} kelvin")


def test_springs_of_joints_know_their_axis():
    """N m of a hinge is refused on a slide, and the other way round."""
    body = ph.Body("b", ph.solids.box(mass="2 kg", x="10 cm", y=0.1, z=0.1))
    slide = ph.Prismatic("s", ph.World().origin, body.origin, axis=ph.X)
    hinge = ph.Revolute("h", ph.World().origin, body.point("5 cm", 0, 0), axis=ph.X)
    assert ph.JointSpring(slide, "3 N/mm").stiffness[0].value == pytest.approx(3000.0)
    assert ph.JointDamper(hinge, "2 mN*m*s").damping[0].value == pytest.approx(2e-3)
    with pytest.raises(ModelError, match="the stiffness of 's'"):
        ph.JointSpring(slide, "3 N*m")
    with pytest.raises(ModelError, match="the damping of 'h'"):
        ph.JointDamper(hinge, "3 N*s/m")


@pytest.mark.parametrize(
    "text", ["1 smoot_", "1 kg^99999999", "1 kg**1e9", "1 furlongz"]
)
def test_units_that_nobody_knows_are_refused(text):
    """Soon, and by the parameter's name."""
    with pytest.raises(ModelError, match="parameter 'a'"):
        ph.Parameter("a", text)


MODEL = """
polhode = 1
name = "pendulum"

[parameters]
m = "1200 g"
l = "80 cm"

[bodies.rod]
solid = "rod"
mass = {mass}
length = "l"
points = {{ end = [0, 0, "400 mm"] }}

[joints.hinge]
kind = "revolute"
first = "world"
second = "rod.end"
axis = "Y"

[actions.weight]
kind = "weight"
gravity = "9.81 m/s^2"
"""


def test_model_files_take_units(tmp_path):
    """The same system as in SI numbers; a wrong dimension by its place in the file."""
    path = tmp_path / "pendulum.toml"
    path.write_text(MODEL.format(mass='"m"'))
    system = ph.load_model(path).system
    assert system.parameters["m"] == pytest.approx(1.2, rel=1e-15)
    assert system.parameters["rod.end.z"] == pytest.approx(0.4, rel=1e-15)
    path.write_text(MODEL.format(mass='"l"'))
    with pytest.raises(
        ModelError, match=r"parameter 'l', has the unit m, and needs kg"
    ):
        ph.load_model(path)
    path.write_text(MODEL.format(mass='"3 N"'))
    with pytest.raises(ModelError, match="the mass of a rod has the unit"):
        ph.load_model(path)


def test_without_pint_it_says_what_to_install():
    """SI numbers work; a text with a unit names the extra."""
    code = """
import sys
sys.modules["pint"] = None
import polhode as ph
assert ph.Parameter("m", 1.2).value == 1.2
try:
    ph.Parameter("m", "1.2 kg")
except ph.PolhodeError as wrong:
    print(wrong.repair)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "polhode[units]" in done.stdout


def test_tables_have_units_that_pint_reads():
    """Of a double pendulum all angles are rad; of a cart-pendulum columns differ."""
    start = ph.models.start("double_pendulum")
    table = ph.simulate(start.system, start, until=0.1).to_xarray()
    assert REGISTRY.Unit(table.q.attrs["units"]) == REGISTRY.Unit("rad")
    assert REGISTRY.Unit(table.z.attrs["units"]) == REGISTRY.Unit("rad/s")
    start = ph.models.start("cart_pendulum")
    table = ph.simulate(start.system, start, until=0.1).to_xarray()
    assert "units" not in table.q.attrs
    found = {str(unit) for unit in table.unit.values}
    assert {str(REGISTRY.Unit(unit)) for unit in found} == {"meter", "radian"}
