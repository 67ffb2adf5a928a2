"""Bodies that rock and roll on round feet, in bowls and on turning wires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import Answer, problem

G = 9.81


def lowest_frequency(system: ph.System, state: ph.State) -> np.ndarray:
    """The frequencies about a rest that are not zero."""
    found = np.sort(ph.linearise(system, state).modes().frequencies)
    return found[found > 1e-4]


@problem(sources.MERIAM, "chapter 8, the rocking half of a cylinder", digits=8)
def rocking_half_cylinder() -> Sequence[Answer]:
    """Half of a cylinder rocks on the floor.

    Its mass centre is 4 r/(3 π) below the axis, and it rolls without slip:
    ω² = 8 g/((9 π - 16) r); r = 0.3 m.
    """
    m, r = 2.0, 0.3
    drop = 4 * r / (3 * np.pi)
    across = m * r**2 / 4 + m / 12 - m * drop**2
    along = m * r**2 / 2 - m * drop**2
    half = ph.Body.from_inertia(
        "half",
        mass=m,
        inertia=(m * r**2 / 4 + m / 12, along, across),
        centre=(0, 0, -drop),
    )
    world = ph.World()
    # In a plane: x, z and the turn about Y.
    plane = ph.Planar("plane", world.origin, half.origin, normal=ph.Y)
    rolls = ph.rolling(ph.surfaces.sphere(half.origin, r), world.origin)
    system = ph.System([plane], [ph.Weight(G)], rolls, name="half cylinder")
    state = ph.assemble(system, near={"plane.v": r}).state
    expected = np.sqrt(8 * G / ((9 * np.pi - 16) * r))
    return (Answer("ω, rad/s", [expected], lowest_frequency(system, state)),)


@problem(sources.ROUTH, "a sphere that rolls at the bottom of a bowl", digits=9)
def ball_in_a_bowl() -> Sequence[Answer]:
    """A ball swings about the bottom of a bowl.

    It rolls without slip in a sphere: ω² = 5 g/(7 (R - r)) in either direction;
    R = 1 m, r = 0.1 m.
    """
    R, r = 1.0, 0.1
    world, ball = ph.World(), ph.Body("ball", ph.solids.sphere(mass=1.5, radius=r))
    bowl = ph.surfaces.bowl(world.origin, R)
    rolls = ph.rolling(ph.surfaces.sphere(ball.origin, r), bowl)
    system = ph.System([ball], [ph.Weight(G)], rolls, name="ball in a bowl")
    found = lowest_frequency(system, system.state({"ball.z": r - R}))
    expected = np.sqrt(5 * G / (7 * (R - r)))
    return (Answer("ω, rad/s", [expected, expected], found),)


@problem(sources.CHAPLYGIN_BALL, "the integrals of the ball", digits=9)
def chaplygin_ball() -> Sequence[Answer]:
    """A ball with unequal moments keeps its momentum about the contact.

    It rolls on a plane, its mass centre in its middle. K = J ω + m r² (ω - (ω·e) e),
    the momentum about the point of contact, is constant in space, and so is K·ω/2.
    """
    m, r, J = 2.0, 0.2, np.array([0.03, 0.04, 0.05])
    ball = ph.Body.from_inertia("ball", mass=m, inertia=tuple(J))
    rolls = ph.rolling(ph.surfaces.sphere(ball.origin, r), ph.World().origin)
    system = ph.System([ball], [ph.Weight(G)], rolls, name="Chaplygin's ball")
    spin = np.array([1.0, 3.0, 2.0])
    vx, vy, _ = np.cross(spin, [0, 0, r])
    start = system.state(
        ball={"z": r},
        speeds={"ball": {"wx": 1.0, "wy": 3.0, "wz": 2.0, "vx": vx, "vy": vy}},
    )
    motion = ph.simulate(system, start, until=10.0, rtol=1e-12, samples=41)
    R, w = motion["ball"].orientation, motion["ball"].angular_velocity
    own = np.einsum("nji,nj->ni", R, w)
    level = w * [1, 1, 0]
    K = np.einsum("nij,nj->ni", R, J * own) + m * r**2 * level
    expected = np.tile(J * spin + m * r**2 * spin * [1, 1, 0], (len(K), 1))
    energy = np.sum(K * w, axis=1) / 2
    return (
        Answer("K, N m s", expected, K),
        Answer("energy, J", np.full(len(K), expected[0] @ spin / 2), energy),
    )


@problem(sources.GREENWOOD, "the bead on a hoop that turns", digits=9)
def bead_on_a_turning_hoop() -> Sequence[Answer]:
    """A bead leans out on a hoop that turns fast enough.

    About the vertical at Ω = 6 rad/s, R = 0.5 m: it rests at cos θ = g/(Ω² R), and
    swings about there at Ω sin θ.
    """
    R, rate = 0.5, 6.0
    world, bead = ph.World(), ph.Particle("bead", 0.2)
    hoop = ph.Body("hoop", ph.solids.ring(mass=1.0, radius=R, along=ph.Y))
    shaft = ph.Revolute("shaft", world.origin, hoop.origin, axis=ph.Z)
    place = ph.UserJoint(
        "wire",
        hoop.point(0, 0, -R),
        bead.mass_centre,
        lambda q: (
            jnp.eye(3),
            R * jnp.stack([jnp.sin(q[0]), 0.0 * q[0], 1.0 - jnp.cos(q[0])]),
        ),
        names=("angle",),
        kinds=("rad",),
    )
    turns = ph.PrescribedMotion(shaft, lambda t: rate * t)
    system = ph.System([shaft, place], [ph.Weight(G)], [turns], name="bead on a hoop")
    motions = ph.steady_motions(system, {"shaft": rate})
    leans = np.array([abs(motion.state["wire"]) for motion in motions])
    lean = np.arccos(G / (rate**2 * R))
    state = system.state({"wire": lean}, speeds={"shaft": rate})
    values = ph.linearise(system, state).spectrum.values.imag
    return (
        Answer("θ, rad", [lean], [leans[np.argmin(abs(leans - lean))]]),
        Answer("ω, rad/s", [rate * np.sin(lean)], values[values > 1e-6]),
    )


@problem(sources.GOLDSTEIN, "chapter 6, the pendulum on a spring", digits=9)
def pendulum_on_a_spring() -> Sequence[Answer]:
    """A weight that hangs from a spring bounces and swings.

    m = 0.8 kg, k = 50 N/m, unstretched 0.6 m: √(k/m) along, √(g/(l + m g/k)) across in
    both directions.
    """
    m, k, l = 0.8, 50.0, 0.6
    world, bob = ph.World(), ph.Particle("bob", m)
    spring = ph.Spring(bob.mass_centre, world.origin, k, l)
    system = ph.System([bob], [ph.Weight(G), spring], name="pendulum on a spring")
    hanging = l + m * G / k
    found = lowest_frequency(system, system.state({"bob.z": -hanging}))
    sway = np.sqrt(G / hanging)
    return (Answer("ω, rad/s", [sway, sway, np.sqrt(k / m)], found),)


@problem(sources.GOLDSTEIN, "chapter 3, a particle inside a cone", digits=9)
def particle_in_a_cone() -> Sequence[Answer]:
    """A particle circles inside a smooth cone, and nods as it goes.

    Half angle α = 0.5 about the vertical, circle of radius 0.4 m: it turns at
    φ'² = g/(r tan α), and small nods have ω² = 3 sin²α φ'².
    """
    alpha, r = 0.5, 0.4
    world, bead = ph.World(), ph.Particle("bead", 0.3)

    def place(q: Any) -> Any:
        """Along the side, outwards from the circle, and about the vertical."""
        out, turn = r + q[0] * jnp.sin(alpha), q[1]
        where = [out * jnp.cos(turn) - r, out * jnp.sin(turn), q[0] * jnp.cos(alpha)]
        return jnp.eye(3), jnp.stack(where)

    joint = ph.UserJoint(
        "cone",
        world.point(r, 0, r / np.tan(alpha)),
        bead.mass_centre,
        place,
        names=("s", "phi"),
        kinds=("m", "rad"),
    )
    system = ph.System([joint], [ph.Weight(G)], name="particle in a cone")
    rate = np.sqrt(G / (r * np.tan(alpha)))
    state = system.state(speeds={"cone.phi": rate})
    fall = ph.recursive(system).accelerations(state)
    values = ph.linearise(system, state).spectrum.values.imag
    return (
        Answer("accelerations", [0, 0], fall, size=G),
        Answer("ω, rad/s", [np.sqrt(3) * np.sin(alpha) * rate], values[values > 1e-6]),
    )


@problem(sources.DEN_HARTOG, "free vibration with dry friction", digits=8)
def dry_friction_damping() -> Sequence[Answer]:
    """Dry friction takes the same length from every swing.

    m = 1 kg on k = 100 N/m, μ m g = 1.5 N: each half period π √(m/k) ends at an
    amplitude smaller by 2 F/k, 0.03 m, until the spring no longer moves it.
    """
    m, k, force, start = 1.0, 100.0, 1.5, 0.2
    world, mass = ph.World(), ph.Particle("mass", m)
    slide = ph.Prismatic("slide", world.origin, mass.mass_centre, axis=ph.X)
    dry = ph.Brake(slide, ph.Coulomb(1.0), load=force)
    system = ph.System([slide], [ph.JointSpring(slide, k)], [], [dry], name="dry")
    motion = ph.simulate(
        system, system.state(slide=start), until=3.0, rtol=1e-12, atol=1e-14
    )
    half = np.pi * np.sqrt(m / k)
    expected = [(-1) ** n * (start - 2 * n * force / k) for n in range(7)]
    # 0.2 - 6 x 0.03 m: from 0.02 m the spring would pull 2 N, from 0.01 m it holds.
    found = [motion.at(n * half)["slide"] for n in range(7)]
    return (Answer("places at the turns, m", expected, found),)
