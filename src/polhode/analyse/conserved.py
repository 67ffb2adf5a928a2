"""What a system keeps: symmetries found by test, and the momenta they give (Noether).

Each balance of `balances` is asked for its exact rate of change at states drawn at
random. With R (states, d) the rates, sums c . J with R c = 0 are kept:

    dJ/dt = 0 in every state   <=>   kept in every motion

What cancels to rounding is nothing. A balance that is not kept says what changes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.machinery import balances
from polhode.analyse.machinery.balances import Balance, Group, Rate
from polhode.analyse.symmetries import draw
from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError, InconsistentState
from polhode.formulation.equations import Equations
from polhode.formulation.questions.determinacy import row_echelon
from polhode.integrate.host.motion_equations import equations_of
from polhode.lowering.compile import compile
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.lengths import (
    coordinate_lengths,
    natural_length,
    speed_lengths,
)
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

KEPT = 1e-9  # of what would change it, if nothing cancelled
NAMED_SHARE = 1e-6  # of the same: a part that is named among those that change it
SPARE = 6  # draws beyond the number of unknowns


@final
@dataclass(frozen=True, eq=False)
class Integral:
    """What every motion keeps: a sum of the entries of a balance, by weights (d,)."""

    name: str
    reason: str
    balance: Balance = field(repr=False)
    weights: np.ndarray = field(repr=False)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Conserved(Answer):
    """What a system keeps, and what changes the rest.

    integrals     each kept quantity, with the symmetry behind it
    broken        quantity -> what changes it
    zero          quantities that are zero in every state
    independent   how many of the integrals do not follow from the others
    """

    equations: Equations
    integrals: tuple[Integral, ...]
    broken: dict[str, tuple[str, ...]]
    zero: tuple[str, ...]
    independent: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is kept."""
        return tuple(integral.name for integral in self.integrals)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def along(self, motion: Trajectory) -> dict[str, np.ndarray]:
        """Each integral at the rows of a motion (n,), by name."""
        if motion.system is not self.equations.system:
            raise AnalysisError(
                f"{motion!r} is no motion of {self.equations.system.name!r}.",
                "Another system keeps other quantities.",
                "Ask ph.conserved of the system that was simulated.",
            )
        program = _program(self.equations, "integrals", self._values, motion.table)
        values = program(motion.t, motion.q, motion.z, dict(motion.table))
        return dict(zip(self.names, np.transpose(values), strict=True))

    def drift(self, motion: Trajectory) -> dict[str, float]:
        """By how much a motion changes each integral, of its own largest size."""
        found = self.along(motion)
        return {
            name: float(np.ptp(v) / (np.max(np.abs(v)) or 1.0))
            for name, v in found.items()
        }

    def why(self, name: str) -> str:
        """What keeps a quantity, or changes it, in words."""
        for integral in self.integrals:
            if integral.name == name:
                return f"{name} is kept: {integral.reason}"
        if name in self.broken:
            return f"{name} is changed by {', '.join(self.broken[name])}"
        if name in self.zero:
            return f"{name} is zero, however the system moves"
        known = [*self.names, *self.broken, *self.zero]
        raise AnalysisError(
            f"nothing called {name!r} is among them.",
            f"These were: {', '.join(known)}.",
            suggestion(name, known),
        )

    def _values(self, t: Scalar, q: Array, z: Array, table: Table) -> Any:
        import jax.numpy as jnp

        kinds = {id(i.balance): i.balance for i in self.integrals}
        values = {k: b.value(t, q, z, table) for k, b in kinds.items()}
        each = [jnp.asarray(i.weights) @ values[id(i.balance)] for i in self.integrals]
        return jnp.stack([jnp.zeros(()), *each])[1:]

    def plot(self, motion: Trajectory) -> Any:
        """How far a motion changes what it should keep: a `Picture`."""
        from polhode.show.plots.answers import conserved_picture

        return conserved_picture(self, motion)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        rows = [(i.name, f"kept: {i.reason}") for i in self.integrals]
        rows += [(n, f"changed by {', '.join(by)}") for n, by in self.broken.items()]
        counts = f"{len(self.integrals)} kept, {self.independent} independent"
        return AnswerTable(
            f"Conserved({self.equations.system.name!r}: {counts})",
            ("", ""),
            rows,
            [f"always zero: {', '.join(self.zero)}"] if self.zero else [],
        )


