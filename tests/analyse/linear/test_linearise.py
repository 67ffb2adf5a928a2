"""Linear systems about rests and motions: exact, by name, in few coordinates."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError, StateError
from polhode.formulation.shared.chart import energies

STEP = 1e-3


@cache
def cart() -> ph.System:
    return ph.models.cart_pendulum()


@cache
def column() -> ph.System:
    """Two rods on springs and dampers under a force that follows the upper one."""
    world, rods = ph.World(), []
    before, hinges = world.origin, []
    for k in (1, 2):
        rod = ph.Body(f"rod {k}", ph.solids.rod(mass=1.0, length=1.0))
        hinges.append(ph.Revolute(f"h{k}", before, rod.point(0, 0, -0.5), axis=-ph.Y))
        before = rod.point(0, 0, 0.5)
        rods.append(rod)
    push = ph.theory.Vector((0.0, 0.0, -4.0), rods[1].frame)
    actions = [
        ph.JointSpring(hinges[0], 8.0),
        ph.JointSpring(hinges[1], 5.0),
        ph.JointDamper(hinges[0], 0.3),
        ph.JointDamper(hinges[1], 0.2),
        ph.AppliedForce(rods[1].point(0, 0, 0.5), push, name="follower"),
    ]
    return ph.System(hinges, actions, name="column")


@cache
def hung(way: str) -> ph.System:
    """A body on a ball joint, on springs, whose orientation is written three ways."""
    world = ph.World()
    body = ph.Body.from_inertia("body", mass=2.0, inertia=(0.3, 0.5, 0.6))
    tip = body.point(-0.1, -0.05, 0.4)
    here, there = world.point(1.0, 0.2, 0.3), body.point(0.4, -0.3, 0.1)
    springs = [
        ph.Spring(here, there, 7.0, name="one"),
        ph.Spring(
            world.point(-0.6, 0.9, -0.8), body.point(0, 0.5, 0.2), 9.0, name="two"
        ),
    ]
    actions = [ph.Weight(9.81), *springs]
    if way == "Euler":
        joint = ph.UserJoint(
            "tip",
            *(world.origin, tip, euler),
            names=("yaw", "pitch", "roll"),
            kinds=("rad",) * 3,
        )
    else:
        joint = ph.Spherical("tip", world.origin, tip)
    if way == "free":
        return ph.System([body], actions, [joint], name="hung, freed")
    return ph.System([joint], actions, name="hung")


def euler(q):
    """Turns about z, y and x."""
    (a, b, c), (s, t, u) = jnp.cos(q), jnp.sin(q)
    yaw = jnp.array([[a, -s, 0], [s, a, 0], [0, 0, 1.0]])
    pitch = jnp.array([[b, 0, t], [0, 1.0, 0], [-t, 0, b]])
    roll = jnp.array([[1.0, 0, 0], [0, c, -u], [0, u, c]])
    return yaw @ pitch @ roll, jnp.zeros(3)


@cache
def equilibrium(way: str) -> ph.State:
    """Where the springs hold the body, by Newton's steps on the linear system."""
    system = hung(way)
    state = system.rest()
    for _ in range(30):
        near = ph.linearise(system, state)
        S, whole = near.reduced.shape, near.whole
        pull = -S.T @ whole.mass @ whole.accelerations
        step = -np.linalg.solve(near.parts.place, pull)
        step *= min(1.0, 0.3 / np.max(np.abs(step)))
        moved = ph.State(system, 0.0, system.local(state.q, S @ step), state.z)
        state = system.consistent(moved)
        if np.max(np.abs(step)) < 1e-14:
            break
    return state


def slopes_by_differences(
    equations: ph.results.Equations, state: ph.State
) -> np.ndarray:
    """d(z_dot)/d(d, e) (nz, 2 nz) by Richardson's differences of the motion's law."""
    system, n = equations.system, equations.system.speeds

    def at(x):
        q = system.local(state.q, x[:n])
        moved = ph.State(system, state.t, q, state.z + x[n:])
        return equations.accelerations(moved)

    found = []
    for unit in np.eye(2 * n):
        one, two = ((at(h * unit) - at(-h * unit)) / (2 * h) for h in (STEP, 2 * STEP))
        found.append((4 * one - two) / 3)
    return np.transpose(found)


