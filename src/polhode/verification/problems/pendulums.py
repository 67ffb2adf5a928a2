"""Pendulums: simple, compound, double, spherical, on carts and on moving hinges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy.special import ellipj, ellipk

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import PRINTED, Answer, problem

G = 9.81


@problem(sources.IFTOMM, "problem A01", digits=9)
def simple_pendulum() -> Sequence[Answer]:
    """A simple pendulum released from the horizontal.

    A bob of 1 kg on a massless rod of 1 m, g = 9.81 m/s², released at rest at
    x = -1 m, y = 0. Its angle from the downward vertical is
    θ(t) = 2 asin(k sn(K - √(g/L) t | k²)) with k² = 1/2, x = -sin θ, y = -cos θ.
    """
    bob = ph.Body.from_inertia("bob", mass=1.0, inertia=(0, 0, 0))
    hinge = ph.Revolute("hinge", ph.World().origin, bob.point(0, 0, 1), axis=ph.Y)
    system = ph.System([hinge], [ph.Weight(G)], name="simple pendulum")
    t = np.linspace(0, 10, 101)
    start = system.state(hinge=np.pi / 2)
    motion = ph.simulate(system, start, until=10.0, rtol=1e-12, samples=t)
    sn = ellipj(ellipk(0.5) - np.sqrt(G) * t, 0.5)[0]
    theta = 2 * np.arcsin(np.sqrt(0.5) * sn)
    x, _, z = motion["bob"].position.T
    return (
        Answer("x, m", -np.sin(theta), x, at=t),
        Answer("y, m", -np.cos(theta), z, at=t),
    )


@problem(sources.IFTOMM, "problem A01, as a constrained particle", digits=8)
def pendulum_as_a_constrained_particle() -> Sequence[Answer]:
    """A simple pendulum in Cartesian coordinates with the length of its rod held.

    The pendulum of problem A01 as a particle and one holonomic constraint: place after
    5 s and 9.99 s, from the same closed form.
    """
    bob = ph.Particle("bob", 1.0)
    rod = ph.Distance(ph.World().origin, bob.mass_centre, 1.0, name="rod")
    system = ph.System([bob], [ph.Weight(G)], [rod], name="bob on a rod")
    t = np.array([0, 5.0, 9.99])
    start = system.state(bob=(-1.0, 0, 0))
    motion = ph.simulate(system, start, until=9.99, rtol=1e-12, samples=t)
    sn = ellipj(ellipk(0.5) - np.sqrt(G) * t, 0.5)[0]
    theta = 2 * np.arcsin(np.sqrt(0.5) * sn)
    x, _, z = motion["bob"].position.T
    return (
        Answer("x, m", -np.sin(theta)[1:], x[1:]),
        Answer("y, m", -np.cos(theta)[1:], z[1:]),
        Answer("length of the rod, m", np.ones(3), np.hypot(x, z)),
    )


@problem(
    sources.CVODE,
    "examples/cvode/serial/cvPendulum_dns.c",
    digits=8,
    basis=PRINTED,
)
def pendulum_of_period_two() -> Sequence[Answer]:
    """A constrained pendulum returns to its start after 15 periods.

    A unit pendulum in Cartesian coordinates with g = 13.7503716360407… m/s², chosen so
    that its period from the horizontal is 2 s: at t = 30 s it is at (1, 0), at rest.
    """
    bob = ph.Particle("bob", 1.0)
    rod = ph.Distance(ph.World().origin, bob.mass_centre, 1.0, name="rod")
    weight = ph.Weight(13.750371636040745654980191559621)
    system = ph.System([bob], [weight], [rod], name="bob on a rod")
    start = system.state(bob=(1.0, 0, 0))
    end = ph.simulate(system, start, until=30.0, rtol=1e-11, samples=2).final
    return (
        Answer("place, m", np.array([1.0, 0, 0]), end.q),
        Answer("velocity, m/s", np.zeros(3), end.z, size=np.sqrt(2 * 13.75)),
    )


@problem(sources.LANDAU, "§11, problem 1", digits=9)
def period_of_a_pendulum() -> Sequence[Answer]:
    """The period of a pendulum as a function of its amplitude.

    A simple pendulum of length l swings between ±φ₀: T = 4 √(l/g) K(sin(φ₀/2)). For
    three amplitudes the pendulum is run for T and is where it started.
    """
    l = 0.7
    bob = ph.Body.from_inertia("bob", mass=2.0, inertia=(0, 0, 0))
    hinge = ph.Revolute("hinge", ph.World().origin, bob.point(0, 0, l), axis=ph.Y)
    system = ph.System([hinge], [ph.Weight(G)], name="pendulum")
    answers = []
    for amplitude in (0.3, 1.5, 3.0):
        start = system.state(hinge=amplitude)
        turns = ph.Event("turns", lambda t, state: state.z[0], +1, terminal=False)
        T = 4 * np.sqrt(l / G) * ellipk(np.sin(amplitude / 2) ** 2)
        # Half a period later it comes to rest on the other side.
        motion = ph.simulate(system, start, until=0.75 * T, rtol=1e-12, events=turns)
        half = motion.events["turns"].t[-1]
        answers.append(Answer(f"T from {amplitude} rad, s", T, 2 * half))
    return answers


@problem(sources.HUYGENS, "part IV, proposition XX", digits=11)
def centre_of_oscillation() -> Sequence[Answer]:
    """Centre of suspension and centre of oscillation exchange.

    A rod of length L hung at the distance s from its mass centre swings as the simple
    pendulum of length k²/s + s, k² = L²/12; hung from the centre of oscillation, at
    k²/s on the other side, it swings at the same rate.
    """
    L, s = 1.2, 0.25
    other = L**2 / 12 / s
    rates = []
    for height in (s, -other):
        rod = ph.Body("rod", ph.solids.rod(mass=1.5, length=L))
        hung = rod.point(0, 0, height)
        hinge = ph.Revolute("hinge", ph.World().origin, hung, axis=ph.Y)
        system = ph.System([hinge], [ph.Weight(G)], name="compound pendulum")
        # Hung from below its mass centre, it hangs with the rod upside down.
        rest = system.state(hinge=0.0 if height > 0 else np.pi)
        rates.append(np.max(ph.linearise(system, rest).spectrum.values.imag))
    expected = np.sqrt(G / (s + other))
    return (Answer("ω, rad/s", np.array([expected, expected]), np.array(rates)),)


@problem(sources.LANDAU, "§23, problem 2", digits=11)
def double_pendulum() -> Sequence[Answer]:
    """Small oscillations of a coplanar double pendulum.

    Masses m₁, m₂ on rods l₁, l₂: ω² = g/(2 m₁ l₁ l₂) {(m₁+m₂)(l₁+l₂) ±
    √((m₁+m₂)[(m₁+m₂)(l₁+l₂)² - 4 m₁ l₁ l₂])}.
    """
    m1, m2, l1, l2 = 1.3, 0.7, 0.9, 0.5
    one = ph.Body.from_inertia("one", mass=m1, inertia=(0, 0, 0))
    two = ph.Body.from_inertia("two", mass=m2, inertia=(0, 0, 0))
    upper = ph.Revolute("upper", ph.World().origin, one.point(0, 0, l1), axis=ph.Y)
    lower = ph.Revolute("lower", one.origin, two.point(0, 0, l2), axis=ph.Y)
    system = ph.System([upper, lower], [ph.Weight(G)], name="double pendulum")
    values = ph.linearise(system).spectrum.values
    m, l = m1 + m2, l1 + l2
    root = np.sqrt(m * (m * l**2 - 4 * m1 * l1 * l2))
    squares = G / (2 * m1 * l1 * l2) * (m * l + np.array([-root, root]))
    found = np.sort(values.imag[values.imag > 0])
    return (Answer("ω, rad/s", np.sqrt(squares), found),)


@problem(sources.LANDAU, "§14, problem 1", digits=9)
def spherical_pendulum() -> Sequence[Answer]:
    """The turning points of a spherical pendulum.

    With E and M_z of the start, the polar angle θ from the downward vertical moves
    between the roots of E - M_z²/(2 m l² sin²θ) + m g l cos θ. Started level at θ₀, one
    root is θ₀; the other follows from the quadratic that remains.
    """
    m, l, theta, rate = 1.0, 1.0, 0.8, 1.9
    bob = ph.Particle("bob", m)
    rod = ph.Distance(ph.World().origin, bob.mass_centre, l, name="rod")
    system = ph.System([bob], [ph.Weight(G)], [rod], name="spherical pendulum")
    s, c = np.sin(theta), np.cos(theta)
    start = system.state(bob=(l * s, 0, -l * c), speeds={"bob": (0, l * s * rate, 0)})
    level = ph.Event("level", lambda t, state: state.z[2], 0, terminal=True)
    begun = ph.simulate(system, start, until=0.1, rtol=1e-12, samples=2).final
    end = ph.simulate(system, begun, until=1.5, rtol=1e-12, events=level).final
    # 2 E/(m l²) and the cubic of cos θ that is zero where it turns.
    energy = rate**2 * s**2 - 2 * G / l * c
    cubic = [-2 * G / l, -energy, 2 * G / l, energy - (s**2 * rate) ** 2]
    roots = np.roots(cubic).real
    inside = roots[np.abs(roots) <= 1]
    other = inside[np.argmax(np.abs(inside - c))]
    return (Answer("cos θ at the other turning point", other, -end.q[2] / l),)


@problem(sources.LANDAU, "§14, problem 3", digits=9)
def pendulum_on_a_free_cart() -> Sequence[Answer]:
    """The bob under a cart that rolls freely moves on an ellipse.

    A bob m₂ on a rod l under a cart m₁ without friction, released at rest: the bob
    stays on an arc of an ellipse with the horizontal semi-axis l m₁/(m₁ + m₂) and the
    vertical semi-axis l, about the mass centre's vertical.
    """
    m1, m2, l, lean = 2.0, 0.8, 0.6, 1.4
    cart = ph.Body.from_inertia("cart", mass=m1, inertia=(1, 1, 1))
    bob = ph.Body.from_inertia("bob", mass=m2, inertia=(0, 0, 0))
    rail = ph.Prismatic("rail", ph.World().origin, cart.origin, axis=ph.X)
    hinge = ph.Revolute("hinge", cart.origin, bob.point(0, 0, l), axis=-ph.Y)
    system = ph.System([rail, hinge], [ph.Weight(G)], name="cart and pendulum")
    start = system.state(hinge=lean)
    motion = ph.simulate(system, start, until=2.0, rtol=1e-11, samples=41)
    x, _, z = motion["bob"].position.T
    middle = m2 * l * np.sin(lean) / (m1 + m2)
    found = ((x - middle) * (m1 + m2) / m1) ** 2 + z**2
    return (Answer("((x - c)(m₁ + m₂)/m₁)² + z², m²", np.full(41, l * l), found),)


@problem(sources.HUYGENS, "part II, proposition XXV", digits=8)
def cycloidal_pendulum() -> Sequence[Answer]:
    """A bead on a cycloid takes the same time from any height.

    On x = a (s + sin s), z = a (1 - cos s) the period is 4π √(a/g), however far the
    bead swings: after it each of three is where it was.
    """
    a, bead = 0.3, ph.Particle("bead", 1.0)

    def place(q: Any) -> Any:
        s = q[0]
        return jnp.eye(3), a * jnp.stack([s + jnp.sin(s), 0 * s, 1 - jnp.cos(s)])

    ends = ph.World().origin, bead.mass_centre
    wire = ph.UserJoint("wire", *ends, place, names=("s",), kinds=("rad",))
    system = ph.System([wire], [ph.Weight(G)], name="cycloid")
    starts = np.array([0.1, 1.0, 2.5])
    states = [system.state(wire=s) for s in starts]
    T = 4 * np.pi * np.sqrt(a / G)
    motions = ph.simulate(system, states, until=T, rtol=1e-11, samples=2)
    found = np.array([motion.final["wire"] for motion in motions])
    return (Answer("s after 4π √(a/g), rad", starts, found.ravel()),)


@problem(sources.FOUCAULT, "Comptes rendus 32, 135", digits=11)
def foucault_pendulum() -> Sequence[Answer]:
    """The plane of Foucault's pendulum turns at Ω sin(latitude).

    A bob on a cross of hinges at the pole of an Earth that turns once in 200 s, so that
    the effect is large. Seen from the Earth, the two modes of small oscillations are at
    ω₀ - Ω and ω₀ + Ω, with ω₀² = g/l: the plane of the swing turns at -Ω.
    """
    l, turn = 2.0, 2 * np.pi / 200
    earth = ph.Body.from_inertia("earth", mass=1.0, inertia=(1, 1, 1))
    bob = ph.Body.from_inertia("bob", mass=1.0, inertia=(0, 0, 0))
    pole = ph.Revolute("pole", ph.World().origin, earth.origin, axis=ph.Z)
    hung = earth.origin, bob.point(0, 0, l)
    cross = ph.Universal("cross", *hung, axis=ph.Y, second_axis=ph.X)
    spun = ph.PrescribedMotion(pole, lambda t: turn * t)
    system = ph.System([pole, cross], [ph.Weight(G)], [spun], name="Foucault")
    state = system.state(speeds={"pole": turn})
    values = ph.linearise(system, state).spectrum.values.imag
    found = np.sort(values[values > 1e-6])
    own = np.sqrt(G / l)
    return (Answer("ω, rad/s", np.array([own - turn, own + turn]), found),)
