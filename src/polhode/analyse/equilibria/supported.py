r"""Where a system rests on its supports: lowest places of V within what may touch.

    least V(q)   with   g(q) >= 0,   and the equations of constraints

are rests that need no friction, found by sequential quadratic programs from places at
random. Friction holds a system around each of them too, in whole regions: whether it
does in one state, and under which loads, says `ph.static_rest`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import jax
import numpy as np

from polhode.analyse.equilibria.static_rest import StaticRest, static_rest
from polhode.analyse.machinery.listing import StateSearch
from polhode.answer_table import Answer, AnswerTable, number, relative
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.formulation.contact.instant import TOUCHES
from polhode.system import rows
from polhode.system.contacts import contact_length, gaps, names
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.analyse.equilibria.rest_stability import RestStability
    from polhode.system.system import System

# Of the energies: places of one energy and the same contacts are of one family.
SAME = 1e-6
# Of the system's length: a gap that the search leaves is closed by a few more steps.
CLOSED = 1e-6
PASSES = 4


@final
@dataclass(frozen=True, eq=False, repr=False)
class SupportedRest(Answer):
    """A place in which a system rests on its supports, without any friction.

    energy   V there, J
    rest     what its supports then bear: `StaticRest`
    """

    state: State
    energy: float
    rest: StaticRest

    @property
    def touching(self) -> tuple[str, ...]:
        """The points that touch."""
        return tuple(self.rest.pushes)

    def stability(self) -> RestStability:
        """Whether it stays near there, friction counted."""
        return self.rest.stability()

    def __getitem__(self, joint: str) -> Any:
        return self.state[joint]

    def as_table(self) -> AnswerTable:
        """What is printed."""
        found = [*zip(self.state.system.coordinate_names, self.state.q, strict=True)]
        found += [("V, J", f"{self.energy:.6g}")]
        return AnswerTable(
            f"SupportedRest of {self.state.system.name!r}", ("", "value"), found,
            [f"touches: {', '.join(self.touching) or 'nothing'}"],
        )  # fmt: skip


@final
@dataclass(frozen=True, eq=False, repr=False)
class SupportedRests(StateSearch[SupportedRest]):
    """Rests on supports that were found, the lowest energy first.

    starts, arrived  how many places were started from, and how many came to rest
    """

    def as_table(self) -> AnswerTable:
        """What is printed."""
        count = f"{len(self.found)} rest{'' if len(self.found) == 1 else 's'}"
        energies = relative([each.energy for each in self.found])
        each = zip(self.found, energies, strict=True)
        return AnswerTable(
            f"{self.system.name!r}: {count} on its supports; {self.arrived} of"
            f" {self.starts} starts came to rest",
            ("", *self.system.coordinate_names, "V, J", "touches"),
            [
                (k, *map(number, one.state.q), V, ", ".join(one.touching))
                for k, (one, V) in enumerate(each)
            ],
            ["Friction may hold it elsewhere too: ph.static_rest(state)."],
        )


def rests_on_supports(
    system: System, place: np.ndarray, starts: int, t: float, seed: int
) -> SupportedRests:
    """Lowest places from `place`, and from others turned and moved at random."""
    random, length = np.random.default_rng(seed), contact_length(system)
    found: list[SupportedRest] = []
    arrived = 0
    for k in range(starts):
        away = random.normal(size=system.speeds) * (k > 0)
        q = np.asarray(system.local(place, away * _scales(system, length)))
        lowest = _lowest(system, q, t)
        if lowest is None:
            continue
        state = State(system, t, lowest, np.zeros(system.speeds))
        rest = static_rest(state)
        if not rest.rests:
            continue
        arrived += 1
        energy = float(system.potential_energy(t, lowest, system.table()))
        new = SupportedRest(state, energy, rest)
        if not any(_is_same(new, other) for other in found):
            found.append(new)
    found.sort(key=lambda each: each.energy)
    return SupportedRests(system, tuple(found), starts, arrived)


def _scales(system: System, length: float) -> np.ndarray:
    """How far starts are from each other (nz,): a turn, or a length."""
    units = [unit for joint in system.joints for unit in joint.speed_units]
    return np.array([1.5 if unit == "rad/s" else length for unit in units])


def _is_same(one: SupportedRest, other: SupportedRest) -> bool:
    size = max(abs(one.energy), abs(other.energy), 1e-300)
    alike = abs(one.energy - other.energy) <= SAME * size
    return alike and one.touching == other.touching


def _lowest(system: System, q: np.ndarray, t: float) -> np.ndarray | None:
    """A lowest place near q, closed to what a contact is; None where none is found."""
    from scipy.optimize import minimize

    ask = _functions(system)
    length = contact_length(system)
    for _ in range(PASSES):
        here = q

        def part(d: np.ndarray, k: int, here: np.ndarray = here) -> Any:
            return np.asarray(ask(t, here, d)[k])

        size = max(float(np.max(np.abs(part(np.zeros(system.speeds), 3)))), 1e-300)
        limits: list[Any] = [
            {"type": "ineq", "fun": lambda d: part(d, 1), "jac": lambda d: part(d, 4)}
        ]
        if system.constraints:
            equal = {"fun": lambda d: part(d, 2), "jac": lambda d: part(d, 5)}
            limits.append({"type": "eq", **equal})
        found = minimize(
            lambda d, size=size: float(part(d, 0)) / size,
            np.zeros(system.speeds),
            jac=lambda d, size=size: part(d, 3) / size,
            constraints=limits,
            method="SLSQP",
            options={"maxiter": 300, "ftol": 1e-15},
        )
        q = np.asarray(system.normalised(system.local(q, found.x)))
        if not np.all(np.isfinite(q)):
            return None
    return _close_gaps(system, q, t, length)


def _close_gaps(
    system: System, q: np.ndarray, t: float, length: float
) -> np.ndarray | None:
    """Gaps that are all but closed are closed; None where something is inside."""
    ask, still = _functions(system), np.zeros(system.speeds)
    for _ in range(PASSES):
        _, g, phi, _, G, A = (np.asarray(x) for x in ask(t, q, still))
        near = g <= CLOSED * length
        left = np.concatenate([g[near], phi])
        if np.max(np.abs(left), initial=0.0) <= TOUCHES * length / 10:
            break
        step = np.linalg.lstsq(np.concatenate([G[near], A]), -left, rcond=1e-9)[0]
        q = np.asarray(system.normalised(system.local(q, step)))
    g = np.asarray(gaps(system, t, q))
    return q if np.min(g, initial=0.0) > -TOUCHES * length / 2 else None


def _functions(system: System) -> Any:
    """(t, q, d) -> V, g, phi at q moved by d, and their derivatives by d."""
    key = "lowest places"
    if key not in system.compiled:
        contact_length(system)

        def parts(t: Scalar, q: Array, d: Array) -> Any:
            def each(d: Array) -> Any:
                there = system.local(q, d)
                V = system.potential_energy(t, there, system.table())
                g = gaps(system, t, there)
                return V, g, rows.positions(system, t, there)

            return (*each(d), *jax.jacfwd(each)(d))

        names(system)
        system.compiled[key] = doubled(parts)
    return system.compiled[key]
