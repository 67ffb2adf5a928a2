"""Tables: data, their slopes and integrals, in NumPy, in traces and in native code."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy

import polhode as ph
from closeness import assert_close
from polhode.errors import IntegrationWarning, ModelError

X = np.array([0.0, 0.4, 1.0, 1.5, 2.6, 3.0])
INSIDE = np.linspace(0.01, 2.99, 37)


def cubic(x):
    """What a spline of cubics reproduces."""
    return 2 * x**3 - x**2 + 3 * x - 1


@pytest.mark.parametrize("smooth", ["linear", "monotone", "spline"])
def test_a_table_goes_through_its_data(smooth):
    """At every x the value is the one given, the ends included."""
    table = ph.Table(X, np.sin(X), smooth=smooth)
    assert_close(table(X), np.sin(X), atol=1e-15)


def test_each_kind_keeps_its_promise():
    """Lines are exact, splines reproduce cubics, monotone data give no overshoot."""
    assert_close(ph.Table(X, 3 * X - 1)(INSIDE), 3 * INSIDE - 1)
    spline = ph.Table(X, cubic(X), smooth="spline")
    assert_close(spline(INSIDE), cubic(INSIDE), rtol=1e-12)
    assert_close(spline.derivative(INSIDE), 6 * INSIDE**2 - 2 * INSIDE + 3, rtol=1e-12)
    step = np.array([0.0, 0, 0, 1, 1, 1])
    monotone = ph.Table(X, step, smooth="monotone")(INSIDE)
    assert np.all(np.diff(monotone) >= 0)
    assert monotone.min() >= 0
    assert monotone.max() <= 1
    overshoot = ph.Table(X, step, smooth="spline")(INSIDE)
    assert overshoot.max() > 1.05  # which is why there is a choice


@pytest.mark.parametrize("smooth", ["linear", "monotone", "spline"])
@pytest.mark.parametrize("count", [6, 90])
def test_native_code_and_jax_agree_with_numpy(smooth, count):
    """Value, slope, curvature and integral; few data and many; none falls back."""
    x = np.linspace(0, 3, count)
    table = ph.Table(x, np.sin(2 * x), smooth=smooth, beyond="extend")
    energy = table.integral()

    def answers(at):
        curvature = jax.grad(jax.grad(table))(at)
        return jnp.stack([table(at), jax.grad(table)(at), energy(at), curvature])

    program = ph.compile(answers, 0.5, backend="llvm")  # or it is refused
    h = 1e-5
    for at in (-0.7, 0.0, 0.31, 1.77, 2.999, 3.0, 3.4):
        value, slope, stored, _ = program(at)
        assert_close(value, table(at), rtol=1e-14, atol=1e-15)
        assert_close(slope, table.derivative(at), rtol=1e-13, atol=1e-14)
        assert_close(stored, energy(at), rtol=1e-13, atol=1e-15)
        if 0.01 < at < 2.99:
            assert_close((energy(at + h) - energy(at - h)) / (2 * h), value, atol=1e-8)


def test_what_is_beyond_the_data_is_as_said():
    """Refused by numbers, and not finite in a trace; held; extended; repeated."""
    strict = ph.Table(X, X**2, name="area")
    with pytest.raises(ModelError, match=r"'area' has no value at 3\.1"):
        strict(3.1)
    program = ph.compile(strict, 1.0)
    assert np.isnan(program(3.1))
    assert np.isnan(program(-0.1))
    assert program(3.0) == 9.0
    assert_close(ph.Table(X, X**2, beyond="hold")([-5.0, 5.0]), [0.0, 9.0])
    line = ph.Table(X, cubic(X), smooth="spline", beyond="extend")
    assert_close(line(4.0), cubic(3.0) + 51.0, rtol=1e-12)
    assert_close(line(-1.0), cubic(0.0) - 3.0, rtol=1e-12)
    turn = np.linspace(0, 2 * np.pi, 41)
    wave = ph.Table(turn, np.cos(turn).round(15), smooth="spline", beyond="repeat")
    assert_close(wave(1.0 + 6 * np.pi), wave(1.0), rtol=1e-12)
    assert_close(wave.derivative(2 * np.pi - 1e-9), wave.derivative(1e-9), atol=1e-8)


def test_a_run_that_leaves_its_table_says_so():
    """The motion ends where the data do, and not with a wrong number."""
    mass = ph.Particle("mass", 1.0)
    slide = ph.Prismatic("slide", ph.World().origin, mass.mass_centre, axis=ph.Z)
    pull = ph.Table([-1.0, 0.0, 1.0], [-4.0, 0.0, 4.0], name="pull")
    spring = ph.machines.JointCurve(slide, pull)
    system = ph.System([slide], [spring])
    fine = ph.simulate(system, system.state(slide=0.5), until=np.pi)
    assert_close(fine.q[-1, 0], 0.5, atol=1e-6)
    fast = system.state(slide=0.9, speeds={"slide": 3.0})
    with pytest.warns(
        IntegrationWarning, match="'spring curve of slide' is not finite"
    ):
        motion = ph.simulate(system, fast, until=2)
    assert motion.t[-1] < 0.2
    assert not motion.outcome.is_complete


def test_a_run_that_outruns_the_curve_of_its_motor_says_so():
    """A law of speed ends where the speed goes on, not where the shaft turns."""
    shaft = ph.machines.flywheel("shaft", ph.World().origin, 0.01)
    curve = ph.Table([0, 10, 20], [1.0, 2.0, 5.0], name="torque")
    driven = ph.System([shaft], [ph.machines.TorqueMotor(shaft, curve)])
    said = "'motor of shaft' is not finite .* 'torque' has no value outside of 0 to 20"
    with pytest.warns(IntegrationWarning, match=said):
        motion = ph.simulate(driven, driven.rest(), until=2.0)
    assert_close(motion.z[-1, 0], 20.0, rtol=1e-6)


def test_two_variables():
    """Bilinear of a plane, bicubic of a product of cubics, with both slopes."""
    x, y = X, np.linspace(-1, 2, 7)
    plane = ph.Table((x, y), 2 * x[:, None] - 3 * y + 1)
    assert_close(plane(0.7, 0.3), 1.4 - 0.9 + 1)
    product = ph.Table((x, y), np.outer(cubic(x), y**3), smooth="spline", name="p")
    assert_close(product(0.7, 0.3), cubic(0.7) * 0.027, rtol=1e-11)
    assert_close(product.derivative(0.7, 0.3, by=1), cubic(0.7) * 0.27, rtol=1e-11)
    mixed = jax.grad(jax.grad(product, 0), 1)
    slope = 6 * 0.49 - 1.4 + 3

    def both(a, b):
        return jnp.stack([product(a, b), mixed(a, b)])

    program = ph.compile(both, 0.7, 0.3, backend="llvm")
    assert np.all(np.isnan(program(0.7, 2.3)))
    assert_close(program(0.7, 0.3), [cubic(0.7) * 0.027, slope * 0.27], rtol=1e-11)
    with pytest.raises(ModelError, match="of two variables cannot be 'monotone'"):
        ph.Table((x, y), np.zeros((6, 7)), smooth="monotone")


def test_equations_are_read_with_its_name():
    """f(x) in an energy gives f'(x) in the equation; an integral gives the table."""
    pull = ph.Table(X, X**2, smooth="spline", beyond="extend", name="f")
    x = sympy.Symbol("x")
    f, slope = sympy.Function("f"), sympy.Function("f'")
    energy = pull.integral()
    read = ph.read(lambda a: jnp.stack([pull(a), jax.grad(pull)(2 * a)]), x)
    assert list(read) == [f(x), slope(2 * x)]
    assert ph.read(jax.grad(lambda a: 3 * energy(a)), x) == 3 * f(x)


