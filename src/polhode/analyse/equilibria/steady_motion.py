"""Steady motions: everything is carried along, and nothing changes but the place.

    q(t) = carried from q(0) at rates xi,      M z_dot + b = f + A^T l,   z = Y(q) xi

In the words of a moving frame: an equilibrium of what acts there, centrifugal and
gyroscopic forces included. The precession of a top, a disc rolling in a circle, a bead
on a turning hoop, a satellite that keeps one side to its planet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.equilibria.equilibrium import place_of
from polhode.analyse.machinery.carried import carried_motion, carried_speeds
from polhode.analyse.machinery.damped_newton import Balance, Condition, Settled
from polhode.analyse.machinery.deduplicate import family_note, neutral_names
from polhode.analyse.machinery.listing import StateSearch
from polhode.analyse.machinery.recombine import every_distinct
from polhode.analyse.machinery.scales import Sizes, rate_of, sizes_at
from polhode.analyse.machinery.search import (
    Search,
    refuse_large_search,
    search_of,
    shared_rows,
    starts_of,
)
from polhode.analyse.symmetries import Carriers, pick, require_symmetries
from polhode.answer_table import Answer, AnswerTable, number
from polhode.errors import AnalysisError
from polhode.integrate.field.scales import displacements
from polhode.integrate.host.motion_equations import equations_of
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.checked_argument import system_argument
from polhode.system.contacts import refuse_supports
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.actions.attachment import Attachment
    from polhode.analyse.equilibria.stability import Stability
    from polhode.analyse.machinery.second_variation import SecondVariation
    from polhode.geometry.wrench import Wrench
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System

STARTS = 64  # of a search, drawn where the caller gives no number
DECADES = 1.5  # about the system's own rate: how far unknown rates are tried


@final
@dataclass(frozen=True, eq=False, repr=False)
class SteadyMotion(Answer):
    """A state from which the motion is steady.

    rates        of the carriers, by name, in rad/s and m/s
    pushes       constant accelerations along carriers, by name; none are zero
    multipliers  l (m,), one a row of the constraints; the least, where not unique
    family       directions, in words, along which all motions are steady too
    shared       rows whose reactions the motion does not determine
    """

    state: State
    rates: dict[str, float]
    pushes: dict[str, float]
    multipliers: np.ndarray
    family: tuple[str, ...]
    shared: tuple[str, ...]

    def reactions(
        self,
        table: Table = NOMINAL,
        *,
        at: Attachment | Mapping[str, Attachment] | None = None,
    ) -> dict[str, Wrench]:
        """What joints and constraints exert, by name: see `Equations.reactions`."""
        return equations_of(self.state.system).reactions(self.state, table, at=at)

    def second_variation(self) -> SecondVariation | None:
        """Curvatures of the energy among motions with the same momenta."""
        from polhode.analyse.machinery.steady_stability import variation_of

        return variation_of(self)

    def stability(self) -> Stability:
        """Whether it is stable, and why: by energy and momenta, else by spectrum."""
        from polhode.analyse.machinery.steady_stability import stability_of_steady

        return stability_of_steady(self)

    def motion(self, seconds: float | None = None) -> Trajectory:
        """As it goes on, carried along: rows to be watched, of one slow turn if no
        time is given. `steady.motion().film("steady.gif")`."""
        return carried_motion(self, seconds)

    def plot(self) -> Any:
        """The bodies at several times of a third of a turn: a `Picture`."""
        from polhode.show.drawing.equilibrium_picture import steady_picture

        return steady_picture(self.motion())

    @property
    def notes(self) -> list[str]:
        """What must be known beside the numbers, a sentence each."""
        shared = f"reactions are not unique: {', '.join(self.shared)}"
        return [*family_note(self.family), *([shared] if self.shared else [])]

    def as_table(self) -> AnswerTable:
        """What is printed."""
        system = self.state.system
        rows = [*zip(system.coordinate_names, self.state.q, strict=True)]
        rows += [(f"rate of {name}", rate) for name, rate in self.rates.items()]
        title = f"Steady motion of {system.name!r}"
        return AnswerTable(title, ("", "value"), rows, self.notes)


@final
@dataclass(frozen=True, eq=False, repr=False)
class SteadyMotions(StateSearch[SteadyMotion]):
    """All steady motions that were found.

    starts, arrived  how many were started from, and how many balanced
    """

    def plot(self) -> Any:
        """The bodies in each motion, a panel each: a `Picture`."""
        from polhode.show.drawing.equilibrium_picture import rests_picture

        words = [
            ", ".join(f"{name} {number(rate)}" for name, rate in each.rates.items())
            for each in self.found
        ]
        return rests_picture(self.states, words)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        head = f"{self.system.name!r}: {len(self)} steady motions; {self.arrived} of"
        rates = [f"rate of {name}" for e in self.found[:1] for name in e.rates]
        return AnswerTable(
            f"{head} {self.starts} starts balanced",
            ("", *self.system.coordinate_names, *rates),
            [(k, *e.state.q, *e.rates.values()) for k, e in enumerate(self.found)],
            [f"{k}: {note}" for k, e in enumerate(self.found) for note in e.notes],
        )


@system_argument
def steady_motions(
    system: System,
    rates: Mapping[str, float | None],
    near: State | None = None,
    *,
    pushes: Mapping[str, float] | None = None,
    where: Sequence[Condition] = (),
    starts: int = STARTS,
    t: float = 0.0,
    seed: int = 0,
) -> SteadyMotions:
    """All steady motions that can be found, carried along at given rates.

    `rates` names carriers (`ph.symmetries` lists them): a number is given, None is
    unknown. `pushes` are constant accelerations along carriers that are driven. Each
    of `where` is a function (t, q, z) that must vanish, which may fix a lean or a
    radius instead of a rate. Combinations of what random starts have found, joint by
    joint, are starts too, until they find nothing more.
    """
    refuse_supports(system, "ph.steady_motions")
    refuse_large_search(system, "a search for steady motions")
    carriers = pick(system, tuple(rates))
    _require_pushed(carriers, pushes or {})
    require_symmetries(carriers)
    free = tuple(k for k, value in enumerate(rates.values()) if value is None)
    second = tuple(float((pushes or {}).get(name, 0.0)) for name in rates)
    balance = Balance(system, carriers, free, second, tuple(where))
    given = np.array([0.0 if v is None else float(v) for v in rates.values()])
    place = place_of(system, near)
    xi = _first_rates(balance, place, given, (starts, seed, t))
    first = starts_of(balance, place, xi, starts, seed)
    search = search_of(balance, first, t, NOMINAL)
    reached = search.settled(first)
    every = every_distinct(search, reached, seed)
    found = [_noun(search, one, family) for one, family in every.found]
    return SteadyMotions(system, tuple(found), every.starts, every.arrived)


def _noun(search: Search, found: Settled, family: np.ndarray) -> SteadyMotion:
    balance, system = search.balance, search.balance.system
    names = balance.carriers.names
    z = carried_speeds(balance.carriers, found.q, found.rates)
    unknown = tuple(names[k] for k in balance.free)
    return SteadyMotion(
        State(system, search.t, found.q, z),
        dict(zip(names, map(float, found.rates), strict=True)),
        {n: p for n, p in zip(names, balance.pushes, strict=True) if p},
        found.multipliers,
        tuple(neutral_names(system, tuple(f"rate of {n}" for n in unknown), family)),
        shared_rows(search, found),
    )


def _first_rates(
    balance: Balance, place: np.ndarray, given: np.ndarray, draws: tuple[Any, ...]
) -> np.ndarray:
    """Rates (starts, k): the given ones, and the others at random."""
    count, seed, t = draws
    xi = np.tile(given, (count, 1))
    if not balance.free:
        return xi
    found = sizes_at(balance, t, place[None], given[None], NOMINAL)
    D = np.asarray(displacements(balance.system, place), float)
    rate = rate_of(Sizes(*(part[0] for part in found)), D)
    length = float(np.max(D))
    rng = np.random.default_rng(seed + 1)
    names = balance.carriers.names
    units = dict(zip(balance.system.speed_names, _units(balance.system), strict=True))
    for k in balance.free:
        is_shift = names[k].startswith("shift ") or units.get(names[k]) == "m/s"
        size = rate * (length if is_shift else 1.0)
        spread = 10 ** rng.uniform(-DECADES, DECADES, count)
        xi[:, k] = size * rng.choice([-1.0, 1.0], count) * spread
    return xi


def _units(system: System) -> list[str]:
    return [unit for joint in system.joints for unit in joint.speed_units]


def _require_pushed(carriers: Carriers, pushes: Mapping[str, float]) -> None:
    for name in pushes:
        if name not in carriers.names:
            raise AnalysisError(
                f"{name!r} is pushed, but it is not among the carriers.",
                f"The motion is carried by {', '.join(carriers.names) or 'nothing'}.",
                "Give it a rate too, zero if it starts from rest.",
            )
