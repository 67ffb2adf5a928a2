"""What a learner is to do with a system: act, observe, be rewarded, begin again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError, StateError
from polhode.integrate.inputs.ports import port_size
from polhode.integrate.methods.lie_group.commutator_free import CommutatorFree4
from polhode.integrate.stepper import Stepper, stepper
from polhode.lowering.compile import Program, compile
from polhode.system.state import State
from polhode.system.system import System


class Turn(NamedTuple):
    """One step of some systems: where they are, and what is told of it."""

    q: Any
    z: Any
    observation: Any
    reward: Any
    is_over: Any
    is_sound: Any


@final
@dataclass(frozen=True, eq=False)
class Task:
    """A system with actions, an observation and a reward; all of it is one program.

    inputs    what is acted on, by name: the least and the greatest value. Motors and
              other ports of a system, and parameters
    observe   (state) -> an array
    reward    (state, inputs) -> a number, of the state after the step
    start     a state, or (random, count) -> ph.States or (q, z) with an axis of runs
    spread    how far the first coordinates and speeds are from `start`, evenly on both
              sides: one number for all
    is_over   (state) -> whether the episode ends there
    steps     after so many an episode is cut off

    `observe`, `reward` and `is_over` are traced, in `jax.numpy`.

    >>> import jax.numpy as jnp, polhode as ph
    >>> start = ph.models.start("cart_pendulum")
    >>> task = Task(
    ...     start.system, 0.02, inputs={"push": (-10, 10)}, start=start, spread=0.05,
    ...     observe=lambda s: jnp.concatenate([s.q, s.z]),
    ...     reward=lambda s, inputs: jnp.cos(s.q[1]),
    ... )
    >>> q, z = task.begin(np.random.default_rng(0), 3)
    >>> q.shape
    (3, 2)
    """

    system: System
    dt: float
    _: KW_ONLY
    inputs: Mapping[str, Any]
    observe: Callable[[State], Any]
    reward: Callable[[State, Mapping[str, Any]], Any]
    start: State | Callable[[np.random.Generator, int], Any]
    spread: float = 0.0
    is_over: Callable[[State], Any] | None = None
    steps: int = 500
    method: type = CommutatorFree4

    def __post_init__(self) -> None:
        if isinstance(self.steps, bool) or not self.steps >= 1:
            raise ModelError(
                f"an episode of {self.system.name!r} has {self.steps!r} steps.",
                "It is cut off after so many.",
                "Give a whole number of at least 1.",
            )
        if not (np.isfinite(self.spread) and self.spread >= 0):
            raise ModelError(
                f"the first states of {self.system.name!r} spread by {self.spread!r}.",
                "They lie evenly within it, on both sides of the given start.",
                "Give a number that is not negative.",
            )
        if isinstance(self.start, State) and self.start.system is not self.system:
            raise StateError(
                f"the start is a state of {self.start.system.name!r}, not of"
                f" {self.system.name!r}.",
                "Coordinates mean what their own system says.",
                f"Give a state of {self.system.name!r}.",
            )
        if self.spread and len(self.system.constraints):
            raise ModelError(
                f"{self.system.name!r} has constraints, which a spread would break.",
                "Coordinates of a closed loop are not free of each other.",
                "Give start=f(random, count) that draws states which keep them.",
            )
        _ = self.limits

    @cached_property
    def stepper(self) -> Stepper:
        """The native step of the system."""
        return stepper(
            self.system, self.dt, inputs=list(self.inputs), method=self.method
        )

    @cached_property
    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest of each number of an action (k,)."""
        lows, highs = [], []
        for name, bounds in self.inputs.items():
            size = port_size(self.system, name) or 1
            try:
                low, high = bounds
                ends = [
                    np.broadcast_to(np.asarray(e, float), size) for e in (low, high)
                ]
            except (TypeError, ValueError):
                ends = [np.array([1.0]), np.array([0.0])]
            if not np.all(np.isfinite(ends)) or np.any(ends[0] >= ends[1]):
                raise ModelError(
                    f"the input {name!r} of a task is within {bounds!r}.",
                    "An action lies between a least and a greatest value, both finite.",
                    f"Give {name!r}: (least, greatest), of {size} numbers or one each.",
                )
            lows.append(ends[0])
            highs.append(ends[1])
        if not lows:
            raise ModelError(
                f"the task of {self.system.name!r} has no inputs.",
                "Without an action there is nothing to learn.",
                'Name a motor: inputs={"push": (-10, 10)}.',
            )
        return np.concatenate(lows), np.concatenate(highs)

    @cached_property
    def program(self) -> Program:
        """(t, q, z, action) -> Turn; many at once in SIMD lanes, over threads."""
        low, _ = self.limits
        z = np.zeros(self.system.speeds)
        example = (0.0, self.system.neutral(), z, np.zeros(len(low)))
        return compile(self._turn, *example, batched=True)

    @cached_property
    def _observing(self) -> Program:
        example = (0.0, self.system.neutral(), np.zeros(self.system.speeds))
        return compile(self._observed, *example, batched=True)

    @cached_property
    def _placing(self) -> Program:
        example = (self.system.neutral(), np.zeros(self.system.speeds))
        return compile(self.system.local, *example, batched=True)

    def _observed(self, t: Scalar, q: Array, z: Array) -> Any:
        seen = jnp.asarray(self.observe(State(self.system, t, q, z)), float)
        return seen.reshape(-1)

    def _turn(self, t: Scalar, q: Array, z: Array, action: Any) -> Turn:
        low, high = self.limits
        given = self._named(jnp.clip(action, low, high))
        then = t + self.dt
        q_then, z_then = self.stepper.function(t, q, z, given)
        # The episode ends at the last state that was finite.
        is_sound = jnp.all(jnp.isfinite(q_then)) & jnp.all(jnp.isfinite(z_then))
        q, z = jnp.where(is_sound, q_then, q), jnp.where(is_sound, z_then, z)
        state = State(self.system, then, q, z)
        reward = jnp.asarray(self.reward(state, given), float)
        over = False if self.is_over is None else self.is_over(state)
        return Turn(
            q, z, self._observed(then, q, z), reward, jnp.asarray(over), is_sound
        )

    def _named(self, action: Any) -> dict[str, Any]:
        named, first = {}, 0
        for name in self.inputs:
            size = port_size(self.system, name)
            named[name] = action[first : first + size] if size else action[first]
            first += size or 1
        return named

    def begin(self, random: np.random.Generator, count: int) -> tuple[Any, Any]:
        """First coordinates (count, n) and speeds (count, m), drawn."""
        if not isinstance(self.start, State):
            drawn = self.start(random, count)
            q, z = (drawn.q, drawn.z) if hasattr(drawn, "q") else drawn
            q, z = np.array(q, float), np.array(z, float)
            wanted = (count, self.system.coordinates), (count, self.system.speeds)
            if (q.shape, z.shape) != wanted:
                raise StateError(
                    f"start(random, {count}) of {self.system.name!r} gave shapes"
                    f" {q.shape} and {z.shape}.",
                    f"Coordinates are {wanted[0]} and speeds {wanted[1]}.",
                    "Give both with one axis of runs before, or ph.States.",
                )
            return q, z
        shape = (count, self.system.speeds)
        along = random.uniform(-self.spread, self.spread, shape)
        z = self.start.z + random.uniform(-self.spread, self.spread, shape)
        return self._placing(np.tile(self.start.q, (count, 1)), along), z

    def observation(self, q: np.ndarray, z: np.ndarray) -> np.ndarray:
        """What is observed of first states."""
        return self._observing(np.zeros(len(q)), q, z)
