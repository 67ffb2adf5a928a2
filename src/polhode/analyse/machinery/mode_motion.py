"""A mode as a motion that can be watched: everything in step, there and back.

    d(t) = a Re(S phi exp(i 2 pi t / T)),      q(t) = local(q0, d(t))

S takes the independent places to displacements along all joints. Time is stretched or
pressed so that one period takes T seconds to watch, whatever the frequency is, and
what decays or grows is shown without that: it is the shape that is seen. The rows are
no solution of the equations of motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polhode.errors import AnalysisError
from polhode.integrate.field.dense_output import bare
from polhode.integrate.field.scales import displacements
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.kernel.outcome import Outcome
from polhode.integrate.methods.runge_kutta.dormand_prince import DormandPrince
from polhode.integrate.results.trajectory import Trajectory, project_rows
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.analyse.linear.modes import Modes

FRAMES = 60  # a period


def mode_motion(
    modes: Modes, mode: int, size: float, seconds: float, periods: int
) -> Trajectory:
    """The rows of one mode, the k-th from 0; see `Modes.motion`."""
    _require_mode(modes, mode)
    linear = modes.linear
    system, first = linear.system, linear.state
    shape = linear.reduced.shape @ np.asarray(modes.shapes[mode], complex)
    natural = np.asarray(displacements(system, first.q), float)
    largest = np.max(np.abs(shape) / natural)
    shape = size * shape / (largest or 1.0)
    times = np.linspace(0.0, seconds * periods, FRAMES * periods + 1)
    rate = 2j * np.pi / seconds
    turns = np.exp(rate * times)[:, None]
    places, speeds = (turns * shape).real, (rate * turns * shape).real
    states = [
        State(system, float(t), np.asarray(system.local(first.q, d)), z)
        for t, d, z in zip(times, places, speeds, strict=True)
    ]
    words = f"mode {mode + 1}, {modes.hertz[mode]:.4g} Hz, {seconds:g} s a period"
    rows = project_rows(rows_of(states, times, words))
    # Slopes of what is drawn, so that films may ask between rows.
    slope = np.gradient(rows.steps.x, times, axis=0, edge_order=2)
    return replace(rows, steps=rows.steps._replace(x_dot=slope), is_dense=True)


def rows_of(states: Sequence[State], times: np.ndarray, note: str = "") -> Trajectory:
    """States as the rows of a motion, between which nothing is known."""
    equations = equations_of(states[0].system)
    start = equations.functions.start
    x = [np.concatenate([s.q, np.asarray(start(s.t, s.q, s.z, {}))]) for s in states]
    whole = Outcome("DONE", float(times[-1]), "", 0, 0)
    rows = bare(np.asarray(times, float), np.array(x))
    return Trajectory(equations, DormandPrince(), rows, whole, {}, note, False)


def _require_mode(modes: Modes, mode: int) -> None:
    count = len(modes.eigenvalues)
    if not 0 <= mode < count:
        raise AnalysisError(
            f"{modes.linear.system.name!r} has no mode number {mode}.",
            f"It has {count}, counted from 0.",
            f"Give a number from 0 to {count - 1}.",
        )
