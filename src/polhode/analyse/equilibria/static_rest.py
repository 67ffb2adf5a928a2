r"""Whether a system rests on its supports: pushes and friction that balance all else.

    f + J^T r + A^T l = 0,      N >= 0,   |T| <= mu_s N       of contacts that touch

Where friction or redundant contacts leave a choice there is an interval of every push,
and of a load an interval of its values. Both are found by linear programs: cones are
cut by tangent planes until they are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import AnalysisError
from polhode.formulation.contact.instant import admit_table, require_apart, seen
from polhode.formulation.recursive.recursive import recursive
from polhode.matter.parameter import NOMINAL, Table, at
from polhode.system.checked_argument import state_argument
from polhode.system.contacts import names, pads, pressed_pads
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.analyse.equilibria.rest_stability import RestStability
    from polhode.system.state import State
    from polhode.system.system import System

# Of the forces: what is rounding of a linear program, and of a cone.
ROUNDED, KEPT = 1e-7, 1e-10
CUTS = 60
FIRST_CUTS = 8
# Of the greatest: an interval of a push that is no single value.
SPREAD = 1e-6


@final
@dataclass(frozen=True, eq=False, repr=False)
class StaticRest(Answer):
    """What supports can bear in a state at rest.

    rests     whether some pushes and friction balance all else
    forces    point -> (3,) N along the world's axes, the least of all that do
    pushes    point -> (lowest, highest) push that the laws allow, N
    load      name of the load that was asked about, or None
    interval  (lowest, highest) value of it at which the state rests; None without one
    """

    state: State
    rests: bool
    forces: dict[str, np.ndarray]
    pushes: dict[str, tuple[float, float]]
    load: str | None
    interval: tuple[float, float] | None
    table: Table

    def stability(self) -> RestStability:
        """Whether it stays near there after a small disturbance, and what can move."""
        from polhode.analyse.equilibria.rest_stability import stability_on_supports

        if not self.rests:
            raise AnalysisError(
                f"{self.state.system.name!r} does not rest in this state.",
                "Only a rest is stable or not.",
                "Ask ph.equilibria(system) for places where it does.",
            )
        return stability_on_supports(self.state, self.forces, self.table)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Points whose push is not decided by the balance: starred when printed."""
        most = max((abs(x) for pair in self.pushes.values() for x in pair), default=0)
        return tuple(n for n, (a, b) in self.pushes.items() if b - a > SPREAD * most)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        word = "rests" if self.rests else "does not rest"
        notes = []
        if self.interval is not None:
            low, high = self.interval
            notes.append(f"{self.load} from {low:.6g} to {high:.6g}")
        return AnswerTable(
            f"StaticRest({self.state.system.name!r} {word})",
            ("", "push, N"),
            [self._row(name) for name in self.pushes],
            notes,
        )

    def _row(self, name: str) -> tuple[str, str]:
        """A point and its push, with a star where that is not determined."""
        low, high = self.pushes[name]
        if name in self.undetermined:
            return name, f"{low:.6g} to {high:.6g} *"
        return name, f"{low:.6g}"


class _Balance(NamedTuple):
    """Unknowns x = [r (3c), l, load]: rows @ x = right, of c contacts.

    mu (c,) static coefficients, pressed (c,) loads of brakes, NaN of others
    """

    rows: np.ndarray
    right: np.ndarray
    mu: np.ndarray
    pressed: np.ndarray
    scale: float


@state_argument
def static_rest(
    state: State, load: str | None = None, table: Table = NOMINAL
) -> StaticRest:
    """Whether a state at rest stays so, and what its supports then bear.

    `load` names a parameter, such as a mass or a force that was given as one, on which
    forces depend linearly: the answer has the interval of its values for which the
    state rests.

    >>> import polhode as ph
    >>> block = ph.Particle("block", ph.Parameter("m", 2.0))
    >>> on = ph.Support(ph.surfaces.point(block.mass_centre), ph.World().origin,
    ...                 friction=ph.Coulomb(0.5), name="foot")
    >>> slope = ph.System([block], [ph.Weight(9.81, up=(0.3, 0, 1))], supports=[on])
    >>> static_rest(slope.state())
    StaticRest('system' rests)
          push, N
    foot  18.79...
    """
    now = seen(state, admit_table(state, table))
    require_apart(now)
    _require_rest(state)
    labels = names(state.system)
    touching = np.flatnonzero(now.touching).tolist()
    balance = _balance(now, touching, load, table)
    count, width = len(touching), balance.rows.shape[1]
    some = _program(balance, np.zeros(width), fixed=_value(state, load, table))
    if some is None and load is None:
        return StaticRest(state, False, {}, {}, load, None, table)
    pushes: dict[str, tuple[float, float]] = {}
    forces: dict[str, np.ndarray] = {}
    if some is not None:
        fixed = _value(state, load, table)
        for i, k in enumerate(touching):
            aim = np.eye(width)[3 * i]
            low, high = (_program(balance, s * aim, fixed=fixed) for s in (1, -1))
            most = np.inf if high is UNBOUNDED else float(high[3 * i])
            pushes[labels[k]] = float(low[3 * i]), most
        least = _least(balance, some, count)
        axes = now.problem.rows.axes
        forces = {
            labels[k]: axes[k] @ least[3 * i : 3 * i + 3]
            for i, k in enumerate(touching)
        }
    interval = None if load is None else _interval(balance)
    return StaticRest(state, some is not None, forces, pushes, load, interval, table)


