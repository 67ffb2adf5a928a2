"""Ideal and real reactions: who does work, and who rubs."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import brentq

import polhode as ph
from closeness import assert_close
from polhode.double import doubled
from polhode.formulation.questions.real_reactions import solve_pushes

G, M, L = 9.81, 1.3, 0.8
MU, RADIUS = 0.3, 0.05


# ------------------------------------------------------------- ideal


@pytest.mark.row("C-13")
def test_the_power_of_an_ideal_constraint():
    """Fixed: no power. Moving: -l c, and still none in motions at a frozen time."""
    for speed, rise in ((0.0, 0.0), (0.7, 0.4)):
        bead = ph.Particle("bead", M)
        floor = ph.Holonomic(
            [bead.frame],
            lambda a, t, u=speed, s=rise: a.position[2] - u * t - s * t**2,
            name="floor",
        )
        system = ph.System([bead], [ph.Weight(G)], [floor], name="lift")
        c = -speed  # the velocity equation is v_z + c = 0 at t = 0
        state = system.state(bead=(0, 0, 0), speeds={"bead": (0.3, -0.2, -c)})
        equations = ph.gauss(system)
        (l,) = equations.multipliers(state)
        assert_close(l, M * (G + 2 * rise), rtol=1e-12)
        assert_close(equations.powers(state)["floor"], -l * c, atol=1e-12)
        assert ph.questions.ideal_reactions(equations, state)["floor"] < 1e-12
        assert ph.questions.ideal(system) == {"bead": True, "floor": True}


# ------------------------------------------------------------- real joints


@cache
def pendulum():
    rod = ph.Body("rod", ph.solids.rod(mass=M, length=L, along=ph.Z))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, L / 2), axis=ph.Y)
    law = ph.contact.Regularised(MU, 1e-4)
    rubs = ph.JointFriction(hinge, law, radius=RADIUS)
    return ph.System([hinge], [ph.Weight(G), rubs], name="pendulum")


def push_by_hand(angle, rate):
    """N and the acceleration from Newton's laws for the rod, N found by bisection."""
    slip = RADIUS * rate

    def motion(N):
        tau = -RADIUS * MU * N * slip / np.hypot(slip, 1e-4)
        turn = (tau - M * G * L / 2 * np.sin(angle)) / (M * L**2 / 3)
        along = M * rate**2 * L / 2 + M * G * np.cos(angle)
        across = M * turn * L / 2 + M * G * np.sin(angle)
        return np.hypot(along, across), turn

    N = brentq(lambda N: N - motion(N)[0], 0, 1e4, xtol=1e-13, rtol=1e-14)
    return N, motion(N)[1]


@pytest.mark.long
@pytest.mark.row("C-13")
def test_friction_and_the_reaction_that_it_changes_hold_at_once():
    """In a pendulum's bearing tau = -mu r N, N being the reaction in that motion."""
    system = pendulum()
    assert ph.questions.ideal(system) == {"hinge": False}
    rng = np.random.default_rng(3)
    forms = [ph.recursive(system), ph.kirchhoff(system)]
    for angle, rate in rng.normal(size=(4, 2)) * (1.5, 4.0):
        state = system.state(hinge=angle, speeds={"hinge": rate})
        N, turn = push_by_hand(angle, rate)
        parts = ph.questions.reaction_parts(forms[0], state)["friction of hinge"]
        assert_close(parts.load, N, rtol=1e-12)
        assert_close(np.linalg.norm(parts.ideal.force), N, rtol=1e-11)
        for form in forms:
            assert_close(form.body_accelerations(state)[0, 1], turn, rtol=1e-10)
        torque = -RADIUS * MU * N * np.sign(rate)
        assert_close(parts.real.torque, (0, torque, 0), rtol=1e-5, atol=1e-9)
        assert_close(parts.power, parts.real.torque[1] * rate, rtol=1e-12)
        assert parts.power < 0
        # The friction matters to the reaction: it is not that of the ideal joint.
        without = np.hypot(
            M * rate**2 * L / 2 + M * G * np.cos(angle), M * G * np.sin(angle) / 4
        )
        assert abs(N / without - 1) > 1e-4


