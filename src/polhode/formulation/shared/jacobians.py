"""How any point or frame of a system moves for each unit of the velocities.

    [w; v_P] = J y + drift,      f = J^T [torque; force]

J (6, k) is along the world's axes. It comes from the second relation, by which a
formulation says what a wrench on a body is to it. Momenta (Hamilton) pair with the
system's speeds: there [w; v_P] = J z.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar, namespace
from polhode.constraints.constraint import coordinates_of
from polhode.errors import ModelError, SingularMassMatrix
from polhode.formulation.questions.determinacy import (
    allowed_motions,
    effective_rows,
    inertial_sizes,
)
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.vector import cross, shown
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import Table
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State
    from polhode.system.system import System

ORIGIN = np.zeros(3)
ORIGIN.flags.writeable = False
SINGULAR = 1e-10  # of a mobility scaled to a unit diagonal


def body_jacobians(equations: Equations) -> Callable[..., Any]:
    """(t, q, y, table) -> J (n, 6, k) of all bodies about their origins, own axes."""
    core, n = equations.functions, len(equations.system.bodies)

    def jacobians(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        def force(W: Array) -> Any:
            return core.along(t, q, y, W, table)

        return jnp.moveaxis(jax.jacfwd(force)(jnp.zeros((n, 6))), 0, -1)

    return jacobians


def jacobian(
    equations: Equations, state: State, place: Any, table: Table
) -> np.ndarray:
    """J (6, k) of a point, or of the origin of a body or frame: see the module."""
    arm, body = locate(equations, place, table)
    if arm is ORIGIN:

        def law(t: Scalar, q: Array, y: Array, table: Table) -> Any:
            return _body_jacobian(equations, body)(t, q, y, table)[0]

        return equations.ask(("jacobian", body), law, state, table)
    law = _body_jacobian(equations, body)
    J, R_WB = equations.ask(("jacobian and axes", body), law, state, table)
    w, v, xp = J[:3], J[3:], namespace(J)
    return xp.concatenate([w, v + cross(w.T, R_WB @ arm).T])


def _body_jacobian(equations: Equations, body: int) -> Callable[..., Any]:
    """(t, q, y, table) -> [w; v] (6, k) of a body's origin for each unit, and R_WB.

    Of one body alone: what it does not hang on is not in the program.
    """
    core, n = equations.functions, len(equations.system.bodies)
    chosen = np.zeros((n, 1))
    chosen[body] = 1.0

    def jacobian(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any]:
        def force(W: Array) -> Any:
            return core.along(t, q, y, chosen * W, table)

        J = jax.jacfwd(force)(jnp.zeros(6)).T
        R_WB = equations.system.poses(t, q, table).rotations[body]
        return jnp.concatenate([R_WB @ J[:3], R_WB @ J[3:]]), R_WB

    return jacobian


def _numbers(system: System) -> dict[str | Frame, int]:
    """Which body has a name, or a frame."""
    numbered = [*enumerate(system.bodies)]
    named: dict[str | Frame, int] = {body.name: k for k, body in numbered}
    return named | {body.frame: k for k, body in numbered}


def locate(equations: Equations, place: Any, table: Table) -> tuple[Any, int]:
    """Where a place is in its body (3,), and the number of the body; refused if none.

    A place is a point, or a body, its name or a frame, which stand for their origins.
    """
    system = equations.system
    bodies = system.remembered("numbers of bodies", lambda: _numbers(system))
    if isinstance(place, str) and place in bodies:
        return ORIGIN, bodies[place]
    frame = place if isinstance(place, Frame) else getattr(place, "frame", None)
    if isinstance(frame, Frame) and frame in bodies:
        is_point = isinstance(place, Point | MaterialPoint)
        known = system.table(table) if is_point else table
        return coordinates_of(place, known) if is_point else ORIGIN, bodies[frame]
    called = getattr(frame, "name", place)
    raise ModelError(
        f"{system.name!r} has no body with the point or frame {place!r}.",
        "A Jacobian says how a place that a body carries moves.",
        suggestion(str(called), [body.name for body in system.bodies]),
    )


def operational_inertia(
    equations: Equations,
    state: State,
    place: Any,
    directions: Array | None,
    table: Table,
) -> np.ndarray:
    """L (d, d): what a wrench at a place feels,  L = (D J P J^T D^T)^-1.

    P is the inverse of the mass matrix on the motions that the constraints allow, D
    (d, 6) the directions of [w; v]; all six where none are given.
    """
    J = jacobian(equations, state, place, table)
    D = np.eye(6) if directions is None else np.atleast_2d(np.asarray(directions))
    M = equations.mass_matrix(state, table)
    along = D @ J
    if is_traced(J):
        _require_no_rows(equations)
        return jnp.linalg.inv(along @ jnp.linalg.solve(M, along.T))
    A = effective_rows(equations, state, table)
    yielding = along @ inverse_on_motions(M, A) @ along.T
    size = np.sqrt(np.maximum(np.diag(yielding), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(yielding / np.outer(size, size))
    if values[0] > SINGULAR:
        return np.linalg.inv(yielding)
    stuck = vectors[:, 0] / size
    raise SingularMassMatrix(
        f"{equations.system.name!r} cannot be pushed in all {len(D)} directions at"
        f" {place!r}: it yields in {int(np.sum(values > SINGULAR))} of them.",
        "Along the others joints or constraints hold it, and its inertia is infinite.",
        "Give directions=..., rows of six, along which it can move.",
        f"Held along, in these directions: {shown(stuck / np.max(np.abs(stuck)))}.",
    )


def _require_no_rows(equations: Equations) -> None:
    if count := len(equations.row_names):
        raise ModelError(
            f"the operational inertia of {equations.system.name!r} cannot be traced.",
            f"Its {count} constraints may depend on each other, and a rank is known"
            " only where numbers are.",
            "Ask it outside of the law, or sample the law with ph.Sampled(law, dt).",
        )


def inverse_on_motions(M: np.ndarray, A: np.ndarray) -> np.ndarray:
    """P = N (N^T M N)^-1 N^T, the columns of N spanning the motions with A y = 0."""
    if not len(A):
        return np.linalg.inv(M)
    N = allowed_motions(A, inertial_sizes(M))
    return N @ np.linalg.solve(N.T @ M @ N, N.T)
