"""How near to each other in time events may be."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.arrays import Scalar

# Of a time, or of a step: events that are nearer to each other are at one instant.
INSTANT = 1e-12
# As many resets as the stepper state remembers, in so small a part of the run: Zeno's.
ACCUMULATION = 1e-9
ROUNDED = 256 * np.finfo(float).eps


def instant(t: Scalar, h: Scalar) -> Any:
    """The time by which events in a step h are told apart: to this they are located."""
    return INSTANT * np.maximum(np.abs(t), np.abs(h))
