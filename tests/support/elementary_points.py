"""Where elementary functions are hard, and what they are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np
import scipy.special
from mpmath import mp

from polhode.lowering.elementary import (
    error_function,
    exponential,
    hyperbolic,
    inverse_error_function,
    inverse_trigonometric,
    logarithm,
    power,
    trigonometric,
)

SPECIAL = np.array(
    [
        *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 5e-324, -5e-324, 0.5, -0.5),
        *(2.0, -2.0, 3.0, -3.0, 1e300, -1e300, 2.0**53 + 2, 1.7e308, 2.3e-308, -1e-310),
    ]
)
RANDOM = np.random.default_rng(20240229)


@dataclass(frozen=True)
class Law:
    """What one function must do: `exact` by mpmath, `special` by NumPy."""

    exact: Callable[..., Any]
    special: Callable[..., Any]
    points: Callable[[], list[np.ndarray]]
    ulps: float
    arity: int = 1


def uniform(low: float, high: float, count: int = 1000) -> np.ndarray:
    return RANDOM.uniform(low, high, count)


def any_doubles(
    low: float = 0.0, high: float = np.inf, count: int = 1000
) -> np.ndarray:
    """Doubles of both signs, evenly spread in their bits: all exponents alike."""
    first, last = np.array([low, high]).view(np.uint64)
    magnitudes = RANDOM.integers(first, last, count, dtype=np.uint64).view(float)
    return magnitudes * RANDOM.choice([-1.0, 1.0], count)


def neighbours(points: Any) -> np.ndarray:
    """Each point and the doubles beside it."""
    points = np.asarray(points, float)
    beside = [np.nextafter(points, -np.inf), np.nextafter(points, np.inf)]
    return np.concatenate([points, *beside])


def powers_of_two() -> np.ndarray:
    return neighbours(2.0 ** np.arange(-1070, 1024, 37))


def angles() -> list[np.ndarray]:
    """Near multiples of pi/2 small and huge, near the limits of the two reductions."""
    with mp.workdps(400):
        counts = [*range(1, 200), *(3**j for j in range(5, 120))]
        quarters = [float(mp.pi / 2 * k) for k in counts]
    worst = [6381956970095103 * 2.0**797, 5.31937264832654e255, 2.0**22, 2.0**1023]
    some = [neighbours(quarters), neighbours(worst), powers_of_two()]
    wide = [uniform(-4, 4), uniform(-1e4, 1e4), uniform(-(2.0**23), 2.0**23)]
    return [np.concatenate([*some, *wide, any_doubles()])]


def exponents() -> list[np.ndarray]:
    edges = neighbours([709.78271289338397, -708.3964185322641, -745.1332191019411])
    edges = np.concatenate(
        [edges, neighbours([708.0, -708.0, 0.34657359, -0.34657359])]
    )
    wide = [uniform(-1, 1), uniform(-745, 709.7), uniform(-746, -707)]
    return [np.concatenate([edges, -powers_of_two(), *wide, any_doubles(1e-300, 740)])]


def positives() -> list[np.ndarray]:
    near = [1 + uniform(-0.01, 0.01), 1 + uniform(-1e-9, 1e-9), uniform(0.5, 2)]
    edges = neighbours([1.0, 0.5**0.5, 2**0.5, 2.0**-1022])
    tiny = np.abs(any_doubles(5e-324, 2.0**-1022))
    return [
        np.concatenate([*near, edges, tiny, powers_of_two(), np.abs(any_doubles())])
    ]


def above_minus_one() -> list[np.ndarray]:
    near = [uniform(-0.1, 0.1), uniform(-0.99, 2), uniform(-1, -0.999)]
    edges = neighbours([0.5**0.5 - 1, 2**0.5 - 1, -0.5, 1.0])
    small = [any_doubles(5e-324, 0.9), np.abs(any_doubles())]
    return [np.concatenate([*near, edges, *small, powers_of_two()])]


def everywhere() -> list[np.ndarray]:
    edges = neighbours([0.5, 1.0, 2.0, 2.0**28, 2.0**100, 0.41421356237309503])
    wide = [uniform(-0.6, 0.6), uniform(-3, 3), uniform(-100, 100), any_doubles()]
    return [np.concatenate([edges, -edges, powers_of_two(), *wide])]


def above_one() -> list[np.ndarray]:
    near = [1 + np.abs(any_doubles(2.0**-52, 1.0)), uniform(1, 2), uniform(1, 100)]
    edges = [1 + 2.0**-52, 1.5, 2.0**28 - 1, 2.0**28, 2.0**28 + 1, 1.7e308]
    return [np.concatenate([*near, np.array(edges), 1 + np.abs(any_doubles())])]


def between_minus_one_and_one() -> list[np.ndarray]:
    edges = neighbours([0.5, -0.5, 0.1715728752538099, 0.3333333333333333])
    ends = 1 - np.abs(any_doubles(2.0**-53, 0.5))
    wide = [uniform(-1, 1), uniform(-0.5, 0.5), any_doubles(5e-324, 1.0), ends, -ends]
    return [np.concatenate([edges, *wide])]


def planes() -> list[np.ndarray]:
    """Points of the plane: ordinary, at all scales, and near the seams."""
    slope = neighbours([0.5, 1.0, 2.0, 1e-9, 1e9])
    size = np.resize(any_doubles(1e-290, 1e290, 40), slope.size)
    y = [uniform(-1, 1), any_doubles(), any_doubles(5e-324, 1e-306), slope * size]
    x = [uniform(-1, 1), any_doubles(), any_doubles(5e-324, 1e-306), size]
    y += [any_doubles(1e307), any_doubles(5e-324, 1e-100)]
    x += [any_doubles(1e307), any_doubles(1e100, 1e300)]
    return [np.concatenate(y), np.concatenate(x)]


def powers() -> list[np.ndarray]:
    """Results over the whole range, of bases near 1, near sqrt(2), and of any size."""
    bases = [np.abs(any_doubles()), 1 + uniform(-0.3, 0.42), 1 + uniform(-1e-6, 1e-6)]
    tiny = np.abs(any_doubles(5e-324, 2.0**-1022))
    some = [(x, uniform(-745, 710) / np.log(x)) for x in (*bases, tiny)]
    some += [(uniform(0, 10), uniform(-10, 10))]
    some += [(-uniform(0, 100), np.rint(uniform(-150, 150)))]
    x, y = zip(*some, strict=True)
    return [np.concatenate(x), np.concatenate(y)]


def logistic(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


def signed_cbrt(x: Any) -> Any:
    return mpmath.sign(x) * mpmath.cbrt(abs(x))


def inverse_sqrt(x: Any) -> Any:
    return 1 / mpmath.sqrt(x)


def signed_erfinv(x: np.ndarray) -> np.ndarray:
    """SciPy's, but odd at zero too."""
    return np.copysign(scipy.special.erfinv(x), x)


