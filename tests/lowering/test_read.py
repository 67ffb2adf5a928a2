"""Reading: the mathematics of a function, in the textbook's form."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from polhode.arrays import removable, textbook
from polhode.errors import UnfinishedReading, UnreadableProgram
from polhode.lowering.reading.nesting import operations
from polhode.lowering.reading.ring import Ring
from polhode.lowering.reading.sympy_reader import (
    HEAVY,
    LongProgram,
    effort,
    read_closed,
)
from polhode.lowering.reading.traced_function import TracedFunction
from strategies_lowering_reading import SmallProgram, small_programs
from textbook import TEXTBOOK, Textbook, lagrange

x, y, z, theta = sympy.symbols("x y z theta")
m, l, k = sympy.symbols("m l k", positive=True)


def is_zero(e: sympy.Expr) -> bool:
    return sympy.simplify(e) == 0


# -------------------------------------------------------------------- the textbook


@pytest.mark.parametrize("book", TEXTBOOK.values(), ids=TEXTBOOK.keys())
def test_lagrange_equations_are_the_printed_ones(book: Textbook):
    """Lagrange's equations by JAX, read, are what the book prints, and no longer."""
    found = ph.read(lagrange(book.lagrangian), *book.symbols())
    for ours, printed in zip(found, book.equations(), strict=True):
        assert is_zero(ours - printed)
        assert sympy.count_ops(ours) <= 1.3 * sympy.count_ops(printed)
        assert not ours.atoms(sympy.Float)


def test_a_sign_in_the_printed_equation_is_seen():
    """The comparison with print can fail: one wrong sign is not zero."""
    book = TEXTBOOK["heavy top"]
    found = ph.read(lagrange(book.lagrangian), *book.symbols())
    wrong = book.equations()[1].subs(sympy.Symbol("g"), -sympy.Symbol("g"))
    assert not is_zero(found[1] - wrong)


def test_heavy_top_from_rotation_matrices_is_quick():
    """Nine entries of a rotation matrix become Euler's terms in few operations.

    A reading that needed more would warn, and warnings are errors.
    """
    book = TEXTBOOK["heavy top"]
    ph.read(lagrange(book.lagrangian), *book.symbols(), operations=1_000_000)


def test_accelerations_solved_for_have_one_short_denominator():
    """The double pendulum's mass matrix inverted: m_1 + m_2 sin^2(alpha - beta)."""
    book = TEXTBOOK["double pendulum"]
    t, q, q_dot, _, p = book.symbols()

    def accelerations(t, q, q_dot, p):
        M = jax.hessian(book.lagrangian, 2)(t, q, q_dot, p)
        h = -lagrange(book.lagrangian)(t, q, q_dot, jnp.zeros(2), p)
        lower = M[1, 0] / M[0, 0]
        second = (h[1] - lower * h[0]) / (M[1, 1] - lower * M[1, 0])
        return jnp.stack([(h[0] - M[0, 1] * second) / M[0, 0], second])

    found = ph.read(accelerations, t, q, q_dot, p)
    alpha, beta, m_1, m_2 = sympy.symbols("alpha beta m_1 m_2")
    below = m_1 + m_2 * sympy.sin(alpha - beta) ** 2
    for ours in found:
        assert below in sympy.denom(ours).args or sympy.denom(ours) == below
    solved = dict(zip(sympy.symbols("alphaddot betaddot"), found, strict=True))
    for printed in book.equations():
        left = printed.subs(solved)
        names = sorted(left.free_symbols, key=str)
        point = {s: sympy.Rational(3 + j, 10) for j, s in enumerate(names)}
        assert abs(left.subs(point).evalf(30)) < 1e-25


# ----------------------------------------------------------------------- constants


