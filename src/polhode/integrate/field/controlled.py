"""Equations of motion with the states of controllers behind their velocities.

    y' = [y; c],     c_dot by the controllers,     x = [q; y; c]

Methods step x as it is. The functions of a formulation see y alone; those that a method
asks for the rates of y' add the rates of c.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Core, Equations
from polhode.integrate.field.input_table import Drive

if TYPE_CHECKING:
    from polhode.matter.parameter import Table


# Where equations with controllers keep those without.
PLAIN = "without controllers"


def with_controllers(equations: Equations, drive: Drive) -> Equations:
    """The equations as they are, or with the states of controllers beside y."""
    count = len(drive.first_states)
    equations = equations.programs.get(PLAIN, equations)
    if not count:
        return equations

    def made() -> Equations:
        each = ((one.name, j + 1) for one in drive.groups for j in range(one.width))
        names = [f"{name} {j}" for name, j in each]
        return replace(
            equations,
            functions=_functions(equations.functions, drive),
            velocity_names=(*equations.velocity_names, *names),
            programs={PLAIN: equations},
            controller_states=count,
        )

    return equations.remembered(("controlled", drive.key), made)


def _functions(core: Core, drive: Drive) -> Core:
    count = len(drive.first_states)

    def start(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return jnp.concatenate([core.start(t, q, z, table), drive.first_states])

    def of_velocities(function: Callable[..., Any]) -> Callable[..., Any]:
        """A function (t, q, y, table) asked with y'."""

        def of_equations(t: Scalar, q: Array, y: Array, table: Table) -> Any:
            return function(t, q, y[:-count], table)

        return of_equations

    def accelerations(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any]:
        own = y[:-count]
        y_dot, intensities = core.accelerations(t, q, own, table)
        z = core.speeds(t, q, own, table)
        c_dot = drive.state_rates(t, q, z, y, table)
        return jnp.concatenate([y_dot, c_dot]), intensities

    def bodies(t: Scalar, q: Array, y: Array, y_dot: Array, table: Table) -> Any:
        return core.bodies(t, q, y[:-count], y_dot[:-count], table)

    def joint_wrenches(
        t: Scalar, q: Array, y: Array, solution: Any, table: Table
    ) -> Any:
        own = (solution[0][:-count], solution[1])
        return core.joint_wrenches(t, q, y[:-count], own, table)

    return core._replace(
        start=start,
        speeds=of_velocities(core.speeds),
        rates=of_velocities(core.rates),
        terms=of_velocities(core.terms),
        accelerations=accelerations,
        bodies=bodies,
        joint_wrenches=joint_wrenches,
        serves=None if core.serves is None else of_velocities(core.serves),
    )
