"""Controllers inside the compiled loop: laws with constants and states of their own.

    u = law(t, state, **constants)                              without states
    u, x_dot = law(t, state, x, **constants),    x(0) = states  with states x (k,)

Constants are parameters of the run: a sweep varies them, a gradient differentiates by
them. States of a controller are integrated with the motion, by the same steps and to
the same tolerance: a filter, an observer, the integral of an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, final

import numpy as np

from polhode.arrays import Numbers, Scalar
from polhode.errors import IntegrationError
from polhode.matter.parameter import Parameter, parameters_in
from polhode.matter.quantities.constants import admit_constants


@final
@dataclass(frozen=True, eq=False)
class Controller:
    """A traced law of inputs, with constants by name and states of its own.

    law         law(t, state, **constants) -> u; with states law(t, state, x,
                **constants) -> (u, x_dot); traceable
    constants   numbers or parameters that the law takes by name
    states      where x begins, a list of k numbers; x and x_dot are arrays (k,)
    name        what errors and bare constants are called by

    `motion.controller("pid")` are the states along a motion.

    >>> import polhode as ph
    >>> gain = ph.Parameter("gain", 3.0)
    >>> law = lambda t, state, gain: -gain * state["hinge"]
    >>> ph.Controller(law, constants={"gain": gain}).parameters
    (Parameter('gain', 3),)
    """

    law: Callable[..., Any]
    _: KW_ONLY
    constants: Mapping[str, Any] = field(default_factory=dict)
    states: Numbers = ()
    name: str = "controller"

    def __post_init__(self) -> None:
        if not callable(self.law):
            raise IntegrationError(
                f"{self.law!r} cannot control anything.",
                "A controller is a function of time and state.",
                "Give ph.Controller(lambda t, state, gain: ..., constants={...}).",
            )
        admitted = admit_constants(self.name, self.constants, self.law)
        object.__setattr__(self, "constants", admitted)
        object.__setattr__(self, "states", _column(self.name, self.states))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The constants of the law."""
        return parameters_in(self.constants.values())


def _column(name: str, states: Any) -> np.ndarray:
    """The first states (k,) of a controller: finite real numbers."""
    try:
        column = np.atleast_1d(np.array(states, dtype=float))
    except (TypeError, ValueError):
        column = np.array([np.nan])
    if column.ndim != 1 or not np.all(np.isfinite(column)):
        raise IntegrationError(
            f"{name!r} cannot begin with the states {states!r}.",
            "States of a controller are a list of numbers, which its law integrates.",
            "Give states=[0.0], and let the law return (u, rates).",
        )
    column.setflags(write=False)
    return column


def controller_parameters(inputs: Mapping[Any, Any] | None) -> tuple[Parameter, ...]:
    """The parameters that controllers among some inputs bring along."""
    given = inputs.items() if isinstance(inputs, Mapping) else ()
    values = [constant_input(k, v) if isinstance(k, str) else v for k, v in given]
    found = (getattr(v, "parameters", ()) for v in values if not callable(v))
    return tuple(dict.fromkeys(p for each in found for p in each))


def constant_input(name: str, value: Any) -> Any:
    """A number, or the numbers of a couple or a force, as a law of them; else itself.

    The numbers are parameters, `push.input`: programs are shared by all their values.
    """
    if isinstance(value, str | bytes | Mapping | bool) or callable(value):
        return value
    try:
        numbers = np.array(value, dtype=float)
    except (TypeError, ValueError):
        return value
    if numbers.ndim > 1 or not numbers.size or not np.all(np.isfinite(numbers)):
        return value
    if numbers.ndim == 0:
        return Controller(given_input, constants={"input": float(numbers)}, name=name)
    each = {f"input_{k}": float(x) for k, x in enumerate(numbers, 1)}
    return Controller(given_input, constants=each, name=name)


def given_input(t: Scalar, state: Any, **inputs: Any) -> Any:
    """The number that drives an input, or the column of several."""
    import jax.numpy as jnp

    values = [*inputs.values()]
    return values[0] if "input" in inputs else jnp.stack([1.0 * x for x in values])