@pytest.mark.row("X-05")
def test_the_cart_and_its_pendulum():
    """M, K of exercise 7.1, its frequencies, and at th = pi one that falls over."""
    mA, mB, l, k, g = 1.3, 0.8, 0.9, 5.0, 9.81
    linear = ph.linearise(cart(), inputs=["push", "couple"])
    assert linear.coordinates == ("rail", "hinge")
    assert_close(linear.parts.mass, [[mA + mB, mB * l], [mB * l, mB * l**2]])
    assert_close(linear.parts.stiffness, np.diag([k, mB * g * l]))
    modes = linear.modes()
    assert_close(modes.frequencies, [1.4746213444, 4.3908243012], rtol=1e-10)
    for w in modes.frequencies:
        rest = mA * l * w**4 - (k * l + (mA + mB) * g) * w**2 + k * g
        assert abs(rest) < 1e-11 * k * g
    over = ph.linearise(cart(), cart().state(hinge=np.pi)).modes()
    assert_close(np.sort(over.squares), [-16.3289469456, 2.567408484], rtol=1e-10)
    assert "rail" in repr(modes)
    assert "w [rad/s]" in repr(modes)
    # The answer to a slow push is the static one, F/k and C/(mB g l).
    slow = linear.response([1e-6]).values[0]
    assert_close(slow.real, np.diag([1 / k, 1 / (mB * g * l)]), rtol=1e-9)


@pytest.mark.row("E-03", "E-04")
def test_the_parts_are_the_slopes_of_the_motion():
    """M^-1 times K and D is what differences of accelerations give, dampers and a
    follower force included; the follower's part is not symmetric."""
    linear = ph.linearise(column())
    found = slopes_by_differences(ph.recursive(column()), column().rest())
    assert_close(linear.matrices.A[2:], found, rtol=1e-9)
    parts = linear.parts
    assert parts.has("damping")
    assert parts.has("circulatory")
    # -P on the lean of the last rod: L2 Q = P (th1 + th2 ...), off the diagonal alone.
    assert_close(parts.circulatory, [[0, 2.0], [-2.0, 0]], rtol=1e-12)
    assert_close(parts.damping, np.diag([0.3, 0.2]), rtol=1e-13)
    assert not parts.has("gyroscopic")


@pytest.mark.row("E-04")
def test_a_rotor_gives_gyroscopic_terms():
    """About a spinning rotor, outer and inner gimbals feel G = C s of each other."""
    system = ph.models.gyroscope()
    linear = ph.linearise(system, system.state(speeds={"rotor": 50.0}))
    parts = linear.parts.of("outer", "inner")
    spin = 0.5 * 1.0 * 0.06**2 * 50.0  # C s of a solid cylinder
    assert_close(np.abs(parts.gyroscopic), [[0, spin], [spin, 0]], rtol=1e-12)
    assert not linear.parts.has("damping")
    state = system.state(speeds={"rotor": 50.0})
    found = slopes_by_differences(ph.recursive(system), state)
    assert_close(linear.matrices.A[3:], found, rtol=1e-8)


@pytest.mark.row("E-05", "L-25")
@pytest.mark.parametrize("model", [cart, column])
def test_symmetric_matrices_are_exactly_so(model):
    """M = M^T and K = K^T bit by bit, G = -G^T; M is positive definite."""
    parts = ph.linearise(model()).parts
    for matrix in (parts.mass, parts.damping, parts.stiffness):
        assert np.array_equal(matrix, matrix.T)
    for matrix in (parts.gyroscopic, parts.circulatory):
        assert np.array_equal(matrix, -matrix.T)
    assert parts.definiteness("mass") == "positive definite"
    assert parts.definiteness("stiffness") == "positive definite"
    assert ph.linearise(cart()).modes().is_symmetric
    over = ph.linearise(cart(), cart().state(hinge=np.pi)).parts
    assert over.definiteness("stiffness") == "indefinite"


@pytest.mark.row("E-12")
def test_the_spectrum_is_the_same_in_all_coordinates():
    """Of a body on a ball joint: turns about axes, Euler angles, quaternion."""
    turns = ph.linearise(hung("turns"), equilibrium("turns")).spectrum
    angles = ph.linearise(hung("Euler"), equilibrium("Euler")).spectrum
    expected = np.sort(turns.values.imag)
    assert len(expected) == 6
    assert np.min(np.abs(expected)) > 0.5
    assert_close(np.sort(angles.values.imag), expected, rtol=1e-9)
    core, state = ph.recursive(hung("turns")).functions, equilibrium("turns")

    def slope(x):
        z_dot, _ = core.accelerations(0.0, x[:4], x[4:], {})
        return jnp.concatenate([core.rates(0.0, x[:4], x[4:], {}), z_dot])

    x = np.concatenate([state.q, state.z])
    values = np.linalg.eigvals(ph.compile(jax.jacfwd(slope), x)(x))
    moving = values[np.abs(values) > 1e-3]
    assert len(values) == 7  # one more, zero: the length of the quaternion
    assert_close(np.sort(moving.imag), expected, rtol=1e-9)


