"""What every method answers: one attempted step of a field.

    attempt(field, t, x, x_dot, h) -> Attempt

`x_dot` is that at (t, x), which the step before has left. A `FixedStepMethod` says its
`step`; an `AdaptiveMethod` says its tolerances, and gives an estimate of its error.
These are what callers ask of a method. A new one is written as a subclass of
`FixedStep` or `Adaptive` below.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    NamedTuple,
    Protocol,
    TypeGuard,
    runtime_checkable,
)

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError, NumericalWarning
from polhode.integrate.field.inertial_axes import InertialAxes, Knot
from polhode.integrate.field.vector_field import Field
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.system.system import System

# Keeps the energy of a conservative tree to 1e-6 over 1000 of its own times.
RTOL = 1e-10
FLOOR = 100 * np.finfo(float).eps


class Attempt(NamedTuple):
    """Where a step leads.

    x           at t + h
    error       estimates of the error of x, each (width,), the finest first; a method
                of fixed step has none
    dense       what its dense output adds to Hermite's cubic (see `dense_output`): as
                many terms (width,) as the method says in `dense_terms`
    is_solved   whether the equations of an implicit step were solved
    carried     (x + k,) what this step leaves for the next: `Field.carried`
    edge        another state at the time of the end, its x_dot, and the h |lambda| up
                to which the method is stable: from these the run decides whether
                accuracy or stability limits its steps. None if the method has no such
                pair of states: its runs are never called stiff
    """

    x: Any
    error: tuple[Any, ...] = ()
    dense: tuple[Any, ...] = ()
    is_solved: Any = True
    carried: Any = None
    edge: tuple[Any, Any, float] | None = None

    @property
    def foreseen(self) -> Any:
        """About x, where a method knows it a slope earlier."""
        return self.x if self.edge is None else self.edge[0]


@runtime_checkable
class Method(Protocol):
    """A way of stepping; see the module."""

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def order(self) -> int:
        """The error over a given time falls as h^order."""

    @property
    def is_adaptive(self) -> bool:
        """Whether it chooses its own steps."""

    @property
    def dense_terms(self) -> int:
        """How many terms its dense output adds to Hermite's cubic."""

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""


class FixedStepMethod(Method, Protocol):
    """A method that makes steps of one size."""

    @property
    def step(self) -> float:
        """The size of its steps (s)."""


class AdaptiveMethod(Method, Protocol):
    """A method that chooses its steps by an estimate of its error."""

    @property
    def rtol(self) -> float:
        """What it may err, as a share of the motion."""

    @property
    def atol(self) -> float | None:
        """What it may err where the motion is small; None for the system's scales."""


def is_fixed(method: Method) -> TypeGuard[FixedStepMethod]:
    """Whether it makes steps of one size."""
    return not method.is_adaptive


def is_adaptive(method: Method) -> TypeGuard[AdaptiveMethod]:
    """Whether it chooses its own steps."""
    return method.is_adaptive


Weights = dict[int, float]  # of slopes, by their numbers


def weighted_sum(weights: Weights, slopes: list[Any]) -> Any:
    """The sum of w k."""
    first, *others = (weight * slopes[i] for i, weight in weights.items())
    return sum(others, first)


def axpy(h: Scalar, weights: Weights, slopes: list[Any], x: Scalar = 0.0) -> Any:
    """x + h sum w k; the latest slope, for which all wait, is one product from it."""
    *others, last = weights
    late = (h * weights[last]) * slopes[last]
    if others:
        x = x + h * weighted_sum({i: weights[i] for i in others}, slopes)
    return x + late


class RungeKuttaStep(NamedTuple):
    """A step h of an explicit pair, in the columns c of `InertialAxes`.

    start, end   c, and the slope there
    slopes       all of them, that of the end last
    edge         see `Attempt`
    """

    axes: InertialAxes
    start: Knot
    end: Knot
    slopes: list[Any]
    edge: tuple[Any, Any, float]

    def attempt(
        self, h: Scalar, errors: tuple[Weights, ...], dense: tuple[Any, ...]
    ) -> Attempt:
        """Where it leads; its errors stay those of c, by which steps are chosen."""
        error = tuple(axpy(h, weights, self.slopes) for weights in errors)
        return Attempt(self.axes.state(self.end.column), error, dense, edge=self.edge)

    def dense(self, h: Scalar, bends: Any) -> tuple[Any, ...]:
        """Terms of dense output by their weights of the slopes."""
        terms = tuple(axpy(h, weights, self.slopes) for weights in bends)
        return self.axes.dense(h, self.start, self.end, terms)


class Tableau(NamedTuple):
    """Nodes, weights of stages and of the end, and where stability ends."""

    nodes: Any
    stages: Any
    end: Weights
    stable: float