@pytest.mark.parametrize(
    ("number", "meant"),
    [
        (0.5, sympy.Rational(1, 2)),
        (1 / 3, sympy.Rational(1, 3)),
        (0.1 + 0.2, sympy.Rational(3, 10)),
        (9.81, sympy.Rational(981, 100)),
        (2**-0.5, sympy.sqrt(2) / 2),
        (-(3**0.5) / 2, -sympy.sqrt(3) / 2),
        (np.sqrt(2 / 3), sympy.sqrt(6) / 3),
        (np.pi / 6, sympy.pi / 6),
        (2 / np.pi, 2 / sympy.pi),
        (-7.0, sympy.Integer(-7)),
    ],
)
def test_constants_are_recovered(number, meant):
    """A double that stands for a simple closed form is read as that form."""
    assert ph.read(lambda x: number * x, x) == meant * x


@given(st.integers(0, 2**32 - 1))
def test_other_doubles_stay_floats(seed):
    """A double drawn at random stands for no closed form: it is read as digits."""
    number = np.random.default_rng(seed).uniform(0.1, 10)
    found = ph.read(lambda x: number * x, x)
    assert found.atoms(sympy.Float)
    assert float(found.subs(x, 1)) == pytest.approx(number, rel=1e-15)


def test_given_rationals_stay_exact():
    """A rational or expression given for an argument goes through unrounded."""
    third = sympy.Rational(10**20 + 1, 3 * 10**20)
    found = ph.read(lambda a, b: a * b, third, x + 1)
    assert sympy.expand(found) == third * x + third


# --------------------------------------------------------------------------- forms


def test_rotation_by_half_angles_is_a_rotation_by_the_angle():
    """A quaternion's matrix has sines of half angles in; none are left."""

    def turn(a):
        c, s = jnp.cos(a / 2), jnp.sin(a / 2)
        return jnp.array([[c * c - s * s, -2 * c * s], [2 * c * s, 1 - 2 * s * s]])

    c, s = sympy.cos(theta), sympy.sin(theta)
    assert ph.read(turn, theta) == sympy.Array([[c, -s], [s, c]])


def test_gravity_of_a_point_has_the_textbook_form():
    """The gradient of -k/|r| is k r/|r|^3, without cancellable factors."""

    def force(r, k):
        return jax.grad(lambda r: -k / jnp.sqrt(r @ r))(r)

    cube = (x**2 + y**2 + z**2) ** sympy.Rational(3, 2)
    found = ph.read(force, [x, y, z], k)
    assert list(found) == [k * x / cube, k * y / cube, k * z / cube]


@pytest.mark.parametrize(
    "nothing",
    [
        lambda x, y: jnp.sin(x + y) - jnp.sin(x) * jnp.cos(y) - jnp.cos(x) * jnp.sin(y),
        lambda x, y: 1 / jnp.tan(x) ** 2 + 1 - 1 / jnp.sin(x) ** 2,
        lambda x, y: 1 / (x - y) - 1 / (x + y) - 2 * y / (x * x - y * y),
        lambda x, y: jnp.sqrt(1 + x * x) - (1 + x * x) ** 2 * (1 + x * x) ** -1.5,
        lambda x, y: jnp.exp(x + y) * jnp.exp(-y) - jnp.exp(x),
        lambda x, y: jnp.cosh(x) ** 2 - jnp.sinh(x) ** 2 - 1,
        lambda x, y: jnp.sin(3 * x) + 4 * jnp.sin(x) ** 3 - 3 * jnp.sin(x),
        lambda x, y: jnp.cos(jnp.arctan2(y, x)) - x / jnp.sqrt(x * x + y * y),
    ],
)
def test_identities_are_zero(nothing):
    """What vanishes for all values is read as 0."""
    assert ph.read(nothing, x, y) == 0


def test_removable_singularities_read_as_the_closed_form():
    """Of the two branches of sin(x)/x the series is for computing only."""

    def sinc(x):
        small = x * x < 1e-4
        safe = removable(small, 1.0, x)
        return removable(small, 1 - x * x / 6, jnp.sin(safe) / safe)

    assert ph.read(sinc, x) == sympy.sin(x) / x


