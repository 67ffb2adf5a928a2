"""Functions of parameters: sin(alpha) of a slope, sqrt(k / m) of an oscillator.

Of a parameter each is a derived parameter, which sweeps, files and printed equations
know; of numbers, arrays and what is traced it is the function itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ModelError
from polhode.matter.parameter import Parameter


def _sin(x: Array) -> Any:
    return namespace(x).sin(x)


def _cos(x: Array) -> Any:
    return namespace(x).cos(x)


def _tan(x: Array) -> Any:
    return namespace(x).tan(x)


def _sqrt(x: Array) -> Any:
    return namespace(x).sqrt(x)


def _exp(x: Array) -> Any:
    return namespace(x).exp(x)


def _log(x: Array) -> Any:
    return namespace(x).log(x)


def _arctan(x: Array) -> Any:
    return namespace(x).arctan(x)


def _tanh(x: Array) -> Any:
    return namespace(x).tanh(x)


# By the words of model files; files write a derived parameter by them.
LAWS: dict[str, Callable[[Any], Any]] = {
    "sin": _sin,
    "cos": _cos,
    "tan": _tan,
    "sqrt": _sqrt,
    "exp": _exp,
    "log": _log,
    "arctan": _arctan,
    "tanh": _tanh,
}


def of_quantity(word: str, value: Any) -> Any:
    """The function of that word: of a parameter a derived one, else its value."""
    law = LAWS[word]
    if isinstance(value, Parameter):
        return Parameter.derived(f"{word}({value.name})", law, value)
    try:
        return law(value)
    except (TypeError, ValueError, AttributeError):
        raise ModelError(
            f"{word} of a {type(value).__name__} is not a number: {value!r:.60}.",
            "It is a function of numbers.",
            "Give a number, a ph.Parameter or an array of numbers.",
        ) from None


def sin(angle: Scalar) -> Any:
    """The sine of an angle in radians: of a parameter, a number or an array.

    >>> sin(Parameter("alpha", 0.5))
    Parameter('sin(alpha)', 0.479426)
    """
    return of_quantity("sin", angle)


def cos(angle: Scalar) -> Any:
    """The cosine of an angle in radians: of a parameter, a number or an array.

    >>> 2 * cos(Parameter("alpha", 0.0))
    Parameter('2 * cos(alpha)', 2)
    """
    return of_quantity("cos", angle)


def tan(angle: Scalar) -> Any:
    """The tangent of an angle in radians: of a parameter, a number or an array.

    >>> tan(Parameter("alpha", 0.0))
    Parameter('tan(alpha)', 0)
    """
    return of_quantity("tan", angle)


def sqrt(value: Any) -> Any:
    """The square root of a parameter, a number or an array.

    >>> k, m = Parameter("k", 8.0), Parameter("m", 2.0)
    >>> sqrt(k / m)
    Parameter('sqrt(k / m)', 2)
    """
    return of_quantity("sqrt", value)


def exp(value: Any) -> Any:
    """The exponential of a parameter, a number or an array.

    >>> exp(Parameter("a", 0.0))
    Parameter('exp(a)', 1)
    """
    return of_quantity("exp", value)


def log(value: Any) -> Any:
    """The natural logarithm of a parameter, a number or an array.

    >>> log(Parameter("a", 1.0))
    Parameter('log(a)', 0)
    """
    return of_quantity("log", value)


def arctan(slope: Any) -> Any:
    """The angle in radians of a slope: of a parameter, a number or an array.

    >>> arctan(Parameter("grade", 0.0))
    Parameter('arctan(grade)', 0)
    """
    return of_quantity("arctan", slope)


def tanh(value: Any) -> Any:
    """The hyperbolic tangent of a parameter, a number or an array.

    >>> tanh(Parameter("a", 0.0))
    Parameter('tanh(a)', 0)
    """
    return of_quantity("tanh", value)
