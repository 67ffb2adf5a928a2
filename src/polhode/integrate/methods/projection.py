"""Coordinate projection: after each step, back to where the constraints hold.

    minimise |x - x1|_M   with   g(t, q) = 0,   phi(t, q, z) = 0

It is what keeps constraints for every method that does not solve for them itself (see
`field.settled`). Here is what it does to the energy, and how to go without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, final

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.integrate.field.vector_field import Field, Projected, field_of
from polhode.integrate.methods.mechanical.gear_gupta_leimkuhler import (
    GearGuptaLeimkuhler,
)
from polhode.integrate.methods.mechanical.generalised_alpha import GeneralisedAlpha
from polhode.integrate.methods.mechanical.moreau import Moreau, stepped_rates
from polhode.integrate.methods.method import (
    AdaptiveMethod,
    Attempt,
    FixedStepMethod,
    Method,
    WrappedMethod,
)
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory


@final
@dataclass(frozen=True)
class Unprojected(WrappedMethod):
    """A method whose states are left where its steps lead.

    Constraints then hold only as well as accelerations keep them, and drift. It is for
    comparison: it shows what projection does.
    """

    method: Method

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"{self.method.name}, unprojected"

    @property
    def dense_terms(self) -> int:
        """That of the method."""
        return self.method.dense_terms

    @property
    def rtol(self) -> float:
        """That of an adaptive method."""
        return cast("AdaptiveMethod", self.method).rtol

    @property
    def atol(self) -> float | None:
        """That of an adaptive method."""
        return cast("AdaptiveMethod", self.method).atol

    @property
    def step(self) -> float:
        """That of a method of fixed step (s)."""
        return cast("FixedStepMethod", self.method).step

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step of the method, traced."""
        return self.method.attempt(field, t, x, x_dot, h)


def settling(field: Field, method: Method) -> Field:
    """The field as a method wants it: with projection, or without.

    Without it constraints are not kept and nothing is refused: the ledger shows by how
    much they are missed. Of a scheme whose speeds jump, slopes have no accelerations:
    between rows speeds then go from the one to the other, and never beyond.
    """
    if isinstance(method, Moreau):
        return field._replace(x_dot=stepped_rates(field))
    if not isinstance(method, Unprojected):
        return field
    return field._replace(projected=lambda t, x: Projected(x, jnp.array(True)))


def projection_work(motion: Trajectory) -> np.ndarray:
    """The energy (n,) that projection has given the system up to each row, J.

    Each step is made again from its row, and T + V compared before and after it is
    projected. Of a method that keeps its constraints well it is small beside the
    energy that moves; it is part of what the ledger cannot balance.
    """
    driven = bool(motion.inputs.inputs.words)
    others = (Unprojected, GeneralisedAlpha, GearGuptaLeimkuhler)
    if not motion.is_dense or driven or isinstance(motion.method, others):
        raise IntegrationError(
            f"the work of projection along {motion!r} cannot be known.",
            "It is found by making each step again from its row alone, and projecting"
            " it. Steps that were not kept, that remember others or that inputs drive"
            " cannot be made again so.",
            "Simulate without samples=... and inputs, by a method such as"
            " ph.methods.DormandPrince.",
        )
    t, x, x_dot, _ = motion.steps
    each = _each(motion)(t[:-1], x[:-1], x_dot[:-1], np.diff(t), dict(motion.table))
    return np.concatenate([[0.0], np.cumsum(each)])


def _each(motion: Trajectory) -> Any:
    """(t, x, slope, h, table) -> the work of one projection, compiled once."""
    equations, method, table = motion.equations, motion.method, dict(motion.table)
    system, n = equations.system, equations.system.coordinates

    def work(t: Scalar, x: Array, x_dot: Array, h: Scalar, table: Table) -> Any:
        field = field_of(equations, table)

        def energy(x: Any) -> Any:
            q, z = x[:n], field.speeds(t + h, x[:n], x[n:])
            kinetic = system.kinetic_energy(t + h, q, z, table)
            return kinetic + system.potential_energy(t + h, q, table)

        there = method.attempt(field, t, x, x_dot, h).x
        return energy(field.settled(t + h, there)) - energy(there)

    column = np.zeros(motion.steps.x.shape[1])
    example = (0.0, column, column, 0.1, table)
    name, given = ("projection", type(method), method.name), ["t", "x", "x_dot", "h"]
    return equations.program(name, work, example, batched=given)
