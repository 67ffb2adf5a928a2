"""Constraints on velocities told apart: equations of position, and others."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.geometry.rotations import quaternion
from polhode.geometry.vector import skew
from strategies_system import across_the_blade, block, random_state, sleigh, topology

Z = ph.Z


def planar(law, rows=("row 1",)) -> ph.System:
    """A body on a plane with rows on its speeds (turn, x, y)."""
    ice = ph.Planar("ice", ph.World().origin, block("sled").origin, normal=Z)
    return ph.System([ice], constraints=[ph.VelocityRows([ice], law, rows=rows)])


def wheeled_cart() -> ph.System:
    """Two wheels on an axle that roll: with both angles, and no motion sideways."""
    cart, left, right = block("cart"), block("left"), block("right")
    ice = ph.Planar("ice", ph.World().origin, cart.origin, normal=Z)
    wheels = [
        ph.Revolute(wheel.name, cart.point(0, y, 0), wheel.origin, axis=ph.Y)
        for wheel, y in ((left, 0.5), (right, -0.5))
    ]

    def law(q, one, two, t):
        import jax.numpy as jnp

        c, s, o = jnp.cos(q[0]), jnp.sin(q[0]), 0.0 * q[0]
        rows = [
            [o, -s, c, o, o],
            [o - 0.5, c, s, o - 0.3, o],
            [o + 0.5, c, s, o, o - 0.3],
        ]
        return jnp.stack([jnp.stack(row) for row in rows]), jnp.zeros(3)

    names = ("sideways", "left", "right")
    roll = ph.VelocityRows([ice, *wheels], law, rows=names, name="wheels")
    return ph.System([ice, *wheels], constraints=[roll])


def rolling_body(surface_of) -> ph.System:
    body, world = block("body"), ph.World()
    free = ph.Free("free", world.origin, body.origin)
    return ph.System([free], constraints=[*ph.rolling(surface_of(body), world.origin)])


def heisenberg() -> ph.System:
    """z' = (x y' - y x')/2: the simplest of all."""
    bead = ph.Particle("bead", 1.0)
    slide = ph.Translation("slide", ph.World().origin, bead.mass_centre)

    def law(q, t):
        import jax.numpy as jnp

        return jnp.stack([q[1] / 2, -q[0] / 2, 1.0 + 0.0 * q[0]]), 0.0

    return ph.System([slide], constraints=[ph.VelocityRows([slide], law)])


def rolling_along_a_line() -> ph.System:
    """x' = R theta': the rate of x = R theta; a pendulum on the cart swings freely."""
    cart, wheel, bob = block("cart"), block("wheel"), block("bob")
    track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=ph.X)
    axle = ph.Revolute("axle", cart.origin, wheel.origin, axis=ph.Y)
    pivot = ph.Spherical("pivot", cart.origin, bob.point(0, 0, 0.5))
    row = ph.VelocityRows([track, axle], lambda x, a, t: (np.array([1.0, -0.3]), 0.0))
    return ph.System([track, axle, pivot], constraints=[row])


def turning_about_a_fixed_axis() -> ph.System:
    """A free body whose angular velocity has no component along X or Y of itself."""
    body = block("body")
    free = ph.Free("free", ph.World().origin, body.origin)
    row = ph.VelocityRows(
        [free], lambda q, t: (np.eye(6)[:2], np.zeros(2)), rows=("x", "y")
    )
    return ph.System([free], constraints=[row])


def disc_about_a_hinge() -> ph.System:
    """The disc of the exercise: hinged at O, no velocity at A; in fact one angle."""
    body, world = block("disc"), ph.World()
    free = ph.Free("free", world.origin, body.origin)
    ball = ph.Spherical("O", world.origin, body.origin)

    def law(q, t):
        import jax.numpy as jnp

        R = quaternion.to_matrix(q[:4])
        flat = jnp.stack([R[0, 0], R[1, 0], 0.0 * q[0]])
        arm = R.T @ (1.3 * flat / jnp.sqrt(flat @ flat) - q[4:])
        return jnp.concatenate([-R @ skew(arm), R], axis=1), jnp.zeros(3)

    rows = ph.VelocityRows([free], law, rows=("x", "y", "z"), name="A")
    fly = ph.Particle("fly", 0.1)  # another motion, so that there are brackets
    return ph.System([free, ball, fly], constraints=[rows])


