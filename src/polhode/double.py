"""Evaluation of functions in double precision, whatever JAX is set to.

Functions that users write are traced: plain arithmetic or `jax.numpy`.
Inside a trace they are simply called. Outside, they run in double precision and give
NumPy arrays; the user's own `jax_enable_x64` is left as it was. Nothing is compiled for
it where NumPy can do it: see `lowering/evaluation`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from weakref import WeakValueDictionary

_KNOWN: WeakValueDictionary[int, Any] = WeakValueDictionary()


def doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, traced on its first call outside a trace.

    Arguments are arrays or trees of arrays. One law that many things share is traced
    once for all of them.
    """
    # What is found holds its function: while it lives no other has its place.
    found = _KNOWN.get(id(function))
    if found is None:
        found = _KNOWN[id(function)] = _doubled(function)
    return found


def _doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function where a trace calls it, its evaluation elsewhere."""
    import jax

    from polhode.lowering.evaluation.evaluation import Evaluation

    evaluation = Evaluation(function)

    @wraps(function)
    def evaluate(*arguments: Any, **by_name: Any) -> Any:
        leaves, tree = jax.tree.flatten((arguments, by_name))
        if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves):
            return function(*arguments, **by_name)
        return evaluation(leaves, tree)

    return evaluate


def gradient(function: Callable[..., Any], argument: int = 0) -> Callable[..., Any]:
    """The derivative of a scalar function by one of its arguments, in double."""
    import jax

    return doubled(jax.grad(function, argnums=argument))


def jacobian(function: Callable[..., Any], argument: int = 0) -> Callable[..., Any]:
    """The matrix of derivatives of a function by one of its arguments, in double."""
    import jax

    return doubled(jax.jacfwd(function, argnums=argument))
