"""Laws that users write: called, and told by the name of their action if they fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from polhode.errors import ForceError, PolhodeError
from polhode.matter.quantities.constants import NO_CONSTANTS


def given(
    name: str,
    law: Callable[..., Any],
    arguments: tuple[Any, ...],
    size: int = 1,
    *,
    constants: Mapping[str, Any] = NO_CONSTANTS,
) -> Any:
    """What a law gives, traced: one number, or `size` of them; refused otherwise."""
    import jax.numpy as jnp

    try:
        value = jnp.asarray(law(*arguments, **constants))
    except PolhodeError:
        raise
    except Exception as reason:
        first = str(reason).partition("\n")[0]
        raise ForceError(
            f"the law of {name!r} raised {type(reason).__name__}: {first}",
            "A law is traced once: its arguments have no values yet, and cannot be"
            " changed.",
            "Calculate with jax.numpy, choose with jnp.where, return numbers, and take"
            " constants by their names.",
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


def require_real(name: str, value: Any) -> None:
    """Refuse complex numbers: what is left of them would be another law."""
    if value.dtype.kind == "c":
        raise ForceError(
            f"the law of {name!r} gave complex numbers.",
            "Forces and energies are real.",
            "Return the real part if that is meant: jnp.real(...).",
        )
