"""The ledger of a motion with supports: what each contact takes, by its name.

impacts of rest     work of normal impulses, J
friction of rest    of sliding, and of tangential impulses
belt of rest        what a running belt gives
constraints         what drivers give, in impacts on what they move too
settling            what closing a contact at a switch takes, J
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.formulation.contact.delassus import contact_problem
from polhode.integrate.audit.rates import Audit, audit_function, audited
from polhode.integrate.field.dense_output import evaluate
from polhode.integrate.results.contact_log import (
    all_rows,
    contact_row_function,
    contact_rows_along,
)
from polhode.matter.parameter import Table
from polhode.system.contacts import friction_label, names, owners, tangent_scales

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.results.trajectory import Trajectory

NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


def audited_by_modes(motion: Trajectory) -> Audit:
    """The audit of every row, each by the modes that it has."""
    held = motion.contacts.parts.held
    return audited(motion, motion.t, motion.steps.x, held)


def contact_work(motion: Trajectory) -> dict[str, np.ndarray]:
    """Work (n,) since the first row: of actions, of constraints and of all contacts."""
    system = motion.system
    work = _smooth_work(motion)
    for support in system.supports:
        own = set(support.candidates.names)
        hits = [i for i in motion.contacts.impacts if i.point in own]
        pushes = _from_rows(motion, [(i.row, i.push) for i in hits])
        rubs = _from_rows(motion, [(i.row, i.friction) for i in hits])
        work[f"impacts of {support.name}"] = pushes
        work[friction_label(support)] = work[friction_label(support)] + rubs
    driven = _driven_impacts(motion)
    for name, jumps in driven.items():
        work[name] = work.get(name, 0.0) + _from_rows(motion, jumps)
    given = [(row, -by) for jumps in driven.values() for row, by in jumps]
    work["settling"] = _from_rows(motion, [*motion.contacts.settled, *given])
    labels = {friction_label(support) for support in system.supports}
    return {n: w for n, w in work.items() if np.any(w) or n in labels}


def _driven_impacts(motion: Trajectory) -> dict[str, list[tuple[int, float]]]:
    """(row, J) that drivers give in impacts: what moves a table, and running belts.

    An impulse does work on the velocities of the material points: those of a contact
    are relative, and what carries the ground does the rest.
    """
    system, table = motion.system, motion.table
    belts = [s for s in system.supports if getattr(s, "belt", None) is not None]
    found: dict[str, list[tuple[int, float]]] = {}
    if not belts and not system.constraints:
        return found
    owner, labels = owners(system), names(system)
    scales = tangent_scales(system, table)
    struck: dict[int, np.ndarray] = {}
    for hit in motion.contacts.impacts:
        P = struck.setdefault(hit.row, np.zeros((len(labels), 3)))
        k = labels.index(hit.point)
        P[k] += hit.impulse / np.where(scales[k] > 0, scales[k], np.inf)
    for row, P in struck.items():
        if row == 0:
            continue
        t, q = float(motion.t[row]), motion.q[row]
        z = (motion.z[row - 1] + motion.z[row]) / 2
        problem = contact_problem(system, t, q, z, table)
        if system.constraints:
            A = system.constraint_rows(t, q, z, table)[0]
            l = problem.reactions @ P.reshape(-1)
            found.setdefault("constraints", []).append((row, float(l @ (A @ z))))
        ground = problem.rows.jacobian @ z - problem.rows.velocity
        for support in belts:
            own = owner == system.supports.index(support)
            by = float(np.sum(P[own] * ground[own]))
            found.setdefault(f"belt of {support.name}", []).append((row, by))
    return found


def _smooth_work(motion: Trajectory) -> dict[str, np.ndarray]:
    """Work (n,) of powers since the first row; between rows of one time there is none.

    Each step is made in the modes of the row from which it begins.
    """
    t, h = motion.t[:-1], np.diff(motion.t)
    times = t[:, None] + h[:, None] * (NODES + 1) / 2
    flat, every = times.reshape(-1), motion.contacts.parts.held
    held = np.repeat(every[:-1], len(NODES), axis=0)
    if not len(flat):
        # A motion of one row has no step; asked at that row, it tells the names.
        flat, held = motion.t[:1], every[:1]
    x = evaluate(motion.steps, flat)
    powers = dict(audited(motion, flat, x, held).powers)
    rows = contact_rows_along(motion, flat, x, held)
    found = {}
    owner = owners(motion.system)
    for k, support in enumerate(motion.system.supports):
        own = owner == k
        found[friction_label(support)] = rows.power[:, own].sum(axis=1)
        if support.belt is not None:
            found[f"belt of {support.name}"] = rows.belt[:, own].sum(axis=1)
    powers |= found

    def done(power: np.ndarray) -> np.ndarray:
        if not len(h):
            return np.zeros(len(motion))
        each = np.asarray(power).reshape(times.shape) @ (WEIGHTS / 2) * h
        return np.concatenate([[0.0], np.cumsum(np.where(h > 0, each, 0.0))])

    return {name: done(power) for name, power in powers.items()}


def contact_audit(equations: Equations, drive: Drive) -> Any:
    """(t, x, held, table) -> Audit with the powers of contacts, inside a trace."""
    system = equations.system
    audit, owner = audit_function(equations, drive), owners(system)
    row = contact_row_function(system, drive)

    def audited(t: Scalar, x: Array, held: Any, table: Table) -> Audit:
        smooth, there = audit(t, x, held, table), row(t, x, held, table)
        powers = dict(smooth.powers)
        for k, support in enumerate(system.supports):
            own = np.flatnonzero(owner == k)
            power = jnp.sum(there.power[own])
            # What a belt gives is booked with the friction through which it does.
            power = power + (jnp.sum(there.belt[own]) if support.belt else 0.0)
            powers[friction_label(support)] = power
        return smooth._replace(powers=powers)

    return audited


def _from_rows(motion: Trajectory, jumps: list[tuple[int, float]]) -> np.ndarray:
    """Work (n,) of jumps, each from its row on; those before the first row have none.

    Rows of one time are before and after a jump.
    """
    work = np.zeros(len(motion))
    for row, by in jumps:
        if row > 0:
            work[row:] += by
    return work


class Promises:
    """What a motion with supports keeps, in numbers: lines of its ledger."""

    def __init__(self, motion: Trajectory):
        rows, modes = all_rows(motion), motion.contacts.modes(motion)
        closed, sticks = modes.closed, modes.sticks
        force = np.max(np.abs(rows.push), initial=0.0)
        size, slip = rows.grip, rows.creep
        table = motion.system.table(motion.table)
        each = [s.coefficients(table)[:2] for s in motion.system.supports]
        counts = [len(s.candidates.names) for s in motion.system.supports]
        numbers = np.repeat(np.array(each, dtype=float), counts, axis=0)
        static = numbers[:, 1]
        self.overlap = float(np.max(-rows.gap, initial=0.0))
        self.least_push = float(np.min(np.where(closed > 0, rows.push, force)))
        self.complementarity = float(np.max(np.abs(rows.gap * rows.push), initial=0.0))
        excess = np.where(sticks > 0, size - static * rows.push, -np.inf)
        self.cone = float(max(np.max(excess, initial=-np.inf), 0.0))
        self.slip = float(np.max(np.where(sticks > 0, slip, 0.0), initial=0.0))

    def residuals(self) -> list[tuple[str, float]]:
        """By the name that a ledger prints."""
        return [
            ("overlap, at most, m", self.overlap),
            ("least push, N", self.least_push),
            ("gap times push, J", self.complementarity),
            ("outside the cone, N", self.cone),
            ("slip where it sticks, m/s", self.slip),
        ]