def error_arguments() -> list[np.ndarray]:
    edges = neighbours([0.5, 1.0, 6.0, 26.0, 26.54, 27.2])
    wide = [uniform(-6, 0), uniform(0, 1), uniform(1, 10), uniform(10, 27.2)]
    return [np.concatenate([edges, -edges, *wide, any_doubles(5e-324, 30.0)])]


def probabilities() -> list[np.ndarray]:
    ends = 1 - 2.0 ** -uniform(1, 53, 300)
    return [np.concatenate([uniform(-1, 1, 300), any_doubles(1e-300, 1, 200), ends])]


LAWS = {
    "acos": Law(mpmath.acos, np.arccos, between_minus_one_and_one, 1.2),
    "acosh": Law(mpmath.acosh, np.arccosh, above_one, 1.2),
    "asin": Law(mpmath.asin, np.arcsin, between_minus_one_and_one, 1.2),
    "asinh": Law(mpmath.asinh, np.arcsinh, everywhere, 1.4),
    "atan": Law(mpmath.atan, np.arctan, everywhere, 1.0),
    "atan2": Law(mpmath.atan2, np.arctan2, planes, 1.2, arity=2),
    "atanh": Law(mpmath.atanh, np.arctanh, between_minus_one_and_one, 1.0),
    "cbrt": Law(signed_cbrt, np.cbrt, everywhere, 0.6),
    "cos": Law(mpmath.cos, np.cos, angles, 1.0),
    "cosh": Law(mpmath.cosh, np.cosh, exponents, 1.1),
    "erf": Law(mpmath.erf, scipy.special.erf, error_arguments, 2.0),
    "erf_inv": Law(mpmath.erfinv, signed_erfinv, probabilities, 3.5),
    "erfc": Law(mpmath.erfc, scipy.special.erfc, error_arguments, 2.0),
    "exp": Law(mpmath.exp, np.exp, exponents, 1.1),
    "exp2": Law(lambda x: mpmath.power(2, x), np.exp2, exponents, 1.2),
    "expm1": Law(mpmath.expm1, np.expm1, exponents, 1.4),
    "log": Law(mpmath.log, np.log, positives, 1.0),
    "log1p": Law(mpmath.log1p, np.log1p, above_minus_one, 1.0),
    "logistic": Law(logistic, scipy.special.expit, exponents, 1.1),
    "pow": Law(mpmath.power, np.power, powers, 1.6, arity=2),
    "rsqrt": Law(
        lambda x: 1 / mpmath.sqrt(x), lambda x: 1 / np.sqrt(x), positives, 1.5
    ),
    "sin": Law(mpmath.sin, np.sin, angles, 1.0),
    "sinh": Law(mpmath.sinh, np.sinh, exponents, 1.1),
    "tan": Law(mpmath.tan, np.tan, angles, 1.4),
    "tanh": Law(mpmath.tanh, np.tanh, exponents, 1.0),
}


