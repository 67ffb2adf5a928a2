"""Calls of laws that users write, and errors that name the action of one that fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from polhode.arrays import Array
from polhode.errors import ForceError, ModelError, PolhodeError
from polhode.matter.quantities.constants import NO_CONSTANTS, admit_constants, call_form


def given(
    name: str,
    law: Callable[..., Any],
    arguments: Mapping[str, Any],
    size: int = 1,
    *,
    constants: Mapping[str, Any] = NO_CONSTANTS,
) -> Any:
    """What a law gives, traced: one number, or `size` of them; refused otherwise.

    `arguments` are given to it in order; their names are for its error alone.
    """
    import jax.numpy as jnp

    try:
        value = jnp.asarray(law(*arguments.values(), **constants))
    except PolhodeError:
        raise
    except Exception as reason:
        first = str(reason).partition("\n")[0]
        raise ForceError(
            f"the law of {name!r} raised {type(reason).__name__}: {first}",
            f"It is called as {call_form(arguments, constants)}, and traced once: its"
            " arguments have no values yet, and cannot be changed.",
            "Let it take these, calculate with jax.numpy, choose with jnp.where, and"
            " return numbers.",
        ) from reason
    if value.shape not in ((), (1,), (size,)):
        raise ForceError(
            f"the law of {name!r} gave the shape {value.shape}.",
            "It gives one number." if size == 1 else f"It gives {size} numbers.",
            "Return so many.",
        )
    require_real(name, value)
    value = value.astype(float)
    return value.reshape(()) if size == 1 else value


def admit_law_constants(
    name: str, constants: Mapping[str, Any], law: Any, what: str
) -> Mapping[str, Any]:
    """The constants of a law of the user; a noun of ours has its own by name."""
    if constants and hasattr(law, "at"):
        raise ModelError(
            f"{name!r} has constants {', '.join(map(repr, constants))} that nothing"
            " takes.",
            f"Its law of {what} is {type(law).__name__}, whose numbers are its own.",
            "Give them to it, or give a law that takes them by name.",
        )
    return NO_CONSTANTS if hasattr(law, "at") else admit_constants(name, constants, law)


def require_real(name: str, value: Array) -> None:
    """Refuse complex numbers: what is left of them would be another law."""
    if value.dtype.kind == "c":
        raise ForceError(
            f"the law of {name!r} gave complex numbers.",
            "Forces and energies are real.",
            "Return the real part if that is meant: jnp.real(...).",
        )