def test_printed_equations_of_a_system_have_the_table_in_them():
    """m x'' = -f(x): what a reader of the model wants to see."""
    mass = ph.Particle("mass", ph.Parameter("m", 2.0))
    slide = ph.Prismatic("x", ph.World().origin, mass.mass_centre, axis=ph.Z)
    pull = ph.Table(X - 1.5, X - 1.5, beyond="extend", name="f")
    system = ph.System([slide], [ph.machines.JointCurve(slide, pull)])
    assert "f(x)" in str(ph.lagrange(system).read()).replace("{", "(").replace("}", ")")


def test_csv_files(tmp_path):
    """Columns by title or number, a sheet of two variables, and what is none."""
    file = tmp_path / "torque.csv"
    file.write_text("speed,torque,power\n0,20,0\n100,25,2500\n200,10,2000\n")
    assert ph.Table.from_csv(file, "speed", "power")(50.0) == 1250.0
    assert ph.Table.from_csv(file)(50.0) == 22.5
    with pytest.raises(ModelError, match="no column 'sped'"):
        ph.Table.from_csv(file, "sped", "torque")
    sheet = tmp_path / "map.csv"
    sheet.write_text("x\\y,0,1\n0,0,1\n2,4,5\n")
    assert ph.Table.from_csv(sheet, None)(1.0, 0.5) == 2.5
    file.write_text("0,1\n1,many\n")
    with pytest.raises(ModelError, match="holds no number"):
        ph.Table.from_csv(file)


@pytest.mark.parametrize(
    ("x", "y", "options", "word"),
    [
        ([0, 1, 1], [0, 1, 2], {}, "does not rise"),
        ([0, 1], [0, 1, 2], {}, "values of shape"),
        ([0, 1], [0, np.nan], {}, "values of shape"),
        ([0, 1], [0, 1], {"smooth": "round"}, "cannot be smooth='round'"),
        ([0, 1], [0, 1], {"beyond": "away"}, "cannot be beyond='away'"),
        ([0, 1], [0, 1], {"beyond": "repeat"}, "a jump of 1"),
        ([0, 1], [0, 1], {"name": "two words"}, "cannot be called"),
    ],
)
def test_wrong_data_are_refused(x, y, options, word):
    """At the door, by name."""
    with pytest.raises(ModelError, match=word):
        ph.Table(x, y, **options)


def test_a_table_that_repeats_is_read_of_the_variable_that_is_given():
    """Its period is inside of it: f(x), not f of x less so many turns."""
    angle = np.linspace(0.0, 2 * np.pi, 9)
    lift = ph.Table(angle, np.sin(angle).round(12), beyond="repeat", name="lift")
    x = sympy.Symbol("x")
    assert ph.read(lambda a: 3 * lift(a), x) == 3 * sympy.Function("lift")(x)
    turned = np.array([lift(9.0), lift.derivative(9.0)])
    at = 9.0 - 2 * np.pi
    np.testing.assert_array_equal(turned, [lift(at), lift.derivative(at)])
