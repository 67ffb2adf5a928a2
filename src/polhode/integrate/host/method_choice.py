"""Which method a run takes, and in words why.

A run begins stiff where something in it decays far quicker than all it does:

    d(z_dot) = K delta + D dz,      |[0 1; K D] - lambda| = 0

delta moves the coordinates along the joints, dz the speeds. A root that rather decays
than swings, far quicker than the other roots, than the speeds themselves and than the
run, is one that an explicit method follows for nothing: it must step at its pace long
after it has died away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import IntegrationError, IntegrationWarning
from polhode.integrate.field.scales import scales
from polhode.integrate.field.sparse_jacobian import has_sparse_matrix
from polhode.integrate.field.states import States, unchecked
from polhode.integrate.host.largest_roots import largest_roots
from polhode.integrate.kernel.start import InitialDerivative, initial_derivative
from polhode.integrate.methods.mechanical.gear_gupta_leimkuhler import (
    GearGuptaLeimkuhler,
)
from polhode.integrate.methods.mechanical.generalised_alpha import GeneralisedAlpha
from polhode.integrate.methods.mechanical.rattle import Rattle
from polhode.integrate.methods.method import RTOL, Method, is_method
from polhode.integrate.methods.projection import Unprojected
from polhode.integrate.methods.registry import IMPLICIT, SPARSE
from polhode.integrate.methods.runge_kutta.dormand_prince import DormandPrince
from polhode.integrate.methods.runge_kutta.radau import RTOL as STIFF_RTOL
from polhode.integrate.methods.runge_kutta.radau import RadauIIA
from polhode.system.rolled.size import refuse_dense
from polhode.system.system import System
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive

# Their steps end where the constraints hold.
HOLDING = (GearGuptaLeimkuhler, GeneralisedAlpha, Rattle)


# Speeds up to which Newton's matrix of a step is solved: it is dense, whatever holds
# the bodies together.
NEWTON = 200
# A decay by so much in one step is the most that explicit methods follow.
STABLE = 3.3
# So much quicker than the motion: below it an explicit method takes less time still.
QUICKER = 1e4
# So many times in the run: fewer cost an explicit method nothing worth a change.
TIMES = 1e5
# Of the natural sizes of displacements and speeds: a step of the difference.
SHARE = 1e-6


def refuse_dense_steps(equations: Equations, method: Any) -> None:
    """Refuses a method that solves for all velocities of very many bodies at once."""
    inner = getattr(method, "method", method)
    name = type(inner).__name__
    if name not in IMPLICIT:
        return
    is_sparse = has_sparse_matrix(equations)
    if is_sparse and name in SPARSE:
        return
    how = "Take an explicit method, such as ph.methods.DormandPrince()"
    if is_sparse:
        how += ", or for what is stiff ph.methods.RadauIIA(), whose matrix is sparse"
    what = f"Newton's matrix of {inner.name}"
    refuse_dense(equations.system, what, NEWTON, how + ".")


class ChosenMethod(NamedTuple):
    """The method of a run, and in words which it is and what it keeps."""

    method: Method
    note: str


class MadeBy(NamedTuple):
    """What makes a motion, and in words which method it is."""

    equations: Equations
    method: Method
    note: str


def choose_method(
    equations: Equations, method: Method | None, rtol: Any, atol: Any
) -> ChosenMethod:
    """The method, and in words which it is and what it keeps.

    Without one, order 5 with steps of its own choice serves every kind of system that
    is not stiff, and constraints are kept by projection. Where a run begins stiff see
    `suit_decay`; one that becomes so is told by its outcome.
    """
    if method is not None and (rtol is not None or atol is not None):
        raise IntegrationError(
            f"{method!r} was given together with rtol or atol.",
            "A method has its own tolerances or its own step.",
            "Give them to the method: ph.methods.DormandPrince(rtol=...).",
        )
    if method is not None and not is_method(method):
        raise IntegrationError(
            f"{method!r} is not a method of integration.",
            "A method is a thing that can attempt a step, with its tolerances or step.",
            "Give ph.methods.DormandPrince(...), ph.methods.RungeKutta4(step=...) or"
            " their kin.",
        )
    refuse_dense_steps(equations, method)
    chosen = method or DormandPrince(RTOL if rtol is None else rtol, atol)
    words = [chosen.name if method else f"{chosen.name} (picked)"]
    return ChosenMethod(chosen, ", ".join([*words, *_kept(equations, chosen)]))


def suit_decay(
    equations: Equations, pick: ChosenMethod, rtol: Any, atol: Any, decay: Decay
) -> ChosenMethod:
    """What was picked, or an implicit method in its place where a run begins stiff."""
    is_dense = equations.system.speeds > NEWTON and not has_sparse_matrix(equations)
    if decay.is_often and (is_dense or not decay.is_stiff):
        _warn_of_pace(equations, pick, decay, is_dense)
    if not decay.is_stiff or is_dense:
        return pick
    chosen = RadauIIA(STIFF_RTOL if rtol is None else rtol, atol)
    times = decay.rate / decay.motion
    words = (
        f"{chosen.name} (picked: something decays in {1 / decay.rate:.2g} s,"
        f" {times:.0e} times as quick as the motion)"
    )
    return ChosenMethod(chosen, ", ".join([words, *_kept(equations, chosen)]))


def _warn_of_pace(
    equations: Equations, pick: ChosenMethod, decay: Decay, is_dense: bool
) -> None:
    """Say of a large system that an explicit method goes at the pace of a decay."""
    system = equations.system
    if system.speeds <= NEWTON:
        return
    repair = "ph.methods.RadauIIA() is for what is stiff"
    if is_dense:
        repair = (
            f"implicit methods are dense for it, and made for up to {NEWTON} speeds, of"
            f" {system.speeds} here; soften what is stiff, or hold it by a constraint"
        )
    warn(
        f"in {system.name!r} something decays in {1 / decay.rate:.2g} s, and"
        f" {pick.method.name} steps at its pace: some"
        f" {decay.rate * decay.duration / STABLE:.0e} steps. If that is too many,"
        f" {repair}.",
        IntegrationWarning,
    )


def _kept(equations: Equations, method: Method) -> list[str]:
    """What the steps of a method keep of a system, beside its motion."""
    system = equations.system
    if not system.constraints:
        return ["unit quaternions"] if system.coordinates != system.speeds else []
    if isinstance(method, Unprojected):
        return ["constraints left to drift"]
    if isinstance(method, HOLDING):
        return ["constraints solved for in each step"]
    return ["constraints kept by projection"]


class Start(NamedTuple):
    """Where runs begin, and with what; leading axes are runs."""

    states: States
    table: dict[str, np.ndarray]
    drive: Drive
    held: np.ndarray
    initial_derivative: InitialDerivative


class Decay(NamedTuple):
    """How quickly the quickest decays (1/s), how quick the motion is, and its time."""

    rate: float
    motion: float
    duration: float

    @property
    def is_often(self) -> bool:
        """Whether the quickest would decay very many times in the run."""
        return self.rate * self.duration > TIMES

    @property
    def is_stiff(self) -> bool:
        """Whether an explicit method would step for stability, and long."""
        return self.is_often and self.rate > QUICKER * self.motion


NO_DECAY = Decay(0.0, 1.0, 1.0)


def may_decay(system: System, drive: Drive) -> bool:
    """Whether any action may take energy; where none does there is nothing to seek."""
    return bool(drive.key) or not all(a.is_conservative for a in system.actions)


def decay_of(equations: Equations, start: Start, until: float) -> Decay:
    """The quickest decay at the start of the first run."""
    system, states = equations.system, start.states
    duration = abs(until - float(states.t[0]))
    if not may_decay(system, start.drive) or duration == 0 or not system.speeds:
        return NO_DECAY
    first = slice(0, 1)
    q, z = states.q[first], states.z[first]
    size = scales(
        system, q, z, start.initial_derivative.z_dot[first], np.array([duration])
    )
    lengths = size.speeds[0] / size.rate[0]
    moving = np.max(np.abs(z[0]) / lengths, initial=1.0 / duration)
    if system.speeds > NEWTON:
        return _of_largest(_Changes(equations, start, lengths), duration, moving)
    roots = np.linalg.eigvals(_linear(equations, start, lengths, float(size.rate[0])))
    if not np.all(np.isfinite(roots)):
        return NO_DECAY
    decays = (roots.real < 0) & (-roots.real >= np.abs(roots.imag))
    quickest = float(np.max(-roots.real[decays], initial=0.0))
    others = np.abs(roots[~decays])
    return Decay(quickest, float(np.max(others, initial=moving)), duration)


def _linear(
    equations: Equations, start: Start, lengths: np.ndarray, rate: float
) -> np.ndarray:
    """[0 1; K D] at the start of the first run, by differences."""
    system, n = equations.system, equations.system.speeds
    t, q, z = (getattr(start.states, word)[0] for word in ("t", "q", "z"))
    places = [system.local(q, SHARE * length * e) for length, e in _each(lengths)]
    speeds = [z + SHARE * rate * length * e for length, e in _each(lengths)]
    rows = unchecked(
        system, np.full(2 * n, t), np.array([*places, *[q] * n]),
        np.array([*[z] * n, *speeds]),
    )  # fmt: skip
    change = _rates(equations, start, rows) - start.initial_derivative.z_dot[0]
    steps = SHARE * np.concatenate([lengths, rate * lengths])
    lower = (change / steps[:, None]).T
    upper = np.concatenate([np.zeros((n, n)), np.eye(n)], axis=1)
    return np.concatenate([upper, lower])


def _each(lengths: np.ndarray) -> Any:
    return zip(lengths, np.eye(len(lengths)), strict=True)


def _rates(equations: Equations, start: Start, rows: States) -> np.ndarray:
    """z_dot (rows, nz), asked in the form that the start was asked in."""
    own = {name: np.repeat(v[:1], len(rows)) for name, v in start.table.items()}
    held = np.repeat(start.held[:1], len(rows), axis=0)

    def asked(pick: slice) -> Any:
        table = {name: values[pick] for name, values in own.items()}
        part = rows.part(pick)
        return initial_derivative(equations, part, table, start.drive, held[pick]).z_dot

    if len(start.states) > 1:
        return asked(slice(0, len(rows)))
    return np.concatenate([asked(slice(k, k + 1)) for k in range(len(rows))])


class _Changes(NamedTuple):
    """How the rates of the speeds of a large system change, along one direction."""

    equations: Equations
    start: Start
    lengths: np.ndarray

    def along(self, delta: np.ndarray, dz: np.ndarray) -> np.ndarray:
        """K delta + D dz (nz,), by a difference; both are scaled to be small."""
        size = np.max(np.abs(delta) / self.lengths) + np.max(np.abs(dz) / self.lengths)
        if not size:
            return np.zeros_like(dz)
        share, system = SHARE / size, self.equations.system
        t, q, z = (getattr(self.start.states, word)[0] for word in ("t", "q", "z"))
        place = np.asarray(system.local(q, share * delta))
        row = unchecked(system, np.array([t]), place[None], (z + share * dz)[None])
        found = _rates(self.equations, self.start, row)[0]
        return (found - self.start.initial_derivative.z_dot[0]) / share


def _of_largest(changes: _Changes, duration: float, moving: float) -> Decay:
    """The quickest decay, and what may swing, by the largest roots alone.

    What does not decay is at most as quick as the system without its damping; of
    springs that are damped beyond swinging this is too much, so that such a run is not
    called stiff, but is one in which something decays often.
    """
    n = len(changes.lengths)
    still = np.zeros(n)

    def first_order(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[n:], changes.along(x[:n], x[n:])])

    roots = largest_roots(first_order, 2 * n)
    swings = largest_roots(lambda x: changes.along(x, still), n)
    if not (len(roots) and np.all(np.isfinite([*roots, *swings]))):
        return NO_DECAY
    decays = (roots.real < 0) & (-roots.real >= np.abs(roots.imag))
    quickest = float(np.max(-roots.real[decays], initial=0.0))
    undamped = float(np.sqrt(np.max(np.abs(swings), initial=0.0)))
    return Decay(quickest, max(moving, undamped), duration)
