"""Texts with units: read in SI, and refused by name where the dimension is wrong."""

from __future__ import annotations

import subprocess
import sys

import pint
import pytest

import polhode as ph
from polhode.dimension import has_unit, measured
from polhode.errors import ModelError

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
