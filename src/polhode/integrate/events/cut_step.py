"""A step from its start to a share of it, inside a trace: the same polynomial."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Scalar
from polhode.integrate.events.functions import Ends
from polhode.integrate.events.locate import dense_basis
from polhode.integrate.field.dense_output import between


def along(ends: Ends, s: Scalar) -> Any:
    """x at a share of a step."""
    return between(s, ends.h, ends.start, ends.end, ends.dense)


def cut(ends: Ends, s: Scalar) -> tuple[Any, Any, Any]:
    """x, its slope and the terms of dense output of the step that ends at a share s.

    With u = s'/s the higher terms follow from values inside: `locate.restrict_step`.
    """
    x, rate = jax.jvp(lambda s: along(ends, s), (s,), (jnp.ones_like(s),))
    x_dot, terms = rate / ends.h, ends.dense.shape[0]
    if not terms:
        return x, x_dot, ends.dense
    u = (np.arange(terms) + 1.0) / (terms + 1.0)
    rest = []
    for each in u:
        cubic = between(each, s * ends.h, ends.start, (x, x_dot), ends.dense[:0])
        rest.append((along(ends, s * each) - cubic) / (each * (1 - each)) ** 2)
    inverse = np.linalg.inv(dense_basis(u))
    return x, x_dot, jnp.asarray(inverse) @ jnp.stack(rest)
