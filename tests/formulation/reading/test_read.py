"""Equations that people read are those that textbooks print."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy as sm
from sympy.core.function import AppliedUndef

import polhode as ph
from polhode import Y, Z
from polhode.errors import UnfinishedReading, UnreadableProgram


@pytest.fixture(scope="module")
def pendulum():
    m, l, g = ph.Parameter("m", 1.2), ph.Parameter("l", 0.8), ph.Parameter("g", 9.81)
    rod = ph.Body("rod", ph.solids.rod(mass=m, length=l, along=Z))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, l / 2), axis=Y)
    return ph.System([hinge], [ph.Weight(g)], name="pendulum")


@pytest.mark.parametrize("form", [ph.lagrange, ph.gauss, ph.kane, ph.recursive])
def test_the_pendulum_reads_as_in_books(pendulum, form):
    """(m l^2/3) theta'' + m g (l/2) sin theta = 0."""
    reading = form(pendulum).read({"hinge": "theta"})
    m, l, g = sm.symbols("m l g", positive=True)
    theta, thetaddot = sm.symbols("theta thetaddot")
    expected = m * l**2 / 3 * thetaddot + m * g * l / 2 * sm.sin(theta)
    assert sm.expand(reading.motion[0] - expected) == 0
    assert reading.mass_matrix == sm.Matrix([[m * l**2 / 3]])
    assert reading.constraints == ()
    assert repr(reading).endswith("= 0")
    assert r"\ddot{\theta}" in reading._repr_latex_()


def test_numbers_in_names_keep_their_points():
    """A place without a name is called by its numbers: 0.2 stays 0.2."""
    from polhode.formulation.reading.read import _symbol

    assert str(_symbol("rod.point(0, 0.2, 0.5).z", {})) == "rod_point(0, 0.2, 0.5)_z"


def test_places_by_bare_numbers_read_by_axis_and_body():
    """z_rod for the one point of a rod, and never the name of a coordinate."""
    rods = [ph.Body(n, ph.solids.rod(mass=1.0, length=1.0)) for n in ("one", "two")]
    first = ph.Revolute("a", ph.World().origin, rods[0].point(0, 0, 0.4), axis=ph.Y)
    second = ph.Revolute(
        "b", rods[0].point(0, 0, -0.3), rods[1].point(0, 0, 0.2), axis=ph.Y
    )
    pair = ph.System([first, second], [ph.Weight(ph.Parameter("g", 9.81))])
    said = str(ph.lagrange(pair).read())
    assert "point" not in said
    assert all(word in said for word in ("z_one1", "z_one2", "z_two"))
    calls = ph.lagrange(pair).read({"two.point(0, 0, 0.2).z": "h"})
    assert "z_two" not in str(calls)


def test_a_driven_slide_reads_with_its_multiplier():
    """m x'' = lambda, and the row says that x follows the driver."""
    import jax.numpy as jnp

    block = ph.Body("block", ph.solids.box(mass=ph.Parameter("m", 2.0), x=1, y=1, z=1))
    slide = ph.Prismatic("slide", ph.World().origin, block.origin, axis=ph.X)
    driver = ph.PrescribedMotion(slide, lambda t: jnp.sin(2 * t), name="driver")
    system = ph.System([slide], constraints=[driver], name="driven block")
    reading = ph.gauss(system).read({"slide": "x"})
    m = sm.Symbol("m", positive=True)
    t, xddot, push = sm.symbols("t xddot lambda_1")
    assert sm.expand(reading.motion[0] - (m * xddot - push)) == 0
    assert sm.simplify(reading.constraints[0] - (xddot + 4 * sm.sin(2 * t))) == 0


def test_the_lagrangian_reads_as_in_books(pendulum):
    """L = m l^2 theta'^2/6 + m g (l/2) cos theta, up to a constant."""
    reading = ph.lagrange(pendulum).read({"hinge": "theta"})
    m, l, g = sm.symbols("m l g", positive=True)
    theta, thetadot = sm.symbols("theta thetadot")
    expected = m * l**2 * thetadot**2 / 6 + m * g * l / 2 * sm.cos(theta)
    rest = sm.expand(reading.lagrangian - expected)
    assert not rest.has(theta)
    assert not rest.has(thetadot)
    assert reading.is_shortest
    assert "L = " in reading.text()
    assert r"L &= " in reading.latex()
    assert r"\begin{aligned}" in reading.latex()


