"""Whether a system rests: nothing moves, and nothing begins to, all constraints active.

    z = 0  and  z_dot = 0        M z_dot + b = f + A^T l,   A z_dot = gamma

To be at rest at one instant is not enough: a ball at the top of its throw is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.machinery.damped_newton import Balance
from polhode.analyse.machinery.scales import Sizes, force_scales, rate_of, sizes_at
from polhode.analyse.symmetries import Carriers, draw
from polhode.answer_table import Answer, AnswerTable
from polhode.integrate.field.scales import displacements
from polhode.integrate.host.motion_equations import equations_of
from polhode.matter.parameter import NOMINAL
from polhode.system.assemble import position_misses, require_kept, velocity_misses
from polhode.system.checked_argument import state_argument

if TYPE_CHECKING:
    from polhode.system.state import State

ROUNDING = 1e-8  # of natural speeds and accelerations: what is less is none
SAMPLE = 8  # places that are drawn, from which these natural sizes are taken


@final
@dataclass(frozen=True, eq=False, repr=False)
class Rest(Answer):
    """The answer, true or false, and what it rests on.

    state       what was asked about
    moving      speed -> its value, where it is not zero
    starting    speed -> its rate, where it is not zero
    driven      constraint equation -> by how much it wants another speed
    limits      what counts as zero: of speeds (nz,) and of their rates (nz,)
    """

    state: State
    moving: dict[str, float]
    starting: dict[str, float]
    driven: dict[str, float]
    limits: tuple[np.ndarray, np.ndarray]

    def __bool__(self) -> bool:
        return not (self.moving or self.starting or self.driven)

    @property
    def verdict(self) -> str:
        """In words."""
        return "rests, and stays at rest" if self else "does not rest"

    @property
    def lines(self) -> list[tuple[str, float, float]]:
        """Of each speed: its name, its value, and its rate."""
        z_dot = equations_of(self.state.system).accelerations(self.state)
        names = self.state.system.speed_names
        return [*zip(names, map(float, self.state.z), map(float, z_dot), strict=True)]

    def plot(self) -> Any:
        """The bodies there: a `Picture`."""
        from polhode.show.drawing.equilibrium_picture import rest_picture

        return rest_picture(self.state, self.verdict)

    def __repr__(self) -> str:
        name = self.state.system.name
        if self:
            return f"Rest({name!r} {self.verdict})"
        words = [f"{name} moves at {v:.4g}" for name, v in self.moving.items()]
        words += [f"{name}' = {v:.4g}" for name, v in self.starting.items()]
        words += [f"{name!r} drives it at {-v:.4g}" for name, v in self.driven.items()]
        return f"Rest({name!r} {self.verdict}: {', '.join(words)})"

    def as_table(self) -> AnswerTable:
        """What is printed."""
        return AnswerTable(repr(self), ("", "speed", "its rate"), self.lines)


@state_argument
def is_equilibrium(state: State) -> Rest:
    """Whether a state is an equilibrium: true or false, with the reason.

    >>> import polhode as ph
    >>> pendulum = ph.models.pendulum()
    >>> bool(is_equilibrium(pendulum.state(hinge=0.0)))
    True
    """
    system, t = state.system, float(state.t)
    require_kept(system, position_misses(system, t, state.q), t)
    limits = _limits(state)
    moving = _beyond(system.speed_names, state.z, limits[0])
    driven = {m.row: m.residual for m in velocity_misses(system, t, state.q, state.z)}
    z_dot = equations_of(system).accelerations(state)
    starting = _beyond(system.speed_names, z_dot, limits[1])
    return Rest(state, moving, starting, driven, limits)


def _limits(state: State) -> tuple[np.ndarray, np.ndarray]:
    """What counts as no speed and no acceleration, from a sample of other places."""
    system, rng = state.system, np.random.default_rng(5)
    places = np.array([state.q, *(draw(system, rng) for _ in range(SAMPLE))])
    balance = Balance(system, Carriers(system, (), ()))
    none = np.zeros((len(places), 0))
    found = sizes_at(balance, float(state.t), places, none, NOMINAL)
    sizes = Sizes(*(part.max(axis=0) for part in found))
    D = np.asarray(displacements(system, state.q), float)
    inertia = np.where(sizes.inertia > 0, sizes.inertia, np.inf)
    rate = rate_of(sizes, D)
    pushes = np.maximum(force_scales(sizes, D) / inertia, D * rate**2)
    return ROUNDING * D * rate, ROUNDING * pushes


def _beyond(
    names: tuple[str, ...], values: np.ndarray, limits: np.ndarray
) -> dict[str, float]:
    rows = zip(names, values, limits, strict=True)
    return {name: float(v) for name, v, limit in rows if not abs(v) <= limit}
