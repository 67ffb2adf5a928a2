"""The chain in MuJoCo: stepped in C, alone by `mj_step` or in bulk by `rollout`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import mujoco
import numpy as np
from mujoco import rollout

from benchmarks.models.chain import GRAVITY, STEP, Chain

VERSION = mujoco.__version__
# Nothing touches and nothing is constrained, so both stages are off. Euler's method is
# semi-implicit here too; without damping it factorises nothing more.
OPTION = f"""<option timestep="{STEP}" integrator="Euler" gravity="0 0 {-GRAVITY}">
  <flag contact="disable" constraint="disable"/></option>"""


def model_of(chain: Chain) -> mujoco.MjModel:
    bodies = ""
    centre, moments = words(chain.centre()), words(chain.moments())
    for axis, hinge in zip(chain.axes(), chain.hinges(), strict=True):
        bodies += f"""<body pos="{words(hinge)}">
          <joint type="hinge" axis="{words(axis)}"/>
          <inertial mass="{chain.mass}" pos="{centre}" diaginertia="{moments}"/>"""
    tree = bodies + "</body>" * chain.links
    return mujoco.MjModel.from_xml_string(
        f"<mujoco>{OPTION}<worldbody>{tree}</worldbody></mujoco>"
    )


def words(numbers: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def stepper(chain: Chain, q: np.ndarray, v: np.ndarray, steps: int) -> Callable:
    """Makes the steps in one call from the given state; returns (q, v)."""
    model = model_of(chain)
    data = mujoco.MjData(model)

    def advance() -> tuple[np.ndarray, np.ndarray]:
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_step(model, data, steps)
        return data.qpos.copy(), data.qvel.copy()

    return advance


def bulk_stepper(
    chain: Chain, q: np.ndarray, v: np.ndarray, steps: int, threads: int
) -> Callable:
    """All systems (N, n) over a pool of threads, every step kept; returns (q, v)."""
    states = np.zeros((len(q), steps, 1 + 2 * chain.links))  # time first
    run = rollout_of(chain, q, v, steps, threads)

    def advance() -> tuple[np.ndarray, np.ndarray]:
        run(state=states)
        last = states[:, -1]
        return last[:, 1 : 1 + chain.links], last[:, 1 + chain.links :]

    return advance


def silent_bulk_stepper(
    chain: Chain, q: np.ndarray, v: np.ndarray, steps: int, threads: int
) -> Callable:
    """The same, keeping nothing: the least that `rollout` can do."""
    return rollout_of(chain, q, v, steps, threads)


def rollout_of(
    chain: Chain, q: np.ndarray, v: np.ndarray, steps: int, threads: int
) -> Callable:
    """`Rollout.rollout` with everything ready that can be made ready before."""
    model = model_of(chain)
    models = [model] * len(q)
    data = [mujoco.MjData(model) for _ in range(threads)]
    start = np.concatenate([np.zeros((len(q), 1)), q, v], 1)
    pool = rollout.Rollout(nthread=threads)
    return partial(pool.rollout, models, data, start, nstep=steps, skip_checks=True)
