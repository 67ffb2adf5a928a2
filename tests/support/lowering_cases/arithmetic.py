"""Floats element by element, selections and conversions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import SingleDeviceSharding

from lowering_cases.case import (
    case,
    coins,
    each,
    normal,
    one_a_system,
    pairs,
    uniform,
    whole,
)

NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 7.25, -1e15, 3e200]
AWKWARD = [*NUMBERS, np.nan, np.inf, -np.inf]
# Halves, the largest number below a half, and where doubles have no fraction.
TO_ROUND = [*AWKWARD, 0.49999999999999994, -0.49999999999999994, 2.0**52 - 0.5, 2**53]
INTEGERS = (
    *(np.int8, np.int16, np.int32, np.int64),
    *(np.uint8, np.uint16, np.uint32, np.uint64),
)
TYPES = (np.float64, *INTEGERS, np.bool_)
EDGES = [0.0, 0.9, -0.9, 1.0, -1.0, 127.0, 128.0, -129.0, 255.0, 256.0, 3e9, -3e9]
FAR = [2.0**31, 2.0**32, 2.0**63, -(2.0**63), 2.0**64, 1e300, -1e300, np.inf, -np.inf]

PLAIN = {
    "neg": lambda x: -x,
    "abs": jnp.abs,
    "sign": jnp.sign,
    "floor": jnp.floor,
    "ceil": jnp.ceil,
    "trunc": jnp.trunc,
    "round to even": jnp.round,
    "round away": lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
    "square": lax.square,
    "is_finite": lax.is_finite,
    "isnan and isinf": lambda x: (jnp.isnan(x), jnp.isinf(x), jnp.nan_to_num(x)),
    "stop_gradient": lax.stop_gradient,
    "copy": lambda x: lax.reduce_precision(jnp.copy(x), 11, 52),
    "barrier": lambda x: lax.optimization_barrier((x, x + 1.0)),
    "signbit": jnp.signbit,
    "sharding": lambda x: lax.with_sharding_constraint(x, HERE),
}
OF_TWO = {
    "add": jnp.add,
    "sub": jnp.subtract,
    "mul": jnp.multiply,
    "div": jnp.divide,
    "rem": lax.rem,
    "mod": jnp.mod,
    "max": jnp.maximum,
    "min": jnp.minimum,
    "copysign": jnp.copysign,
    "comparisons": lambda x, y: (x == y, x != y, x < y, x <= y, x > y, x >= y),
    "total order": lambda x, y: (lax.eq_to_p.bind(x, y), lax.lt_to_p.bind(x, y)),
    "total order or equal": lax.le_to_p.bind,
}


def powers(x):
    return [lax.integer_pow(x, n) for n in (0, 1, 2, 3, 7, 8, -1, -2, -3)]


def conversions(*values):
    return [v.astype(t) for v in values for t in TYPES]


def casts(x, i, u, j, v, b):
    to = lax.bitcast_convert_type
    doubles = to(x, jnp.int64), to(x, jnp.uint64), to(i, jnp.float64), to(u, jnp.int64)
    return *doubles, to(j, jnp.uint32), to(v, jnp.int32), to(b, jnp.uint8)


HERE = SingleDeviceSharding(jax.devices("cpu")[0])


@jax.custom_jvp
def guarded(x):
    return jnp.where(x > 0, x, 0.0)


guarded.defjvp(lambda primals, tangents: (guarded(*primals), 2 * tangents[0]))

CASES = [
    *(case(name, function, one_a_system(TO_ROUND)) for name, function in PLAIN.items()),
    *(case(name, function, *pairs(NUMBERS)) for name, function in OF_TWO.items()),
    case("max and min of NaN", lambda x, y: (lax.max(x, y), lax.min(x, y)),
         *pairs(AWKWARD)),
    case("comparisons of NaN", OF_TWO["comparisons"], *pairs(AWKWARD)),
    case("total order of NaN", OF_TWO["total order"], *pairs(AWKWARD)),
    case("sqrt", jnp.sqrt, one_a_system([*AWKWARD, 2.0, 1e-300])),
    case("integer_pow", powers, one_a_system(NUMBERS[2:-2]), ulps=4),
    case("power by a known exponent", lambda x: (x**2.0, x**-1.0, x**1.0, x**0.5),
         uniform(0.1, 9, 6), ulps=2),
    case("power of an integer exponent", lambda x, n: x**n, uniform(0.1, 9, 6),
         whole(-5, 5, 6), ulps=4),
    case("nextafter", jnp.nextafter, *pairs([1.0, -1.0, 2.0, 1e300, np.inf, np.nan])),
    case("reciprocals shared", lambda x, y: (x / y[0], y / y[0], 3.0 / y[0]),
         normal(4), normal(3), ulps=2),
    case("division by constants", lambda x: (x / 3.0, x / 4.0, x / -1e-310, 1.0 / x),
         one_a_system(NUMBERS[2:]), ulps=2),
    case("sums and products fused", lambda x, y, z: (x * y + z, x * y - z, z - x * y),
         normal(6), normal(6), normal(6), rtol=4e-16),
    case("sum of many products", lambda x, y: x * y + y * y - x * x + x * 3.0 - y,
         normal(6), normal(6), rtol=1e-15),
    case("clamp", lax.clamp, each([-1.0, 0.0, 2.0]), each([0.5, -3.0, 9.0]),
         each([1.0, 2.0, 3.0])),
    case("clamp by scalars", lambda x: lax.clamp(-1.0, x, 1.0), one_a_system(AWKWARD)),
    case("clip", lambda x: jnp.clip(x, 0.0, 1.0), one_a_system(AWKWARD)),
    case("select", jnp.where, coins(6), normal(6), normal(6)),
    case("select by a scalar", lambda c, x, y: lax.select(c, x, y), coins(),
         normal(2, 2), normal(2, 2)),
    case("select of three", lambda n, x: lax.select_n(n, x, -x, x * 2),
         whole(0, 2, 6, dtype=np.int32), normal(6)),
    case("select of three by a scalar", lambda n, x: lax.select_n(n, x, -x, x * 2),
         whole(0, 2, dtype=np.int32), normal(6)),
    case("select of booleans and integers", lambda c, d, n: (
        jnp.where(c, d, ~d), jnp.where(d, n, -n)), coins(6), coins(6), whole(-9, 9, 6)),
    case("convert floats", conversions, one_a_system([*EDGES, *FAR, np.nan])),
    case("convert integers", conversions, *(
        one_a_system([0, 1, 2, np.iinfo(t).max, np.iinfo(t).min], t)
        for t in INTEGERS)),
    case("convert booleans", conversions, coins()),
    case("bitcast", casts, normal(3), whole(-9, 9, 3), whole(0, 9, 3, dtype=np.uint64),
         whole(-9, 9, 3, dtype=np.int32), whole(0, 9, 3, dtype=np.uint32),
         whole(-9, 9, 3, dtype=np.int8)),
    case("add_any", lambda x: jax.grad(lambda z: jnp.sum(z * z + jnp.sin(z) * z))(x),
         normal(3), rtol=1e-15),
    case("custom_jvp", lambda x: (guarded(x), jax.jvp(guarded, (x,), (x,))[1]),
         normal(4)),
    case("logic", lambda a, b: (a & b, a | b, a ^ b, ~a, a == b, a < b, a >= b),
         coins(8), coins(8)),
    case("booleans as numbers", lambda a, b: (a + b, a * b, jnp.maximum(a, b),
                                              jnp.minimum(a, b), a * 2.5),
         coins(8), coins(8)),
]  # fmt: skip
