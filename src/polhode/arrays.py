"""One spelling for NumPy and JAX arrays, and for removable singularities.

A kernel written as `xp = namespace(x); xp.sin(x)` is NumPy outside a trace, where an
eager `jax.numpy` operation costs a millisecond, and `jax.numpy` inside one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

MARK = "removable_singularity"
TEXTBOOK = "textbook_form"
SHARED = "shared_function"
KEPT = "kept_loop"
NEIGHBOUR = "neighbour"
NAMED = "named_function "
NAMED_WHOLE = "named_whole "
# Elements from which an array that a loop changes lies in memory. Of shorter ones each
# element is a variable, and a change at a place that data tells looks at all of them.
IN_MEMORY = 64
if TYPE_CHECKING:
    from jax import Array as JaxArray

    Array = np.ndarray | JaxArray  # of NumPy outside a trace, of JAX inside one
    Scalar = float | np.ndarray | JaxArray  # one number, or what is traced in its place
    Numbers = Any  # one number, a list or an array of them, or what is traced
else:
    Array = Scalar = Any  # public calls take anything that becomes an array here
    Numbers = np.ndarray  # as public calls are held against it: what becomes an array
Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def namespace(*values: Any) -> ModuleType:
    """`jax.numpy` if any of the values is a JAX array or tracer, else `numpy`."""
    jax = sys.modules.get("jax")
    if jax is not None and any(isinstance(value, jax.Array) for value in values):
        return jax.numpy
    return np


def itself(noun: Any, memo: Any = None) -> Any:
    """What a copy of a frozen noun is: programs inside it cannot be copied."""
    return noun


def traced_once(kernel: Kernel) -> Kernel:
    """A kernel of arrays, by position, that JAX traces once for all of one shape.

    In a trace a call of it costs as much as one operation, however many it has; a
    program holds the operations themselves. Outside a trace it is the kernel as it is.
    """
    jitted = cache(lambda: sys.modules["jax"].jit(kernel))

    @wraps(kernel)
    def call(*arrays: Any) -> Any:
        xp = namespace(*arrays)
        return kernel(*arrays) if xp is np else jitted()(*arrays)

    return cast(Kernel, call)  # of the same signature


@traced_once
def matvec(matrices: Array, columns: Array) -> Any:
    """Matrices (..., m, n) on columns (..., n), one on one."""
    return (matrices @ columns[..., None])[..., 0]


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays, by position, that a program writes once and calls.

    It pays where the same long function is asked several times, as by the stages of a
    step: the program is shorter by as many times. Short functions cost more to call.
    """
    import jax

    def shared_function(*arrays: Any) -> Any:
        return function(*arrays)

    return jax.jit(shared_function)


def true_beside(flag: Any) -> Any:
    """A flag that is true where it is, and may be where it is of a run beside.

    Runs in lanes wait for one that does something alone. Where it may be done sooner or
    later, with the same bits, the others do it with that one.
    """
    import jax

    def neighbour(flag: Any) -> Any:
        # To JAX a function that gives back what it is given is none.
        return jax.numpy.logical_or(flag, flag)

    return jax.jit(neighbour)(flag)


def scanned(step: Callable[..., Any], start: Any, rows: Any, **options: Any) -> Any:
    """`lax.scan` as a loop that stays one in programs, however short it is.

    It is for loops over tables of like things, whose number must not be in the code.
    """
    import jax

    def kept_loop(state: Any, row: Any) -> tuple[Any, Any]:
        return step(state, row)

    return jax.lax.scan(jax.jit(kept_loop), start, rows, **options)


def named_function(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers, element by element, that people read as name(x, y).

    Computation goes through it as through any other; readers of mathematics write the
    name and the arguments. Its derivatives need names too: give it a `custom_jvp`.
    """
    import jax

    def evaluate(*arrays: Any) -> Any:
        return function(*arrays)

    evaluate.__name__ = evaluate.__qualname__ = NAMED + name
    return jax.jit(evaluate)


def read_by_name(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays that people read as name(x, y, ...) of all their elements.

    It gives one number, or three that are read as name_x, name_y and name_z. Outside
    a trace it is the function as it is; its derivatives are read as what they compute.
    """

    def called(*values: Any) -> Any:
        jax = sys.modules.get("jax")
        if jax is None or not any(isinstance(v, jax.core.Tracer) for v in values):
            return function(*values)

        # Of its own, so that the name stays with this function.
        def evaluate(*arrays: Any) -> Any:
            return function(*arrays)

        evaluate.__name__ = evaluate.__qualname__ = NAMED_WHOLE + name
        whole = jax.custom_jvp(jax.jit(evaluate))
        whole.defjvp(
            lambda at, rates: (whole(*at), jax.jvp(function, at, rates)[1]),
        )
        return whole(*(jax.numpy.asarray(v, float) for v in values))

    return called


def removable(near: Any, series: Scalar, exact: Scalar) -> Any:
    """`series` where `near` holds, else `exact`; readers of mathematics take `exact`.

    The two branches of a removable singularity, such as sin(x)/x, are one function.
    Computation needs both; a person wants only the closed form. Guard the closed form
    too, or its derivative is NaN where it is not taken:

        small = x2 < 1e-4
        safe = removable(small, 1.0, x2)
        sinc = removable(small, 1 - x2 / 6 + ..., sin(sqrt(safe)) / sqrt(safe))
    """
    if namespace(near, series, exact) is np:
        return np.where(near, series, exact)
    return _marked()(near, series, exact)


@cache
def _marked() -> Any:
    import jax

    def removable_singularity(near: Array, series: Array, exact: Array) -> Any:
        return jax.numpy.where(near, series, exact)

    return jax.jit(removable_singularity)


def textbook(computed: Any, written: Any) -> Any:
    """`computed`, in whose place readers of mathematics take `written`.

    For what is zero wherever a system can be, as the tilt of a closed hinge is: the two
    agree there, with their first and second derivatives, but one is 0/0 when written.
    """
    if namespace(computed, written) is np:
        return computed
    return _textbook()(computed, written)


@cache
def _textbook() -> Any:
    import jax

    def textbook_form(computed: Any, written: Any) -> Any:
        return jax.numpy.where(True, computed, written)

    return jax.jit(textbook_form)
