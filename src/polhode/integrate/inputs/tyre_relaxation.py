r"""Slips of tyres that lag: states of their own, beside the inputs of a run.

    sigma u' = V_s - |V| u        u the slip that the law of the tyre is asked with

sigma is the relaxation length, V_s the velocity with which the lowest point slides and
|V| that with which the wheel travels: after sigma metres a step of steering has turned
into 63 % of its force. In steady motion u = V_s/|V|.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.motion_arrays import Poses, Twists
from polhode.actions.vehicles.tyre import Tyre
from polhode.arrays import Array, Scalar, namespace
from polhode.integrate.inputs.controller import Controller
from polhode.matter.parameter import Parameter, at, distinct
from polhode.system.loads import still_world, with_world

if TYPE_CHECKING:
    from polhode.system.state import State
    from polhode.system.system import System


def with_relaxation(system: System, inputs: Mapping[Any, Any] | None) -> dict[Any, Any]:
    """The inputs of a run, and the slips of tyres that lag and that nothing drives."""
    given = dict(inputs or {})
    driven = {n for key in given for n in (key if isinstance(key, tuple) else (key,))}
    for action in system.actions:
        lags = isinstance(action, Tyre) and action.input_size is not None
        if lags and action.name not in driven:
            made = partial(relaxation, system, action)
            given[action.name] = system.remembered(f"slips of {action.name}", made)
    return given


def relaxation(system: System, tyre: Tyre) -> Controller:
    """The two slips of a tyre as states of their own, which begin at zero."""
    own = np.array(system.places_of(tyre.bodies), dtype=int)
    constants = {p.name: at_value(system, p) for p in _parameters(system, tyre)}

    def law(t: Scalar, state: State, u: Array, **table: Any) -> tuple[Any, Any]:
        poses = with_world(system.poses(t, state.q, table))
        twists = still_world(system.twists(t, state.q, state.z, table))
        here = Poses(poses.rotations[own], poses.origins[own])
        now = Twists(twists.angular[own], twists.linear[own])
        slip_x, slip_y, speed = tyre.slips(here, now, table)
        steady = namespace(slip_x, slip_y, u).stack([slip_x, slip_y])
        return u, speed / at(tyre.relaxation, table) * (steady - u)

    return Controller(law, constants=constants, states=[0.0, 0.0], name=tyre.name)


def _parameters(system: System, tyre: Tyre) -> list[Parameter]:
    """What the slips depend on: the tyre's numbers, and where the joints are."""
    joints = [p for joint in system.joints for p in joint.parameters]
    return list(distinct([*tyre.parameters, *joints]))


def at_value(system: System, parameter: Parameter) -> Parameter:
    """The parameter, at the value that the system gives it."""
    value = system.values.get(parameter.name)
    if value is None:
        return parameter
    return Parameter(parameter.name, value)
