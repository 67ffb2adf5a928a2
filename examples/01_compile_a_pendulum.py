"""A pendulum as mathematics, as one native loop, and ten thousand at once.

Run it: python examples/01_compile_a_pendulum.py
"""

# %% The physics, once. A bob of mass m on a rod of length l; the angle is from below.

import jax
import jax.numpy as jnp
import numpy as np
import sympy

import polhode as ph


def lagrangian(theta, omega, m, l, g):
    """Kinetic less potential energy."""
    place = l * jnp.array([jnp.sin(theta), -jnp.cos(theta)])
    velocity = l * omega * jnp.array([jnp.cos(theta), jnp.sin(theta)])
    return 0.5 * m * velocity @ velocity - m * g * place[1]


def acceleration(theta, omega, m, l, g):
    """Lagrange's equation solved for the second derivative; JAX differentiates."""
    everything = (theta, omega, m, l, g)
    force = jax.grad(lagrangian)(*everything)
    mass = jax.hessian(lagrangian, argnums=1)(*everything)
    return force / mass


# %% Read it. The two-dimensional vectors have left no trace.

theta, omega, m, l, g = sympy.symbols("theta omega m l g")
print("theta'' =", ph.read(acceleration, theta, omega, m, l, g))

# %% Run it: a symplectic step, in a loop whose length is known only when it is called.


def swing(theta, omega, steps):
    """The state after a number of steps of a millisecond."""

    def step(_, state):
        theta, omega = state
        omega = omega + 1e-3 * acceleration(theta, omega, 1.0, 1.0, 9.81)
        return theta + 1e-3 * omega, omega

    return jax.lax.fori_loop(0, steps, step, (theta, omega))


program = ph.compile(swing, 1.0, 0.0, 1, batched=["theta"])
report = program.report()
print(f"a step is {report.operations} operations on {report.backend}")

# %% One pendulum from 0.5 rad: after a whole period it is back.

period = 2 * np.pi / np.sqrt(9.81) * (1 + 0.5**2 / 16 + 11 * 0.5**4 / 3072)
angle, speed = program(0.5, 0.0, round(period / 1e-3))
print(f"after {period:.3f} s: angle {angle:.3f} rad, speed {speed:+.3f} rad/s")

# %% Ten thousand pendulums in one call: same function, a SIMD lane each.

starts = np.linspace(0.01, 3.0, 10_000)
angles, speeds = program(starts, 0.0, 10_000)
energy = 0.5 * speeds**2 - 9.81 * np.cos(angles)
drift = np.max(np.abs(energy + 9.81 * np.cos(starts)))
print(f"after 10 s the energies are within {drift:.3f} J/kg of the first ones")
