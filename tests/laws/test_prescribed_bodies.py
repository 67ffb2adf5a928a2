"""Bodies with prescribed motion: their reactions, their power, and models without them.

One system in two ways: a rod held by a link and a potential to a carrier that moves
along a path, the carrier a member; and the same without it, link and potential driven.
"""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.geometry.motion.path import moving_frame
from polhode.geometry.rotations import so3
from polhode.system import rows
from strategies_system import block, random_state, topology

SPIN, LEAN = np.array([0.4, -0.7, 0.9]), np.array([0.2, 0.5, -0.3])
G = 9.81
# Where the rod is after 0.4 s, the same by both models to 1e-9.
PLACE = (0.34916890, -0.20720481, -1.19209186)


def path(t):
    """(P, p) of the carrier."""
    turn = so3.exp(SPIN * jnp.sin(t) + LEAN * t)
    return turn, jnp.stack([0.4 * jnp.sin(2 * t), 0.3 * t, 0.2 * jnp.cos(t)])


def energy(b):
    """Of the rod's placement before the carrier: pulls and turns it."""
    y, Y = b.position, b.rotation
    return 3.0 * y @ y / 2 + 0.8 * jnp.sin(y[0]) * Y[0, 1] - 1.1 * Y[2, 2]


def slide(carrier, rod, t):
    """One invariant row: where and how the rod is, in the carrier's axes."""
    y = carrier.rotation.T @ (rod.position - carrier.position)
    Y = carrier.rotation.T @ rod.rotation
    return y[0] + 0.5 * y[1] * y[2] + 0.3 * Y[1, 2] - 0.2


@cache
def systems():
    """The system with the carrier, and without it."""
    world, carrier, rod = ph.World(), block("carrier"), block("rod", 0.7)
    frames = (carrier.frame, rod.frame)
    link = ph.Holonomic(frames, slide, name="link")
    bond = ph.Potential(frames, energy, name="bond")
    driver = ph.theory.prescribed(carrier, path, world)
    free = ph.Free("rod", world.origin, rod.origin)
    whole = ph.System(
        [driver.joint, free], [bond, ph.Weight(G)], [driver, link], name="whole"
    )
    moved = ph.theory.driven_potential(bond, carrier.frame, path)
    alone = ph.System(
        [free],
        [moved, ph.Weight(G)],
        [ph.theory.driven(link, carrier.frame, path)],
        name="alone",
    )
    return ph.gauss(whole), ph.gauss(alone)


@cache
def pair(seed=0):
    """A state of both systems in which the rod is and moves alike."""
    whole, alone = systems()
    state = random_state(alone.system, np.random.default_rng(seed))
    at = moving_frame(path, state.t)
    (edge,) = [e for e in whole.system.tree.edges if e.joint.name == "carrier"]
    q, z = np.zeros(14), np.zeros(12)
    q[edge.q] = edge.joint.coordinates_from(at.rotation, at.place)
    R = at.rotation
    z[edge.z] = np.r_[R.T @ at.angular_velocity, R.T @ at.velocity]
    (other,) = [e for e in whole.system.tree.edges if e.joint.name == "rod"]
    q[other.q], z[other.z] = state.q, state.z
    return ph.State(whole.system, state.t, q, z), state, at


def rod_row(equations, state):
    names = [body.name for body in equations.system.bodies]
    return equations.body_accelerations(state)[names.index("rod")]


@pytest.mark.row("P-34", "P-35", "P-37")
def test_a_driven_model_moves_as_the_one_with_the_driver_in_it():
    """Forces derived with the third body, its motion imposed after: the same motion."""
    whole, alone = systems()
    for seed in range(3):
        inside, outside, _ = pair(seed)
        expected = rod_row(whole, inside)
        assert_close(rod_row(alone, outside), expected, rtol=1e-9)
        assert np.linalg.norm(expected) > 1


