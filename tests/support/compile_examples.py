"""Functions and arguments that the tests of `ph.compile` share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class State(NamedTuple):
    q: np.ndarray
    z: np.ndarray


STATE = State(np.arange(2.0), np.arange(3.0))


def energy(state, mass):
    return {"kinetic": mass * state.z @ state.z / 2, "q": state.q}


def doubled(x):
    return 2.0 * x
