"""Where a system can rest: every equilibrium that can be found, with what holds it.

    f(q) + A^T l = 0,      g(q) = 0,      z = 0

f are all actions along the speeds, l the intensities of reactions: grad U + Q +
grad(g) s = 0 in the words of Lagrange's equations of the first kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.equilibria.rest import is_equilibrium
from polhode.analyse.machinery.damped_newton import Balance, Settled
from polhode.analyse.machinery.deduplicate import family_note, neutral_names
from polhode.analyse.machinery.listing import StateSearch
from polhode.analyse.machinery.recombine import every_distinct
from polhode.analyse.machinery.search import (
    Search,
    free_motions,
    refuse_large_search,
    search_of,
    shared_rows,
    starts_of,
)
from polhode.analyse.symmetries import Carriers
from polhode.answer_table import Answer, AnswerTable, number, relative
from polhode.constraints.rolling import Touching
from polhode.errors import AnalysisError
from polhode.integrate.host.motion_equations import equations_of
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.check import rest_coordinates
from polhode.system.checked_argument import system_argument
from polhode.system.state import State, require_layout

if TYPE_CHECKING:
    from polhode.actions.attachment import Attachment
    from polhode.analyse.equilibria.stability import Stability
    from polhode.analyse.equilibria.supported import SupportedRests
    from polhode.geometry.wrench import Wrench
    from polhode.system.system import System

STARTS = 64  # of a search, drawn where the caller gives no number
SUPPORTED_STARTS = 24  # at most, of searches that are made one by one
LOOSE = 1e-9  # of the mass matrix on free motions, scaled: nothing resists


@final
@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(Answer):
    """A state in which a system rests, and stays.

    multipliers  l (m,), one a row of the constraints; the least, where not unique
    energy       V there
    family       directions, in words, along which all places are equilibria too
    shared       rows whose reactions statics does not determine
    pulled       contacts whose surface would have to pull: there they open
    """

    state: State
    multipliers: np.ndarray
    energy: float
    family: tuple[str, ...]
    shared: tuple[str, ...]
    pulled: tuple[str, ...]

    @property
    def is_determinate(self) -> bool:
        """Whether statics determines all reactions."""
        return not self.shared

    def reactions(
        self,
        table: Table = NOMINAL,
        *,
        at: Attachment | Mapping[str, Attachment] | None = None,
    ) -> dict[str, Wrench]:
        """What joints and constraints exert, by name: see `Equations.reactions`."""
        return equations_of(self.state.system).reactions(self.state, table, at=at)

    def stability(self) -> Stability:
        """Whether it is stable, and by which theorem."""
        from polhode.analyse.machinery.steady_stability import stability_of_rest

        return stability_of_rest(self.state, self.multipliers, len(self.family))

    def __getitem__(self, joint: str) -> Any:
        return self.state[joint]

    def plot(self) -> Any:
        """The bodies at rest: a `Picture`."""
        from polhode.show.drawing.equilibrium_picture import rest_picture

        return rest_picture(self.state, f"equilibrium   V = {self.energy:.4g} J")

    @property
    def notes(self) -> list[str]:
        """What must be known beside the numbers, a sentence each."""
        found = family_note(self.family)
        if self.shared:
            found.append(
                "statically indeterminate: how these share their loads is not"
                f" determined: {', '.join(self.shared)}"
            )
        if self.pulled:
            found.append(
                f"contact is lost: {', '.join(self.pulled)} would have to pull"
            )
        return found

    def as_table(self) -> AnswerTable:
        """What is printed."""
        system = self.state.system
        rows = [*zip(system.coordinate_names, self.state.q, strict=True)]
        rows += [("V, J", f"{self.energy:.6g}")]
        rows += zip(system.row_names, relative(self.multipliers), strict=True)
        title = f"Equilibrium of {system.name!r}"
        return AnswerTable(title, ("", "value"), rows, self.notes)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Equilibria(StateSearch[Equilibrium]):
    """All equilibria that were found, the lowest energy first.

    starts, arrived  how many places were started from, and how many came to rest
    note             why there is none, or why some were left out
    """

    note: str = ""

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """Of each: its coordinates, its energy, and what holds it, as it is printed."""
        energies = relative([each.energy for each in self.found])
        loads = (relative(each.multipliers) for each in self.found)
        every = zip(self.found, energies, loads, strict=True)
        return [(*map(number, one.state.q), V, *l) for one, V, l in every]

    def stabilities(self) -> list[Stability]:
        """The verdict on each."""
        return [each.stability() for each in self.found]

    def plot(self) -> Any:
        """The bodies at each rest, a panel each: a `Picture`."""
        from polhode.show.drawing.equilibrium_picture import rests_picture

        return rests_picture(self.states, [f"V = {e.energy:.4g} J" for e in self.found])

    def as_table(self) -> AnswerTable:
        """What is printed."""
        count = f"{len(self)} equilibri{'um' if len(self) == 1 else 'a'}"
        head = f"{self.system.name!r}: {count}; {self.arrived} of {self.starts} starts"
        names = (*self.system.coordinate_names, "V, J", *self.system.row_names)
        notes = [f"{k}: {note}" for k, e in enumerate(self.found) for note in e.notes]
        return AnswerTable(
            f"{head} came to rest",
            ("", *names),
            [(k, *row) for k, row in enumerate(self.rows)],
            [*notes, *([self.note] if self.note else [])],
        )


@system_argument
def equilibria(
    system: System,
    near: State | None = None,
    *,
    starts: int = STARTS,
    t: float = 0.0,
    seed: int = 0,
) -> Equilibria | SupportedRests:
    """All equilibria of a system that can be found from places at random.

    Combinations of what these have found, joint by joint, are starts too, until they
    find nothing more. The first start is `near`, or the neutral place. Parameters are
    those of the system: `equilibria(system.with_({"C": 2.0}))`; `ph.continuation` goes
    from one through a range of them. Relative equilibria, which turn or run on
    steadily, are those of `ph.steady_motions`, along what `ph.symmetries` names.

    Of a system with supports they are the lowest places that need no friction; around
    each friction holds it too, which `ph.static_rest` tells of a state.

    >>> import polhode as ph
    >>> [round(float(e["hinge"]), 6) for e in equilibria(ph.models.pendulum())]
    [0.0, -3.141593]
    """
    refuse_large_search(system, "a search for equilibria")
    place = place_of(system, near)
    if starts < 1:
        raise AnalysisError(
            f"equilibria of {system.name!r} cannot be found from {starts} starts.",
            "Each search begins at a place.",
            "Give at least one start.",
        )
    if system.supports:
        from polhode.analyse.equilibria.supported import rests_on_supports

        return rests_on_supports(system, place, min(starts, SUPPORTED_STARTS), t, seed)
    balance = Balance(system, Carriers(system, (), ()))
    first = starts_of(balance, place, np.zeros((starts, 0)), starts, seed)
    search = search_of(balance, first, t, NOMINAL)
    reached = search.settled(first)
    found, loose, driven = [], 0, None
    every = every_distinct(search, reached, seed)
    for place_found, family in every.found:
        if _nothing_resists(search, place_found):
            loose += 1
            continue
        each = equilibrium_of(search, place_found, family)
        rests = is_equilibrium(each.state) if _is_driven(system) else True
        driven = driven or (None if rests else rests)
        if rests:
            found.append(each)
    found.sort(key=lambda each: each.energy)
    note = _note(search, reached, loose, driven) if len(found) < 1 or loose else ""
    return Equilibria(system, tuple(found), every.starts, every.arrived, note)


def equilibrium_of(search: Search, found: Settled, family: np.ndarray) -> Equilibrium:
    """The noun of a balance that was found."""
    system = search.balance.system
    state = State(system, search.t, found.q, np.zeros(system.speeds))
    energy = float(system.potential_energy(search.t, state.q, search.table))
    words = tuple(neutral_names(system, (), family))
    shared = shared_rows(search, found)
    pulled = _pulling_contacts(system, found.multipliers)
    return Equilibrium(state, found.multipliers, energy, words, shared, pulled)


def place_of(system: System, near: State | None) -> np.ndarray:
    """Where a search begins: at a given state, or at rest."""
    if near is None:
        return np.asarray(rest_coordinates(system), float)
    require_layout(system, near)
    return np.asarray(near.q, float)


def _nothing_resists(search: Search, found: Settled) -> bool:
    """Whether a free motion has no inertia there: a joint in a singular place."""
    M = np.asarray(search.balance.system.mass_matrix(search.t, found.q, search.table))
    sizes = np.sqrt(np.maximum(np.diag(M), 0.0))
    if np.any(sizes <= LOOSE * np.max(sizes, initial=0.0)) and not len(
        found.multipliers
    ):
        return True
    S = free_motions(search, found)
    values = np.linalg.eigvalsh(S.T @ M @ S)
    return bool(len(values) and values[0] <= LOOSE**1.5 * values[-1])


def _pulling_contacts(system: System, multipliers: np.ndarray) -> tuple[str, ...]:
    """Contacts that would have to pull."""
    found, row = [], 0
    for constraint in system.constraints:
        if isinstance(constraint, Touching) and multipliers[row] < 0:
            found.append(constraint.name)
        row += len(constraint.rows)
    return tuple(found)


def _is_driven(system: System) -> bool:
    """Whether an equation of place knows the time."""
    from polhode.system import numeric_constraints

    q = rest_coordinates(system)
    g = [
        numeric_constraints.positions(
            system, numeric_constraints.scene(system, t, q)
        ).values
        for t in (0.0, 0.7312, 1e-3)
    ]
    return bool(np.any(g[0] != g[1]) or np.any(g[0] != g[2]))


def _note(search: Search, reached: Settled, loose: int, driven: Any) -> str:
    system = search.balance.system
    if loose:
        return (
            f"left out: {loose} places where forces balance but nothing resists a"
            " motion, so that no acceleration is determined"
        )
    if driven is not None:
        return f"forces balance, but {driven!r}: see ph.steady_motions"
    k = int(np.argmin(reached.worst))
    one = Settled(*(part[k] for part in reached))
    rest = np.abs(search.residuals(one))[: system.speeds]
    worst = int(np.argmax(rest))
    size = rest[worst] * search.scales[worst]
    return (
        f"none found: at the nearest place {system.speed_names[worst]} is still pushed"
        f" by {size:.4g}"
    )
