"""The chain in Pinocchio, called from Python.

An empty call is the same function on a model without joints: arguments are converted
and results returned as for the chain, and nothing is computed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin

from benchmarks.models.chain import GRAVITY, Chain

VERSION = pin.__version__


def model_of(chain: Chain) -> pin.Model:
    """Hinges about fixed axes have joint types of their own, the quickest there are."""
    model, joint = pin.Model(), 0
    model.gravity.linear = np.array([0, 0, -GRAVITY])
    inertia = pin.Inertia(chain.mass, chain.centre(), np.diag(chain.moments()))
    for k, (axis, hinge) in enumerate(zip(chain.axes(), chain.hinges(), strict=True)):
        kind = pin.JointModelRY() if axis[1] else pin.JointModelRX()
        joint = model.addJoint(joint, kind, pin.SE3(np.eye(3), hinge), f"hinge {k}")
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model


def accelerations(chain: Chain, states: tuple) -> dict[str, Callable]:
    """`aba` over all states (N, n), in each of its two conventions."""
    choices = {"local": pin.Convention.LOCAL, "world": pin.Convention.WORLD}
    return {
        name: over_states(pin.aba, model_of(chain), states, (convention,))
        for name, convention in choices.items()
    }


def empty_accelerations(count: int) -> Callable:
    return over_states(pin.aba, pin.Model(), nothing(count), (pin.Convention.LOCAL,))


def derivatives(chain: Chain, states: tuple) -> Callable:
    """`computeABADerivatives`: by q, by v, and the inverse mass matrix."""
    return over_states(pin.computeABADerivatives, model_of(chain), states)


def empty_derivatives(count: int) -> Callable:
    return over_states(pin.computeABADerivatives, pin.Model(), nothing(count))


def nothing(count: int) -> tuple:
    return (np.zeros((count, 0)),) * 3


def over_states(
    function: Callable, model: pin.Model, states: tuple, more: tuple = ()
) -> Callable:
    """A plain Python loop, keeping the last result only."""
    data = model.createData()
    rows = list(zip(*(list(s) for s in states), strict=True))

    def run() -> object:
        for q, v, tau in rows:
            out = function(model, data, q, v, tau, *more)
        return out

    return run
