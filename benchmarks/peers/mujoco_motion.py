"""A motion in MuJoCo: classical Runge-Kutta of fixed step, in C."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from benchmarks.models.motions import MOMENTS, Motion
from benchmarks.peers import PeerMissing
from benchmarks.peers.mujoco_chain import OPTION, model_of, words

Integrator = mujoco.mjtIntegrator
TOP = f"""<mujoco>{OPTION}<worldbody><body><joint type="ball"/>
  <inertial mass="1" pos="0 0 0" diaginertia="{words(MOMENTS)}"/></body></worldbody>
  </mujoco>"""


def model_for(motion: Motion) -> mujoco.MjModel:
    """Its model; a force between particles MuJoCo has no word for."""
    if motion.chain is not None:
        return model_of(motion.chain)
    if motion.name == "free top":
        return mujoco.MjModel.from_xml_string(TOP)
    raise PeerMissing(f"MuJoCo has no gravitation for {motion.name}:")


def runge_kutta(motion: Motion, steps: int) -> Callable[[], np.ndarray]:
    """[q; v] at the end, after so many steps in one call."""
    model = model_for(motion)
    model.opt.integrator = Integrator.mjINT_RK4
    model.opt.timestep = motion.until / steps
    data = mujoco.MjData(model)

    def run() -> np.ndarray:
        data.qpos[:], data.qvel[:] = motion.q, motion.z
        mujoco.mj_step(model, data, steps)
        return np.concatenate([data.qpos, data.qvel])

    return run


def energies(
    motion: Motion, integrator: Integrator, step: float, counts: np.ndarray
) -> np.ndarray:
    """Kinetic and potential energy together, after each number of steps."""
    model = model_for(motion)
    model.opt.integrator, model.opt.timestep = integrator, step
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = motion.q, motion.z
    found = []
    for steps in np.diff(counts, prepend=0):
        if steps:
            mujoco.mj_step(model, data, int(steps))
        mujoco.mj_forward(model, data)
        found.append(data.energy.sum())
    return np.array(found)