def conserved(
    model: System | Equations,
    *,
    groups: Mapping[str, Group] | None = None,
    poles: Mapping[str, Any] | None = None,
    parameters: Table = NOMINAL,
) -> Conserved:
    """The first integrals of a system, found by test.

    Asked are the energy, momentum, angular momentum about the world's origin and about
    the mass centre, and the momentum of each speed (cyclic coordinates); sums of these
    are found, too. `groups` are symmetries of the user's: fields q -> speeds (nz,) by
    name. `poles` are other poles of angular momentum: points of bodies or of the world,
    or places (3,) as functions of t or of (t, state). Of `Equations` whose velocities
    hide a driver's motion the generalised energy is asked also.

    >>> import polhode as ph
    >>> ph.conserved(ph.models.heavy_top()).names
    ('energy', 'angular momentum z', 'momentum of tip.wz')
    """
    system = model.system if isinstance(model, Equations) else model
    equations = equations_of(system)
    asked = _answers(equations, model, groups or {}, poles or {})
    states = _states(system, parameters, SPARE + max(len(b.names) for b in asked))
    program = compile(
        balances.rates_of(model if isinstance(model, Equations) else equations, asked),
        *(0.0, states[1][0], states[2][0], dict(parameters)),
        batched=["t", "q", "z"],
    )
    rates = program(*states, dict(parameters))
    kept, broken, zero = _sort(asked, [Rate(*rate) for rate in rates])
    rank = _rank(Conserved(equations, kept, broken, zero, 0), states, parameters)
    return Conserved(equations, kept, broken, zero, rank)


def _sort(asked: list[Balance], rates: list[Rate]) -> tuple[Any, Any, Any]:
    """What is kept, what is not and why, and what is always zero."""
    kept: list[tuple[Integral, np.ndarray]] = []
    broken: dict[str, tuple[str, ...]] = {}
    zero: list[str] = []
    for balance, rate in zip(asked, rates, strict=True):
        size = np.max(rate.size, axis=0)
        void = np.all(np.abs(rate.value) <= KEPT * rate.gross, axis=0)
        zero += [
            name for name, is_void in zip(balance.names, void, strict=True) if is_void
        ]
        share = np.abs(rate.rate) / np.where(rate.size > 0, rate.size, 1.0)
        alone = np.max(share, axis=0) < KEPT
        for k in np.flatnonzero(alone & ~void):
            weights = np.eye(len(size))[k]
            found = Integral(balance.names[k], balance.symmetries[k], balance, weights)
            kept.append((found, rate.value[:, k]))
        others = np.flatnonzero(~alone & ~void)
        for found in _sums(balance, rate, others):
            value = rate.value @ found.weights
            gross = rate.gross @ np.abs(found.weights)
            if np.all(np.abs(value) <= KEPT * gross):
                continue  # zero, because the constraints leave no motion along it
            if not any(_is_multiple(value, known) for _, known in kept):
                kept.append((found, value))
        broken.update({balance.names[k]: _guilty(rate, int(k)) for k in others})
    return tuple(each for each, _ in kept), broken, tuple(zero)


def _answers(
    equations: Equations, model: Any, groups: Mapping[str, Group], poles: Any
) -> list[Balance]:
    import jax.numpy as jnp

    system = equations.system
    found = [balances.energy(equations)]
    if isinstance(model, Equations) and model.functions.start is not (
        model.functions.speeds
    ):
        found.append(balances.generalised_energy(equations, model))
    found.append(balances.whole(system))
    found.append(balances.about(system, "G", balances.mass_centre(system)))
    for name, pole in poles.items():
        found.append(balances.about(system, name, _pole(system, name, pole)))
    eye, kinetic = np.eye(system.speeds), "kinetic energy"
    names = tuple(f"momentum of {name}" for name in system.speed_names)
    found.append(balances.along_fields(equations, names, lambda q: eye, kinetic))
    for name, group in groups.items():

        def one(q: Any, group: Group = group) -> Any:
            return jnp.reshape(jnp.asarray(group(q)) * 1.0, (1, system.speeds))

        word = (f"momentum of {name}",)
        found.append(balances.along_fields(equations, word, one, kinetic))
    return found


def _pole(system: System, name: str, pole: Array) -> Any:
    if hasattr(pole, "frame"):
        _require_member(system, name, pole)
        return balances.place_of(system, pole)
    if callable(pole):
        return _moving(system, pole)
    raise AnalysisError(
        f"the pole {name!r} cannot be {pole!r}.",
        "A pole is a point of a body or of the world, or a place as time goes.",
        "Give body.point(x, y, z), world.origin, or a function of t to three numbers.",
    )


