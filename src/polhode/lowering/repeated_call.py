"""A program that is called again and again with arrays of the same shapes.

Most of the time of a small program is Python's: matching trees, finding addresses. Here
the addresses are found once, of buffers into which the arguments are copied.
"""

from __future__ import annotations

import threading
from typing import Any, final

import jax
import numpy as np

from polhode.errors import ArgumentError
from polhode.lowering.compile import Program


@final
class RepeatedCall:
    """call(*arrays) -> what the program gives, as new arrays, in a few microseconds.

    For programs whose arguments are all plain arrays that vary. Threads take turns.

    >>> import jax.numpy as jnp, numpy as np
    >>> from polhode.lowering.compile import compile
    >>> RepeatedCall(compile(lambda q: 2.0 * q, np.zeros(2)))(np.array([1.0, 2.0]))
    array([2., 4.])
    """

    __slots__ = ("_call", "_is_bare", "_lock", "_program", "_tree")

    def __init__(self, program: Program):
        self._program, self._call = program, program.direct()
        self._lock, self._tree = threading.Lock(), program.result_tree
        self._is_bare = self._tree == jax.tree_util.tree_structure(0)

    def __call__(self, *arguments: Any) -> Any:
        call = self._call
        with self._lock:
            for buffer, given in zip(call.inputs, arguments, strict=True):
                if type(given) is not np.ndarray:
                    given = np.asarray(given, buffer.dtype)
                if given.shape != buffer.shape:
                    raise self._misfit(arguments)
                buffer[...] = given
            call.run()
            outputs = [out.copy() for out in call.outputs]
        if self._is_bare:
            return outputs[0]
        return jax.tree_util.tree_unflatten(self._tree, outputs)

    def _misfit(self, arguments: tuple[Any, ...]) -> ArgumentError:
        wanted = ", ".join(leaf.describe() for leaf in self._program._described)
        given = ", ".join(str(np.shape(argument)) for argument in arguments)
        return ArgumentError(
            f"arrays of the shapes {given} do not fit.",
            f"It takes {wanted}.",
            "Give arrays of these shapes.",
        )
