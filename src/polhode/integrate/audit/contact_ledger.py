"""The ledger of a motion with supports: what each contact takes, by its name.

impacts of rest     work of normal impulses, J
friction of rest    of sliding, and of tangential impulses
belt of rest        what a running belt gives
settling            what closing a contact at a switch takes, J
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polhode.formulation.contact.mode_forces import table_with
from polhode.integrate.audit.rates import Audit, audited
from polhode.integrate.field.dense_output import Steps, evaluate
from polhode.integrate.results.contact_log import (
    ContactRow,
    ModeSpan,
    all_rows,
    contact_rows_along,
)
from polhode.system.contacts import names, owners

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


def audited_by_span(motion: Trajectory) -> Audit:
    """The audit of every row, each by the modes of its span."""
    parts = []
    for span in motion.contacts.spans:
        pick = slice(span.first, span.stop)
        own = _within(motion, span)
        parts.append(audited(own, motion.t[pick], motion.steps.x[pick]))
    whole = {}
    for name in parts[0].powers:
        whole[name] = np.concatenate([part.powers[name] for part in parts])
    columns = {
        word: np.concatenate([np.atleast_1d(getattr(part, word)) for part in parts])
        for word in Audit._fields
        if word != "powers"
    }
    return Audit(powers=whole, **columns)


def contact_work(motion: Trajectory) -> dict[str, np.ndarray]:
    """Work (n,) since the first row: of actions, of constraints and of all contacts."""
    system = motion.system
    rates: list[dict[str, np.ndarray]] = []
    for span in motion.contacts.spans:
        rates.append(_span_work(motion, span))
    work = {
        name: np.cumsum(np.concatenate([part[name] for part in rates]))
        for name in rates[0]
    }
    for support in system.supports:
        own = set(support.candidates.names)
        hits = [i for i in motion.contacts.impacts if i.point in own]
        pushes = _from_rows(motion, [(i.row, i.push) for i in hits])
        rubs = _from_rows(motion, [(i.row, i.friction) for i in hits])
        work[f"impacts of {support.name}"] = pushes
        work[f"friction of {support.name}"] = work[f"friction of {support.name}"] + rubs
    work["settling"] = _from_rows(motion, [*motion.contacts.settled])
    return {n: w for n, w in work.items() if np.any(w) or n.startswith("friction")}


def _within(motion: Trajectory, span: ModeSpan) -> Trajectory:
    """The motion with the modes of a span in its table."""
    from dataclasses import replace

    table = {**motion.table, **table_with(motion.system, span.modes)}
    return replace(motion, table=table)


def _span_work(motion: Trajectory, span: ModeSpan) -> dict[str, np.ndarray]:
    """Work in each step that ends at a row of a span; its first row has none."""
    pick = slice(span.first, span.stop)
    here = Steps(*(part[pick] for part in motion.steps))
    h = np.diff(here.t)
    times = here.t[:-1, None] + h[:, None] * (NODES + 1) / 2
    flat = times.reshape(-1)
    # A span of one row has no step; asked at that row, it tells the names.
    at = flat if len(flat) else here.t[:1]
    x = evaluate(here, at)
    powers = dict(audited(_within(motion, span), at, x).powers)
    powers |= _contact_powers(motion, contact_rows_along(motion, at, x, span.modes))

    def done(power: np.ndarray) -> np.ndarray:
        if not len(flat):
            return np.zeros(len(here.t))
        each = np.asarray(power).reshape(times.shape) @ (WEIGHTS / 2) * h
        return np.concatenate([[0.0], each])

    return {name: done(power) for name, power in powers.items()}


def _contact_powers(motion: Trajectory, rows: ContactRow) -> dict[str, np.ndarray]:
    found = {}
    owner = owners(motion.system)
    for k, support in enumerate(motion.system.supports):
        own = owner == k
        found[f"friction of {support.name}"] = rows.power[:, own].sum(axis=1)
        if support.belt is not None:
            found[f"belt of {support.name}"] = rows.belt[:, own].sum(axis=1)
    return found


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
        rows, system = all_rows(motion), motion.system
        n = len(motion)
        closed, sticks = np.zeros((n, len(names(system)))), None
        sticks = closed.copy()
        for first, stop, modes in motion.contacts.spans:
            closed[first:stop], sticks[first:stop] = modes.closed, modes.sticks
        force = np.max(np.abs(rows.push), initial=0.0)
        size = np.linalg.norm(rows.friction, axis=2)
        slip = np.linalg.norm(rows.slip, axis=2)
        _, static = _coefficients(motion)
        self.overlap = float(np.max(-rows.gap, initial=0.0))
        self.least_push = float(np.min(np.where(closed > 0, rows.push, force)))
        self.complementarity = float(np.max(np.abs(rows.gap * rows.push), initial=0.0))
        excess = np.where(sticks > 0, size - static * rows.push, -np.inf)
        self.cone = float(max(np.max(excess, initial=-np.inf), 0.0))
        self.slip = float(np.max(np.where(sticks > 0, slip, 0.0), initial=0.0))

    def lines(self) -> list[str]:
        """As a ledger prints them."""
        pairs = [
            ("overlap, at most, m", self.overlap),
            ("least push, N", self.least_push),
            ("gap times push, J", self.complementarity),
            ("outside the cone, N", self.cone),
            ("slip where it sticks, m/s", self.slip),
        ]
        return [f"{name:28}{value:14.3g}" for name, value in pairs]


def _coefficients(motion: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    table = motion.system.table(motion.table)
    each = [s.coefficients(table)[:2] for s in motion.system.supports]
    counts = [len(s.candidates.names) for s in motion.system.supports]
    numbers = np.repeat(np.array(each, dtype=float), counts, axis=0)
    return numbers[:, 0], numbers[:, 1]