@pytest.mark.row("P-34", "P-38")
def test_the_driver_gives_what_the_third_law_asks():
    """Reaction on the carrier: what moves it, less weight, bond and link by the rod.

    F_3 = -sum F, M_3 = -sum ((x - x_3) x F + M), of forces on the rod; the driver's
    power is its force and moment on the carrier's motion. Moments about the rod's own
    place, instead of the carrier's, are others.
    """
    whole, _ = systems()
    state, _, at = pair(1)
    found = ph.questions.balance(whole, state, ["carrier"], pole=at.place)
    on_rod = ph.questions.balance(whole, state, ["rod"], pole=at.place)
    driver = whole.reactions(state)["driver of carrier"]
    needed = found.momentum_rate, found.moment_needed
    for name in ("bond", "link"):
        # About the carrier's origin the two are opposite, moments included.
        one, two = found.items[name], on_rod.items[name]
        assert_close(one.force, -two.force, rtol=1e-10)
        assert_close(one.moment, -two.moment, rtol=1e-10)
    weight = found.items["weight"]
    force = (
        needed[0] - weight.force + sum(on_rod.items[n].force for n in ("bond", "link"))
    )
    moment = (
        needed[1]
        - weight.moment
        + sum(on_rod.items[n].moment for n in ("bond", "link"))
    )
    assert_close(driver.force, force, rtol=1e-9)
    assert_close(driver.torque, moment, rtol=1e-9)
    given = driver.force @ at.velocity + driver.torque @ at.angular_velocity
    assert_close(whole.powers(state)["driver of carrier"], given, rtol=1e-9)
    assert abs(given) > 0.1
    # About its own place the rod's moments are others: not these.
    own = ph.questions.balance(
        whole,
        state,
        ["rod"],
        pole=whole.system.poses(state.t, state.q).origins[
            [b.name for b in whole.system.bodies].index("rod")
        ],
    )
    assert np.linalg.norm(own.items["link"].moment - on_rod.items["link"].moment) > 1e-3


@pytest.mark.row("P-29", "P-30", "P-38", "Y-05", "Y-06")
def test_power_of_moving_constraints_and_energies_is_the_drivers():
    """-l c (004) = -s dg/dt (003) = power of the link; with dW/dt, the driver's own.

    Of the system without the carrier: d(T + W)/dt = -l c + dW/dt, and both together are
    what the driver gives the carrier beyond its own energy. Virtual work is zero.
    """
    whole, alone = systems()
    for seed in range(3):
        inside, outside, _ = pair(seed)
        system, t = alone.system, outside.t
        A, _ = system.constraint_rows(t, outside.q, outside.z)
        c = rows.velocities(system, t, outside.q, np.zeros(6))
        assert_close(A @ outside.z + c, np.zeros(1), atol=1e-9)
        (l,) = alone.multipliers(outside)
        link = alone.powers(outside)["link"]
        assert_close(link, -l * c[0], rtol=1e-8)

        def g(s, system=system, outside=outside):
            return rows.positions(system, outside.t + s, outside.q, {})[0]

        assert_close(link, -l * derivative(g, 0.0), rtol=1e-7)
        assert abs(link) > 1e-3
        explicit = explicit_rate(alone, outside)
        own = ph.questions.balance(whole, inside, ["carrier"])
        spent = own.kinetic_energy_rate - own.items["weight"].power
        driver = whole.powers(inside)["driver of carrier"]
        assert_close(driver - spent, link + explicit, rtol=1e-8)
        assert_close(energy_rate(alone, outside), link + explicit, rtol=1e-6)
        # As printed, dW/dt would be the power of the constraint's reaction.
        assert abs(explicit - link) > 1e-3
        assert max(ph.questions.ideal_reactions(alone, outside).values()) < 1e-9


def explicit_rate(equations, state):
    """dW/dt of the bond at fixed placements."""
    (bond,) = [a for a in equations.system.actions if a.name == "bond"]
    return float(bond.slopes(equations.system.poses(state.t, state.q), state.t).by_time)