def bead_in_a_bowl() -> ph.System:
    """A bead on a surface: an equation of position to begin with."""
    bead, world = ph.Particle("bead", 1.0), ph.World()

    def bowl(x):
        return x[2] - x[0] ** 2 - 0.5 * x[0] * x[1]

    on = ph.PointOn(bead.mass_centre, world.frame, bowl, name="bowl")
    return ph.System([bead], constraints=[on])


def scaled_gradient(q, t):
    """The rate of x^2 + y^2 - a, times a function: holonomic with a factor."""
    import jax.numpy as jnp

    factor = 2.0 + jnp.sin(q[1])
    return factor * jnp.stack([-1.0 + 0 * q[0], 2 * q[1], 2 * q[2]]), 0.0


NONHOLONOMIC = {
    "knife edge": lambda: planar(across_the_blade),
    "Chaplygin's sleigh": sleigh,
    "rolling disc": lambda: rolling_body(
        lambda body: ph.surfaces.disc(body.origin, 0.5, axis=ph.Y)
    ),
    "rolling sphere": lambda: rolling_body(
        lambda body: ph.surfaces.sphere(body.origin, 0.5)
    ),
    "two-wheel cart": wheeled_cart,
    "Heisenberg": heisenberg,
}
HOLONOMIC = {
    "rolling along a line": rolling_along_a_line,
    "turning about a fixed axis": turning_about_a_fixed_axis,
    "disc about a hinge": disc_about_a_hinge,
    "with an integrating factor": lambda: planar(scaled_gradient),
    "point on a bowl": bead_in_a_bowl,
    "rod between particles": lambda: topology("particles"),
}


GROWTH = {  # as printed, or by the brackets of the fields in the comment
    "knife edge": (2, 3),
    "rolling sphere": (3, 5),  # turning about the contact is free
    "two-wheel cart": (2, 3, 4),  # heading is kept with the wheels' angles
    "Heisenberg": (2, 3),
}


@pytest.mark.row("N-01", "N-05")
@pytest.mark.parametrize("name", NONHOLONOMIC)
def test_what_is_not_holonomic_is_told(name):
    """Motions that the rows forbid are reached by moving to and fro."""
    system = NONHOLONOMIC[name]()
    found = ph.questions.integrability(
        system, random_state(system, np.random.default_rng(3))
    )
    assert not found.is_holonomic
    assert set(found.curved) <= set(system.row_names)
    assert "not holonomic along" in found.verdict


@pytest.mark.row("N-01", "N-05")
@pytest.mark.parametrize("name", HOLONOMIC)
def test_what_is_holonomic_in_disguise_is_told(name):
    """Rates of equations of position, and look-alikes, have no curvature."""
    system = HOLONOMIC[name]()
    found = ph.questions.integrability(
        system, random_state(system, np.random.default_rng(4))
    )
    assert len(found.curvature) > 0  # two motions at least, so the test can fail
    assert found.is_holonomic, found
    assert "equations of position" in repr(found)
    assert found.growth == (system.speeds - np.linalg.matrix_rank(found.matrix),)
    _assert_kept(found, np.random.default_rng(8))


SLOW = "two-wheel cart"  # three levels of brackets


@pytest.mark.row("N-06")
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.long] if n == SLOW else []) for n in GROWTH],
)
def test_the_derived_flag_has_the_ranks_of_the_brackets(name):
    """D_(m+1) = D_m + [D_1, D_m] grows as known; what it leaves out is kept."""
    system = NONHOLONOMIC[name]()
    found = ph.questions.integrability(
        system, random_state(system, np.random.default_rng(3))
    )
    assert found.growth == GROWTH[name]
    assert found.flag == tuple(system.speeds - rank for rank in GROWTH[name])
    assert len(found.integrals) == found.flag[-1]
    _assert_kept(found, np.random.default_rng(9))


def _assert_kept(found, rng):
    """Places along a motion within the rows have one pi; places across have others."""
    pi, system, state = found.integrals, found.state.system, found.state
    assert np.all(pi(state) == 0)
    if not len(pi):
        return
    mixed = rng.normal(size=(2, found.allowed.rank))
    q = np.asarray(state.q, float)
    for s in np.linspace(0, 1, 201)[:-1]:  # a winding way, by steps of order four
        q = _moved(found, q, mixed, (s, 1 / 200))
    there = ph.State(system, state.t, q, state.z)
    assert np.max(np.abs(q - state.q)) > 0.02
    assert np.max(np.abs(pi(there))) < 1e-8
    S = found.allowed.values
    assert np.max(np.abs(pi.rows(state) @ S)) < 1e-7
    off = system.local(state.q, 1e-3 * np.eye(system.speeds)[pi.across[0]])
    assert abs(pi(ph.State(system, state.t, off, state.z))[0] - 1e-3) < 1e-5