def rk_step(
    field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar, *, tableau: Tableau
) -> RungeKuttaStep:
    """A step h from x at t, traced."""
    axes = field.axes
    slope, c = axes.slopes(field.x_dot), axes.column(x)
    k, there = [axes.slope(c, x, x_dot)], c
    for node, weights in zip(tableau.nodes, tableau.stages, strict=True):
        there = axpy(h, weights, k, c)
        k.append(slope(t + node * h, there))
    before, end = axes.state(there), axpy(h, tableau.end, k, c)
    edge = before, axes.rate(before, k[-1]), tableau.stable
    k.append(slope(t + h, end))
    return RungeKuttaStep(axes, Knot(c, k[0]), Knot(end, k[-1]), k, edge)


def falls_of(method: Method) -> int:
    """An estimated error falls as h to this: the order, or what a method says it is."""
    return getattr(method, "error_order", method.order)


def knows_step(method: Method) -> bool:
    """Whether it tells the size of a step before it makes it: see `series_step`."""
    return getattr(method, "knows_step", False)


def kept_numbers(method: Method, system: System) -> int:
    """How many numbers a step leaves for the next, beside what all methods have."""
    keeps = getattr(method, "keeps", None)
    return 0 if keeps is None else keeps(system)


def is_method(given: Any) -> bool:
    """Whether it can step. Of most kinds this is looked up once: it takes long."""
    kind: Any = type(given)
    return _is_kind(kind) or (isinstance(given, Method) and not isinstance(given, type))


@cache
def _is_kind(kind: Any) -> bool:
    """Whether all that a method answers stands in its class."""
    words = ("name", "order", "is_adaptive", "dense_terms", "attempt")
    return all(hasattr(kind, word) for word in words)


@dataclass(frozen=True)
class FixedStep:
    """What methods of fixed step share: the step (s), and that it is one.

    Each says its name and order, and how it attempts a step.
    """

    step: float
    name: ClassVar[str]
    is_adaptive: ClassVar[bool] = False
    dense_terms: ClassVar[int] = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", admit_step(self.name, self.step))


def admit_step(method: str, step: Any) -> float:
    """A step that is one: finite and not zero."""
    size = real_number(step)
    if not (np.isfinite(size) and size > 0):
        raise IntegrationError(
            f"{method} cannot step by {step!r} s.",
            "A step is a positive number of seconds; backwards runs find their sign.",
            "Give step > 0.",
        )
    return size


class WrappedMethod:
    """What a method takes over from the one that it wraps."""

    method: Method

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.method.name

    @property
    def order(self) -> int:
        """The error over a given time falls as h^order."""
        return self.method.order

    @property
    def error_order(self) -> int:
        """The estimated error falls as h to this."""
        return falls_of(self.method)

    @property
    def is_adaptive(self) -> bool:
        """Whether it chooses its own steps."""
        return self.method.is_adaptive


@dataclass(frozen=True)
class Adaptive:
    """What methods that choose their steps share: tolerances that can be met.

    Each says its name, its order and the terms of its dense output, and how it attempts
    a step.
    """

    rtol: float = RTOL
    atol: float | None = None
    is_adaptive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        rtol, atol = admit_tolerances(self.rtol, self.atol)
        object.__setattr__(self, "rtol", rtol)
        object.__setattr__(self, "atol", atol)


def real_number(value: Any) -> float:
    """The number that was given; NaN for text, truth values, complex ones and lists.

    >>> real_number(2), real_number("2"), real_number(True)
    (2.0, nan, nan)
    """
    try:
        given = np.asarray(value)
        is_one = given.ndim == 0 and given.dtype.kind in "fiu"
        return float(given) if is_one else float("nan")
    except (TypeError, ValueError):
        return float("nan")


def admit_tolerances(
    rtol: Scalar, atol: Any, *, floor: float = FLOOR
) -> tuple[float, float | None]:
    """Tolerances that can be met, raised to the floor of rounding with a warning."""
    given = [real_number(v) for v in (rtol, atol) if v is not None]
    wrong = [v for v in given if not (np.isfinite(v) and v >= 0)]
    if wrong or not any(given) or not real_number(rtol) < 1:
        raise IntegrationError(
            f"no motion can be computed to rtol = {rtol!r}, atol = {atol!r}.",
            "Tolerances are finite, not negative, and not both zero; rtol is a share of"
            " the motion, below 1.",
            "Give rtol between 1e-13 and 1e-3, and leave atol out: it then follows from"
            " the system's own scales.",
        )
    relative = float(rtol)
    if relative < floor and not (atol and relative == 0):
        warn(
            f"rtol = {relative:g} asks for more than double precision can give;"
            f" {floor:.3g} is used",
            NumericalWarning,
        )
        relative = float(floor)
    return relative, None if atol is None else float(atol)