def test_reactions_read_as_in_books(pendulum):
    """Along the rod the hinge carries weight and the centripetal force; no torque y."""
    reading = ph.gauss(pendulum).read({"hinge": "theta"})
    m, l, g = sm.symbols("m l g", positive=True)
    theta, thetadot, thetaddot = sm.symbols("theta thetadot thetaddot")
    parts = reading.reactions()["hinge"]
    pull = m * g * sm.cos(theta) + m * l / 2 * thetadot**2
    across = -m * g * sm.sin(theta) - m * l / 2 * thetaddot
    assert sm.expand(parts["force z"] - pull) == 0
    assert sm.expand(parts["force x"] - across) == 0
    assert set(parts) == {"force x", "force z"}


def test_what_was_not_shortened_says_so(pendulum):
    """A reading that may cost nothing is right, warns, and says so where printed."""
    with pytest.warns(UnfinishedReading, match="'Gauss, pendulum' was not brought"):
        reading = ph.gauss(pendulum).read({"hinge": "theta"}, operations=0)
    assert not reading.is_shortest
    assert "not in its shortest form" in repr(reading)
    assert "not in its shortest form" in reading._repr_latex_()


@pytest.mark.long
@pytest.mark.parametrize("form", [ph.lagrange, ph.gauss])
def test_a_heavy_top_reads_as_eulers_equations(form):
    """A wx' + (C - A) wy wz = 2 m g l (w x + y z), ..., C wz' = 0, of unit quaternions.

    Lagrange's equations are read where the chart of rotations begins, a removable
    singularity: there the series is the function.
    """
    motion = form(ph.models.heavy_top()).read({}).motion
    A, C, m, g, l = sm.symbols("A C m g l", positive=True)
    w = sm.symbols("tip_wx tip_wy tip_wz")
    dots = sm.symbols("tip_wxdot tip_wydot tip_wzdot")
    qw, qx, qy, qz = sm.symbols("tip_qw tip_qx tip_qy tip_qz")
    lean = 2 * m * g * l
    expected = (
        A * dots[0] + (C - A) * w[1] * w[2] - lean * (qw * qx + qy * qz),
        A * dots[1] - (C - A) * w[0] * w[2] + lean * (qx * qz - qw * qy),
        C * dots[2],
    )
    for found, wanted in zip(motion, expected, strict=True):
        assert sm.expand(found - wanted) == 0


def test_friction_is_read_under_its_push():
    """-mu N r at the rim of the pin, against the turning; N stands as a symbol."""
    l = ph.Parameter("l", 0.8)
    rod = ph.Body("rod", ph.solids.rod(mass=ph.Parameter("m", 1.2), length=l))
    hinge = ph.Revolute("theta", ph.World().origin, rod.point(0, 0, l / 2), axis=Y)
    law = ph.contact.Regularised(ph.Parameter("mu", 0.2), ph.Parameter("v", 0.01))
    rub = ph.JointFriction(hinge, law, radius=ph.Parameter("r", 0.02))
    system = ph.System([hinge], [ph.Weight(ph.Parameter("g", 9.81)), rub])
    reading = ph.lagrange(system).read()
    m, l, g, mu, v, r, N = sm.symbols("m l g mu v r N_theta", positive=True)
    theta, rate, change = sm.symbols("theta thetadot thetaddot")
    dry = mu * N * r * (r * rate) / sm.sqrt(r**2 * rate**2 + v**2)
    balance = m * l**2 / 3 * change + m * g * l / 2 * sm.sin(theta) + dry
    assert sm.simplify(reading.motion[0] - balance) == 0
    assert "N_theta is the push that 'friction of theta' is under" in str(reading)