def worst_ulps(
    got: np.ndarray, exact: Callable[..., Any], args: list[np.ndarray]
) -> tuple[float, tuple]:
    """The largest error in units of the exact value's last place, and its arguments."""
    worst, where = 0.0, ()
    with mp.workprec(140):
        for value, *point in zip(
            got.tolist(), *(a.tolist() for a in args), strict=True
        ):
            error = _ulps(value, exact(*map(mpmath.mpf, point)))
            if error > worst:
                worst, where = error, tuple(point)
    return worst, where


def _ulps(value: float, exact: Any) -> float:
    """A result beyond the largest double may be it or infinity, as rounding says."""
    if abs(exact) >= mpmath.mpf(2) ** 1024 * (1 - mpmath.mpf(2) ** -54):
        return (
            0.0 if value == np.copysign(np.inf, float(mpmath.sign(exact))) else np.inf
        )
    if not np.isfinite(value):
        return np.inf
    spacing = np.spacing(max(abs(float(exact)), 2.0**-1022))
    return float(abs(mpmath.mpf(value) - exact) / mpmath.mpf(float(spacing)))


def mismatch(
    got: np.ndarray, expected: np.ndarray, args: list[np.ndarray], ulps: float
) -> list[tuple]:
    """Where two results are not the same number, zeros and infinities exactly."""
    with np.errstate(all="ignore"):
        spacing = np.spacing(np.maximum(np.abs(expected), 2.0**-1022))
        close = np.abs(got - expected) <= (ulps + 1) * spacing
    exactly = (expected == 0) | ~np.isfinite(expected)
    same = (got == expected) & (np.signbit(got) == np.signbit(expected))
    same |= np.isnan(got) & np.isnan(expected)
    bad = ~np.where(exactly, same, close)
    return list(zip(*(a[bad] for a in args), got[bad], expected[bad], strict=True))


