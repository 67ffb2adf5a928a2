"""The audit of a motion: what must balance, and by how much it does not.

    T + V - (T + V at the start) - work of all that is not stored = balance = 0

Work is the integral of each action's power over the dense output, by Gauss's rule with
four points a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, itself
from polhode.errors import IntegrationError
from polhode.integrate.audit.constraint_rank import ranks_at_ends
from polhode.integrate.audit.contact_ledger import (
    Promises,
    audited_by_modes,
    contact_work,
)
from polhode.integrate.audit.drift import promised_energy, warn_of_drift, warn_of_energy
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
class Ledger(Answer):
    """Energy, work, momenta and constraints at each row of a motion.

    kinetic, potential      (n,) J
    work                    action -> (n,) J since the first row; 'constraints' is that
                            of drivers and moving constraints, 'events' that of resets
    momentum                (n, 3) kg m/s
    angular_momentum        (n, 3) kg m^2/s about the world's origin
    constraint_violation, velocity_miss   (n,) the largest residual of the constraints
                            of position and of velocity
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

    __copy__ = __deepcopy__ = itself

    @property
    def energy(self) -> np.ndarray:
        """T + V (n,)."""
        return self.kinetic + self.potential

    @property
    def balance(self) -> np.ndarray:
        """The energy that nothing accounts for (n,), J."""
        done = sum(self.work.values(), np.zeros_like(self.t))
        with np.errstate(invalid="ignore"):  # of energies that are not finite
            return self.energy - self.energy[0] - done

    def angular_momentum_about(self, pole: Array) -> np.ndarray:
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
        """The most energy that moves in the run, to which balances are compared.

        It is kinetic; where there are contacts it may be their work: what slides slowly
        turns weight into heat with hardly any kinetic energy.
        """
        moved = float(np.max(self.kinetic))
        return moved if self.promises is None else max(moved, _most(self.work))

    def as_table(self) -> AnswerTable:
        """First row, last row, change; then the largest residuals, and the promise."""

        def size(vectors: np.ndarray) -> np.ndarray:
            with np.errstate(over="ignore", invalid="ignore"):
                return np.linalg.norm(vectors, axis=1)

        columns = {
            "kinetic energy, J": self.kinetic,
            "potential energy, J": self.potential,
            **{f"work of {name}, J": work for name, work in self.work.items()},
            "|momentum|, kg m/s": size(self.momentum),
            "|angular momentum|, kg m2/s": size(self.angular_momentum),
        }
        if any(self.ranks):
            columns["rank of constraints"] = np.array(self.ranks)
        # Plus zero: a change of sign by rounding is not printed as -0.
        ends = [(n, float(v[0]) + 0.0, float(v[-1]) + 0.0) for n, v in columns.items()]
        rows = [(name, f"{a:.6g}", f"{b:.6g}", f"{b - a:.6g}") for name, a, b in ends]
        rows += [(name, f"{v:.3g}", "", "") for name, v in self._largest()]
        steps = "steps accepted, rejected", str(self.accepted), str(self.rejected), ""
        return AnswerTable("", ("", "start", "end", "change"), [*rows, steps])

    def _largest(self) -> list[tuple[str, float]]:
        """The largest of each residual, and the energy that the tolerance promises."""
        found = [
            ("balance, at most, J", float(np.max(np.abs(self.balance)))),
            ("promised, J", self.promise),
        ]
        if np.any(self.constraint_violation) or np.any(self.velocity_miss):
            found += [
                ("constraints, position", self.constraint_violation.max()),
                ("constraints, velocity", self.velocity_miss.max()),
            ]
        return found + ([] if self.promises is None else self.promises.residuals())


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
    work = contact_work(motion)
    scale = max(float(np.max(rows.kinetic, initial=0.0)), _most(work))
    ledger = Ledger(
        motion.t,
        rows.kinetic,
        rows.potential,
        work,
        rows.momentum,
        rows.angular_momentum,
        rows.constraint_violation,
        rows.velocity_miss,
        motion.outcome.accepted,
        motion.outcome.rejected,
        promised_energy(motion, scale),
        promises=Promises(motion),
    )
    warn_of_energy(motion, ledger)
    return ledger


def _most(work: dict[str, np.ndarray]) -> float:
    """The largest of some works, J."""
    return max(
        (float(np.max(np.abs(w), initial=0.0)) for w in work.values()), default=0.0
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
