"""Explicit time: drivers, potentials that change, coordinates that move."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.models.pendulums.moving_hinge_pendulum import moving_hinge_pendulum

RADIUS, SPIN, MASS, G = 0.6, 5.3, 0.4, 9.81
HINGE, LENGTH = 1.1, 0.7  # mass and length of the moving-hinge pendulum


def hoop(driven: bool) -> ph.System:
    """A bead on a hoop that turns about the vertical at a steady rate."""
    ring = ph.Body("ring", ph.solids.ring(mass=0.3, radius=RADIUS, along=ph.Y))
    bead = ph.Body.from_inertia("bead", mass=MASS, inertia=(0, 0, 0))
    spin = ph.Revolute("spin", ph.World().origin, ring.mass_centre, axis=ph.Z)
    slide = ph.Revolute("slide", ring.mass_centre, bead.point(0, 0, RADIUS), axis=-ph.Y)
    driver = ph.PrescribedMotion(spin, lambda t: SPIN * t, name="motor")
    constraints = [driver] if driven else []
    return ph.System([spin, slide], [ph.Weight(G)], constraints, name="hoop")


@cache
def hoop_forms():
    """The hoop with its driver as a constraint, and in the bead's angle alone."""
    steady = ph.theory.Velocities(
        ["slide"],
        lambda t, q, y: jnp.stack([SPIN + 0.0 * t, y[0]]),
        lambda t, q, z: z[1:],
    )
    return ph.gauss(hoop(True)), ph.gauss(hoop(False), steady)


def x_hinge(t):
    return 0.3 * np.sin(2 * t)


@cache
def hinge_forms():
    """The moving hinge with its driver, and in the pendulum's angle alone."""
    driven = moving_hinge_pendulum()
    free = ph.System(driven.given.members, driven.given.actions, name="free")
    moving = ph.theory.Velocities(
        ["hinge"],
        lambda t, q, y: jnp.stack([0.6 * jnp.cos(2 * t), y[0]]),
        lambda t, q, z: z[1:],
    )
    return ph.gauss(driven), ph.gauss(free, moving)


def hinge_state(system, t, angle, rate):
    q = np.array([x_hinge(t), angle])
    return ph.State(system, t, q, np.array([0.6 * np.cos(2 * t), rate]))


def hoop_state(system, t, angle, rate):
    return ph.State(system, t, np.array([SPIN * t, angle]), np.array([SPIN, rate]))


CASES = {"hinge": (hinge_forms, hinge_state), "hoop": (hoop_forms, hoop_state)}


def along_motion(forms, place, start):
    """The state a time s after (t, angle, rate), to second order in s."""
    t, angle, rate = start
    _, reduced = forms
    (bend,) = reduced.accelerations(place(reduced.system, t, angle, rate))

    def later(s):
        return t + s, angle + s * rate + s**2 / 2 * bend, rate + s * bend

    return later


def split(reduced, place, t, angle):
    """A, B, C of K = A y^2/2 + B y + C."""
    rest = place(reduced.system, t, angle, 0.0)
    A = reduced.mass_matrix(rest)[0, 0]
    return A, reduced.momenta(rest)[0], reduced.kinetic_energy(rest)


@pytest.mark.row("L-16")
@pytest.mark.parametrize("case", CASES)
def test_kinetic_energy_with_a_driver_has_three_parts(case):
    """K = A y^2/2 + B y + C, and A, B, C are read off the reduced equations."""
    forms, place = CASES[case][0](), CASES[case][1]
    reduced, t, angle = forms[1], 0.3, 0.8
    A, B, C = split(reduced, place, t, angle)
    for rate in (-1.3, 0.4, 2.1):
        found = reduced.kinetic_energy(place(reduced.system, t, angle, rate))
        assert_close(found, A * rate**2 / 2 + B * rate + C, rtol=1e-13)
    if case == "hinge":  # x_H' of the hinge, bob of mass m on a rod l
        x_dot = 0.6 * np.cos(2 * t)
        assert_close(A, HINGE * LENGTH**2, rtol=1e-12)
        assert_close(B, HINGE * LENGTH * x_dot * np.cos(angle), rtol=1e-12)
        assert_close(C, (HINGE + 1.0) * x_dot**2 / 2, rtol=1e-12)