@pytest.mark.row("E-09")
def test_balances_of_momentum_and_energies_give_one_linear_system():
    """dQ = m dv_G and dL with turns d(theta): M and K are the Hessians of T and V."""
    system, state = hung("turns"), equilibrium("turns")
    linear = ph.linearise(system, state)

    def curvatures(q):
        kinetic, potential = energies(system, q, {})
        still = jnp.zeros(3)
        M = jax.hessian(lambda v: kinetic(0.0, still, v))(still)
        return M, jax.hessian(lambda x: potential(0.0, x))(still)

    M, K = ph.compile(curvatures, state.q)(state.q)
    assert_close(linear.parts.mass, M, rtol=1e-12)
    assert_close(linear.parts.stiffness, K, rtol=1e-11)
    # The balances of the free body: [dL; dQ] = M [d(theta)'; du'], dQ = m dv_G.
    turns = ("body.wx", "body.wy", "body.wz")
    freed = ph.linearise(hung("free"), equilibrium("free"), independent=turns)
    assert_close(freed.whole.mass[3:], 2.0 * np.eye(3, 6, 3), rtol=1e-12)
    assert_close(freed.whole.mass[:3, :3], np.diag([0.3, 0.5, 0.6]), rtol=1e-12)
    S = freed.reduced.shape
    assert_close(S.T @ freed.whole.mass @ S, M, rtol=1e-9)
    assert_close(S.T @ freed.whole.stiffness @ S, K, rtol=1e-8)


@pytest.mark.row("E-10")
def test_multipliers_are_part_of_the_stiffness():
    """Lagrange I, projected on what the joint leaves free, or as one pencil with its
    multipliers, has Lagrange II's frequencies."""
    joined = ph.linearise(hung("turns"), equilibrium("turns")).modes()
    freed = ph.linearise(hung("free"), equilibrium("free"))
    assert freed.whole.mass.shape == (6, 6)
    assert len(freed.whole.rows) == 3
    assert_close(freed.modes().frequencies, joined.frequencies, rtol=1e-9)
    whole = freed.whole
    # M d'' + K d = A^T l', A d = 0 as one pencil: the same squares again.
    A = whole.rows
    zero = np.zeros((3, 3))
    left = np.block([[whole.stiffness, A.T], [A, zero]])
    right = np.block([[whole.mass, np.zeros((6, 3))], [np.zeros((3, 9))]])
    from scipy.linalg import eigvals

    squares = eigvals(left, right)
    squares = np.sort(squares[np.isfinite(squares) & (np.abs(squares) < 1e6)].real)
    assert_close(squares, joined.frequencies**2, rtol=1e-7)


@pytest.mark.row("E-10")
def test_a_pendulum_in_cartesian_coordinates():
    """g = (x^2 + z^2 - l^2)/2, s = -m g/l: the geometric term alone is m g/l."""
    world = ph.World()
    bob = ph.Particle("bob", 1.1)
    hang = ph.Translation("bob", world.origin, bob.mass_centre)
    rod = ph.Distance(world.origin, bob.mass_centre, 0.7)
    system = ph.System([hang], [ph.Weight(9.81)], [rod], name="bob")
    state = system.state({"bob": (0.0, 0.0, -0.7)})
    linear = ph.linearise(system, state)
    assert linear.coordinates == ("bob.vx", "bob.vy")
    assert_close(linear.whole.stiffness, linear.whole.geometric, atol=1e-12)
    assert_close(linear.parts.stiffness, np.eye(2) * 1.1 * 9.81 / 0.7, rtol=1e-12)
    assert_close(linear.modes().frequencies, [np.sqrt(9.81 / 0.7)] * 2, rtol=1e-12)


@pytest.mark.row("E-10")
def test_a_bead_on_a_surface():
    """z = x^2/(2 a) + y^2/(2 b): w^2 = g/a and g/b, from curvature times multiplier."""
    bead = ph.Particle("bead", 0.4)
    slide = ph.Translation("bead", ph.World().origin, bead.mass_centre)

    def height(placed, t):
        x, y, z = placed.position
        return z - x**2 / (2 * 1.5) - y**2 / (2 * 0.6)

    bowl = ph.Holonomic([bead.frame], height, name="bowl")
    system = ph.System([slide], [ph.Weight(9.81)], [bowl], name="bead")
    linear = ph.linearise(system)
    assert_close(linear.whole.multipliers, [0.4 * 9.81], rtol=1e-12)
    assert_close(linear.whole.geometric, linear.whole.stiffness, atol=1e-12)
    assert_close(linear.modes().squares, [9.81 / 1.5, 9.81 / 0.6], rtol=1e-12)