def _require_rest(state: State) -> None:
    fastest = float(np.max(np.abs(state.z), initial=0.0))
    if fastest == 0:
        return
    raise AnalysisError(
        f"{state.system.name!r} moves in this state, at up to {fastest:.3g}.",
        "Only what is at rest may stay so.",
        "Give the state with its speeds at zero: state.changed(speeds=...).",
    )


def _value(state: State, load: str | None, table: Table) -> float | None:
    if load is None:
        return None
    known = state.system.parameters
    if load not in known:
        raise AnalysisError(
            f"{state.system.name!r} has no parameter {load!r}.",
            "A load is a number with a name: a mass, a force, a stretch.",
            suggestion(load, list(known)),
        )
    return float({**known, **table}[load])


def _balance(now: Any, touching: list[int], load: str | None, table: Table) -> _Balance:
    """All forces in a state at rest, in the speeds' directions."""
    system, state, rows = now.state.system, now.state, now.problem.rows
    force, A = _forces(system, state, table)
    columns = [rows.jacobian[k].T for k in touching]
    parts = [*columns, A.T]
    right = -force
    if load is not None:
        value = _value(state, load, table)
        by_load = _linear(system, state, table, load)
        parts.append(by_load[:, None])
        right = right + by_load * value
    width = sum(part.shape[1] for part in parts)
    matrix = np.concatenate(parts, axis=1) if width else np.zeros((len(force), 0))
    pressing = _pressing(system, touching, width)
    matrix = np.concatenate([matrix, pressing])
    right = np.concatenate([right, np.zeros(len(pressing))])
    pressed = np.full(len(rows.gap), np.nan)
    for pad, weight in pressed_pads(system).items():
        pressed[pad] = float(at(weight, system.table(table)))
    scale = max(float(np.max(np.abs(force), initial=0.0)), 1e-300)
    return _Balance(
        matrix, right, np.asarray(rows.static)[touching], pressed[touching], scale
    )


def _pressing(system: System, touching: list[int], width: int) -> np.ndarray:
    """Rows (k, width) in which the push of each couple is that of its contact."""
    rows = []
    for pad in pads(system):
        if pad.edge is not None:
            raise AnalysisError(
                f"{names(system)[pad.candidate]!r} is pressed by what its joint"
                " carries.",
                "Forces that balance are then no set of straight edges, and have no"
                " intervals.",
                "Ask ph.contact_modes(state), or give ph.Brake with the load it has.",
            )
        if pad.contact is None:
            continue
        row = np.zeros(width)
        row[3 * touching.index(pad.candidate)] = 1.0
        if pad.contact in touching:
            row[3 * touching.index(pad.contact)] = -1.0
        rows.append(row)
    return np.array(rows).reshape(len(rows), width)


def _forces(system: System, state: State, table: Table) -> tuple[Any, Any]:
    """f - b (nz,) at rest and the rows A (m, nz) of constraints, without supports."""
    bare, key = system.without_supports, "forces at rest"
    if key not in bare.compiled:

        def forces(t: Scalar, q: Array, z: Array, table: Table) -> Any:
            terms = recursive(bare).functions.terms(t, q, z, table)
            return terms.force - terms.bias, terms.rows

        bare.compiled[key] = doubled(forces)
    found = bare.compiled[key](state.t, state.q, 0.0 * state.z, dict(table))
    return np.asarray(found[0]), np.asarray(found[1])


def _linear(system: System, state: State, table: Table, name: str) -> np.ndarray:
    """df/dload (nz,), refused where forces are not linear in it."""
    value = _value(state, name, table)
    assert value is not None
    step = max(abs(value), 1.0)
    f_0, f_1, f_2 = (
        _forces(system, state, {**table, name: value + k * step})[0] for k in range(3)
    )
    slope = (f_1 - f_0) / step
    size = max(float(np.max(np.abs([f_0, f_1, f_2]))), 1e-300)
    if np.max(np.abs(f_2 - 2 * f_1 + f_0)) > 1e-9 * size:
        raise AnalysisError(
            f"the forces on {system.name!r} are not linear in {name!r}.",
            "An interval of it is then no interval of forces.",
            "Name a mass or a force.",
        )
    return slope