@cache
def sled(height=0.5, span=0.4):
    """A body whose mass centre is above the rail that it slides on."""
    block = ph.Body("sled", ph.solids.box(mass=M, x=0.2, y=0.2, z=0.2))
    rail = ph.Prismatic(
        "rail", ph.World().origin, block.point(0, 0, -height), axis=ph.X
    )
    rubs = ph.JointFriction(
        rail, ph.Coulomb(ph.Parameter("mu", MU)), span=span, name="rubbing"
    )
    return ph.System([rail], [ph.Weight(G), rubs], name="sled")


@pytest.mark.row("C-13")
def test_braking_presses_a_tall_sled_on_its_rail():
    """N = m g + m |a| h/s and m |a| = mu N:   N = m g/(1 - mu h/s)."""
    system = sled()
    assert ph.questions.ideal(system) == {"rail": False}
    state = system.state(speeds={"rail": 2.0})
    equations = ph.recursive(system)
    for mu in (0.0, 0.3, 0.7):
        N = M * G / (1 - mu * 0.5 / 0.4)
        found = equations.accelerations(state, {"mu": mu})
        assert_close(found, [-mu * N / M], rtol=1e-12, atol=1e-12)
    # Beyond mu h/s = 1 no push satisfies the motion.
    assert np.isnan(equations.accelerations(state, {"mu": 0.9})).all()


@pytest.mark.row("C-13")
def test_a_real_joint_dissipates_and_the_ledger_names_it():
    """The ideal part has no power; what the energy loses is the work of friction."""
    system, mu = sled(), MU
    a = mu * G / (1 - mu * 0.5 / 0.4)
    motion = ph.simulate(system, system.state(speeds={"rail": 2.0}), until=0.3)
    assert_close(motion.z[:, 0], 2.0 - a * motion.t, rtol=1e-9)
    ledger = motion.ledger()
    lost = ledger.energy - ledger.energy[0]
    assert_close(lost[-1], -M * a * motion.q[-1, 0], rtol=1e-9)
    assert_close(ledger.work["rubbing"], lost, atol=1e-8)
    equations = ph.recursive(system)
    parts = ph.questions.reaction_parts(equations, motion.final)["rubbing"]
    assert_close(parts.load, M * a / mu, rtol=1e-9)
    assert_close(parts.ideal.force, (0, 0, M * G), atol=1e-9)
    assert_close(parts.real.force, (-M * a, 0, 0), atol=1e-9)
    assert_close(parts.power, -M * a * motion.z[-1, 0], rtol=1e-9)
    assert ph.questions.ideal_reactions(equations, motion.final)["rail"] < 1e-12


@pytest.mark.long
def test_what_jams_is_said():
    """Where no push satisfies the motion the run stops, and names the friction."""
    system = sled().with_({"mu": 0.9})
    with pytest.raises(ph.PolhodeError, match=r"'rubbing'[^$]*it jams"):
        ph.simulate(system, system.state(speeds={"rail": 2.0}), until=0.1)


# ------------------------------------------------------------- real constraints


@cache
def ring(radius=0.7):
    """A bead on a level ring, without weight."""
    bead = ph.Particle("bead", M)
    wire = ph.PointOn(
        bead.mass_centre,
        ph.World().frame,
        lambda x: jnp.stack([x[0] ** 2 + x[1] ** 2 - radius**2, x[2]]),
        rows=("round", "level"),
        name="wire",
    )
    rubs = ph.contact.ConstraintFriction(wire, ph.Coulomb(MU))
    return ph.System([bead], [rubs], [wire], name="ring")


