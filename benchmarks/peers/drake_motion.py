"""A motion in Drake: its simulator with integrators that control their error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RotationalInertia, SpatialInertia
from pydrake.symbolic import Variable, sqrt
from pydrake.systems.analysis import (
    ApplySimulatorConfig,
    Simulator,
    SimulatorConfig,
)
from pydrake.systems.primitives import SymbolicVectorSystem

from benchmarks.models.motions import MOMENTS, Motion
from benchmarks.peers.drake_chain import plant_of

SCHEMES = ("runge_kutta3", "runge_kutta5")
LONGEST = 1.0  # seconds a step; after longer first attempts Drake may not come back


def by_drake(motion: Motion, scheme: str, accuracy: float) -> Callable[[], np.ndarray]:
    """[q; v] at the end; `accuracy` is Drake's own word for its tolerance."""
    system, first, read = model_for(motion)
    simulator = Simulator(system)
    config = SimulatorConfig(
        integration_scheme=scheme,
        accuracy=accuracy,
        max_step_size=LONGEST,
        use_error_control=True,
    )
    ApplySimulatorConfig(config, simulator)
    context = simulator.get_mutable_context()

    def run() -> np.ndarray:
        context.SetTime(0.0)
        context.SetContinuousState(first)
        simulator.Initialize()
        simulator.AdvanceTo(motion.until)
        return read(context.get_continuous_state_vector().CopyToVector())

    return run


def model_for(motion: Motion) -> tuple:
    """The model, its first state, and how its states become [q; z]."""
    whole = np.concatenate([motion.q, motion.z])
    if motion.chain is not None:
        return plant_of(motion.chain), whole, np.array
    if motion.name == "free top":
        return top()(motion)
    return kepler(), motion.start, np.array


def top() -> Callable[[Motion], tuple]:
    """A free body without weight; Drake's spin is along the world's axes."""
    plant = MultibodyPlant(time_step=0.0)
    plant.mutable_gravity_field().set_gravity_vector(np.zeros(3))
    central = RotationalInertia(*MOMENTS)
    inertia = SpatialInertia.MakeFromCentralInertia(1.0, np.zeros(3), central)
    plant.AddRigidBody("top", inertia)
    plant.Finalize()

    def fitted(motion: Motion) -> tuple:
        first = np.concatenate([motion.q, np.zeros(3), motion.z, np.zeros(3)])
        return plant, first, in_body

    return fitted


def in_body(y: np.ndarray) -> np.ndarray:
    """[quaternion, place, spin in the world, velocity] as [quaternion, own spin]."""
    w, u, spin = y[0], y[1:4], y[7:10]
    turn = 2 * np.cross(-u, spin)
    return np.concatenate([y[:4], spin + w * turn + np.cross(-u, turn)])


def kepler() -> SymbolicVectorSystem:
    """The closed form as a symbolic system, which Drake evaluates without Python."""
    a, b, u, v = y = [Variable(word) for word in "abuv"]
    square = a * a + b * b
    pull = -1 / (square * sqrt(square))
    return SymbolicVectorSystem(state=y, dynamics=[u, v, pull * a, pull * b])


def energies(
    motion: Motion, scheme: str, step: float, counts: np.ndarray
) -> np.ndarray:
    """Kinetic and potential energy of a chain, after each number of fixed steps."""
    assert motion.chain is not None
    plant = plant_of(motion.chain)
    simulator = Simulator(plant)
    config = SimulatorConfig(
        integration_scheme=scheme, max_step_size=step, use_error_control=False
    )
    ApplySimulatorConfig(config, simulator)
    context = simulator.get_mutable_context()
    context.SetContinuousState(np.concatenate([motion.q, motion.z]))
    simulator.Initialize()
    found = []
    for count in counts:
        simulator.AdvanceTo(count * step)
        kinetic = plant.EvalKineticEnergy(context)
        found.append(kinetic + plant.EvalPotentialEnergy(context))
    return np.array(found)