def _interval(balance: _Balance) -> tuple[float, float]:
    """The values of the load, the last unknown, for which forces balance."""
    width = balance.rows.shape[1]
    aim = np.eye(width)[-1]
    ends = []
    for sign in (1.0, -1.0):
        found = _program(balance, sign * aim)
        if found is None:
            return (np.nan, np.nan)
        ends.append(-sign * np.inf if found is UNBOUNDED else float(found[-1]))
    return ends[0], ends[1]


UNBOUNDED = np.array([])


def _program(balance: _Balance, aim: np.ndarray, *, fixed: float | None = None) -> Any:
    """x with the least aim @ x; None where there is none, UNBOUNDED without an end."""
    from scipy.optimize import linprog

    count, width = len(balance.mu), len(aim)
    bounds: list[Any] = [(None, None)] * width
    for i in range(count):
        given = balance.pressed[i]
        bounds[3 * i] = (0, None) if np.isnan(given) else (given, given)
        if balance.mu[i] == 0:
            bounds[3 * i + 1] = bounds[3 * i + 2] = (0, 0)
    if fixed is not None:
        bounds[-1] = (fixed, fixed)
    turns = 2 * np.pi * np.arange(FIRST_CUTS) / FIRST_CUTS
    cuts = [_cut(balance, i, a, width) for i in range(count) for a in turns]
    size = max(float(np.max(np.abs(balance.rows), initial=0.0)), 1e-300)
    for _ in range(CUTS):
        found = linprog(
            aim, A_ub=np.array(cuts) if cuts else None,
            b_ub=np.zeros(len(cuts)) if cuts else None,
            A_eq=balance.rows / size, b_eq=balance.right / size, bounds=bounds,
            method="highs", options={"primal_feasibility_tolerance": 1e-10,
                                     "dual_feasibility_tolerance": 1e-10},
        )  # fmt: skip
        if found.status == 3:
            return UNBOUNDED
        if found.x is None:
            return None
        missed = [_cone_excess(balance, i, found.x) for i in range(count)]
        if max((m for m, _ in missed), default=0.0) <= KEPT * balance.scale:
            return found.x
        cuts += [
            _cut(balance, i, a, width)
            for i, (m, a) in enumerate(missed)
            if m > KEPT * balance.scale
        ]
    return found.x


def _cut(balance: _Balance, i: int, angle: float, width: int) -> np.ndarray:
    """cos T1 + sin T2 - mu N <= 0"""
    row = np.zeros(width)
    row[3 * i : 3 * i + 3] = -balance.mu[i], np.cos(angle), np.sin(angle)
    return row


def _cone_excess(balance: _Balance, i: int, x: np.ndarray) -> tuple[float, float]:
    """How far friction is outside its cone, and in which direction."""
    N, *T = x[3 * i : 3 * i + 3]
    return float(np.hypot(*T) - balance.mu[i] * N), float(np.arctan2(T[1], T[0]))


def _least(balance: _Balance, some: np.ndarray, count: int) -> np.ndarray:
    """Contact forces (3c,) of least norm among those that balance, in their cones."""
    from scipy.optimize import minimize

    rest = balance.right - balance.rows[:, 3 * count :] @ some[3 * count :]
    own = balance.rows[:, : 3 * count]
    if not count:
        return np.zeros(0)
    free, pressed = np.isnan(balance.pressed), balance.pressed
    r = np.linalg.lstsq(own, rest, rcond=1e-12)[0]
    if np.all(free) and np.all(_slack(balance, r) >= -ROUNDED * balance.scale):
        return r
    size = balance.scale
    equal = [
        {"type": "eq", "fun": lambda r: (own @ (size * r) - rest) / size},
        {"type": "ineq", "fun": lambda r: _slack(balance, size * r) / size},
        {"type": "eq", "fun": lambda r: (size * r[::3] - pressed)[~free] / size},
    ]
    begin, options = some[: 3 * count] / size, {"maxiter": 200, "ftol": 1e-14}
    found = minimize(lambda r: r @ r, begin, constraints=equal, options=options)
    return size * found.x if found.success else some[: 3 * count]


def _slack(balance: _Balance, r: np.ndarray) -> np.ndarray:
    """(2c,) not negative where contact forces are allowed: N, and mu N - |T|."""
    N, T = r[::3], np.hypot(r[1::3], r[2::3] + 1e-12 * balance.scale)
    return np.concatenate([N, balance.mu * N - T + 1e-12 * balance.scale])
