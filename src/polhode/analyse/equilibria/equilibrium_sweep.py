"""Equilibria for many values of parameters in one call: each followed from a start.

All are iterated together by one compiled program, a lane for each set of values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.machinery.damped_newton import Balance, Settled, find_rests
from polhode.analyse.machinery.naming import coordinate_of, require_parameter
from polhode.analyse.machinery.search import ACCEPTED, search_of, starts_of
from polhode.analyse.symmetries import Carriers
from polhode.answer_table import Answer, AnswerTable, some
from polhode.errors import AnalysisError
from polhode.system.checked_argument import state_argument
from polhode.system.state import State, require_layout

if TYPE_CHECKING:
    from polhode.system.system import System

SAMPLE = 16  # places that are drawn, from which the natural sizes are taken
SHOWN = 3  # rows that are printed


@final
@dataclass(frozen=True, eq=False, repr=False)
class EquilibriumSweep(Answer):
    """One equilibrium for each set of values.

    parameters   name -> values (k,)
    q            places (k, nq);  multipliers (k, m)
    found        which came to rest (k,); where not, q is the nearest place reached
    """

    system: System
    parameters: dict[str, np.ndarray]
    q: np.ndarray
    multipliers: np.ndarray
    found: np.ndarray

    def __len__(self) -> int:
        return len(self.q)

    def __getitem__(self, coordinate: str) -> np.ndarray:
        """A coordinate (k,) by its name, masked where none was found."""
        values = self.q[:, coordinate_of(self.system, coordinate)]
        return np.ma.masked_array(values, ~self.found)

    def state(self, k: int) -> State:
        """The k-th equilibrium, of the system with its values."""
        values = {name: each[k] for name, each in self.parameters.items()}
        system = self.system.with_(values)
        return State(system, 0.0, self.q[k], np.zeros(system.speeds))

    def plot(self, *coordinates: str) -> Any:
        """Coordinates over the parameter, all if none is named: a `Picture`."""
        from polhode.show.plots.answers import sweep_picture

        return sweep_picture(self, coordinates)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        ranges = [
            f"{n} from {v.min():.6g} to {v.max():.6g}"
            for n, v in self.parameters.items()
        ]
        rested = f"{int(self.found.sum())} of {len(self)} rest"
        columns = [*self.parameters.values(), *self.q.T]
        return AnswerTable(
            f"EquilibriumSweep({self.system.name!r}: {rested}; {', '.join(ranges)})",
            ("", *self.parameters, *self.system.coordinate_names),
            [(k, *(col[k] for col in columns)) for k in some(len(self), SHOWN)],
        )


@state_argument
def sweep_equilibria(
    start: State, parameters: Mapping[str, Any], *, t: float = 0.0
) -> EquilibriumSweep:
    """The equilibrium nearest to a start for every set of values, in one call.

    Values are arrays of one length, or numbers that serve all.

    >>> import numpy as np, polhode as ph
    >>> cart = ph.models.cart_pendulum().rest()
    >>> sweep_equilibria(cart, {"F": np.linspace(-1, 1, 10001)})
    EquilibriumSweep('cart-pendulum': 10001 of 10001 rest; F from -1 to 1)
            F  rail  hinge
        0  -1  -0.2      0
     5000   0     0      0
    10000   1   0.2      0
    """
    system = start.system
    require_layout(system, start)
    values = _values(system, parameters)
    count = len(next(iter(values.values())))
    balance = Balance(system, Carriers(system, (), ()))
    some = starts_of(balance, np.asarray(start.q), np.zeros((SAMPLE, 0)), SAMPLE, 0)
    middle = {name: float(np.median(each)) for name, each in values.items()}
    scales = search_of(balance, some, t, middle).scales
    every = Settled(
        np.tile(start.q, (count, 1)),
        np.zeros((count, len(system.row_names))),
        np.zeros((count, 0)),
        np.zeros(count),
    )
    reached = find_rests(balance, every, scales, t=t, table=values)
    good = reached.worst <= ACCEPTED
    return EquilibriumSweep(system, values, reached.q, reached.multipliers, good)


def _values(system: System, parameters: Mapping[str, Any]) -> dict[str, np.ndarray]:
    for name in parameters:
        require_parameter(system, name)
    columns = {n: np.atleast_1d(np.asarray(v, float)) for n, v in parameters.items()}
    lengths = {n: len(v) for n, v in columns.items()}
    count = max(lengths.values(), default=0)
    if not count or any(length not in (1, count) for length in lengths.values()):
        raise AnalysisError(
            f"the values to sweep have lengths {lengths or 'none'}.",
            "Each set takes one value of every parameter.",
            "Give arrays of one length, or single numbers.",
        )
    if not all(np.all(np.isfinite(v)) for v in columns.values()):
        raise AnalysisError(
            "the values to sweep hold some that are not finite.",
            "A parameter that is infinite or undefined has no equilibrium.",
            "Leave those sets out.",
        )
    return {n: np.broadcast_to(v, (count,)).copy() for n, v in columns.items()}