@pytest.mark.long
@pytest.mark.row("C-13")
def test_a_bead_is_held_back_by_what_holds_it_on_a_ring():
    """The ideal part is towards the centre, N = m v^2/R; the real one is -mu N."""
    system, R, v = ring(), 0.7, 2.0
    assert ph.questions.ideal(system) == {"bead": True, "wire": False}
    start = system.state(bead=(R, 0, 0), speeds={"bead": (0, v, 0)})
    equations = ph.recursive(system)
    parts = ph.questions.reaction_parts(equations, start)["friction of wire"]
    assert_close(parts.load, M * v**2 / R, rtol=1e-12)
    assert_close(parts.ideal.force, (-M * v**2 / R, 0, 0), rtol=1e-12, atol=1e-12)
    assert_close(parts.real.force, (0, -MU * M * v**2 / R, 0), rtol=1e-12, atol=1e-12)
    assert_close(parts.power, -MU * M * v**3 / R, rtol=1e-12)
    assert_close(equations.powers(start)["wire"], 0, atol=1e-12)
    assert ph.questions.ideal_reactions(equations, start)["wire"] < 1e-12


@pytest.mark.long
def test_a_bead_on_a_ring_loses_speed_as_a_rope_on_a_post():
    """N = m v^2/R and T = -mu N:   v = v0/(1 + mu v0 t/R)."""
    system, R, v = ring(), 0.7, 2.0
    start = system.state(bead=(R, 0, 0), speeds={"bead": (0, v, 0)})
    motion = ph.simulate(system, start, until=3.0, rtol=1e-10)
    speed = np.linalg.norm(motion.z, axis=1)
    assert_close(speed, v / (1 + MU * v * motion.t / R), rtol=1e-8)
    ledger = motion.ledger()
    lost = ledger.kinetic - ledger.kinetic[0]
    assert_close(ledger.work["friction of wire"], lost, atol=1e-7)
    assert np.max(np.abs(ledger.work["constraints"])) < 1e-9


# ------------------------------------------------------------- the doors


def test_wrong_friction_is_refused_by_name():
    """Nothing that rubs, no radius, no place, no law, a constraint from elsewhere."""
    a = ph.Body("a", ph.solids.sphere(mass=1, radius=0.1))
    hinge = ph.Revolute("hinge", ph.World().origin, a.origin, axis=ph.Y)
    free = ph.Free("loose", ph.World().origin, a.origin)
    law = ph.contact.Viscous(1.0)
    bead = ph.Particle("bead", 1.0)
    fixed = ph.Holonomic([bead.frame], lambda a, t: a.position[2], name="floor")
    touch, _ = ph.rolling(ph.surfaces.sphere(a.origin, 0.1), ph.World().origin)
    for wrong, word in (
        (lambda: ph.JointFriction(free, law, radius=1.0), "nothing that rubs"),
        (lambda: ph.JointFriction(hinge, law), "no radius"),
        (lambda: ph.JointFriction(hinge, law, radius=0.0), "radius .* is zero"),
        (lambda: ph.JointFriction(hinge, 0.3, radius=1.0), "cannot follow 0.3"),
        (lambda: ph.contact.ConstraintFriction(fixed, law), "where it rubs"),
        (
            lambda: ph.contact.ConstraintFriction(
                touch, law, point=a.point(0, 0, -0.1)
            ),
            "a place that wanders over the bodies",
        ),
        (
            lambda: ph.contact.ConstraintFriction(
                fixed, law, point=a.origin, by=ph.World().frame
            ),
            "exerts nothing",
        ),
        (
            lambda: ph.System(
                [bead],
                [
                    ph.contact.ConstraintFriction(
                        fixed, law, point=bead.mass_centre, by=ph.World().frame
                    )
                ],
            ),
            "not in 'system'",
        ),
    ):
        with pytest.raises(ph.PolhodeError, match=word):
            wrong()


def test_pushes_that_press_each_other_are_found_together():
    """N = load(N) to rounding for several pushes, not numbers where there are none."""
    P = np.array([[0.2, 0.5], [-0.4, 0.1]])

    def load(N):
        return jnp.abs(jnp.array([1.0, -2.0]) + P @ N)

    N = doubled(lambda start: solve_pushes(load, start))(np.array([1.0, 2.0]))
    assert_close(N, np.abs([1.0, -2.0] + P @ N), rtol=1e-14)
    jammed = doubled(lambda start: solve_pushes(lambda N: 1 + 1.5 * jnp.abs(N), start))
    assert np.all(np.isnan(jammed(np.array([1.0]))))
