"""A fixed number of equal steps, outside a trace and inside one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.arrays import Array, namespace


def repeat(step: Callable[[Any], Any], state: Array, times: int) -> Any:
    """step(step(... state)), as one loop in a trace.

    Written out, steps that use their values more than once make XLA compile for
    minutes: it fuses by copying, and the copies double with every step.

    >>> repeat(lambda x: x + x, np.ones(2), 3)
    array([8., 8.])
    """
    if namespace(state) is np:
        for _ in range(times):
            state = step(state)
        return state
    from jax import lax

    return lax.scan(lambda now, _: (step(now), None), state, None, length=times)[0]
