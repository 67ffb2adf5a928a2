"""Environments of Gymnasium: many copies of a system in one native call, or one."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from polhode.control.task import Task, Turn
from polhode.errors import ArgumentError


def _spaces(task: Task, dtype: Any) -> tuple[Box, Box]:
    """Of what is observed, and of actions."""
    q, z = task.begin(np.random.default_rng(0), 1)
    seen = task.observation(q, z).shape[1]
    low, high = (end.astype(dtype) for end in task.limits)
    return Box(-np.inf, np.inf, (seen,), dtype), Box(low, high, dtype=dtype)


class VectorEnv(gymnasium.vector.VectorEnv):
    """Many copies of a task, stepped together: `gymnasium.vector.VectorEnv`.

    A step of all is one native call, in SIMD lanes over threads. An episode that is
    over begins again as `autoreset` says ("NextStep", "SameStep" or "Disabled", as
    Gymnasium describes them). Actions beyond their bounds are cut to these. A copy
    whose motion ceases to be numbers is cut off: `info["failed"]` marks it.
    """

    def __init__(
        self,
        task: Task,
        num_envs: int,
        *,
        autoreset: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        dtype: Any = np.float32,
    ):
        self.task, self.num_envs = task, _count(num_envs)
        self.autoreset = _mode(autoreset)
        self.metadata = {
            "autoreset_mode": self.autoreset,
            "render_modes": [],
            "render_fps": round(1 / task.dt),
        }
        self.dtype = np.dtype(dtype)
        observed, acted = _spaces(task, self.dtype)
        self.single_observation_space, self.single_action_space = observed, acted
        self.observation_space = batch_space(observed, num_envs)
        self.action_space = batch_space(acted, num_envs)
        self._ages: np.ndarray | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """New episodes; `options={"reset_mask": mask}` begins only some anew."""
        super().reset(seed=seed)
        mask = (options or {}).get("reset_mask")
        if mask is None:
            self._q, self._z = self.task.begin(self.np_random, self.num_envs)
            self._ages = np.zeros(self.num_envs, int)
            self._over = np.zeros(self.num_envs, bool)
        else:
            self._require_begun()
            self._begin_anew(np.asarray(mask, bool))
        return self._observed(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Observations, rewards, terminations, truncations and infos of all copies."""
        ages = self._require_begun()
        acted = np.asarray(actions, float)
        wanted = self.action_space.shape
        if acted.shape != wanted or not np.all(np.isfinite(acted)):
            raise ArgumentError(
                f"the actions have shape {acted.shape}, or are not all numbers.",
                f"There are {self.num_envs} copies, each acted on by"
                f" {len(self.task.limits[0])} numbers.",
                f"Give finite numbers of shape {wanted}.",
            )
        turn = Turn(*self.task.program(ages * self.task.dt, self._q, self._z, acted))
        waits = self._over & (self.autoreset is AutoresetMode.NEXT_STEP)
        return self._step_answer(turn, waits)

    def _step_answer(
        self, turn: Turn, waits: np.ndarray
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """What a step tells; copies that wait begin anew in its place."""
        ages = self._require_begun()
        observation = turn.observation.astype(self.dtype)
        self._q, self._z, self._ages = turn.q, turn.z, ages + 1
        if waits.any():
            self._begin_anew(waits)
            observation[waits] = self._observed(waits)
        terminated = turn.is_over & turn.is_sound & ~waits
        failed = ~turn.is_sound & ~waits
        truncated = ((self._ages >= self.task.steps) & ~terminated & ~waits) | failed
        reward = np.where(waits, 0.0, turn.reward)
        self._over = terminated | truncated
        info: dict[str, Any] = {"failed": failed} if failed.any() else {}
        if self.autoreset is AutoresetMode.SAME_STEP and self._over.any():
            info |= _final(observation, self._over)
            observation = observation.copy()
            over = self._over
            self._begin_anew(over)
            observation[over] = self._observed(over)
        return observation, reward, terminated, truncated, info

    def _begin_anew(self, mask: np.ndarray) -> None:
        assert self._ages is not None
        self._q[mask], self._z[mask] = self.task.begin(self.np_random, int(mask.sum()))
        self._ages[mask] = 0
        self._over = self._over & ~mask

    def _observed(self, mask: Any = slice(None)) -> np.ndarray:
        seen = self.task.observation(self._q[mask], self._z[mask])
        return seen.astype(self.dtype)

    def _require_begun(self) -> np.ndarray:
        if self._ages is None:
            raise ArgumentError(
                "a step was requested of an environment that has not begun.",
                "Its first state is drawn by reset.",
                "Call env.reset(seed=...) first.",
            )
        return self._ages


class Env(gymnasium.Env):
    """One copy of a task: `gymnasium.Env`."""

    def __init__(self, task: Task, *, dtype: Any = np.float32):
        self._many = VectorEnv(task, 1, autoreset="Disabled", dtype=dtype)
        self.metadata = {"render_modes": [], "render_fps": round(1 / task.dt)}
        self.task = task
        self.observation_space = self._many.single_observation_space
        self.action_space = self._many.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A new episode; the same for the same seed."""
        super().reset(seed=seed)
        self._many._np_random = self.np_random
        observation, info = self._many.reset()
        return observation[0], info

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Observation, reward, whether it ended, whether it was cut off, and more."""
        seen, reward, ended, cut, info = self._many.step(np.asarray(action)[None])
        plain = {name: value[0] for name, value in info.items()}
        return seen[0], float(reward[0]), bool(ended[0]), bool(cut[0]), plain


def _final(observation: np.ndarray, over: np.ndarray) -> dict[str, Any]:
    """Last observations, as Gymnasium tells them of a reset in the same step."""
    last = np.full(len(over), None, dtype=object)
    for k in np.flatnonzero(over):
        last[k] = observation[k].copy()
    return {"final_obs": last, "_final_obs": over.copy()}


def _count(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ArgumentError(
            f"an environment of {number!r} copies.",
            "They are stepped together, each with a state of its own.",
            "Give a whole number of at least 1.",
        )
    return number


def _mode(word: Any) -> AutoresetMode:
    try:
        return AutoresetMode(word)
    except ValueError:
        raise ArgumentError(
            f"autoreset is {word!r}.",
            "It says when an episode that is over begins again.",
            "Give 'NextStep', 'SameStep' or 'Disabled'.",
        ) from None
