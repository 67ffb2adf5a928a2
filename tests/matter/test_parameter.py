"""Named numbers: solids, points and bodies are functions of a table of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError
from polhode.matter.parameter import Parameter, named, table_of

positive = st.floats(0.1, 10)


@given(positive, positive, positive)
def test_arithmetic_follows_the_table(m, l, k):
    """A derived parameter is the same formula of whatever the table says."""
    mass, length = Parameter("m", 1.2), Parameter("l", 0.5)
    formulas = [
        (mass * length**2 / 12, m * l**2 / 12),
        (2 * mass + length, 2 * m + l),
        (mass - 1, m - 1),
        (3 - mass, 3 - m),
        (1 / length, 1 / l),
        (-mass, -m),
        (1 + mass, 1 + m),
    ]
    for formula, value in formulas:
        assert_close(formula.at({"m": m, "l": l, "other": k}), value, rtol=1e-15)
    assert formulas[0][0].roots == (mass, length)
    assert_close(formulas[0][0].value, 0.025)


def test_derived_parameters_read_as_their_formula():
    """Brackets stand only where they are needed."""
    a, b = Parameter("a", 2), Parameter("b", 3)
    assert (a * b**2 / 12).name == "a * b ** 2 / 12"
    assert ((a + b) * 2).name == "(a + b) * 2"
    assert (a - (b - a)).name == "a - (b - a)"
    assert repr(a / 4) == "Parameter('a / 4', 0.5)"


def test_bare_numbers_take_the_name_of_their_place():
    """rod.mass and rod.length; a zero is structure; a parameter keeps its name."""
    l = Parameter("l", 0.8)
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=l))
    assert table_of(rod.parameters) == {"rod.mass": 1.2, "l": 0.8}
    tip, pin = rod.point(0, 0, l / 2, name="tip"), rod.point(0, 0.1, 0, name="pin")
    assert table_of(tip.parameters) == {"l": 0.8}
    assert table_of(pin.parameters) == {"rod.pin.y": 0.1}
    assert table_of(rod.point(0, 0, 0.4).parameters) == {"rod.point(0, 0, 0.4).z": 0.4}
    assert named(0.0, "rod.x") == 0.0


def test_parts_of_a_whole_are_named_by_their_path():
    """hammer.head.mass, and the place of the head as hammer.head.shift.z."""
    hammer = ph.Body(
        "hammer",
        ph.solids.joined(
            shaft=ph.solids.rod(mass=0.2, length=0.3),
            head=ph.solids.placed(
                ph.solids.sphere(mass=0.5, radius=0.02), (0, 0, 0.15)
            ),
        ),
    )
    assert table_of(hammer.parameters) == {
        "hammer.shaft.mass": 0.2,
        "hammer.shaft.length": 0.3,
        "hammer.head.mass": 0.5,
        "hammer.head.radius": 0.02,
        "hammer.head.shift.z": 0.15,
    }


@given(positive, positive)
def test_moments_are_a_function_of_the_table(m, l):
    """A body built with nominal numbers, asked with others, is the body of those."""
    mass, length = Parameter("m", 1.0), Parameter("l", 2.0)
    build = lambda m, l: ph.solids.placed(  # noqa: E731
        ph.solids.cone(mass=m, radius=l / 4, height=l, along=ph.Y), (0, l / 2, 0)
    )
    body = ph.Body("cone", build(mass, length))
    table = {"m": m, "l": l}
    other = ph.Body("other", build(m, l)).moments()
    for ours, truth in zip(body.moments(table), other, strict=True):
        assert_close(ours, truth, rtol=1e-14)
    assert_close(body.mass_centre.at(table), other.centre)
    assert_close(body.point(0, length / 2, 0).at(table), [0, l / 2, 0])


def test_a_traced_table_gives_derivatives_and_the_formula():
    """d/dl of m l^2/12 by tracing the body; only the table can vary."""
    import jax

    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))

    def across(table):
        return rod.moments(table).inertia[0, 0]

    with jax.enable_x64(True):
        table = table_of(rod.parameters)
        slope = jax.grad(across)(table)
        names = [str(e.primitive) for e in jax.make_jaxpr(across)(table).eqns]
    assert_close(slope["rod.length"], 1.2 * 0.8 / 6)
    assert_close(slope["rod.mass"], 0.8**2 / 12)
    assert "integer_pow" in names or "square" in names


def test_moments_read_as_the_book_prints_them():
    """m l^2/12 about the middle and m l^2/3 about the end, read from the trace."""
    import sympy

    from polhode.matter.moments import about

    m, l = sympy.symbols("m l", positive=True)
    length = Parameter("l", 0.8)
    rod = ph.Body("rod", ph.solids.rod(mass=Parameter("m", 1.2), length=length))
    end = rod.point(0, 0, length / 2)

    def moments(m, l):
        table = {"m": m, "l": l}
        found = rod.moments(table)
        return found.inertia[0, 0], about(found, end.at(table))[0, 0]

    middle, far = ph.read(moments, m, l)
    assert middle == m * l**2 / 12
    assert far == m * l**2 / 3


def test_solids_can_be_built_inside_a_trace():
    """Doors are silent under tracing: a compound of tracers has its moments."""
    import jax

    def build(m, l):
        rod = ph.solids.rod(mass=m, length=l)
        cone = ph.solids.cone(mass=m, radius=l, height=l)
        tube = ph.solids.tube(mass=m, inner_radius=l, outer_radius=2 * l, length=l)
        whole = ph.solids.joined(rod=rod, cone=cone, tube=tube)
        body = ph.Body("whole", whole)
        given = ph.Body.from_inertia("given", mass=m, inertia=(l, l, l))
        about = ph.Body.from_inertia("g", mass=m, inertia=(l, l, l), about=(0, 0, 0))
        bob = ph.Particle("bob", ph.Parameter("bob's mass", m))
        assert len(bob.parameters) == 1
        cloud = ph.Body("cloud", ph.Cloud([m, m], np.eye(3)[:2]))
        inertias = (body, given, about, bob, cloud)
        return sum(b.moments().inertia for b in inertias), body.spatial_inertia()

    with jax.enable_x64(True):
        traced = jax.jit(build)(1.5, 0.7)
    for ours, truth in zip(traced, build(1.5, 0.7), strict=True):
        assert_close(ours, truth, rtol=1e-14)


def test_one_name_stands_for_one_number():
    """Two values under one name are refused with both."""
    with pytest.raises(ModelError, match="'m' has two values, 1 and 2"):
        table_of([Parameter("m", 1), Parameter("m", 2)])
    assert table_of([Parameter("m", 1), Parameter("m", 1)]) == {"m": 1}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("", 1.0, "cannot be named ''"),
        (3, 1.0, "cannot be named 3"),
        ("m", np.nan, "not finite: nan"),
        ("m", "heavy", "is not a number: 'heavy'"),
        ("m", [1.0, 2.0], "is not a number"),
        ("m", True, "is not a number"),
    ],
)
def test_impossible_parameters_are_refused(name, value, words):
    """A parameter is a text and one finite number."""
    with pytest.raises(ModelError, match=words):
        Parameter(name, value)


def test_the_name_of_a_negative_is_read_as_it_is_meant():
    """(-m) ** 2 is not -(m ** 2), in the name as in the value."""
    m = Parameter("m", 2.0)
    assert repr((-m) ** 2) == "Parameter('(-m) ** 2', 4)"
    assert repr(-(m**2)) == "Parameter('-m ** 2', -4)"
    assert repr(3 - -m) == "Parameter('3 - (-m)', 5)"


def test_the_place_of_a_box_is_not_its_size():
    """A box of sides x, y, z that is put elsewhere keeps six numbers apart."""
    box = ph.solids.placed(ph.solids.box(mass=1, x=0.1, y=0.2, z=0.3), (0.1, 0, 0.5))
    table = table_of(ph.Body("box", box).parameters)
    assert (table["box.x"], table["box.shift.x"]) == (0.1, 0.1)
    assert (table["box.z"], table["box.shift.z"]) == (0.3, 0.5)
    longer = ph.Body("box", box).moments({"box.x": 0.4})
    assert_close(longer.centre, (0.1, 0.0, 0.5))
