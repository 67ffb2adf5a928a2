"""Distance, gear, prescribed motion and users' equations say what they mean."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.errors import ModelError
from polhode.system import rows
from reckoning import reckon
from strategies_system import (
    across_the_blade,
    block,
    geared_wheels,
    random_state,
    sleigh,
    sway,
    topology,
)


def test_a_distance_row_is_the_hand_row():
    """d . (v_b - v_a) / L = 0, and gamma is -(v_b - v_a)^2 / L, on a massless rod."""
    system = topology("particles")
    state = random_state(system, np.random.default_rng(1))
    x, v = state.q.reshape(3, 3), state.z.reshape(3, 3)
    d, u = x[1] - x[0], v[1] - v[0]
    A, gamma = system.constraint_rows(state.t, state.q, state.z)
    assert_close(A, [[*-d, *d, 0, 0, 0]], atol=1e-12)
    assert_close(gamma, [-u @ u], rtol=1e-10)


def test_the_multiplier_of_a_distance_is_the_force_in_the_rod():
    """Two masses whirled about each other pull the rod with m r w^2."""
    a, b = ph.Particle("a", 1.0), ph.Particle("b", 1.0)
    rod = ph.Distance(a.mass_centre, b.mass_centre, 2.0, name="rod")
    system = ph.System([a, b], constraints=[rod])
    speeds = {"a": [0, -3.0, 0], "b": [0, 3.0, 0]}
    state = system.state(a=[-1, 0, 0], b=[1, 0, 0], speeds=speeds)
    assert_close(reckon(state).multipliers, [-9.0])


def test_distance_refuses_what_holds_nothing():
    """No length, or both ends on one body."""
    a, b = block("a"), block("b")
    with pytest.raises(ModelError, match=r"ph\.Spherical"):
        ph.Distance(a.origin, b.origin, 0.0)
    with pytest.raises(ModelError, match="joins 'a' to itself"):
        ph.Distance(a.origin, a.point(1, 0, 0), 1.0)


def test_a_gear_keeps_its_ratio():
    """q_driven = ratio q_driver + offset: the row, its rate, and the refusals."""
    system = geared_wheels()
    state = ph.assemble(system, one=0.5, speeds={"one": 2.0}).state
    assert_close([state["two"], state.speed("two")], [-0.2, -0.8])
    A, gamma = system.constraint_rows(0.0, state.q, state.z)
    assert_close(A, [[0.4, 1.0]])
    assert_close(gamma, [0.0])
    one, two = system.joints
    with pytest.raises(ModelError, match="gears joint 'one' with itself"):
        ph.Gear(one, one, 2.0)
    with pytest.raises(ModelError, match="ratio of 'gear' is zero"):
        ph.Gear(one, two, 0.0)
    ball = ph.Spherical("ball", ph.World().origin, block("x").origin)
    with pytest.raises(ModelError, match="has 4 coordinates"):
        ph.Gear(ball, one, 1.0)


def test_gears_share_their_inertia():
    """Driven from one wheel, a pair has I1 + r^2 I2: accelerations say so."""
    world, small, large = ph.World(), block("small"), block("large")
    one = ph.Revolute("one", world.origin, small.mass_centre, axis=ph.Z)
    two = ph.Revolute("two", world.point(1, 0, 0), large.mass_centre, axis=ph.Z)
    couple = ph.AppliedCouple(small.frame, ph.theory.Vector([0, 0, 3.0], small.frame))
    system = ph.System([one, two], [couple], [ph.Gear(two, one, -0.4)])
    inertias = [body.moments().inertia[2, 2] for body in system.bodies]
    found = reckon(system.state())
    expected = 3.0 / (inertias[0] + 0.4**2 * inertias[1])
    assert_close(found.z_dot, [expected, -0.4 * expected], rtol=1e-10)


def test_prescribed_motion_moves_the_joint():
    """A driven track has the place, speed and acceleration of its law."""
    system = topology("driven_hinge")
    state = ph.assemble(system, hinge=0.3, t=0.4).state
    assert_close(state["track"], 0.3 * np.sin(0.8), rtol=1e-12)
    assert_close(state.speed("track"), 0.6 * np.cos(0.8), rtol=1e-9)
    found = reckon(state)
    assert_close(found.z_dot[0], -1.2 * np.sin(0.8), rtol=1e-9)
    assert sway(0.0) == 0.0


def test_power_of_a_driver_is_its_multiplier_times_the_rate():
    """The energy of the whole changes by what the driver gives: lambda f'(t)."""
    system = topology("driven_hinge")
    state = ph.assemble(system, hinge=0.7, speeds={"hinge": 1.1}, t=0.2).state
    found = reckon(state)

    def energy(s):
        delta = s * state.z + s**2 / 2 * found.z_dot
        q, z = system.local(state.q, delta), state.z + s * found.z_dot
        return system.kinetic_energy(0, q, z) + system.potential_energy(0, q)

    power = found.multipliers[0] * 0.6 * np.cos(0.4)
    assert_close(derivative(energy, 0.0), power, rtol=1e-8)