def test_of_two_forms_people_read_one_and_programs_compute_the_other():
    """Its derivatives are read likewise, and programs hold nothing of it."""

    def arc(x, y):
        return textbook(jnp.sin(x) * y, x * y)

    assert ph.read(arc, x, y) == x * y
    assert ph.read(jax.grad(arc), x, y) == y
    assert ph.read(lambda x, y: jax.jvp(arc, (x, y), (y, x))[1], x, y) == x**2 + y**2
    for program in (arc, jax.grad(arc, 1)):
        of_both = ph.compile(program, 0.5, 2.0)
        alone = ph.compile(
            (lambda x, y: jnp.sin(x) * y)
            if program is arc
            else lambda x, y: jnp.sin(x),
            *(0.5, 2.0),
        )
        assert of_both(0.7, 3.0) == alone(0.7, 3.0)


def test_roots_of_decimals_keep_their_size():
    """sqrt(0.9 x^2 + 0.1 y^2), and no integers of thirty digits."""
    c, s = np.cos(0.3), np.sin(0.3)
    found = ph.read(lambda x, y: jnp.sqrt((c * x) ** 2 + (s * y) ** 2), x, y)
    assert max(abs(number) for number in found.atoms(sympy.Number)) < 10
    value = float(found.subs({x: 2.0, y: -3.0}))
    assert value == pytest.approx(np.hypot(2 * c, 3 * s), rel=1e-14)


def test_a_rotation_vector_along_an_axis_reads_as_its_angle():
    """exp of (0, 0, theta) has cos(theta) and sin(theta), not their like of |theta|."""

    def rodrigues(v):
        square = v @ v
        small = square < 1e-8
        length = jnp.sqrt(removable(small, 1.0, square))
        sinc = removable(small, 1 - square / 6, jnp.sin(length) / length)
        rest = removable(small, 0.5, (1 - jnp.cos(length)) / length**2)
        K = jnp.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
        return jnp.eye(3) + sinc * K + rest * K @ K

    c, s = sympy.cos(theta), sympy.sin(theta)
    want = sympy.Array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    assert ph.read(rodrigues, [0, 0, theta]) == want
    a = np.array([sympy.Rational(3, 5), 0, sympy.Rational(4, 5)])
    assert ph.read(rodrigues, a * theta)[1, 1] == c


def test_a_choice_is_piecewise():
    """`where` on values is a function by cases."""
    found = ph.read(lambda x: jnp.where(x > 0, x**2, -x), x)
    assert found == sympy.Piecewise((x**2, x > 0), (-x, True))


def test_what_is_read_is_finite():
    """Guards against infinity and NaN fall away: symbols stand for finite numbers."""

    def guarded(x):
        safe = jnp.where(jnp.isfinite(x) & (jnp.abs(x) < jnp.inf), jnp.cos(x), jnp.nan)
        return jnp.where(jnp.isinf(x), 0.0, safe)

    assert ph.read(guarded, x) == sympy.cos(x)


def test_loops_of_known_length_unroll():
    """A `fori_loop` of three turns is a cubic polynomial."""
    found = ph.read(lambda x: jax.lax.fori_loop(0, 3, lambda i, v: v * x + i, 1.0), x)
    assert found == x**3 + x + 2


def test_the_result_has_the_shape_of_the_output():
    """Trees stay trees, arrays arrays, scalars expressions."""

    def several(q, p):
        return {"sum": q[0] + q[1], "outer": (jnp.outer(q, q), p["k"])}

    found = ph.read(several, np.array([x, y]), {"k": k})
    assert found["sum"] == x + y
    assert found["outer"][0].shape == (2, 2)
    assert found["outer"][0][0, 1] == x * y
    assert found["outer"][1] == k


def test_named_symbols_are_collected():
    """`collect` says by which symbols a sum is ordered."""
    found = ph.read(lambda a, b, c: a * c + b * c + a * b, x, y, z, collect=[y])
    assert found == x * z + y * (x + z)


def test_derivatives_are_collected_and_kept():
    """SymPy's own derivatives may stand for velocities."""
    t = sympy.Symbol("t")
    angle = sympy.Function("theta")(t)
    rate = angle.diff(t)
    found = ph.read(lambda q, v, m, l: m * l**2 * v**2 / 2 + q * 0, angle, rate, m, l)
    assert found == m * l**2 * rate**2 / 2


