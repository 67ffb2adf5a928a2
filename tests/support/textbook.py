"""Textbook Lagrangians as JAX functions, with Lagrange's equations as books print them.

Each entry: a Lagrangian L(t, q, q_dot, parameters), the names of coordinates and
parameters, and the printed left-hand sides d/dt dL/dq_dot - dL/dq in SymPy's spelling.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import sympy


@dataclass(frozen=True)
class Textbook:
    """A Lagrangian and its printed equations."""

    lagrangian: Callable
    coordinates: str
    parameters: str
    printed: tuple[str, ...]

    def symbols(self) -> tuple:
        """t, q, q_dot, q_ddot and the parameters, as `lagrange` takes them."""
        names = self.coordinates.split()
        lists = [
            [sympy.Symbol(n + dots) for n in names] for dots in ("", "dot", "ddot")
        ]
        parameters = tuple(sympy.Symbol(n) for n in self.parameters.split())
        return (sympy.Symbol("t"), *lists, parameters)

    def equations(self) -> list[sympy.Expr]:
        names = {str(s): s for s in sympy.symbols(f"{self.parameters} t", seq=True)}
        for n in self.coordinates.split():
            names.update({n + d: sympy.Symbol(n + d) for d in ("", "dot", "ddot")})
        return [sympy.sympify(line, locals=names) for line in self.printed]


def lagrange(lagrangian: Callable) -> Callable:
    """d/dt dL/dq_dot - dL/dq as a function of (t, q, q_dot, q_ddot, parameters)."""

    def equations(t, q, q_dot, q_ddot, p):
        def momentum(t, q, q_dot):
            return jax.grad(lagrangian, 2)(t, q, q_dot, p)

        rates = (jnp.ones_like(t), q_dot, q_ddot)
        _, rate = jax.jvp(momentum, (t, q, q_dot), rates)
        return rate - jax.grad(lagrangian, 1)(t, q, q_dot, p)

    return equations


def kinetic(mass, position, t, q, q_dot):
    """1/2 m v^2 of a point whose position is a function of time and coordinates."""
    _, v = jax.jvp(position, (t, q), (jnp.ones_like(t), q_dot))
    return 0.5 * mass * v @ v


def pendulum(t, q, q_dot, p):
    m, l, g = p

    def bob(t, q):
        return l * jnp.array([jnp.sin(q[0]), -jnp.cos(q[0])])

    return kinetic(m, bob, t, q, q_dot) - m * g * bob(t, q)[1]


def cart_pendulum(t, q, q_dot, p):
    m_A, m_B, l, k, g = p

    def cart(t, q):
        return jnp.array([q[0], 0.0])

    def bob(t, q):
        c, s = jnp.cos(q[1]), jnp.sin(q[1])
        return cart(t, q) + jnp.array([[c, -s], [s, c]]) @ jnp.array([0.0, -l])

    motion = kinetic(m_A, cart, t, q, q_dot) + kinetic(m_B, bob, t, q, q_dot)
    return motion - k * q[0] ** 2 / 2 - m_B * g * bob(t, q)[1]


def double_pendulum(t, q, q_dot, p):
    m_1, m_2, l_1, l_2, g = p

    def upper(t, q):
        return l_1 * jnp.array([jnp.sin(q[0]), -jnp.cos(q[0])])

    def lower(t, q):
        return upper(t, q) + l_2 * jnp.array([jnp.sin(q[1]), -jnp.cos(q[1])])

    motion = kinetic(m_1, upper, t, q, q_dot) + kinetic(m_2, lower, t, q, q_dot)
    return motion - g * (m_1 * upper(t, q)[1] + m_2 * lower(t, q)[1])


def spherical_pendulum(t, q, q_dot, p):
    m, l, g = p

    def bob(t, q):
        s = jnp.sin(q[0])
        return l * jnp.array([s * jnp.cos(q[1]), s * jnp.sin(q[1]), -jnp.cos(q[0])])

    return kinetic(m, bob, t, q, q_dot) - m * g * bob(t, q)[2]


def bead_on_hoop(t, q, q_dot, p):
    m, R, omega, g = p

    def bead(t, q):
        s, turn = jnp.sin(q[0]), omega * t
        return R * jnp.array([s * jnp.cos(turn), s * jnp.sin(turn), -jnp.cos(q[0])])

    return kinetic(m, bead, t, q, q_dot) - m * g * bead(t, q)[2]


def kepler(t, q, q_dot, p):
    m, mu = p

    def planet(t, q):
        return q[0] * jnp.array([jnp.cos(q[1]), jnp.sin(q[1])])

    return kinetic(m, planet, t, q, q_dot) + mu * m / q[0]


def two_masses(t, q, q_dot, p):
    m_1, m_2, k_1, k_2, k_3 = p
    motion = (m_1 * q_dot[0] ** 2 + m_2 * q_dot[1] ** 2) / 2
    stretch = k_1 * q[0] ** 2 + k_2 * (q[1] - q[0]) ** 2 + k_3 * q[1] ** 2
    return motion - stretch / 2


def atwood(t, q, q_dot, p):
    m_1, m_2, I, R, g = p
    x, speed = q[0], q_dot[0]
    motion = 0.5 * (m_1 + m_2) * speed**2 + 0.5 * I * (speed / R) ** 2
    return motion + m_1 * g * x - m_2 * g * x


def top_in_angles(t, q, q_dot, p):
    A, C, m, l, g = p
    theta, (phi_dot, theta_dot, psi_dot) = q[1], q_dot
    spin = psi_dot + phi_dot * jnp.cos(theta)
    across = theta_dot**2 + (phi_dot * jnp.sin(theta)) ** 2
    return 0.5 * A * across + 0.5 * C * spin**2 - m * g * l * jnp.cos(theta)


def charged_particle(t, q, q_dot, p):
    m, e, B, E = p
    potential = 0.5 * B * jnp.array([-q[1], q[0], 0.0])
    return 0.5 * m * q_dot @ q_dot + e * potential @ q_dot + e * E * q[2]


def heavy_top(t, q, q_dot, p):
    """The top again, from nothing but its rotation matrix and that matrix's rate."""
    A, C, m, l, g = p

    def about_z(a):
        c, s = jnp.cos(a), jnp.sin(a)
        return jnp.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def about_x(a):
        c, s = jnp.cos(a), jnp.sin(a)
        return jnp.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])

    def rotation(q):
        return about_z(q[0]) @ about_x(q[1]) @ about_z(q[2])

    R_WB, rate = jax.jvp(rotation, (q,), (q_dot,))
    spin = R_WB.T @ rate
    w = jnp.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    height = (R_WB @ jnp.array([0.0, 0.0, l]))[2]
    return 0.5 * w @ (jnp.diag(jnp.array([A, A, C])) @ w) - m * g * height