@pytest.mark.parametrize("kind", [ph.Spherical, ph.Free])
def test_a_turning_base_can_be_prescribed(kind):
    """A quaternion joint follows a law in its own coordinates, to rounding."""
    body = block("base")
    joint = kind("joint", ph.World().origin, body.origin)

    def spin(t):
        import jax.numpy as jnp

        turn = jnp.stack([jnp.cos(t / 2), 0 * t, jnp.sin(t / 2), 0 * t])
        place = jnp.stack([t, t**2, 0 * t])
        return turn if kind is ph.Spherical else jnp.concatenate([turn, place])

    system = ph.System([joint], constraints=[ph.PrescribedMotion(joint, spin)])
    assert ph.mobility(system).by_rank == 0
    start = ph.State(system, 0.6, system.neutral(), np.zeros(system.speeds))
    state = system.consistent(start)
    R = system.poses(0.6, state.q).rotations[0]
    angle = np.array([[np.cos(0.6), np.sin(0.6)], [-np.sin(0.6), np.cos(0.6)]])
    assert_close(R[np.ix_([0, 2], [0, 2])], angle, atol=1e-11)
    twist = system.twists(0.6, state.q, state.z)
    assert_close(twist.angular[0], [0, 1, 0], atol=1e-8)
    if kind is ph.Free:
        assert_close(twist.linear[0], [1, 1.2, 0], atol=1e-8)


def test_a_weld_cannot_be_driven():
    """A joint without coordinates has nothing to prescribe."""
    weld = ph.Fixed("weld", ph.World().origin, block("b").origin)
    with pytest.raises(ModelError, match="'weld' cannot be driven"):
        ph.PrescribedMotion(weld, lambda t: t)


def test_laws_of_the_wrong_size_are_refused():
    """A law gives a number for every row, and the refusal says how many."""
    hinge = ph.Revolute("hinge", ph.World().origin, block("b").origin, axis=ph.Z)
    two = ph.PrescribedMotion(hinge, lambda t: np.array([1.0, 2.0]))
    with pytest.raises(ModelError, match="gave 2 numbers, expected 1"):
        ph.System([hinge], constraints=[two])
    law = ph.VelocityRows([hinge], lambda q, t: (np.ones(3), 0.0))
    with pytest.raises(ModelError, match="gave 3 numbers, expected 1"):
        ph.System([hinge], constraints=[law])
    free = ph.Holonomic([block("c").frame], lambda a, t: a.position)
    with pytest.raises(ModelError, match="gave 3 numbers, expected 1"):
        ph.theory.audit_constraint(free)


def test_rows_of_velocity_are_the_users():
    """A blade lets a sleigh glide along, and its row is a(q) z = 0."""
    system = sleigh()
    state = random_state(system, np.random.default_rng(3))
    A, gamma = system.constraint_rows(0.0, state.q, state.z)
    a, _ = across_the_blade(state.q, 0.0)
    assert_close(A, np.asarray(a)[None], atol=1e-7)
    angle, rate = state.q[0], state.z[0]
    moving = -np.cos(angle) * state.z[1] - np.sin(angle) * state.z[2]
    assert_close(gamma, [-rate * moving], rtol=1e-9)
    assert_close(A @ state.z, [0.0], atol=1e-12)


def test_velocity_equations_of_any_form():
    """Constant speed |v|^2 = 4 (nonlinear): A = 2 v, and the speed is found."""
    ball = ph.Particle("ball", 1.0)
    slide = ph.Translation("slide", ph.World().origin, ball.mass_centre)
    law = ph.VelocityEquation([slide], lambda q, z, t: z[0] @ z[0] - 4.0, name="pace")
    system = ph.System([slide], [ph.Weight(9.81)], [law])
    start = ph.State(system, 0.0, np.zeros(3), np.array([1.0, 2.0, 2.0]))
    state = system.consistent(start)
    assert_close(np.linalg.norm(state.z), 2.0, rtol=1e-12)
    A, gamma = system.constraint_rows(0.0, state.q, state.z)
    assert_close(A, [2 * state.z])
    assert_close(gamma, [0.0])
    found = reckon(state)
    g = np.array([0, 0, -9.81])
    along = state.z / 2
    assert_close(found.z_dot, g - along * (along @ g), rtol=1e-10)