@pytest.mark.row("L-12", "L-16", "L-19")
@pytest.mark.parametrize("case", CASES)
def test_energy_changes_by_what_the_driver_gives(case):
    """dE/dt = q'Q - dL/dt + d/dt(B q' + 2 C) is the driver's power, here with Q = 0.

    And h = q' dL/dq' - L changes by -dL/dt alone. The power of the driver's reaction is
    -s g_t, with g = x - law(t) and s its intensity.
    """
    make, place = CASES[case]
    driven, reduced = make()
    for start in ((0.3, 0.8, 1.4), (1.1, -2.0, 0.5)):
        t, angle, rate = start
        later = along_motion((driven, reduced), place, start)

        def energy(s, later=later):
            state = place(reduced.system, *later(s))
            return reduced.kinetic_energy(state) + reduced.potential_energy(state)

        def jacobi(s, later=later):
            return reduced.hamiltonian(place(reduced.system, *later(s)))

        def extra(s, later=later):
            time, at, speed = later(s)
            _, B, C = split(reduced, place, time, at)
            return B * speed + 2 * C

        def lagrangian(time, angle=angle, rate=rate):
            state = place(reduced.system, time, angle, rate)
            return reduced.kinetic_energy(state) - reduced.potential_energy(state)

        explicit = derivative(lagrangian, t)
        state = place(driven.system, *start)
        (name,) = (c.name for c in driven.system.constraints)
        power = driven.powers(state)[name]
        (s,) = driven.multipliers(state)
        law_rate = SPIN if case == "hoop" else 0.6 * np.cos(2 * t)
        assert abs(power) > 0.1
        assert_close(s * law_rate, power, rtol=1e-9)  # -s g_t, g_t = -law'
        assert_close(derivative(jacobi, 0.0), -explicit, rtol=1e-8, atol=1e-9)
        total = -explicit + derivative(extra, 0.0)
        assert_close(derivative(energy, 0.0), total, rtol=1e-8)
        assert_close(derivative(energy, 0.0), power, rtol=1e-7)


@pytest.mark.long
@pytest.mark.row("L-15", "L-16")
def test_jacobis_integral_of_the_rotating_hoop():
    """The bead's energy swings; h = (m r^2 th'^2 - m r^2 W^2 sin^2 th)/2 + V stays."""
    driven, reduced = hoop_forms()
    state = hoop_state(driven.system, 0.0, 0.3, 1.0)
    motion = ph.simulate(driven, state, until=5.0, rtol=1e-11)
    E, h = [], []
    for t, q, z in zip(motion.t, motion.q, motion.z, strict=True):
        at = hoop_state(reduced.system, t, q[1], z[1])
        E.append(reduced.kinetic_energy(at) + reduced.potential_energy(at))
        h.append(reduced.hamiltonian(at))
    assert np.ptp(h) < 1e-8 * np.max(np.abs(E))
    assert np.ptp(E) > 0.1 * np.max(np.abs(E))
    a, y = 0.9, 0.5
    at = hoop_state(reduced.system, 0.0, a, y)
    swept = MASS * RADIUS**2 * (y**2 - SPIN**2 * np.sin(a) ** 2) / 2
    ring = 0.3 * RADIUS**2 / 2 * SPIN**2 / 2
    expected = swept - MASS * G * RADIUS * np.cos(a) - ring
    assert_close(reduced.hamiltonian(at), expected, rtol=1e-12)


@pytest.mark.row("L-15")
def test_a_potential_that_changes_with_time_feeds_the_system():
    """dE/dt = dV/dt at a fixed place, for a spring whose strength is a law of time."""
    block = ph.Particle("block", 0.8)
    slide = ph.Prismatic("slide", ph.World().origin, block.mass_centre, axis=ph.X)

    def growing(at, t):
        return (3.0 + jnp.sin(2 * t)) * at.position[0] ** 2 / 2

    potential = ph.theory.RawPotential([block.frame], growing, name="tightening spring")
    system = ph.System([slide], [potential], name="tightened")
    equations = ph.lagrange(system)
    t, x, v = 0.4, 0.9, -1.2
    (a,) = equations.accelerations(system.state(slide=x, t=t, speeds={"slide": v}))
    assert_close(a, -(3 + np.sin(2 * t)) * x / 0.8, rtol=1e-13)

    def energy(s):
        at = system.state(
            slide=x + s * v + s**2 / 2 * a, t=t + s, speeds={"slide": v + s * a}
        )
        stored = (3 + np.sin(2 * (t + s))) * at["slide"] ** 2 / 2
        return equations.kinetic_energy(at) + stored

    assert_close(derivative(energy, 0.0), np.cos(2 * t) * x**2, rtol=1e-9)


