"""Dynamic slices, gather and scatter in every mode, indices out of bounds."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from lowering_cases.case import Case, case, each, normal, one_a_system, whole

# Inside, at the ends, past them, wrapped, and far out.
PLACES = each([0, 1, 4, 5, 6, -1, -5, -6, -7, 100, -100, 2**40])
NARROW = each([0, 4, 5, -1, -6, 127, -128], np.int8)
UNSIGNED = each([0, 4, 5, 2**32 - 1], np.uint32)
STARTS = one_a_system([0, 2, -1, 7, -(2**62)])
MODES = ("promise_in_bounds", "clip", "drop", "fill")
LARGE = 20  # more candidates than are chosen among by selects


def inside(mode: str) -> np.ndarray:
    """A promise must be kept; every other mode takes what comes."""
    return whole(0, 4, 6) if mode == "promise_in_bounds" else PLACES


def reading(mode: str) -> Case:
    def function(x, n):
        return x.at[n].get(mode=mode), x.at[n[0]].get(mode=mode)

    return case(f"read, {mode}", function, normal(5), inside(mode))


def writing(mode: str) -> Case:
    def function(x, n, y):
        out = [x.at[n[:3]].set(y, mode=mode), x.at[n[0]].set(7.0, mode=mode)]
        for name in ("add", "multiply", "min", "max"):
            out.append(getattr(x.at[n[:3]], name)(y, mode=mode))
        return out

    return case(f"write, {mode}", function, normal(5), inside(mode), normal(3))


def windows(mode, x, n):
    """Windows of two rows begin at an index; out of bounds as a whole."""
    numbers = lax.GatherDimensionNumbers((1, 2), (), (0,))
    return lax.gather(x, n[:, None], numbers, (2, 2), mode=mode)


def add_windows(mode, x, n, y):
    numbers = lax.ScatterDimensionNumbers((1, 2), (), (0,))
    return lax.scatter_add(x, n[:, None], y, numbers, mode=mode)


def set_windows(mode, x, n, y):
    numbers = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    return lax.scatter(x, n[:, None], y, numbers, mode=mode)


def update(x, y, i, j):
    return lax.dynamic_update_slice(x, y, (i, j))


CASES = [
    *map(reading, MODES),
    *map(writing, MODES),
    *(case(f"windows, {mode}", partial(windows, mode), normal(4, 2), whole(-2, 5, 6))
      for mode in ("clip", "fill")),
    *(case(f"added windows, {mode}", partial(add_windows, mode), normal(4, 2),
           whole(-1, 4, 3), normal(3, 2, 2), rtol=1e-15) for mode in ("clip", "drop")),
    *(case(f"set rows, {mode}", partial(set_windows, mode), normal(4, 2),
           whole(-1, 5, 2), normal(2, 2)) for mode in ("clip", "drop")),
    case("index of every width", lambda x, n, u: (x[n], x[u]), normal(5), NARROW,
         UNSIGNED),
    case("fill of every type", lambda n, *xs: [
        x.at[n].get(mode="fill") for x in xs], whole(-7, 7, 3),
        whole(-9, 9, 5, dtype=np.int32), whole(0, 9, 5, dtype=np.uint8),
        whole(0, 1, 5).astype(bool)),
    case("fill with a value", lambda x, n: x.at[n].get(mode="fill", fill_value=-1.5),
         normal(5), PLACES),
    case("read of many", lambda x, n: x[n], normal(LARGE), whole(-30, 30, 4)),
    case("read of computed", lambda x, n: (x * x)[n], normal(LARGE), whole(-30, 30, 4)),
    case("read of constants", lambda n: jnp.arange(10.0, 20.0)[n], whole(-12, 12, 4)),
    case("read of zeros", lambda n: jnp.array([0.0, -0.0, 0.0])[n], whole(0, 2, 4)),
    case("read of NaN", lambda n: jnp.array([jnp.nan, jnp.nan])[n], whole(0, 1, 4)),
    case("read of booleans", lambda n, b: (jnp.array([True, False, True])[n],
                                           (b < 0)[n]), whole(0, 2, 4), normal(LARGE)),
    case("read of columns", lambda x, n: (x[:, n], x[n], x[n[0], n[1]], x[1, n]),
         normal(3, 3), whole(-4, 3, 2)),
    case("every second", lambda x, n: x[::2][n], normal(8), whole(0, 3, 2)),
    case("pairs of indices", lambda x, i, j: x[i, j], normal(3, 4), whole(-4, 3, 5),
         whole(-5, 4, 5)),
    case("take", lambda x, n: (jnp.take(x, n), jnp.take(x, n, axis=1, mode="clip")),
         normal(2, 3), whole(-3, 2, 3)),
    case("take along an axis", lambda x, n: jnp.take_along_axis(x, n, axis=1),
         normal(2, 3), whole(0, 2, 2, 2)),
    case("batched read", jax.vmap(lambda x, n: x[n]), normal(3, 4), whole(-5, 4, 3)),
    case("batched write", jax.vmap(lambda x, n, y: x.at[n].set(y)), normal(3, 4),
         whole(-5, 4, 3), normal(3)),
    case("batched slices", jax.vmap(lambda x, i: lax.dynamic_slice(x, (i,), (2,))),
         normal(3, 4), whole(-5, 4, 3)),
    case("dynamic_slice", lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 2)),
         normal(4, 3), STARTS, whole(-3, 5)),
    case("dynamic_slice of many", lambda x, i: lax.dynamic_slice(x, (i,), (3,)),
         normal(LARGE), STARTS),
    case("dynamic_slice, one index known",
         lambda x, i: (lax.dynamic_slice(x, (1, i), (2, 2)),
                       lax.dynamic_slice(x, (9, i), (2, 2))), normal(4, 3), STARTS),
    case("dynamic_slice by narrow integers",
         lambda x, i, u: (lax.dynamic_slice(x, (i,), (2,)),
                          lax.dynamic_slice(x, (u,), (2,))), normal(5),
         one_a_system([0, 3, 5, -128, 127], np.int8),
         one_a_system([0, 2, 5, 2**32 - 1, 4], np.uint32)),
    case("dynamic_slice of all", lambda x, i: lax.dynamic_slice(x, (i,), (4,)),
         normal(4), STARTS),
    case("dynamic_index_in_dim", lambda x, i: (
        lax.dynamic_index_in_dim(x, i, 1), lax.dynamic_slice_in_dim(x, i, 2)),
        normal(4, 3), STARTS),
    case("dynamic_update_slice", update, normal(4, 3), normal(2, 2), STARTS,
         whole(-3, 5)),
    case("dynamic_update_slice, one index known", lambda x, y, i: (
        update(x, y, 1, i), update(x, y, 9, i), update(x, y, -9, 0)), normal(4, 3),
        normal(2, 2), STARTS),
    case("update of integers and booleans", lambda n, b, i: (
        lax.dynamic_update_slice(n, n[:2], (i,)),
        lax.dynamic_update_slice(b, ~b[:1], (i,))), whole(-9, 9, 5, dtype=np.int16),
        whole(0, 1, 4).astype(bool), STARTS),
    case("writes of rows", lambda x, n, y: (x.at[n].set(y), x.at[:, n[0]].add(1.0),
                                            x.at[n[0], n[1]].multiply(2.0)),
         normal(3, 3), whole(-4, 3, 2), normal(2, 3)),
    case("repeated writes add up", lambda x, n, y: x.at[n].add(y), normal(3),
         whole(0, 2, 6), whole(-9, 9, 6).astype(float), rtol=1e-15),
    case("known writes", lambda x: (x.at[1].set(5.0), x.at[-1].add(x[0]),
                                    x.at[jnp.array([0, 9])].set(1.0)), normal(4)),
    case("write to integers", lambda n, i: (n.at[i].set(7), n.at[i].add(n[0]),
                                            n.at[i].min(0), n.at[i].max(0)),
         whole(-9, 9, 4, dtype=np.int32), whole(-5, 4, 2)),
    case("apply at places", lambda x, n: (x.at[n].apply(jnp.negative),
                                          x.at[n[0]].apply(lambda v: v * v + 1.0)),
         normal(4), one_a_system([[0, 2], [-1, 2], [9, 1], [-9, 0], [3, 2]]),
         rtol=4e-16),
    case("subtract at places", lambda x, n: x.at[n].subtract(2.0), normal(4),
         whole(-6, 6, 2)),
    case("power at places", lambda x, n: (x.at[n].power(2), x.at[n].divide(4.0)),
         normal(4), whole(0, 3, 2), ulps=4),
    case("histogram", lambda n: jnp.bincount(n, length=4), whole(0, 5, 9)),
    case("segment sums", lambda x, n: jax.ops.segment_sum(x, n, 3), normal(6),
         whole(-1, 3, 6), rtol=1e-15),
    case("one-hot", lambda n: jax.nn.one_hot(n, 4), whole(-1, 4, 3)),
    case("choose", lambda n, x: jnp.choose(n, [x, -x, x * 2], mode="clip"),
         whole(-1, 4, 4), normal(4)),
    case("empty indices", lambda x, n: (x[n], x.at[n].set(1.0)), normal(3),
         whole(0, 1, 0)),
]  # fmt: skip