def test_a_point_on_a_sphere_stays_there():
    """PointOn of a surface and of a line: rows follow from the law by JAX."""
    bead, world = ph.Particle("bead", 1.0), ph.World()
    bowl = ph.PointOn(bead.mass_centre, world.frame, lambda x: x @ x - 1.0, name="bowl")
    system = ph.System([bead], [ph.Weight(9.81)], [bowl])
    state = system.state(bead=[0.6, 0.0, -0.8])
    A, _ = system.constraint_rows(0.0, state.q, state.z)
    assert_close(A, [[1.2, 0.0, -1.6]])
    down = np.array([0, 0, -9.81])
    out = state.q
    expected = down - out * (down @ out)
    assert_close(reckon(state).z_dot, expected, rtol=1e-10, atol=1e-12)
    wire = ph.PointOn(
        bead.mass_centre, world.frame, lambda x: x[:2], rows=("x", "y"), name="wire"
    )
    tube = ph.System([bead], [ph.Weight(9.81)], [wire])
    assert_close(reckon(tube.rest()).z_dot, down, atol=1e-12)


def test_rows_have_names():
    """An equation without a name, or two of one name, is refused."""
    frame = block("b").frame
    with pytest.raises(ModelError, match="cannot be named"):
        ph.Holonomic([frame], lambda a, t: 0.0, rows=())
    with pytest.raises(ModelError, match="cannot be named"):
        ph.Holonomic([frame], lambda a, t: a.position, rows=("x", "x", "y"))


@pytest.mark.row("P-18")
def test_explicit_time_is_seen_and_repaired_by_a_driven_body():
    """A law of time alone is flagged; with the driver as a body it is accepted.

    Both give the same motion.
    """
    world, bob, driver = ph.World(), ph.Particle("bob", 1.0), ph.Particle("driver", 9.0)

    def swaying(a, t):
        away = a.position - np.array([1.0, 0, 0]) * sway(t)
        return (away @ away - 1.0) / 2

    def tied(a, b, t):
        away = a.position - b.position
        return (away @ away - 1.0) / 2

    raw = ph.Holonomic([bob.frame], swaying, name="string")
    report = ph.theory.audit_constraint(raw)
    assert report.depends_on_time
    assert not report.is_invariant
    assert "PrescribedMotion" in str(report)
    repaired = ph.Holonomic([bob.frame, driver.frame], tied, name="string")
    assert ph.theory.audit_constraint(repaired).is_invariant
    assert "is invariant" in str(ph.theory.audit_constraint(repaired))

    track = ph.Prismatic("track", world.origin, driver.mass_centre, axis=ph.X)
    motion = ph.PrescribedMotion(track, sway)
    alone = ph.System([bob], [ph.Weight(9.81)], [raw])
    both = ph.System([track, bob], [ph.Weight(9.81)], [repaired, motion])
    one = ph.assemble(alone, bob=[0.8 + 0.3 * np.sin(0.6), 0, -0.6], t=0.3)
    other = ph.assemble(both, bob=one.state.q, speeds={"bob": one.state.z}, t=0.3)
    free = reckon(one.state).z_dot
    assert_close(reckon(other.state).z_dot[-3:], free, rtol=1e-8)


def test_rates_and_positions_need_no_constraints():
    """A tree has no rows at all."""
    system = topology("pendulum")
    assert rows.positions(system, 0.0, np.zeros(1)).shape == (0,)
    assert rows.velocities(system, 0.0, np.zeros(1), np.zeros(1)).shape == (0,)


def test_a_law_of_two_rows_gives_a_list():
    """A yo-yo falls at 2/3 g: no place aside, and a string that unwinds."""
    disc = ph.Body("disc", ph.solids.disc(mass=0.1, radius=0.04, along=ph.Y))
    fall = ph.Planar("fall", ph.World().origin, disc.origin, normal=ph.Y)
    string = ph.JointEquation(
        [fall],
        lambda p, t, R: [p[2], p[1] + R * p[0]],
        constants={"R": 0.04},
        rows=("aside", "along"),
    )
    system = ph.System([fall], [ph.Weight(9.81)], [string])
    found = ph.gauss(system).accelerations(system.rest())
    assert_close(found, [9.81 / 1.5 / 0.04, -9.81 / 1.5, 0.0], atol=1e-12)