def _require_member(system: System, name: str, pole: Any) -> None:
    frames = [body.frame for body in system.bodies]
    if pole.frame not in [*frames, system.tree.world.frame]:
        raise AnalysisError(
            f"the pole {name!r} is fixed to {pole.frame.name!r}, which is not in"
            f" {system.name!r}.",
            "Where a pole is follows from where the bodies of the system are.",
            "Give a point of one of its bodies, or of its own world:"
            " system.tree.world.",
        )


def _moving(system: System, pole: Any) -> Any:
    """The place of a pole that is a function of t, or of t and where the system is."""
    import inspect

    import jax.numpy as jnp

    alone = len(inspect.signature(pole).parameters) == 1

    def place(t: Any, q: Any, table: Table) -> Any:
        if alone:
            return jnp.asarray(pole(t)) * 1.0
        return jnp.asarray(pole(t, State(system, t, q, jnp.zeros(system.speeds)))) * 1.0

    return place


def _states(system: System, table: Table, count: int) -> tuple[Any, Any, Any]:
    """t (n,), q (n, nq), z (n, nz) at random, on the constraints."""
    rng = np.random.default_rng(11)
    changed = system.with_(table) if table else system
    found: list[State] = []
    for _ in range(20 * count):
        at = rng.uniform(0, 3), draw(system, rng)
        state = State(changed, *at, rng.uniform(-1, 1, system.speeds))
        try:
            found.append(changed.consistent(state))
        except InconsistentState:
            continue
        if len(found) == count:
            t, q, z = ([getattr(s, k) for s in found] for k in "tqz")
            return np.array(t), np.array(q), np.array(z)
    raise AnalysisError(
        f"what {system.name!r} keeps cannot be found by test.",
        f"Of {20 * count} states at random only {len(found)} could be put on its"
        " constraints.",
        "Ask a simpler model, or watch a motion by its ledger.",
    )


def _sums(balance: Balance, rate: Rate, others: np.ndarray) -> list[Integral]:
    """Sums of the entries `others` that are kept, though none of these is alone."""
    if len(others) < 2:
        return []
    sizes = np.max(rate.size, axis=0)
    R = rate.rate[:, others] / sizes[others]
    _, values, right = np.linalg.svd(R, full_matrices=False)
    small = values < KEPT * values[0] * np.sqrt(len(R))
    found = []
    for row in row_echelon(right[small] / sizes[others]):
        weights = np.zeros(len(sizes))
        weights[others] = row
        name = _combination_text(balance.names, weights)
        found.append(Integral(name, "the changes cancel", balance, weights))
    return found


def _is_multiple(value: np.ndarray, other: np.ndarray) -> bool:
    rest = value - other * (value @ other) / (other @ other)
    return bool(np.linalg.norm(rest) < 1e-8 * np.linalg.norm(value))


def _combination_text(names: tuple[str, ...], weights: np.ndarray) -> str:
    parts = []
    for name, weight in zip(names, weights, strict=True):
        factor = "" if abs(abs(weight) - 1) < 1e-9 else f"{abs(weight):.6g} "
        if weight:
            parts.append(f"{'-' if weight < 0 else '+'} {factor}{name}")
    return " ".join(parts).removeprefix("+ ")


def _guilty(rate: Rate, k: int) -> tuple[str, ...]:
    shares = {n: np.max(np.abs(part[:, k])) for n, part in rate.parts.items()}
    size = np.max(rate.size[:, k])
    ordered = sorted(shares, key=lambda n: -shares[n])
    return tuple(n for n in ordered if shares[n] > NAMED_SHARE * size) or (ordered[0],)


def _rank(found: Conserved, states: Any, table: Table) -> int:
    """How many integrals have independent slopes, at most, in the states drawn."""
    import jax

    if not found.integrals:
        return 0

    def slopes(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return jax.jacfwd(found._values, (1, 2))(t, q, z, table)

    program = _program(found.equations, "slopes", slopes, table)
    by_q, by_z = program(*states, dict(table))
    system, (_, q, z) = found.equations.system, states
    length = natural_length(system, np.asarray(q)[0])
    along = speed_lengths(system, length)
    rate = np.max(np.abs(z) / along, initial=0.0) or 1.0
    sizes = coordinate_lengths(system, length), rate * along
    D = np.concatenate([by_q * sizes[0], by_z * sizes[1]], axis=2)
    norms = np.linalg.norm(D, axis=2, keepdims=True)
    values = np.linalg.svd(D / np.where(norms > 0, norms, 1.0), compute_uv=False)
    return int(np.max(np.sum(values > 1e-8, axis=1)))


def _program(equations: Equations, word: str, function: Any, table: Table) -> Any:
    system = equations.system
    example = (0.0, system.neutral(), np.zeros(system.speeds), dict(table))
    return compile(function, *example, batched=["t", "q", "z"])
