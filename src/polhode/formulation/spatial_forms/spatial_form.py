"""The spatial forms of a whole system: every body about a point, seen by an observer.

    M V' + C V = F + reactions,      V = [w; v of the point P], as the world sees it

written along the axes of the observer A who sees the rates, so that V' are the rates of
the components. About the mass centre or any point, with inertial or body rates, they
are the paper's four forms; about a fixed pole they would be Newton and Euler's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import jax.numpy as jnp

from polhode.arrays import Array, Scalar, matvec
from polhode.errors import ModelError
from polhode.formulation.equations import Equations
from polhode.formulation.shared.maximal import has_rotors, in_twists, row_names
from polhode.formulation.shared.spatial import block_diagonal, turned
from polhode.formulation.shared.uniform_motion import comoving_velocities
from polhode.formulation.spatial_forms.choices import coriolis_dyadic
from polhode.formulation.spatial_forms.observer import (
    Seen,
    axes,
    by_body,
    observer_spins,
    observers_of,
)
from polhode.formulation.spatial_forms.one_body import FORMS, Form
from polhode.formulation.spatial_forms.transfer import blocks, moved_inertia, solved
from polhode.geometry.point import Point
from polhode.geometry.transport import shift_twist, shift_wrench
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import Table
from polhode.system.checked_argument import system_argument
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

PLACES = ("mass centre", "origin", "joint")
About: TypeAlias = str | Point | MaterialPoint


@system_argument
def spatial_form(
    system: System,
    *,
    about: About | Mapping[str, About],
    rates: Seen | Mapping[str, Seen],
) -> Equations:
    """The spatial equations of all bodies, joints and loops as constraints.

    about   "mass centre", "origin", "joint" (where the body's joint holds it), or by
            name of body any of these or a point of the body
    rates   "inertial", "body", the frame of a body, an `Observer`, or these by name

    >>> import polhode as ph
    >>> ball = ph.Body("ball", ph.solids.sphere(mass=1, radius=0.1))
    >>> top = ph.System([ball], name="top")
    >>> spatial_form(top, about="mass centre", rates="body")
    Equations(spatial form 2 of 'top': 6 velocities, 0 rows)
    """
    each, points = observers_of(system, rates), _points_of(system, about)
    n = len(system.bodies)

    def arms(table: Table) -> Any:
        return jnp.stack([arm(system.table(table)) for arm in points])

    def to_body(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        R_AB = axes(system, each, t, q, table)[1]
        V_P = turned(R_AB.swapaxes(-1, -2), y.reshape(n, 6))
        return shift_twist(V_P, -arms(table))

    def from_body(t: Scalar, q: Array, V: Array, table: Table) -> Any:
        R_AB = axes(system, each, t, q, table)[1]
        return turned(R_AB, shift_twist(V, arms(table))).reshape(-1)

    def parts(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any, Any]:
        """M (n, 6, 6), C V and F (n, 6) of the bodies, along their observers' axes."""
        core, V = equations.functions, y.reshape(n, 6)
        R_AB = axes(system, each, t, q, table)[1]
        both = blocks([[R_AB, 0.0 * R_AB], [0.0 * R_AB, R_AB]])
        M_P = moved_inertia(system.inertias(table), -arms(table))
        M = both @ M_P @ both.swapaxes(-1, -2)
        z = core.speeds(t, q, y, table)
        q_dot = system.rates(t, q, z, table)
        w_A = observer_spins(system, each, StateArrays(t, q, V[:, :3]), q_dot, table)
        comoving, shift = comoving_velocities(system, V, w_A)
        C = coriolis_dyadic(M, comoving, rates=w_A, choice="Lie group")
        F = shift_wrench(system.applied(t, q, z, table), arms(table))
        return M, matvec(C, comoving) + matvec(M, shift), turned(R_AB, F)

    def mass(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any, Any]:
        M, bias, F = parts(t, q, y, table)
        return block_diagonal(M), bias.reshape(-1), F.reshape(-1)

    name = _name(about, rates)
    equations = in_twists(name, system, to_body, from_body, mass, arms=arms)
    if row_names(system) or has_rotors(system):
        return equations
    free = equations.functions._replace(accelerations=_body_by_body(parts))
    return replace(equations, functions=free)


def spatial_form_numbered(number: int) -> Callable[[System], Equations]:
    """System -> Equations: form 1, 2, 3 or 4, the last two about the bodies' joints."""
    about, rates = FORMS[number]
    place = "joint" if about == "point" else about
    return lambda system: spatial_form(system, about=place, rates=rates)


def _body_by_body(parts: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
    """Accelerations where nothing joins the bodies: each is solved for alone."""

    def accelerations(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any]:
        M, bias, F = parts(t, q, y, table)
        return solved(M, F - bias).reshape(-1), jnp.zeros(0)

    return accelerations


def _points_of(system: System, about: Any) -> tuple[Callable[[Table], Any], ...]:
    """By body: the arm (3,) from its origin to its point as a function of the table."""
    each = by_body(system, about, "about")
    return tuple(_arm(system, k, place) for k, place in enumerate(each))


def _arm(system: System, k: int, place: Any) -> Callable[[Table], Any]:
    body, edge = system.bodies[k], system.tree.edges[k]
    if isinstance(place, Point | MaterialPoint):
        if place.frame is not body.frame:
            raise ModelError(
                f"the equations of {body.name!r} cannot be about a point of"
                f" {place.frame.name!r}.",
                "The transfer between points holds for points of one rigid body.",
                f"Give {body.name}.point(x, y, z), or points by names of bodies.",
            )
        return lambda table: _coordinates(place, table)
    if place not in PLACES:
        raise ModelError(
            f"the equations of {body.name!r} cannot be about {place!r}.",
            "Velocity and moment change from point to point of a body.",
            f"Give one of {', '.join(map(repr, PLACES))}, or a point of the body.",
        )
    if place == "mass centre":
        return lambda table: body.moments(table).centre
    if place == "origin":
        return lambda table: jnp.zeros(3)
    joint = edge.joint
    side = joint.first_frame if edge.is_reversed else joint.second_frame
    return lambda table: side(table)[1]


def _coordinates(place: Point | MaterialPoint, table: Table) -> Any:
    return place.at(table) if isinstance(place, MaterialPoint) else place.coordinates


def _name(about: Any, rates: Any) -> str:
    """Which of the four it is, where all bodies are alike."""
    if isinstance(about, str) and rates in ("inertial", "body"):
        place = "mass centre" if about == "mass centre" else "point"
        number = next(k for k, form in FORMS.items() if form == Form(place, rates))
        return f"spatial form {number}"
    return "spatial form"