@pytest.mark.long
def test_redundant_constraints_change_nothing():
    """A second rod beside the first adds no equation."""
    world = ph.World()
    bob = ph.Particle("bob", 1.1)
    hang = ph.Translation("bob", world.origin, bob.mass_centre)
    rods = [ph.Distance(world.origin, bob.mass_centre, 0.7, name=n) for n in ("a", "b")]
    system = ph.System([hang], [ph.Weight(9.81)], rods, name="bob")
    linear = ph.linearise(system, system.state({"bob": (0.0, 0.0, -0.7)}))
    assert_close(linear.modes().frequencies, [np.sqrt(9.81 / 0.7)] * 2, rtol=1e-11)


def test_where_it_does_not_rest_only_the_instant_is_known():
    """A pendulum let go at an angle has matrices, and no modes."""
    linear = ph.linearise(cart(), cart().state(hinge=0.3))
    assert "is accelerated" in linear.unsteady
    assert "an instant" in repr(linear)
    with pytest.raises(ph.PolhodeError, match="hold at that instant only"):
        linear.modes()
    with pytest.raises(ph.PolhodeError, match="about=motion"):
        linear.response([1.0])


def test_a_driver_that_swings_gives_no_steady_motion():
    """At t = 0 its hinge has a speed and no acceleration yet; a little later it has."""
    system = ph.models.moving_hinge_pendulum(lambda t: 0.1 * jnp.sin(3 * t))
    linear = ph.linearise(system)
    assert "it will be accelerated, at t = " in linear.unsteady
    with pytest.raises(ph.PolhodeError, match="has no modes about this state"):
        linear.modes()
    steady = ph.models.moving_hinge_pendulum(lambda t: 0.3 * t)
    assert not ph.linearise(steady).unsteady


def test_inputs_and_outputs_by_name():
    """B and C follow the names; unknown ones are refused with those that are known."""
    watch = {
        "bob": lambda t, state: state["rail"] + 0.9 * jnp.sin(state["hinge"]),
        "speed": lambda t, state: state.speed("rail"),
    }
    linear = ph.linearise(cart(), inputs={"push": 0.0}, outputs=watch)
    assert linear.matrices.inputs == ("push",)
    assert linear.matrices.outputs == ("bob", "speed")
    assert_close(linear.matrices.C, [[1, 0.9, 0, 0], [0, 0, 1, 0]], rtol=1e-15)
    M = linear.parts.mass
    assert_close(linear.matrices.B[2:, 0], np.linalg.solve(M, [1, 0]), rtol=1e-13)
    pushed = ph.linearise(cart(), cart().state(rail=0.4), inputs={"push": 2.0})
    assert not pushed.unsteady  # k x = F: 5 * 0.4
    with pytest.raises(ph.PolhodeError, match="has no input 'pull'"):
        ph.linearise(cart(), inputs=["pull"])
    with pytest.raises(ph.PolhodeError, match="has no coordinate 'rial'"):
        ph.linearise(cart(), outputs=["rial"])
    with pytest.raises(ph.PolhodeError, match="An output is a function"):
        ph.linearise(cart(), outputs={"bob": 3.0})
    with pytest.raises(ph.PolhodeError, match="cannot be linearised about"):
        ph.linearise(cart(), about=0.0)


def test_an_equilibrium_in_the_place_of_a_state_is_told():
    """Whichever argument it is given as, the words say what to write."""
    system = ph.models.pendulum()
    rest = ph.equilibria(system, starts=2)[0]
    with pytest.raises(ModelError, match="is no system that could be linearised"):
        ph.stability(rest)
    with pytest.raises(StateError, match="cannot be linearised about") as refused:
        ph.linearise(system, rest)
    assert "the .state of an equilibrium" in refused.value.repair


def test_what_has_no_freedom_is_told_so():
    """A hinge that is held: no matrix has an entry, and every answer has words."""
    body, world = ph.Body("b", ph.solids.box(mass=1, x=1, y=1, z=1)), ph.World()
    hinge = ph.Revolute("h", world.origin, body.origin, axis=ph.Z)
    held = ph.PrescribedMotion(hinge, lambda t: 0.3)
    linear = ph.linearise(ph.System([hinge], [ph.Weight(9.81)], [held]))
    assert "nothing is free" in repr(linear)
    assert "0 modes" in repr(linear.modes())
    assert linear.stability().verdict == "stable"
    assert "Nothing is free" in str(linear.stability())
