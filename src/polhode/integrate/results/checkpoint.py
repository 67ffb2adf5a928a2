"""Where a run halted, with all that is needed to go on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from polhode.integrate.kernel.stepper_state import RunBounds, StepperState


class Checkpoint(NamedTuple):
    """The last stepper state of a run, its plan, and what was wished of it.

    start     (t, q, z) from which it began
    until     the time it was to reach
    samples   times (s,) at which it was to be kept, or None for every step
    limit     attempts that it may make
    """

    stepper_state: StepperState
    bounds: RunBounds
    start: tuple[float, np.ndarray, np.ndarray]
    until: float
    samples: np.ndarray | None
    limit: int
