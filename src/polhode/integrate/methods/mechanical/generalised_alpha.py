"""The generalised-alpha method on the joints' manifolds, for constrained motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.integrate.field.scales import displacements
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit import constrained_terms
from polhode.integrate.methods.implicit.constrained_step import Held, solve_step
from polhode.integrate.methods.method import Attempt, admit_step
from polhode.system.natural_sizes import natural_sizes


class Weights(NamedTuple):
    """The method's numbers, from the damping r of what is too quick for the step.

    alpha_m = (2 r - 1)/(r + 1),         alpha_f = r/(r + 1)
    gamma = 1/2 + alpha_f - alpha_m,     beta = (gamma + 1/2)^2/4
    """

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float


def weights_of(radius: float) -> Weights:
    """The weights with spectral radius r at infinite frequency (Chung, Hulbert)."""
    alpha_m, alpha_f = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    gamma = 0.5 + alpha_f - alpha_m
    return Weights(alpha_m, alpha_f, gamma, (gamma + 0.5) ** 2 / 4)


@dataclass(frozen=True)
class AlphaStep:
    """What the methods of this family share: a step (s), and a radius.

    Each says its kind in words, and how it attempts a step.
    """

    step: float
    radius: float = 0.8
    kind: ClassVar[str]
    order: ClassVar[int] = 2
    is_adaptive: ClassVar[bool] = False
    dense_terms: ClassVar[int] = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", admit_step("generalised-alpha", self.step))
        object.__setattr__(self, "radius", admit_radius(self.radius))

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"{self.kind} (radius {self.radius:g})"


@final
@dataclass(frozen=True)
class GeneralisedAlpha(AlphaStep):
    """Order 2, implicit, index 3: the constraints of position hold at every step.

        q1 = local(q, h z + h^2 ((1/2 - beta) a + beta a1))
        z1 = z + h ((1 - gamma) a + gamma a1)
        (1 - alpha_m) a1 + alpha_m a = (1 - alpha_f) z_dot1 + alpha_f z_dot
        M z_dot1 + b = f + A^T l,      g(t1, q1) = 0

    `radius`, 0 to 1, is what a step leaves of motions far quicker than it: 0 ends them
    at once, 1 keeps them. Speeds are then projected on their rows; see also
    `GearGuptaLeimkuhler`, which solves for both. Quick springs need no short steps.
    Bruels, Cardona, Arnold, Mech. Mach. Theory 48 (2012) 121.
    """

    kind: ClassVar[str] = "generalised-alpha"

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        way = way_of(field, StepFrom(t, x, x_dot, h), weights_of(self.radius))
        flags = constrained_terms.is_placed(field.system)

        def equations(change: Any) -> Held:
            q, z, z_dot = way.moved(change)
            M, b, f, A, _ = constrained_terms.terms(field, t + h, q, z)
            return Held(M @ z_dot + b - f, A, missed(q, z))

        def missed(q: Any, z: Array) -> Any:
            """g where there is one, h phi elsewhere (rows,)."""
            g, phi = way.missed(q, z)
            place = np.cumsum(flags) - 1
            each = [g[place[k]] if f else h * phi[k] for k, f in enumerate(flags)]
            return jnp.stack(each) if each else jnp.zeros(0)

        natural = natural_sizes(field.system)._replace(speeds=way.scale)
        found = solve_step(equations, way.guess, natural)
        return way.attempt(found.u, found.is_solved)


class StepFrom(NamedTuple):
    """Where a step of h begins: t, x and its rate."""

    t: Any
    x: Any
    x_dot: Any
    h: Any


class Way(NamedTuple):
    """The states that a step can reach, by the displacement d due to a1.

    d = beta h^2 a1 is the unknown, which is solved for to its rounding.
    """

    field: Field
    start: StepFrom
    weights: Weights
    before: tuple[Any, Any, Any, Any]

    @property
    def guess(self) -> Any:
        """The displacement if the acceleration stays as it is."""
        return self.weights.beta * self.start.h**2 * self.before[3]

    @property
    def scale(self) -> Any:
        """The size of displacements."""
        return displacements(self.field.system, self.before[0])

    def accelerations(self, change: Any) -> tuple[Any, Any]:
        """a1, and z_dot1, of a displacement."""
        m, f, _, beta = self.weights
        _, _, a, z_dot = self.before
        new = change / (beta * self.start.h**2)
        return new, ((1 - m) * new + m * a - f * z_dot) / (1 - f)

    def moved(self, change: Any, shift: Any = 0.0) -> tuple[Any, Any, Any]:
        """q1, z1 and z_dot1; `shift` is added to the displacement."""
        _, _, gamma, beta = self.weights
        q, z, a, _ = self.before
        h = self.start.h
        new, z_dot = self.accelerations(change)
        way = h * z + h**2 * (0.5 - beta) * a + change + shift
        return self.field.local(q, way), z + h * ((1 - gamma) * a + gamma * new), z_dot

    def missed(self, q: Any, z: Array) -> tuple[Any, Any]:
        """g and phi at the end."""
        t = self.start.t + self.start.h
        g = constrained_terms.positions(self.field, t, q)
        return g, constrained_terms.velocities(self.field, t, q, z)

    def attempt(self, change: Any, is_solved: Any, shift: Any = 0.0) -> Attempt:
        """The step that was found."""
        t, _, _, h = self.start
        q, z, _ = self.moved(change, shift)
        a = self.accelerations(change)[0]
        there = jnp.concatenate([q, self.field.start(t + h, q, z)])
        carried = jnp.concatenate([jnp.zeros_like(q), a])
        return Attempt(there, is_solved=is_solved, carried=carried)


def way_of(field: Field, start: StepFrom, weights: Weights) -> Way:
    """What a step can reach."""
    t, x, x_dot, h = start
    n = field.coordinates
    if not field.is_in_speeds:
        raise IntegrationError(
            f"{field.system.name!r} cannot be stepped by generalised-alpha in these"
            " equations.",
            "The method moves the system's own speeds, and remembers their rates.",
            "Give the system itself, or ph.gauss(system) and others in its speeds.",
        )
    carried = field.carried
    if carried is None:
        # Without a step before: a is z_dot at a time a little apart.
        _, change = jax.jvp(field.x_dot, (1.0 * t, x), (jnp.ones(()), x_dot))
        carried = x_dot + (weights.alpha_m - weights.alpha_f) * h * change
    z = field.speeds(t, x[:n], x[n:])
    return Way(field, start, weights, (x[:n], z, carried[n:], x_dot[n:]))


def admit_radius(radius: Scalar) -> float:
    """A share of quick motions that a step may keep: 0 to 1."""
    share = float(radius)
    if not 0 <= share <= 1:
        raise IntegrationError(
            f"generalised-alpha cannot have radius = {radius!r}.",
            "It is the share of the quickest motions that is left after a step.",
            "Give 0 (all damped) to 1 (all kept).",
        )
    return share