def _moved(found, q, mixed, span):
    """One step of Runge and Kutta along a changing mixture of the allowed fields."""
    fields = found.integrals._program("fields")

    def rate(q, s):
        weights = mixed[0] * np.cos(3 * s) + mixed[1] * np.sin(5 * s)
        return 0.4 * fields(q)[:, : found.allowed.rank] @ weights

    s, h = span
    k1 = rate(q, s)
    k2 = rate(q + h / 2 * k1, s + h / 2)
    k3 = rate(q + h / 2 * k2, s + h / 2)
    k4 = rate(q + h * k3, s + h)
    return found.state.system.normalised(q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


@pytest.mark.row("N-06")
def test_a_rolling_disc_reaches_every_place_of_its_plane():
    """Turning, leaning and rolling, and brackets of these: (3, 4, 5) of 6."""
    system = NONHOLONOMIC["rolling disc"]()
    found = ph.questions.integrability(
        system, random_state(system, np.random.default_rng(3))
    )
    assert found.growth == (3, 4, 5)
    assert found.curved == ("rolling: along", "rolling: across")


def test_the_height_of_a_rolling_ball_is_an_equation_of_position():
    """Of its three rows the contact is holonomic, and rolling is not."""
    system = NONHOLONOMIC["rolling sphere"]()
    found = ph.questions.integrability(
        system, random_state(system, np.random.default_rng(5))
    )
    assert found.curved == ("rolling: along", "rolling: across")
    assert len(found.integrals) == 1


def test_the_curvature_of_heisenberg_is_known():
    """[X, Y] = d/dz for the two fields of area: the row sees all of it."""
    system = heisenberg()
    state = system.state()
    found = ph.questions.integrability(system, state)
    assert found.curvature.shape == (1, 1)
    assert abs(abs(found.curvature[0, 0]) - 1.0) < 1e-14


@pytest.mark.row("N-06")
def test_integrals_are_written_down():
    """x - R theta of rolling along a line; x^2 + y^2 - a behind its factor."""
    import sympy as sm

    line = ph.questions.integrability(_rolling_line()).read()
    x, turn = sm.symbols("track axle", real=True)
    assert line.is_holonomic
    assert sm.simplify(line.integrals[0] - (x - sm.Rational(3, 10) * turn)) == 0
    factor = ph.questions.integrability(planar(scaled_gradient)).read()
    a, u, v = factor.coordinates
    assert not factor.unwritten
    kept = factor.integrals[0]
    slopes = sm.Matrix([[kept.diff(s) for s in (a, u, v)], [-1, 2 * u, 2 * v]])
    assert slopes.rank(simplify=True) == 1
    blade = ph.questions.integrability(planar(across_the_blade)).read()
    assert not blade.is_holonomic
    assert not blade.integrals
    assert "left of Frobenius' test" in repr(blade)


def _rolling_line() -> ph.System:
    """x' = R theta' alone: without the ball joint, whose speeds are no rates."""
    cart, wheel = block("cart"), block("wheel")
    track = ph.Prismatic("track", ph.World().origin, cart.origin, axis=ph.X)
    axle = ph.Revolute("axle", cart.origin, wheel.origin, axis=ph.Y)
    row = ph.VelocityRows([track, axle], lambda x, a, t: (np.array([1.0, -0.3]), 0.0))
    return ph.System([track, axle], constraints=[row])


@pytest.mark.row("N-06")
def test_a_factor_of_the_solved_coordinate_is_found():
    """dx + x cos(y) dy is not closed; over x it is: log x + sin y is kept."""
    import sympy as sm

    def law(q, t):
        import jax.numpy as jnp

        return jnp.stack([0.0 * q[0], 1.0 + 0.0 * q[0], q[1] * jnp.cos(q[2])]), 0.0

    found = ph.questions.integrability(planar(law)).read()
    _, x, y = found.coordinates
    assert found.is_holonomic
    kept = found.integrals[0]
    assert sm.simplify(kept.diff(y) - x * sm.cos(y) * kept.diff(x)) == 0
    assert kept.diff(x) != 0


def test_rotations_are_not_read_in_symbols():
    """A free body's speeds are no rates of coordinates: pi is given as numbers."""
    found = ph.questions.integrability(turning_about_a_fixed_axis())
    with pytest.raises(ModelError, match=r"(?s)not the rates of its.*as numbers"):
        found.read()