def test_latex_has_dots():
    r"""`thetaddot_1` is typeset as \ddot{\theta}_{1}."""
    names = sympy.symbols("xddot thetaddot_1 x_dot")
    found = ph.read(lambda *v: jnp.stack(v), *names, latex=True)
    assert found == [r"\ddot{x}", r"\ddot{\theta}_{1}", r"\dot{x}"]


# ------------------------------------------------------------------------- refusal


def test_a_while_loop_is_refused():
    """A loop that runs until a value says so has no closed form; the line is named."""

    def doubling(x):
        return jax.lax.while_loop(lambda v: v < 10, lambda v: 2 * v, x)

    with pytest.raises(UnreadableProgram) as refusal:
        ph.read(doubling, x)
    text = str(refusal.value)
    assert "'doubling' cannot be read as mathematics: JAX's 'while' stops it." in text
    assert "test_read.py:" in text


def test_bits_are_refused():
    """Symbols have no bits; the primitive and the line are named."""

    def word(x):
        return jax.lax.bitcast_convert_type(x, jnp.int64)

    with pytest.raises(UnreadableProgram) as refusal:
        ph.read(word, x)
    text = str(refusal.value)
    assert "JAX's 'bitcast_convert_type' stops it." in text
    assert "acts on the bits of a number" in text
    assert "test_read.py:" in text


def test_a_python_branch_on_a_symbol_is_refused():
    """`if x > 0` cannot be traced; the repair is named."""
    with pytest.raises(UnreadableProgram, match=r"Use jnp\.where"):
        ph.read(lambda x: x if x > 0 else -x, x)


def test_division_by_nothing_is_refused():
    """1/(x - x) has no value to read."""
    with pytest.raises(UnreadableProgram, match="always 0"):
        ph.read(lambda x: 1 / (jnp.sin(x) ** 2 + jnp.cos(x) ** 2 - 1), x)


# ---------------------------------------------------------------- limit of operations


def test_when_nothing_may_be_spent_the_result_is_still_right():
    """Without operations nothing is expanded or polished, and a warning says so."""
    book = TEXTBOOK["heavy top"]
    with pytest.warns(UnfinishedReading, match="What is written is right"):
        found = ph.read(lagrange(book.lagrangian), *book.symbols(), operations=0)
    values = {
        s: 0.3 + 0.1 * j for j, s in enumerate(sorted(found.free_symbols, key=str))
    }
    for ours, printed in zip(found, book.equations(), strict=True):
        assert float(ours.subs(values)) == pytest.approx(float(printed.subs(values)))


