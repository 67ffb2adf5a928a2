"""The chain in Drake: forward dynamics of a continuous `MultibodyPlant`, from Python.

An empty call is the same pair of calls on a plant without joints.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    RevoluteJoint,
    RotationalInertia,
    SpatialInertia,
)

from benchmarks.models.chain import GRAVITY, Chain

VERSION = version("drake")


def plant_of(chain: Chain) -> MultibodyPlant:
    plant = MultibodyPlant(time_step=0.0)
    plant.mutable_gravity_field().set_gravity_vector(np.array([0, 0, -GRAVITY]))
    central = RotationalInertia(*chain.moments())
    inertia = SpatialInertia.MakeFromCentralInertia(chain.mass, chain.centre(), central)
    body = plant.world_body()
    for k, (axis, hinge) in enumerate(zip(chain.axes(), chain.hinges(), strict=True)):
        place = RigidTransform(hinge)
        seat = plant.AddFrame(FixedOffsetFrame(f"seat {k}", body.body_frame(), place))
        body = plant.AddRigidBody(f"link {k}", inertia)
        plant.AddJoint(RevoluteJoint(f"hinge {k}", seat, body.body_frame(), axis))
    plant.Finalize()
    return plant


def accelerations(chain: Chain, states: tuple) -> Callable:
    """Time derivatives over all unactuated states (N, n); returns the last (n,)."""
    return over_states(plant_of(chain), np.concatenate(states, 1))


def empty_accelerations(count: int) -> Callable:
    plant = MultibodyPlant(time_step=0.0)
    plant.Finalize()
    return over_states(plant, np.zeros((count, 0)))


def over_states(plant: MultibodyPlant, states: np.ndarray) -> Callable:
    """Set the state, derive it: a new state is what makes Drake compute anew."""
    context = plant.CreateDefaultContext()
    rates = plant.AllocateTimeDerivatives()
    rows = list(states)

    def run() -> np.ndarray:
        for row in rows:
            context.SetContinuousState(row)
            plant.CalcTimeDerivatives(context, rates)
        return rates.CopyToVector()[plant.num_positions() :]

    return run
