"""Poisson's bracket of two functions of coordinates and momenta."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from polhode.arrays import Array

Observable = Callable[[Any, Any], Any]


def poisson_bracket(f: Observable, g: Observable) -> Observable:
    """{f, g} as a function of (q, p), for functions f and g of them.

        {f, g} = df/dq . dg/dp - df/dp . dg/dq

    q and p are canonical, (k,) each: coordinates in which the momenta are dL/dq_dot.
    The rate of anything along a motion is its bracket with H.

    >>> import numpy as np
    >>> bracket = poisson_bracket(lambda q, p: q[0], lambda q, p: q[0] * p[0])
    >>> float(bracket(np.array([2.0, 1.0]), np.array([0.5, 3.0])))
    2.0
    """

    def bracket(q: Array, p: Array) -> Any:
        f_q, f_p = jax.grad(f, (0, 1))(q, p)
        g_q, g_p = jax.grad(g, (0, 1))(q, p)
        return f_q @ g_p - f_p @ g_q

    return bracket
