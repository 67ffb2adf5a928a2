"""The audit of a motion: what must balance, and by how much it does not.

    T + V - (T + V at the start) - work of all that is not stored = balance = 0

Work is the integral of each action's power over the dense output, by Gauss's rule with
four points a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.errors import IntegrationError
from polhode.integrate.audit.constraint_rank import ranks_at_ends
from polhode.integrate.audit.contact_ledger import (
    Promises,
    audited_by_modes,
    contact_work,
)
from polhode.integrate.audit.drift import promised_energy, warn_of_drift
from polhode.integrate.audit.rates import Audit, audited
from polhode.integrate.field.dense_output import evaluate
from polhode.integrate.methods.mechanical.moreau import Moreau
from polhode.integrate.results.moreau_contacts import (
    ContactPromises,
    contact_promises,
    contact_steps,
    stepped_work,
)

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Ledger:
    """Energy, work, momenta and constraints at each row of a motion.

    kinetic, potential      (n,) J
    work                    action -> (n,) J since the first row; 'constraints' is that
                            of drivers and moving constraints, 'events' that of resets
    momentum                (n, 3) kg m/s
    angular_momentum        (n, 3) kg m^2/s about the world's origin
    position_miss, velocity_miss   (n,) the largest residual of the constraints
    accepted, rejected      steps
    promise                 the balance that the tolerance lets one expect, J
    ranks                   of the constraints, at the first row and the last; for what
                            lies between, ask `ph.questions.rank_along`
    promises                of supports: overlap, least push, cone, slip; else None
    """

    t: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    work: dict[str, np.ndarray]
    momentum: np.ndarray
    angular_momentum: np.ndarray
    constraint_violation: np.ndarray
    velocity_miss: np.ndarray
    accepted: int
    rejected: int
    promise: float
    ranks: tuple[int, int] = (0, 0)
    promises: Promises | ContactPromises | None = None

    @property
    def energy(self) -> np.ndarray:
        """T + V (n,)."""
        return self.kinetic + self.potential

    @property
    def balance(self) -> np.ndarray:
        """The energy that nothing accounts for (n,), J."""
        done = sum(self.work.values(), np.zeros_like(self.t))
        return self.energy - self.energy[0] - done

    def angular_momentum_about(self, pole: Any) -> np.ndarray:
        """Angular momentum about another pole (n, 3):   H_P = H_O - OP x p

        The pole is a place in the world (3,), or one a row (n, 3); its motion does not
        matter, for the momenta are those seen from the world.
        """
        places = np.array(pole, dtype=float)
        if places.shape not in ((3,), self.momentum.shape) or not np.all(
            np.isfinite(places)
        ):
            raise IntegrationError(
                f"a pole cannot be {pole!r}.",
                "It is a place in the world, or one for each row of the ledger.",
                f"Give (3,) or {self.momentum.shape} numbers.",
            )
        return self.angular_momentum - np.cross(places, self.momentum)

    @property
    def scale(self) -> float:
        """The most kinetic energy of the run, to which balances are compared."""
        return float(np.max(self.kinetic))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from polhode.show.notebook import ledger_html

        return ledger_html(self)

    def __repr__(self) -> str:
        return table_of(self)


def ledger_of(motion: Trajectory) -> Ledger:
    """The ledger of a motion; warns if it balances worse than the tolerance promises.

    The limit is the tolerance times the number of steps, of the energy that moves.
    """
    if motion.contacts:
        return _with_contacts(motion)
    rows = audited(motion, motion.t, motion.steps.x)
    scale = float(np.max(rows.kinetic, initial=0.0))
    steps = contact_steps(motion) if isinstance(motion.method, Moreau) else None
    work = _work(motion, rows)
    ledger = Ledger(
        motion.t,
        rows.kinetic,
        rows.potential,
        work if steps is None else work | stepped_work(motion, steps),
        rows.momentum,
        rows.angular_momentum,
        rows.constraint_violation,
        rows.velocity_miss,
        motion.outcome.accepted,
        motion.outcome.rejected,
        promised_energy(motion, scale),
        ranks_at_ends(motion),
        promises=None if steps is None else contact_promises(motion, steps),
    )
    shares = rows.position_share, rows.velocity_share
    warn_of_drift(motion, ledger, *(float(np.max(x, initial=0.0)) for x in shares))
    return ledger


def _with_contacts(motion: Trajectory) -> Ledger:
    """The ledger of a motion with supports, span by span of its modes."""
    if not motion.is_dense:
        raise IntegrationError(
            "the work of contacts cannot be known from samples.",
            "Their power between the samples was not kept.",
            "Simulate without samples=..., and ask that motion for its ledger.",
        )
    rows = audited_by_modes(motion)
    scale = float(np.max(rows.kinetic, initial=0.0))
    return Ledger(
        motion.t,
        rows.kinetic,
        rows.potential,
        contact_work(motion),
        rows.momentum,
        rows.angular_momentum,
        rows.constraint_violation,
        rows.velocity_miss,
        motion.outcome.accepted,
        motion.outcome.rejected,
        promised_energy(motion, scale),
        promises=Promises(motion),
    )


def _work(motion: Trajectory, rows: Audit) -> dict[str, np.ndarray]:
    powers = rows.powers
    jumps = _jumps(motion, rows)
    if not powers:
        return jumps
    if not motion.is_dense:
        raise IntegrationError(
            f"the work of {', '.join(map(repr, powers))} cannot be known from samples.",
            "Their power between the samples was not kept.",
            "Simulate without samples=..., and ask that motion for its ledger.",
        )
    t, h = motion.t[:-1], np.diff(motion.t)
    times = t[:, None] + h[:, None] * (NODES + 1) / 2
    flat = times.reshape(-1)
    between = audited(motion, flat, evaluate(motion.steps, flat)).powers
    done: dict[str, np.ndarray] = {}
    for name, power in between.items():
        each = power.reshape(times.shape) @ (WEIGHTS / 2) * h
        done[name] = np.concatenate([[0.0], np.cumsum(each)])
    return done | jumps


def _jumps(motion: Trajectory, rows: Audit) -> dict[str, np.ndarray]:
    """What resets of events have given: rows of one time differ by it."""
    if all(event.after is event.before for event in motion.events):
        return {}
    if not motion.is_dense:
        raise IntegrationError(
            "what resets of events have given cannot be known from samples.",
            "The states before and after them were not kept among the rows.",
            "Simulate without samples=..., and ask that motion for its ledger.",
        )
    change = np.diff(rows.kinetic + rows.potential)
    each = np.where(np.diff(motion.t) == 0, change, 0.0)
    return {"events": np.concatenate([[0.0], np.cumsum(each)])}


def table_of(ledger: Ledger) -> str:
    """The ledger as a table: first row, last row, change, and the largest balance."""
    lines = [f"{'':28}{'start':>14}{'end':>14}{'change':>14}"]

    def line(name: str, values: Any) -> None:
        a, b = float(values[0]), float(values[-1])
        lines.append(f"{name:28}{a:14.6g}{b:14.6g}{b - a:14.6g}")

    line("kinetic energy, J", ledger.kinetic)
    line("potential energy, J", ledger.potential)
    for name, work in ledger.work.items():
        line(f"work of {name}, J", work)
    line("|momentum|, kg m/s", np.linalg.norm(ledger.momentum, axis=1))
    line("|angular momentum|, kg m2/s", np.linalg.norm(ledger.angular_momentum, axis=1))
    if any(ledger.ranks):
        line("rank of constraints", ledger.ranks)
    worst = float(np.max(np.abs(ledger.balance)))
    lines.append(f"{'balance, at most, J':28}{worst:14.3g}")
    lines.append(f"{'promised, J':28}{ledger.promise:14.3g}")
    if np.any(ledger.constraint_violation) or np.any(ledger.velocity_miss):
        lines.append(
            f"{'constraints, position':28}{ledger.constraint_violation.max():14.3g}"
        )
        lines.append(f"{'constraints, velocity':28}{ledger.velocity_miss.max():14.3g}")
    if ledger.promises is not None:
        lines += ledger.promises.lines()
    lines.append(f"{'steps accepted, rejected':28}{ledger.accepted:14}")
    lines[-1] += f"{ledger.rejected:14}"
    return "\n".join(lines)
