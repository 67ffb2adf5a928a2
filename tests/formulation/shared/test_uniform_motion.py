"""Nothing that moves fast or far away turns by rounding.

A craft in orbit moves at 7.7 km/s, 7000 km from the origin. Terms of the order of m v^2
and of m g times the distance vanish by algebra; here they vanish in the program.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.formulation.registry import FORMULATIONS
from polhode.formulation.shared.uniform_motion import removable_edges, still
from strategies_system import random_state, topology

PLACE = 7.0e6 * np.array([0.6, 0.48, 0.64])
# No short binary fractions: products with masses are rounded.
FLIGHT = 7700.0937 * np.array([0.3, -0.7, 0.648074069840786])
SPIN = np.array([0.0101, 0.0203, -0.0151])
TURN = np.array([0.5, 0.1, -0.7, 0.3]) / np.sqrt(0.84)
OFFSET = (0.1, -0.2, 0.3)
FORMS = {**FORMULATIONS, "unified": ph.unified}
# The velocities of some forms, or their rows, hold v or p: what is left is the rounding
# of m c w v, not of m v^2. The others are the same, bit for bit.
ROUNDED = 5e-14
# These need a hinge that is cyclic, or rows.
OTHERS = ("Routh", "Maggi", "Udwadia-Kalaba")
QUICK = (
    *("recursive", "Gauss", "Kane", "Kirchhoff", "Newton-Euler", "hybrid"),
    *(f"spatial form {k}" for k in (1, 2, 3, 4)),
)


def body(centre: Any = (0.0, 0.0, 0.0)) -> ph.Body:
    """1000 kg without symmetry."""
    inertia = (903.1, 1107.3, 1301.7)
    return ph.Body.from_inertia("craft", mass=1003.7, inertia=inertia, centre=centre)


def bare(centre: Any = (0.0, 0.0, 0.0)) -> ph.System:
    """A craft alone."""
    return ph.System([body(centre)], name="craft")


def with_panel() -> ph.System:
    """A panel on a sprung hinge."""
    hub = body(OFFSET)
    panel = ph.Body("panel", ph.solids.box(mass=51.3, x=2.0, y=1.0, z=0.05))
    hinge = ph.Revolute("hinge", hub.point(1, 0, 0), panel.point(-1, 0, 0), axis=ph.Y)
    return ph.System([hub, hinge], [ph.Spring(hinge, 30.0, 0.1)], name="craft")


def with_wheel() -> ph.System:
    """A reaction wheel that a motor drives."""
    hub = body(OFFSET)
    wheel = ph.Body("wheel", ph.solids.disc(mass=20.1, radius=0.3))
    axle = ph.Revolute("axle", hub.point(0.2, 0.1, 0), wheel.origin, axis=ph.Z)
    return ph.System([hub, axle], [ph.Motor(axle, 0.05)], name="craft")


def with_loop() -> ph.System:
    """A panel that a strut without mass holds to the hub: rows inside the craft."""
    hub = body(OFFSET)
    panel = ph.Body("panel", ph.solids.box(mass=51.3, x=2.0, y=1.0, z=0.05))
    ball = ph.Spherical("ball", hub.point(1, 0, 0), panel.point(-1, 0, 0))
    strut = ph.Distance(hub.point(1, 0, -1), panel.point(0, 0, 0), np.sqrt(2.0))
    return ph.System([hub, ball], constraints=[strut], name="craft")


CRAFTS = {
    "bare": bare,
    "offset": lambda: bare(OFFSET),
    "panel": with_panel,
    "wheel": with_wheel,
}


def state_of(system: ph.System, spin: Any, is_far: bool) -> ph.State:
    """Turned and spinning, in orbit or at rest at the origin; inner joints moving."""
    q, z = system.neutral(), 0.02 * np.ones(system.speeds)
    q[:4], z[:3], z[3:6] = TURN, spin, 0.0
    if is_far:
        q[4:7], z[3:6] = PLACE, FLIGHT
    return ph.State(system, 0.0, q, z)


def both(system: ph.System, spin: Any = SPIN) -> tuple[ph.State, ph.State]:
    """The same motion within the craft, in orbit and at rest."""
    return state_of(system, spin, True), state_of(system, spin, False)


@cache
def craft(name: str) -> ph.System:
    return CRAFTS[name]()


def form_cases() -> list:
    found = []
    for form in FORMS:
        if form in OTHERS:
            continue
        for name in ("bare", "offset", "panel"):
            is_quick = form in QUICK and name != "panel"
            marks = () if is_quick else pytest.mark.long
            found.append(pytest.param(form, name, marks=marks))
    return found


@pytest.mark.parametrize(("form", "name"), form_cases())
def test_the_speed_of_an_orbit_turns_nothing_in_any_form(form, name):
    """Angular accelerations are those at rest; without spin they are zero."""
    system, equations = craft(name), FORMS[form](craft(name))
    for spin in (0.0 * SPIN, SPIN):
        far, near = (
            equations.body_accelerations(state)[:, :3] for state in both(system, spin)
        )
        if name == "bare":
            np.testing.assert_array_equal(far, near)
        if name != "panel" and not np.any(spin):
            assert np.max(np.abs(far)) < 1e-24
        # Places in the world have 1e-9 m, which rows of joints read in some forms.
        rows = 2e-12 if name == "panel" else 0.0
        assert np.max(np.abs(far - near)) < ROUNDED + rows


@pytest.mark.long
@pytest.mark.parametrize("form", ["Maggi", "Udwadia-Kalaba", "recursive", "Lagrange, "
                                  "second kind"])  # fmt: skip
def test_the_speed_of_an_orbit_turns_nothing_where_rows_hold(form):
    """A loop inside the craft: its rows read differences of velocities, of 1e-12."""
    system = with_loop()
    near = system.consistent(state_of(system, SPIN, False))
    q, z = near.q.copy(), near.z.copy()
    q[4:7] += PLACE
    z[3:6] += FLIGHT
    far = ph.State(system, 0.0, q, z)
    equations = FORMULATIONS[form](system)
    found, wanted = (
        equations.body_accelerations(state)[:, :3] for state in (far, near)
    )
    assert np.max(np.abs(found - wanted)) < 1e-11


@pytest.mark.long
def test_the_speed_of_an_orbit_turns_nothing_where_momenta_are_kept():
    """Routh's procedure, the wheel's angle ignored."""
    system = with_wheel()
    free = ph.System(system.given.members, name="craft")
    equations = ph.routh(free)
    far, near = (equations.body_accelerations(s)[:, :3] for s in both(free))
    assert np.max(np.abs(far - near)) < ROUNDED


@pytest.mark.parametrize("name", CRAFTS)
def test_a_craft_turns_in_orbit_as_at_rest(name):
    """With the same steps: attitude, spin and inner joints have the same bits."""
    system = craft(name)
    far, near = (
        ph.simulate(system, state, until=300.0, method=ph.methods.RungeKutta4(step=0.5))
        for state in both(system)
    )
    for rows in (far.q[:, :4], near.q[:, :4]), (far.z[:, :3], near.z[:, :3]):
        assert np.max(np.abs(rows[0] - rows[1])) < 1e-14
    np.testing.assert_array_equal(far.q[:, 7:], near.q[:, 7:])
    np.testing.assert_array_equal(far.z[:, 6:], near.z[:, 6:])


@pytest.mark.parametrize("name", CRAFTS)
def test_a_craft_in_orbit_is_simulated_in_as_many_steps(name):
    """Rounding asks for no steps: 580 for 9, and 4.4 million at 1e-12, it did.

    Nor does the velocity along axes that turn with the craft.
    """
    system = craft(name)
    for rtol in (1e-10, 1e-12):
        far, near = (
            ph.simulate(system, state, until=300.0, rtol=rtol)
            for state in both(system, 0.1 * SPIN)
        )
        assert far.outcome.accepted <= 1.02 * near.outcome.accepted + 2
        gap = np.max(np.abs(far.final.q[:4] - near.final.q[:4]))
        assert gap < (1e-12 if name in ("bare", "offset") else rtol)
    alone = craft("bare")
    still_craft = ph.simulate(alone, state_of(alone, 0 * SPIN, True), until=2900.0)
    assert still_craft.outcome.accepted < 20
    np.testing.assert_array_equal(still_craft.final.z[:3], 0.0)


def in_orbit(centre: Any) -> tuple[ph.System, ph.theory.Vector | Any]:
    """A craft that the Earth pulls at its mass centre."""
    hub, world = body(centre), ph.World()
    pull = ph.CentralForce(
        hub.mass_centre, world.origin, lambda r, rate, t: -4.0e17 / r**2
    )
    return ph.System([hub], [pull], name="craft"), pull


@pytest.mark.parametrize("centre", [(0.0, 0.0, 0.0), OFFSET])
def test_a_pull_through_the_mass_centre_does_not_turn(centre):
    """7000 km away: its moment is that of the arm in the body, not of the place."""
    system, _ = in_orbit(centre)
    state = state_of(system, 0.0 * SPIN, True)
    wrench = system.wrenches(0.0, state.q, state.z)["central force"]
    size = np.linalg.norm(wrench.forces[0])
    R = system.poses(0.0, state.q).rotations[0]
    moment = wrench.torques[0] - np.cross(R @ np.array(centre), wrench.forces[0])
    assert np.max(np.abs(moment)) <= 4e-16 * size * np.linalg.norm(centre)
    for form in (ph.recursive, ph.gauss, ph.kane):
        found = form(system).body_accelerations(state)[0, :3]
        assert np.max(np.abs(found)) <= 4e-15 * size * np.linalg.norm(centre) / 900


@pytest.mark.parametrize("centre", [(0.0, 0.0, 0.0), OFFSET])
def test_a_pull_does_not_turn_a_craft_within_a_step(centre):
    """Stages know a quaternion to the step's error: no moment may come of that.

    With moments turned about the body's origin the spin was wrong by 1e-7 rad/s after
    48 minutes, in ten times as many steps.
    """
    system, _ = in_orbit(centre)
    plain = bare(centre)
    spin = np.array([0.0, 0.0, 1.0e-3])
    orbit = ph.simulate(system, state_of(system, spin, True), until=2900.0)
    rest = ph.simulate(plain, state_of(plain, spin, False), until=2900.0)
    assert orbit.outcome.accepted < 400
    assert np.max(np.abs(orbit.final.z[:3] - rest.final.z[:3])) < 1e-11
    assert np.max(np.abs(orbit.final.q[:4] - rest.final.q[:4])) < 1e-8


def test_actions_between_bodies_keep_their_digits_far_away():
    """A spring and a damper between crafts 7000 km from the origin, and at it."""
    one, two = body(OFFSET), ph.Body("two", ph.solids.box(mass=70.3, x=1, y=1, z=2))
    ends = one.point(1.1, 0, 0), two.point(0, 0.3, -0.7)
    actions = [ph.Spring(*ends, 40.0, 1.0), ph.Damper(*ends, 3.0)]
    system = ph.System([one, two], actions, name="pair")
    rng = np.random.default_rng(5)
    near = random_state(system, rng)
    # Places that the sum with PLACE keeps exactly: binary fractions of a metre.
    q = near.q.copy()
    q[4:7], q[11:14] = 0.0, np.array([2.5, -1.25, 0.75])
    far = q.copy()
    shift = np.round(PLACE)
    far[4:7] += shift
    far[11:14] += shift
    found, wanted = (system.applied(0.0, place, near.z) for place in (far, q))
    np.testing.assert_array_equal(found, wanted)


def test_the_ledger_of_a_craft_in_orbit_does_not_warn():
    """Momentum and angular momentum are kept; warnings are errors here."""
    for name in ("offset", "panel"):
        system = craft(name)
        for rtol in (1e-10, 1e-12):
            motion = ph.simulate(
                system, state_of(system, SPIN, True), until=100.0, rtol=rtol
            )
            ledger = motion.ledger()
            size = np.linalg.norm(ledger.angular_momentum[0])
            assert np.ptp(ledger.angular_momentum, axis=0).max() < 1e-8 * size


def test_the_centroidal_momentum_is_that_at_rest():
    """L about the mass centre has the digits of the spin, not of the orbit."""
    system = craft("panel")
    equations = ph.recursive(system)
    far, near = (equations.centroidal_momentum(state)[:3] for state in both(system))
    assert np.max(np.abs(far - near)) < 1e-8 * np.max(np.abs(near))


@pytest.mark.parametrize("name", ["floating_chain", "cart_pendulum", "all_joints"])
def test_bias_of_a_uniform_motion_is_its_shift(name):
    """b(z) = b(z0) + M s, against a form that knows nothing of it (Kane's sums)."""
    system = topology(name)
    assert removable_edges(system)
    state = random_state(system, np.random.default_rng(2))
    z0, s = (np.asarray(part, float) for part in still(system, state.z))
    assert np.any(z0 != state.z)
    rest = ph.State(system, state.t, state.q, z0)
    for form in (ph.recursive, ph.gauss):
        equations = form(system)
        shifted = equations.bias(rest) + equations.mass_matrix(state) @ s
        found = equations.bias(state)
        assert np.max(np.abs(found - shifted)) < 1e-12 * np.max(np.abs(found))
    free = ph.System(system.given.members, name="free")
    at = ph.State(free, state.t, state.q, state.z)
    inertial = _inertial(free, at)
    assert np.max(np.abs(ph.recursive(free).bias(at) - inertial)) < 1e-11 * np.max(
        np.abs(inertial)
    )


def _inertial(system: ph.System, state: ph.State) -> np.ndarray:
    """Bias by moving the system a little along its path, and differencing momenta.

    b = d/dt (J^T h) - (dJ/dt)^T h + ..., taken as sum of J^T dh/dt of particles' kind:
    dh/dt in the world of every body about a fixed pole, at z_dot = 0.
    """
    t, q, z, step = state.t, state.q, state.z, 1e-4
    pole = system.poses(t, q).origins

    def momenta(shift: float) -> np.ndarray:
        there = system.normalised(_moved(system, q, z, shift))
        R, p = system.poses(t, there)
        V = system.body_twists(t, there, z)
        h = np.einsum("nij,nj->ni", system.inertias(), V)
        turned = np.einsum("nij,nkj->nki", R, h.reshape(-1, 2, 3))
        moment = turned[:, 0] + np.cross(p - pole, turned[:, 1])
        return np.concatenate([moment, turned[:, 1]], axis=1)

    rate = (
        8 * (momenta(step) - momenta(-step)) - momenta(2 * step) + momenta(-2 * step)
    ) / (12 * step)
    R = system.poses(t, q).rotations
    inside = np.einsum("nji,nkj->nki", R, rate.reshape(-1, 2, 3)).reshape(-1, 6)
    return np.einsum("nik,ni->k", system.jacobians(t, q), inside)


def _moved(system: ph.System, q: np.ndarray, z: np.ndarray, time: float) -> Any:
    """Coordinates after a time at constant speeds, by Runge and Kutta's steps."""
    steps = 4
    h = time / steps
    for _ in range(steps):
        k1 = system.rates(0.0, q, z)
        k2 = system.rates(0.0, q + h / 2 * k1, z)
        k3 = system.rates(0.0, q + h / 2 * k2, z)
        k4 = system.rates(0.0, q + h * k3, z)
        q = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return q


def test_a_body_in_a_fluid_keeps_its_velocity():
    """Munk's moment is real: a hull that goes askew is turned across its way."""
    hull = ph.solids.ellipsoid(mass=500.0, x=0.3, y=0.3, z=2.0)
    ship = ph.Body("ship", ph.marine.submerged(hull, fluid_density=1000.0))
    system = ph.System([ship], name="ship")
    assert not removable_edges(system)
    state = system.state(ship={}, speeds={"ship": (0, 0, 0, 0.5, 0, 3.0)})
    M = ship.added_inertia()
    moment = (M[5, 5] - M[3, 3]) * 0.5 * 3.0
    for form in (ph.recursive, ph.gauss, ph.kirchhoff, ph.hybrid, ph.newton_euler):
        found = form(system).body_accelerations(state)[0]
        assert abs(found[1] * ship.spatial_inertia()[1, 1] - moment) < 1e-9 * abs(
            moment
        )