def root(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """f of the square root, with digits to spare for the cancellations near zero."""

    def of_square(z: Any) -> Any:
        with mp.workdps(250):
            return f(mpmath.sqrt(z))

    return of_square


def spared(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def of(x: Any) -> Any:
        with mp.workdps(300):
            return f(x)

    return of


def quarter_pi_squared() -> Any:
    return mpmath.mpf("1.0001") * (mp.pi / 4) ** 2


def half_log_two() -> Any:
    return mpmath.mpf("1.0001") * mpmath.log(2) / 2


def zero() -> int:
    return 0


def seam() -> Any:
    """The largest (artanh's argument)^2 for a mantissa between sqrt(1/2) and sqrt 2."""
    return mpmath.mpf("1.0001") * (3 - mpmath.sqrt(8)) ** 2


def quarter() -> Any:
    return mpmath.mpf(1) / 4


def scaled_tail(t: Any) -> Any:
    """(1 + 2 x) e^(x^2) erfc x less its value at x = 4, over t = (x - 4)/(x + 4)."""
    x = 4 * (1 + t) / (1 - t)
    value = (1 + 2 * x) * mpmath.exp(x**2) * mpmath.erfc(x)
    return (value - 9 * mpmath.exp(16) * mpmath.erfc(4)) / t


def at(x: Any) -> Callable[[], Any]:
    """The t of an x in `scaled_tail`."""
    return lambda: (mpmath.mpf(x) - 4) / (mpmath.mpf(x) + 4)


def inverse_error_row(k: int) -> Callable[[Any], Any]:
    """erf^-1 x / x around the centre 3 k/4 of s = sqrt(-log(1 - x^2))."""

    def ratio(d: Any) -> Any:
        s = 3 * mpmath.mpf(k) / 4 + d
        if abs(s) < mpmath.mpf(10) ** -15:
            return mpmath.sqrt(mp.pi) / 2
        x = mpmath.sqrt(-mpmath.expm1(-(s**2)))
        return mpmath.erfinv(x) / x

    return ratio


COEFFICIENTS = {
    "SINE": (
        trigonometric.SINE,
        root(lambda r: (r - mpmath.sin(r)) / r**3),
        zero,
        quarter_pi_squared,
    ),
    "COSINE": (
        trigonometric.COSINE,
        root(lambda r: (mpmath.cos(r) - 1 + r**2 / 2) / r**4),
        zero,
        quarter_pi_squared,
    ),
    "EXPONENTIAL": (
        exponential.EXPONENTIAL,
        spared(lambda r: (mpmath.exp(r) - 1 - r) / r**2),
        lambda: -half_log_two(),
        half_log_two,
    ),
    "LOGARITHM": (
        logarithm.LOGARITHM,
        root(lambda s: 2 * (mpmath.atanh(s) - s) / s**3),
        zero,
        seam,
    ),
    "REMAINDER": (
        power.REMAINDER,
        root(lambda s: (2 * mpmath.atanh(s) - 2 * s - 2 * s**3 / 3) / s**5),
        zero,
        seam,
    ),
    "INVERSE_ROOT": (
        power.INVERSE_ROOT,
        lambda m: 1 / mpmath.cbrt(m),
        lambda: mpmath.mpf(1) / 2,
        lambda: mpmath.mpf(4),
    ),
    "HYPERBOLIC_SINE": (
        hyperbolic.HYPERBOLIC_SINE,
        root(lambda r: (mpmath.sinh(r) - r) / r**3),
        zero,
        lambda: mpmath.mpf("1.0001") * mpmath.log(2) ** 2 / 4,
    ),
    "HYPERBOLIC_COSINE": (
        hyperbolic.HYPERBOLIC_COSINE,
        root(lambda r: (mpmath.cosh(r) - 1) / r**2),
        zero,
        lambda: mpmath.mpf("1.0001") * mpmath.log(2) ** 2 / 4,
    ),
    "ARCSINE": (
        inverse_trigonometric.ARCSINE,
        root(lambda s: (mpmath.asin(s) - s) / s**3),
        zero,
        quarter,
    ),
    "ARCTANGENT": (
        inverse_trigonometric.ARCTANGENT,
        root(lambda t: (t - mpmath.atan(t)) / t**3),
        zero,
        quarter,
    ),
    "NEAR": (
        error_function.NEAR,
        root(lambda x: (mpmath.erf(x) / x - 2 / mpmath.sqrt(mp.pi)) / x**2),
        zero,
        lambda: mpmath.mpf(1),
    ),
    "TAIL": (error_function.TAIL, spared(scaled_tail), at(0.5), at(28)),
    **{
        f"ROWS[{k}]": (
            row,
            inverse_error_row(k),
            lambda: -mpmath.mpf(3) / 8,
            lambda: mpmath.mpf(3) / 8,
        )
        for k, row in enumerate(inverse_error_function.ROWS)
    },
}