@pytest.mark.row("L-15")
def test_coordinates_that_move_uniformly_need_no_power():
    """Seen from a steady carriage the bob's own equation is that of a fixed hinge.

    Energy in these coordinates is not that of rest, but no driver gives any on average:
    a uniformly moving hinge is another inertial frame.
    """
    steady = moving_hinge_pendulum(lambda t: 1.7 * t)
    still = moving_hinge_pendulum(lambda t: 0.0 * t)
    moving = steady.state(track=0.0, hinge=0.6, speeds={"track": 1.7, "hinge": 0.9})
    fixed = still.state(track=0.0, hinge=0.6, speeds={"hinge": 0.9})
    accelerations = [
        ph.gauss(s).accelerations(at) for s, at in ((steady, moving), (still, fixed))
    ]
    assert_close(accelerations[0], accelerations[1], rtol=1e-12)


@pytest.mark.row("L-11", "L-18", "P-20", "Y-04")
def test_reactions_are_gradients_times_intensities_and_do_no_work():
    """Q^c = (dg/dq)^T s: of a bead on a wire, s is Newton's normal force.

    M q'' = f + grad(g) s with g = 0 determines q'' and s: as many equations as
    unknowns. At rest the wire's pull has no power on any motion along it.
    """
    bead = ph.Particle("bead", 0.6)

    def off_circle(at, t):
        return at.position[0] ** 2 + at.position[2] ** 2 - 4.0

    def off_plane(at, t):
        return at.position[1]

    circle = ph.Holonomic([bead.frame], off_circle, name="circle")
    plane = ph.Holonomic([bead.frame], off_plane, name="plane")
    free = ph.Translation("free", ph.World().origin, bead.mass_centre)
    system = ph.System([free], [ph.Weight(G)], [circle, plane], name="wire")
    angle, w = 0.7, 1.9
    at, along = (
        2 * np.array([np.sin(angle), 0, -np.cos(angle)]),
        np.array([np.cos(angle), 0, np.sin(angle)]),
    )
    state = system.state(free=at, speeds={"free": 2 * w * along})
    for form in (ph.lagrange, ph.lagrange_first_kind, ph.gauss):
        equations = form(system)
        A, _ = equations.rows(state)
        intensities = equations.multipliers(state)
        pull = (A[-2:].T @ intensities[-2:])[-3:]
        inward = -at / 2
        normal = 0.6 * (2 * w**2 + G * np.cos(angle))
        assert_close(pull, normal * inward, rtol=1e-10, atol=1e-10)
        assert abs(pull @ along) < 1e-10
        assert len(A) + len(A.T) == len(equations.velocity_names) + len(intensities)


def linkage(cut: str) -> ph.System:
    """A four-bar whose joints but one are coordinates."""
    world = ph.World()
    crank, coupler, rocker = (
        ph.Body(name, ph.solids.rod(mass=length, length=length, along=ph.X))
        for name, length in (("crank", 1.0), ("coupler", 2.0), ("rocker", 1.5))
    )
    joints = [
        ph.Revolute("A", world.origin, crank.point(-0.5, 0, 0), axis=ph.Y),
        ph.Revolute("B", crank.point(0.5, 0, 0), coupler.point(-1, 0, 0), axis=ph.Y),
        ph.Revolute("C", coupler.point(1, 0, 0), rocker.point(-0.75, 0, 0), axis=ph.Y),
        ph.Revolute("D", rocker.point(0.75, 0, 0), world.point(2, 0, 0), axis=ph.Y),
    ]
    kept = [joint for joint in joints if joint.name != cut]
    loose = [joint for joint in joints if joint.name == cut]
    return ph.System(kept, [ph.Weight(G)], loose, name=f"cut at {cut}")


