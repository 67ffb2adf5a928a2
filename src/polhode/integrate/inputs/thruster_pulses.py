"""Levels of thrusters with pulses: sampled where their periods begin.

    on   for u(t_k) T from t_k = k T

A pulse between two places of a long step would not be seen by it: the run begins a step
where each period begins, as with any sampled input, and the error of that step shows
the end of the pulse.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.space.thruster import Thruster
from polhode.arrays import Scalar
from polhode.errors import IntegrationError
from polhode.integrate.field.input_table import arity
from polhode.integrate.inputs.controller import Controller
from polhode.integrate.inputs.tyre_relaxation import at_value
from polhode.matter.parameter import at, parameters_in

if TYPE_CHECKING:
    from polhode.system.system import System


def with_pulses(
    system: System, inputs: Mapping[Any, Any], sampled: Callable[..., Any]
) -> dict[Any, Any]:
    """The inputs of a run, the levels of thrusters with pulses as samples.

    `sampled` makes a sampled input of a law, a time between samples, and constants.
    """
    jets = {a.name: a for a in system.actions if isinstance(a, Thruster) and a.period}
    if not jets:
        return dict(inputs)
    found, driven = {}, set()
    for key, given in inputs.items():
        names = key if isinstance(key, tuple) else (key,)
        own = [jets[name] for name in names if name in jets]
        driven |= {jet.name for jet in own}
        is_law = isinstance(given, Controller) or callable(given)
        found[key] = (
            _in_periods(names, own, given, sampled) if own and is_law else given
        )
    for name, jet in jets.items():
        is_idle = not parameters_in([jet.level]) and float(at(jet.level)) == 0.0
        if name not in driven and not is_idle:
            found[name] = _constant_level(system, jet, sampled)
    return found


def _in_periods(
    names: tuple[Any, ...], jets: list[Thruster], given: Any, sampled: Any
) -> Any:
    """A law as samples: each level is asked where its period begins."""
    periods = sorted({jet.period for jet in jets})
    has_states = isinstance(given, Controller) and len(given.states) > 0
    if len(jets) < len(names) or len(periods) > 1 or has_states:
        told = ", ".join(f"{period:g}" for period in periods)
        raise IntegrationError(
            f"the inputs {names!r} cannot be driven by one law in continuous time.",
            f"Thrusters among them fire in periods of {told} s: their levels are asked"
            " where a period begins, and held.",
            "Sample the law: ph.Sampled(law, dt=period, state=[...]), one for thrusters"
            " of one period and nothing else.",
        )
    law = given.law if isinstance(given, Controller) else given
    constants = given.constants if isinstance(given, Controller) else {}
    if arity(law) == 1 and not constants:
        return sampled(lambda t, state: law(t), periods[0])
    return sampled(law, periods[0], constants=constants)


def _constant_level(system: System, jet: Thruster, sampled: Any) -> Any:
    """The level that nothing drives; a run may vary its parameters."""
    own = {p.name: at_value(system, p) for p in parameters_in([jet.level])}

    def law(t: Scalar, state: Any, **table: Any) -> Any:
        return at(jet.level, table) + 0.0 * t

    return sampled(law, jet.period, constants=own)


def require_phase(system: System, names: Collection[str], t: np.ndarray) -> None:
    """Refuse runs that begin inside a period: samples are k T after the start.

    `names` are those of all inputs that are sampled.
    """
    for jet in system.actions:
        if not isinstance(jet, Thruster) or not jet.period or jet.name not in names:
            continue
        off = np.abs(t / jet.period - np.round(t / jet.period))
        if np.any(off > 1e-6):
            late = float(np.ravel(t)[np.argmax(np.ravel(off))])
            raise IntegrationError(
                f"a run of {system.name!r} cannot begin at t = {late:.9g} s, inside a"
                f" period of the thruster {jet.name!r}.",
                f"It fires from t = k times {jet.period:g} s on, and its level is asked"
                " there.",
                "Begin where a period does: state.changed(t=...).",
            )
