r"""Whether a rest on supports is stable: what can move without opening or slipping.

    F(q) = f + J^T r + A^T l = 0,      S: J S = 0, A S = 0,      K = -S^T dF/dq S

Contacts that are pressed stay closed, for to open one costs N g' of work at first
order; those with friction do not slip. What is left are motions that roll, or slide
where all is smooth, and of these the second order decides: K is S^T (V'' - sum N g'')
S, with the curvatures of what touches. Of an egg on a table it is m g (rho - h): its
mass centre is to be below the centre of curvature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import jax
import jax.numpy as jnp
import numpy as np
from scipy.linalg import eigh, null_space

from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.formulation.recursive.recursive import recursive
from polhode.matter.parameter import Table
from polhode.system.contacts import contact_length, contact_rows, names

if TYPE_CHECKING:
    from polhode.matter.parameter import Table
    from polhode.system.state import State
    from polhode.system.system import System

# Of the greatest push: a contact that bears nothing does not stay by itself.
BEARS = 1e-9
# Of the system's own square of a frequency, acceleration over length: no restoring.
NEUTRAL = 1e-8


@final
@dataclass(frozen=True, eq=False, repr=False)
class RestStability(Answer):
    """Whether a rest on supports is stable.

    verdict  "held": nothing can move unless a contact opens or slips, which costs work
             at first order; "stable": what can move swings back; "stable but for
             drift": some of it stays where it is put, as a ball on a table;
             "unstable"; "undecided": a contact bears nothing and may open at no cost
    squares  (k,) of the frequencies of what can move, (rad/s)^2; below zero it falls
    motions  (k, nz) along the speeds, of each
    idle     points that touch and bear nothing
    """

    state: State
    verdict: str
    squares: np.ndarray
    motions: np.ndarray
    idle: tuple[str, ...]

    @property
    def is_stable(self) -> bool:
        """Whether it stays near where it is after any small disturbance."""
        return self.verdict in ("held", "stable")

    def as_table(self) -> AnswerTable:
        """What is printed."""
        speeds = self.state.system.speed_names
        rows = []
        for square, motion in zip(self.squares, self.motions, strict=True):
            most = np.max(np.abs(motion))
            parts = [
                n for n, x in zip(speeds, motion, strict=True) if abs(x) > most / 3
            ]
            rows.append((", ".join(parts), f"{square + 0.0:.6g}"))
        notes = [f"bear nothing: {', '.join(self.idle)}"] if self.idle else []
        title = f"RestStability({self.state.system.name!r}: {self.verdict})"
        return AnswerTable(title, ("moves", "square, (rad/s)^2"), rows, notes)


def stability_on_supports(
    state: State, forces: dict[str, np.ndarray], table: Table
) -> RestStability:
    """The verdict on a rest whose contact forces (3,) are known by point."""
    system, labels = state.system, names(state.system)
    rows = contact_rows(system, state.t, state.q, 0.0 * state.z, table)
    r = np.zeros((len(labels), 3))
    for k, name in enumerate(labels):
        if name in forces:
            # Axes of couples and ellipses are not unit vectors.
            r[k] = np.linalg.lstsq(rows.axes[k], forces[name], rcond=1e-12)[0]
    most = float(np.max(np.abs(r[:, 0]), initial=0.0))
    touches = np.array([name in forces for name in labels], bool)
    presses = touches & (r[:, 0] > BEARS * most)
    pushes = np.linalg.norm(rows.jacobian[:, 0], axis=1) > 0
    grips = touches & (np.asarray(rows.static) > 0) & (presses | ~pushes)
    idle = tuple(labels[k] for k in np.flatnonzero(touches & pushes & ~presses))
    held = [rows.jacobian[presses, 0], *rows.jacobian[grips, 1:]]
    F, K, A = _stiffness(system, state, r, table)
    S = null_space(np.concatenate([*held, A]), rcond=1e-10)
    M = np.asarray(system.mass_matrix(state.t, state.q, system.table(table)))
    if not S.shape[1]:
        return RestStability(state, "held", np.zeros(0), S.T, idle)
    stiff = S.T @ K @ S
    squares, turned = eigh((stiff + stiff.T) / 2, S.T @ M @ S)
    size = float(np.max(np.abs(np.linalg.solve(M, F)))) / contact_length(system)
    none = NEUTRAL * max(size, float(np.max(np.abs(squares))))
    squares = np.where(np.abs(squares) <= none, 0.0, squares)
    return RestStability(state, _verdict(squares, idle), squares, (S @ turned).T, idle)


def _verdict(squares: np.ndarray, idle: tuple[str, ...]) -> str:
    if np.any(squares < 0):
        # What bears nothing cannot hold it either: it only adds motions.
        return "unstable" if not idle else "undecided"
    if np.any(squares == 0):
        return "stable but for drift"
    return "stable" if not idle else "undecided"


def _stiffness(
    system: System, state: State, r: np.ndarray, table: Table
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """f (nz,) without contacts, K (nz, nz) = -dF/dq of kept r and l, and A (m, nz)."""
    bare, key = system.without_supports, "stiffness on supports"
    if key not in system.compiled:
        terms = recursive(bare).functions.terms

        def parts(t: Scalar, q: Array, r: Array, l: Scalar, table: Table) -> Any:
            still = jnp.zeros(system.speeds)

            def loads(d: Array) -> Any:
                there = system.local(q, d)
                _, b, f, A, _ = terms(t, there, still, table)
                J = contact_rows(system, t, there, still, table).jacobian
                return f - b + jnp.einsum("nij,ni->j", J, r) + A.T @ l

            _, b, f, A, _ = terms(t, q, still, table)
            return f - b, -jax.jacfwd(loads)(still), A, loads(still)

        contact_length(system)
        system.compiled[key] = doubled(parts)
    ask = system.compiled[key]
    none = np.zeros(len(system.row_names))
    f, _, A, left = ask(state.t, state.q, r, none, dict(table))
    l = np.linalg.lstsq(np.asarray(A).T, -np.asarray(left), rcond=1e-12)[0]
    _, K, A, _ = ask(state.t, state.q, r, l, dict(table))
    return np.asarray(f), np.asarray(K), np.asarray(A)