@pytest.mark.row("L-22")
def test_any_joint_of_a_loop_may_be_the_constraint():
    """Whichever joint of a four-bar is cut, bodies accelerate alike, joints move alike.

    Three hinges are coordinates, the fourth is kept with its multipliers.
    """
    first = linkage("D")
    state = ph.assemble(first, A=0.4, speeds={"A": 1.3}).state
    angles = {name: state[name] for name in "ABC"}
    rates = {name: state.speed(name) for name in "ABC"}
    angles["D"], rates["D"] = -sum(angles.values()), -sum(rates.values())
    found = {}
    for cut in "DABC":
        system = linkage(cut)
        at = system.state(
            {name: angles[name] for name in "ABCD" if name != cut},
            speeds={name: rates[name] for name in "ABCD" if name != cut},
        )
        twists = ph.gauss(system).body_accelerations(at)
        found[cut] = {b.name: row for b, row in zip(system.bodies, twists, strict=True)}
    for cut in "ABC":
        for name, row in found["D"].items():
            assert_close(found[cut][name], row, rtol=1e-9, atol=1e-9)


def placed(angle: float, rate: float, hinge: np.ndarray, drop: float):
    """Pose and twist, as a free body has them, of a rod that turns about Y at a hinge.

    The hinge is `drop` above the rod's middle. Returns them and the velocity there.
    """
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    quaternion = np.array([np.cos(angle / 2), 0, np.sin(angle / 2), 0])
    middle = hinge + R @ np.array([0, 0, -drop])
    names = ("qw", "qx", "qy", "qz", "x", "y", "z")
    place = dict(zip(names, [*quaternion, *middle], strict=True))
    return R, place, np.array([0, rate, 0])


@cache
def falls(kept: tuple[str, ...]) -> np.ndarray:
    """Where the middles of a double pendulum's rods are after a while."""
    upper = ph.Body("upper", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    lower = ph.Body("lower", ph.solids.rod(mass=0.7, length=0.8, along=ph.Z))
    top, elbow = ph.World().origin, upper.point(0, 0, -0.5)
    hinges = {
        "a": ph.Revolute("a", top, upper.point(0, 0, 0.5), axis=ph.Y),
        "b": ph.Revolute("b", elbow, lower.point(0, 0, 0.4), axis=ph.Y),
    }
    members = [upper, lower, *(hinges[name] for name in kept)]
    loose = [hinges[name] for name in "ab" if name not in kept]
    system = ph.System(members, [ph.Weight(G)], loose, name="split")
    R, first, w1 = placed(0.9, 1.0, np.zeros(3), 0.5)
    v1 = np.cross(w1, [0, 0, -0.5])
    S, second, w2 = placed(0.2, 0.4, R @ [0, 0, -1.0], 0.4)
    v2 = S.T @ R @ np.cross(w1, [0, 0, -1.0]) + np.cross(w2, [0, 0, -0.4])
    own = {"a": (0.9, 1.0), "b": (-0.7, -0.6)}
    free = {"upper": (first, [*w1, *v1]), "lower": (second, [*w2, *v2])}
    values = {joint.name: {**own, **free}[joint.name] for joint in system.joints}
    state = system.state(
        {name: q for name, (q, _) in values.items()},
        speeds={name: z for name, (_, z) in values.items()},
    )
    last = ph.simulate(system, state, until=0.5, rtol=1e-11).final
    poses = system.poses(last.t, last.q)
    order = system.places_of([upper.frame, lower.frame])
    return np.array([poses.origins[k] for k in order])


@pytest.mark.row("L-22")
@pytest.mark.parametrize(
    "kept",
    [
        ("a",),
        pytest.param(("b",), marks=pytest.mark.long),
        pytest.param((), marks=pytest.mark.long),
    ],
)
def test_joints_are_coordinates_or_constraints_one_by_one(kept):
    """All four splits of a double pendulum's hinges fall alike."""
    assert_close(falls(kept), falls(("a", "b")), rtol=1e-8)
