"""Steps whose dense output is found later, and only where somebody asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, final, runtime_checkable

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import Attempt, Method, WrappedMethod


class StepStart(NamedTuple):
    """Where a step begins, its slope there, and how long it is."""

    t: Any
    x: Any
    x_dot: Any
    h: Any


@runtime_checkable
class DefersDense(Method, Protocol):
    """A method whose dense output takes slopes that its step does not need."""

    @property
    def slopes_for_dense(self) -> int:
        """How many slopes of a step its dense output knows, beside the first."""

    def attempt_without_dense(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, and in place of its terms the slopes from which they are found."""

    def dense(self, field: Field, start: StepStart, slopes: Any) -> tuple[Any, ...]:
        """The terms of dense output of a step."""


@final
@dataclass(frozen=True)
class DeferredDense(WrappedMethod):
    """A method that leaves slopes of a step in place of terms of dense output."""

    method: DefersDense

    @property
    def dense_terms(self) -> int:
        """How many slopes stand in place of terms."""
        return self.method.slopes_for_dense

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        return self.method.attempt_without_dense(field, t, x, x_dot, h)

    def dense(self, field: Field, start: StepStart, slopes: Any) -> tuple[Any, ...]:
        """The terms of dense output of a step, traced."""
        return self.method.dense(field, start, slopes)


def deferred(method: Method) -> Method:
    """The method with its dense output deferred, if that saves slopes."""
    return DeferredDense(method) if isinstance(method, DefersDense) else method
