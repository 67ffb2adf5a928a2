"""A stochastic force and torque as smooth functions of time, the same for one seed.

    F_i(t) = sigma_i sqrt(2/N) sum_k cos(w_ik t + phase_ik)

Rates w are spread as the spectrum of a first-order Gauss-Markov process, so that

    E[F_i(t) F_i(t + s)] = sigma_i^2 exp(-|s|/time)

up to rates of CUT/time. It is traced into the equations and has no jumps: an adaptive
method sees a smooth load, and the same one whatever its steps are.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.actions.action import require_frames
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
)
from polhode.actions.coefficient import coefficient
from polhode.actions.defaults import BodyAction
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, turn
from polhode.arrays import Scalar, namespace, read_by_name
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at

WAVES = 16
CUT = 20.0  # beyond it a Gauss-Markov process has three hundredths of its power


@final
@dataclass(frozen=True, eq=False)
class RandomLoad(BodyAction):
    """A random force at a point of a body and a random torque on it, of mean zero.

    on       the point
    force    standard deviation of each component along the body's axes, N
    torque   the same, N m
    time     over which it forgets, s
    seed     whole number: which of all such loads it is

    >>> import polhode as ph
    >>> craft = ph.Body("craft", ph.solids.box(mass=80.0, x=0.5, y=0.6, z=1.5))
    >>> ph.space.RandomLoad(craft.origin, torque=1e-5, time=30.0, seed=4).torque
    Parameter('random load.torque', 1e-05)
    """

    on: Attachment
    _: KW_ONLY
    force: Quantity = 0.0
    torque: Quantity = 0.0
    time: float = 10.0
    seed: int = 0
    name: str = "random load"

    def __post_init__(self) -> None:
        require_points(self.name, self.on)
        require_frames(self.name, [self.on.frame])
        for what, unit in (("force", "N"), ("torque", "N*m")):
            value = coefficient(self.name, what, getattr(self, what), unit=unit)
            object.__setattr__(self, what, value)
        whole = isinstance(self.seed, int | np.integer) and self.seed >= 0
        if not (0 < float(self.time) < np.inf) or not whole:
            raise ModelError(
                f"{self.name!r} has the time {self.time!r} s and the seed"
                f" {self.seed!r}.",
                "It forgets over a positive time, and its seed says which load it is.",
                "Give time > 0 in seconds, and seed a whole number, zero or more.",
            )

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body; nothing that is modelled exerts it."""
        return (self.on.frame,)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The two deviations, and those of the point."""
        return parameters_of((self.on,), self.force, self.torque)

    def waves(self) -> tuple[np.ndarray, np.ndarray]:
        """Rates (rad/s) and phases (rad), (6, WAVES) each: of the torque, the force."""
        return self._waves

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """The torque, and the force at the point."""
        rates, phases = self._waves
        xp = namespace(*poses, t)

        def wave(part: slice) -> Any:
            return lambda t: (
                np.sqrt(2 / WAVES)
                * namespace(t).cos(rates[part] * t + phases[part]).sum(-1)
            )

        # Sums of sixteen waves are read as functions of time, by name.
        couple = read_by_name(f"{self.name}_C", wave(slice(3)))(1.0 * t)
        push = read_by_name(f"{self.name}_F", wave(slice(3, 6)))(1.0 * t)
        C = turn(poses, 0, at(self.torque, table) * couple)
        F = turn(poses, 0, at(self.force, table) * push)
        torque = C + cross(arm_of(poses, 0, self.on, table), F)
        return Wrenches(xp.stack([torque], -2), xp.stack([F], -2))

    def fault(self) -> str:
        """A sum of cosines is finite."""
        return "The positions or the time are not finite."

    @cached_property
    def _waves(self) -> tuple[np.ndarray, np.ndarray]:
        chance = np.random.Generator(np.random.Philox(key=int(self.seed)))
        # One rate in each part of equal power: any seed has the spectrum, not only
        # their mean.
        share = (np.arange(WAVES) + chance.random((6, WAVES))) / WAVES
        rates = np.tan(share * np.arctan(CUT)) / self.time
        return rates, 2 * np.pi * chance.random((6, WAVES))
