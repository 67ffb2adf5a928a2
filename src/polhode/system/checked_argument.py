"""Functions of a system, or of its equations: what else they are given is refused.

A state, a name or a function in the place of a system is a slip that everyone makes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

from polhode.errors import ModelError

Function = TypeVar("Function", bound=Callable[..., Any])
NOTHING = object()


def system_argument(function: Function) -> Function:
    """A function that takes a system first, and says so to who gives another thing.

    >>> @system_argument
    ... def count(system):
    ...     return len(system.bodies)
    >>> count("pendulum")
    Traceback (most recent call last):
    polhode.errors.ModelError: count takes a system, and was given 'pendulum'.
    <BLANKLINE>
      The question is one about bodies, joints and actions together.
    <BLANKLINE>
      Give the system itself; those of the gallery are ph.models.pendulum() and its kin.
    """
    why = "The question is one about bodies, joints and actions together."
    return taking(_system, "a system", why, how_to_have_a_system)(function)


def state_argument(function: Function) -> Function:
    """A function that takes a state first, and says so to who gives another thing."""
    why = "The question is one about a system at one place, speed and time."
    return taking(_state, "a state", why, _how_to_have_a_state)(function)


def _state() -> type:
    from polhode.system.state import State  # which takes systems

    return State


def _how_to_have_a_state(value: Any) -> str:
    if isinstance(value, _system()):
        return "Give a state of it: system.state(joint=...), or system.rest()."
    if isinstance(getattr(value, "state", None), _state()):
        return f"Give its state: the .state of this {type(value).__name__}."
    return "Give a ph.State, such as system.state(joint=...) or a row motion[k]."


def _system() -> type:
    from polhode.system.system import System  # which is made of functions of systems

    return System


def taking(
    kind: Callable[[], type], name: str, why: str, how: Callable[[Any], str]
) -> Callable[[Function], Function]:
    """Makes functions refuse all but a kind of thing as their first argument.

    `how(value)` says what to write in the place of what was given.
    """

    def marked(function: Function) -> Function:
        first = next(iter(signature(function).parameters))

        @wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            value = given[0] if given else named.get(first, NOTHING)
            if value is not NOTHING and not isinstance(value, kind()):
                what = (
                    f"{function.__name__} takes {name}, and was given"
                    f" {_value_text(value)}."
                )
                raise ModelError(what, why, how(value))
            return function(*given, **named)

        return cast(Function, call)  # of the same signature

    return marked


def how_to_have_a_system(value: Any) -> str:
    """What to write in the place of something that is not a system."""
    if isinstance(value, str):
        return (
            "Give the system itself; those of the gallery are ph.models.pendulum() and"
            " its kin."
        )
    if isinstance(getattr(value, "system", None), _system()):
        return f"Give its system: the .system of this {type(value).__name__}."
    if isinstance(value, list | tuple):
        return "Put them together first: ph.System([...])."
    if callable(value):
        return f"Call it first: {getattr(value, '__name__', 'model')}()."
    return "Give a ph.System."


def _value_text(value: Any) -> str:
    """A value in few words."""
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
