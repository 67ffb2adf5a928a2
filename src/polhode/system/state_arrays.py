"""A state as plain arrays: what functions of the mechanics take in place of `State`."""

from __future__ import annotations

from typing import Any, NamedTuple


class StateArrays(NamedTuple):
    """Time, coordinates (nq,) and velocities: the system's speeds, or those of a form.

    Inside a trace they are tracers; outside they are NumPy arrays.
    """

    t: Any
    q: Any
    y: Any