def test_a_large_product_stays_within_its_operations(monkeypatch):
    """A product of many sums would have millions of terms; the limit holds it.

    What is begun when the last is spent is finished: that is the excess allowed.
    """
    rings: list[Ring] = []
    made = Ring.__init__
    monkeypatch.setattr(
        Ring, "__init__", lambda ring, *of: (rings.append(ring), made(ring, *of))[1]
    )
    names = sympy.symbols("a:8")

    def product(v):
        return jnp.prod(jnp.stack([v @ jnp.cos(v + i) for i in range(6)]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnfinishedReading)
        found = ph.read(product, list(names), operations=500_000)
    assert rings[0].left > -2_000_000
    point = {s: 0.1 * (j + 1) for j, s in enumerate(names)}
    with jax.enable_x64(True):
        want = float(product(jnp.array(list(point.values()))))
    assert float(found.subs(point)) == pytest.approx(want, rel=1e-9)


def test_what_stands_in_many_places_is_counted_no_further_than_can_be_paid():
    """An expression of sixty lines that would print as 2^60 terms."""
    e: sympy.Expr = x
    for k in range(60):
        e = sympy.Mul(e + y + k, e + z + k, evaluate=False)
    ring = Ring(1_000)
    assert operations(ring, e) == math.inf
    assert ring.is_spent()
    assert operations(Ring(1_000), x * y + 1) == 2


def test_a_closed_form_that_would_not_be_finished_is_given_up():
    """Sums that are not multiplied out would be written wherever they stand."""
    names = sympy.symbols("a:150"), sympy.symbols("b:150")

    def product(a, b):
        return jnp.sum(a) * jnp.sum(b), {}

    short = TracedFunction(product, ([*names[0][:3]], [*names[1][:3]]))
    found = read_closed(short, unread=[], longest=4_000)
    assert found == sum(names[0][:3]) * sum(names[1][:3])
    for long, wishes in ((150, {}), (3, {"operations": 1}), (3, {"longest": 2})):
        traced = TracedFunction(product, ([*names[0][:long]], [*names[1][:long]]))
        with pytest.raises(LongProgram):
            read_closed(traced, unread=[], **{"longest": 4_000} | wishes)


@pytest.mark.parametrize(
    "room", ["lowering/reading", "formulation/reading", "show/page"]
)
def test_no_reading_and_no_page_asks_the_clock(room):
    """What stops them is counted: a slow machine writes what a quick one does."""
    folder = Path(ph.__file__).parent / room
    texts = {path.name: path.read_text() for path in folder.rglob("*.py")}
    clocks = re.compile(r"\bimport time\b|\bfrom time\b|\bdatetime\b")
    assert texts
    assert [name for name, text in texts.items() if clocks.search(text)] == []


def test_what_is_cut_off_is_cut_off_at_the_same_place():
    """Two readings that stop half-way are one expression, term by term."""
    book = TEXTBOOK["heavy top"]

    def cut() -> str:
        with pytest.warns(UnfinishedReading, match="20000 operations were done"):
            found = ph.read(
                lagrange(book.lagrangian), *book.symbols(), operations=20_000
            )
        return sympy.srepr(found)

    assert cut() == cut()


# --------------------------------------------------------------------- any program


@settings(max_examples=60)
@given(
    small_programs(),
    st.lists(st.floats(-2, 2).map(lambda v: round(v, 3)), min_size=3, max_size=3),
)
def test_what_is_read_has_the_values_of_the_function(program: SmallProgram, point):
    """A random program's mathematics, evaluated with many digits, is its value."""
    found = ph.read(lambda *v: program.run(jnp, *v), x, y, z)
    with np.errstate(all="ignore"):
        want = float(program.run(np, *map(np.float64, point)))
    with mpmath.workdps(40):
        value = sympy.lambdify((x, y, z), found, "mpmath")(*map(mpmath.mpf, point))
        assert abs(value - want) <= 1e-9 * max(1.0, abs(want))


def test_solutions_of_linear_equations_are_read():
    """x with a x = b reads as Cramer's rule has it; no pivot is a literal zero."""
    a, b, c, d, e, f = sympy.symbols("a b c d e f")
    matrix = [[a, b], [c, d]]
    x = ph.read(jnp.linalg.solve, matrix, [e, f])
    determinant = a * d - b * c
    assert sympy.simplify(x[0] - (d * e - b * f) / determinant) == 0
    assert sympy.simplify(x[1] - (a * f - c * e) / determinant) == 0


def test_a_literal_zero_pivot_exchanges_rows():
    """[[0, b], [c, d]] is solved from its second row."""
    b, c, d, e, f = sympy.symbols("b c d e f")

    def solve(b, c, d, right):
        return jnp.linalg.solve(jnp.array([[0.0, b], [c, d]]), right)

    x = ph.read(solve, b, c, d, [e, f])
    assert sympy.simplify(x[1] - e / b) == 0


def test_the_effort_is_known_before_reading():
    """Products count one, a root more, and where values choose there is no end."""
    assert effort(lambda x, y: 3.0 * x * y, x, y) == 2
    assert effort(lambda x, y: jnp.sqrt(x + y), x, y) == 2 + HEAVY
    assert effort(lambda x: jnp.where(x > 0, x, -2.0 * x), x) == np.inf


def test_decimals_share_no_long_number():
    """0.7 cos 1 x + 0.3 sin 1 y keeps its two decimals: none is taken out of both."""
    found = ph.read(lambda x, y: np.cos(1.0) * x + np.sin(1.0) * (y + x), x, y)
    numbers = [float(n) for n in found.atoms(sympy.Number)]
    assert max(map(abs, numbers)) < 2
    assert min(map(abs, numbers)) > 0.1