def test_the_rate_of_a_name_that_ends_in_d():
    """`end` has the rate end_dot: enddot were en with two dots."""
    cart = ph.Particle("cart", ph.Parameter("m", 1.0))
    rail = ph.Prismatic("end", ph.World().origin, cart.mass_centre, axis=ph.X)
    reading = ph.lagrange(ph.System([rail])).read()
    assert str(reading.motion[0]) == "end_ddot*m"
    assert r"\ddot{end}" in reading.latex()


def test_rows_that_say_nothing_are_not_printed(pendulum):
    """0 = 0, of a loop that is held more than once, is counted and not shown."""
    rows = (sm.Integer(0), sm.Symbol("x"))
    reading = replace(ph.gauss(pendulum).read(), constraints=rows)
    assert str(reading).splitlines()[2:] == ["x = 0"]
    assert reading.latex().count("= 0") == 2
    assert len(reading.constraints) == 2


def test_what_is_no_equation_is_refused(pendulum, monkeypatch):
    """0/0 is never printed as an equation."""
    parts = ([sm.nan], [], sm.Array([[1]]), sm.Integer(0), [])
    monkeypatch.setattr(
        "polhode.formulation.reading.where_lines.read_closed", lambda *_, **__: parts
    )
    with pytest.raises(UnreadableProgram, match="'pendulum' cannot be read in the"):
        ph.lagrange(pendulum).read()


def test_a_planar_loop_reads_with_two_rows():
    """Of the five equations of its last hinge those along the plane say something."""
    reading = ph.gauss(ph.models.four_bar()).read()
    assert len(reading.motion) == 3
    assert len(reading.constraints) == 5
    assert len(reading.said()) == 3 + 2
    assert len(reading.said_positions()) == 2


# ------------------------------------------------------ laws without a closed form

KNOTS, TORQUES = np.linspace(-3.0, 3.0, 7), np.array([3.0, 1, 4, 1, 5, 9, 2])


def searched(t, q, z):
    """A table that is searched."""
    return jnp.interp(q, KNOTS, TORQUES)


def called_back(t, q, z):
    """What Python computes while a program runs."""
    return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(q.shape, np.float64), q)


@pytest.mark.parametrize("law", [searched, called_back], ids=["table", "callback"])
@pytest.mark.parametrize("form", [ph.lagrange, ph.hamilton], ids=["lagrange", "H"])
def test_a_law_without_a_closed_form_is_read_as_f_of_its_arguments(pendulum, form, law):
    """The rest is read as it is without the law, and f says where it comes from."""
    (hinge,) = pendulum.joints
    motor = ph.Motor(hinge, law, name="motor")
    driven = ph.System([hinge], [*pendulum.actions, motor], name="pendulum")
    reading = form(driven).read()
    (f,) = reading.motion[0].atoms(AppliedUndef)
    assert str(f) == "f(hinge)"
    assert sm.expand(reading.motion[0] + f - form(pendulum).read().motion[0]) == 0
    (unread,) = reading.unread
    assert unread.arguments == ("hinge",)
    assert f"({unread})" in str(reading)
    assert "has no closed form" in reading._repr_latex_()


def test_what_goes_on_from_an_unread_law_is_read():
    """A search in a table of one angle, times another symbol: g f(x), not f(g, x)."""
    x, g = sm.symbols("x g")
    unread = []
    found = ph.read(
        lambda x, g: g * 2 * jnp.interp(x, KNOTS, TORQUES) + g, x, g, unread=unread
    )
    f = sm.Function("f")(x)
    assert sm.expand(found - 2 * g * f - g) == 0
    assert [each.name for each in unread] == ["f"]
    (taken,) = ph.read(
        lambda f: (jnp.interp(f, KNOTS, TORQUES),), sm.Symbol("f"), unread=[]
    )
    assert str(taken) == "f_2(f)"  # the name of a symbol is not used twice