def energy_rate(equations, state):
    """d(T + W + weight)/dt along the motion, by differences."""
    system, z_dot = equations.system, equations.accelerations(state)
    (bond,) = [a for a in system.actions if a.name == "bond"]

    def total(s):
        q = system.local(state.q, s * state.z + s**2 / 2 * z_dot)
        at = ph.State(system, state.t + s, q, state.z + s * z_dot)
        stored = float(bond.energy(system.poses(at.t, at.q), at.t))
        return equations.kinetic_energy(at) + equations.potential_energy(at) + stored

    return derivative(total, 0.0)


@pytest.mark.row("P-38")
@pytest.mark.parametrize("which", [pytest.param(0, marks=pytest.mark.long), 1])
def test_the_ledger_of_a_driven_system_closes(which):
    """T + V changes by the work of the driver, whether it is in the model or not."""
    form, state = systems()[which], pair(0)[which]
    motion = ph.simulate(form, state, until=state.t + 0.4, rtol=1e-9)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-6 * ledger.scale
    assert np.ptp(ledger.energy) > 1e-2 * ledger.scale
    assert_close(rod_place(motion.final), PLACE, rtol=1e-6)


def rod_place(state):
    names = [body.name for body in state.system.bodies]
    return state.system.poses(state.t, state.q).origins[names.index("rod")]


@pytest.mark.row("P-21", "P-30")
@pytest.mark.parametrize("name", ["driven_hinge", "geared_wheels", "particles"])
@pytest.mark.parametrize(
    "form", [ph.gauss, pytest.param(ph.lagrange_first_kind, marks=pytest.mark.long)]
)
def test_reactions_have_no_virtual_power(name, form):
    """Joints and constraints have no power in allowed motions; drivers have in fact.

    A reaction with a part along what is let through is found out.
    """
    system = topology(name)
    equations = form(system)
    state = random_state(system, np.random.default_rng(2))
    found = ph.questions.ideal_reactions(equations, state)
    assert {c.name for c in system.constraints} <= set(found)
    assert max(found.values()) < 1e-9
    if name == "driven_hinge":
        assert abs(equations.powers(state)["driver"]) > 1e-2
        (c,) = rows.velocities(system, state.t, state.q, np.zeros(2))
        l = equations.multipliers(state)[-1]
        assert_close(equations.powers(state)["driver"], -l * c, rtol=1e-9)


@pytest.mark.row("P-22")
def test_multipliers_need_not_be_invariant_and_reactions_are_vectors():
    """A row times a function of the place has other multipliers elsewhere.

    Moved as a whole by x+ = S x + s, what the bodies feel turns with S; l does not
    stay.
    """
    one, two = block("one"), block("two", 0.6)

    def scaled(a, b, t):
        away = b.position - a.position
        return (2 + jnp.sin(a.position[0])) * (away @ away - 1.0)

    rod = ph.Holonomic((one.frame, two.frame), scaled, name="rod")
    bond = ph.Potential(
        (one.frame, two.frame), lambda b: 2.0 * b.rotation[0, 1] + b.position[2]
    )
    system = ph.System([one, two], [bond], [rod], name="pair")
    equations = ph.gauss(system)
    state = random_state(system, np.random.default_rng(1))
    S, s = so3.exp(np.array([0.4, -1.0, 0.3])), np.array([0.7, -0.2, 1.1])
    q = []
    for edge in system.tree.edges:
        R, p = edge.joint.pose(state.q[edge.q])
        q.append(edge.joint.coordinates_from(S @ R, S @ p + s))
    moved = ph.State(system, state.t, np.concatenate(q), state.z)
    before, after = (equations.reactions(at) for at in (state, moved))
    for name in ("rod on one", "rod on two"):
        assert_close(after[name].force, S @ before[name].force, rtol=1e-9)
        assert_close(after[name].torque, S @ before[name].torque, rtol=1e-9, atol=1e-9)
        assert np.linalg.norm(before[name].force) > 1e-2
    l = [equations.multipliers(at)[0] for at in (state, moved)]
    assert abs(l[1] / l[0] - 1) > 1e-2