TOP = (
    "(A*sin(theta)**2 + C*cos(theta)**2)*phiddot + C*cos(theta)*psiddot"
    " + 2*(A - C)*sin(theta)*cos(theta)*thetadot*phidot - C*sin(theta)*thetadot*psidot",
    "A*thetaddot - (A - C)*sin(theta)*cos(theta)*phidot**2"
    " + C*sin(theta)*phidot*psidot - m*g*l*sin(theta)",
    "C*(psiddot + cos(theta)*phiddot - sin(theta)*thetadot*phidot)",
)

TEXTBOOK = {
    "pendulum": Textbook(
        pendulum, "theta", "m l g", ("m*l**2*thetaddot + m*g*l*sin(theta)",)
    ),
    "cart-pendulum with spring": Textbook(
        cart_pendulum,
        "x theta",
        "m_A m_B l k g",
        (
            "(m_A + m_B)*xddot + m_B*l*cos(theta)*thetaddot"
            " - m_B*l*sin(theta)*thetadot**2 + k*x",
            "m_B*l**2*thetaddot + m_B*l*cos(theta)*xddot + m_B*g*l*sin(theta)",
        ),
    ),
    "double pendulum": Textbook(
        double_pendulum,
        "alpha beta",
        "m_1 m_2 l_1 l_2 g",
        (
            "(m_1 + m_2)*l_1**2*alphaddot + m_2*l_1*l_2*cos(alpha - beta)*betaddot"
            " + m_2*l_1*l_2*sin(alpha - beta)*betadot**2"
            " + (m_1 + m_2)*g*l_1*sin(alpha)",
            "m_2*l_2**2*betaddot + m_2*l_1*l_2*cos(alpha - beta)*alphaddot"
            " - m_2*l_1*l_2*sin(alpha - beta)*alphadot**2 + m_2*g*l_2*sin(beta)",
        ),
    ),
    "spherical pendulum": Textbook(
        spherical_pendulum,
        "theta phi",
        "m l g",
        (
            "m*l**2*thetaddot - m*l**2*sin(theta)*cos(theta)*phidot**2"
            " + m*g*l*sin(theta)",
            "m*l**2*sin(theta)**2*phiddot"
            " + 2*m*l**2*sin(theta)*cos(theta)*thetadot*phidot",
        ),
    ),
    "bead on a rotating hoop": Textbook(
        bead_on_hoop,
        "theta",
        "m R omega g",
        (
            "m*R**2*thetaddot - m*R**2*omega**2*sin(theta)*cos(theta)"
            " + m*g*R*sin(theta)",
        ),
    ),
    "Kepler": Textbook(
        kepler,
        "r theta",
        "m mu",
        (
            "m*rddot - m*r*thetadot**2 + m*mu/r**2",
            "m*r**2*thetaddot + 2*m*r*rdot*thetadot",
        ),
    ),
    "two masses and springs": Textbook(
        two_masses,
        "x y",
        "m_1 m_2 k_1 k_2 k_3",
        (
            "m_1*xddot + (k_1 + k_2)*x - k_2*y",
            "m_2*yddot + (k_2 + k_3)*y - k_2*x",
        ),
    ),
    "Atwood": Textbook(
        atwood, "x", "m_1 m_2 I R g", ("(m_1 + m_2 + I/R**2)*xddot - (m_1 - m_2)*g",)
    ),
    "top in Euler angles": Textbook(top_in_angles, "phi theta psi", "A C m l g", TOP),
    "charged particle": Textbook(
        charged_particle,
        "x y z",
        "m e B E",
        (
            "m*xddot - e*B*ydot",
            "m*yddot + e*B*xdot",
            "m*zddot - e*E",
        ),
    ),
    "heavy top": Textbook(heavy_top, "phi theta psi", "A C m l g", TOP),
}
