"""Force fields: a vector assigned to every place, and its derivatives.

A law is a traceable function of the place x (3,), the velocity v (3,) of what is there
and the time t, all seen by the observer who owns the field.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.actions.fields.quadrature import Quadrature
from polhode.arrays import Array, Scalar
from polhode.double import doubled, gradient, jacobian
from polhode.errors import ForceError
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross, shown, vee

Law = Callable[[Any, Any, Any], Any]


@final
@dataclass(frozen=True, eq=False)
class ForceField:
    """A field of force F(x, v, t), seen from and written in `frame`.

    `law` gives the force on a unit of what the field acts on (a unit mass, charge,
    length, area or volume): three components from place, velocity and time.

    >>> pull = ForceField.of_place(lambda x: -3.0 * x, Frame("world"))
    >>> pull.value([1, 0, 0])
    array([-3., -0., -0.])
    """

    law: Law
    frame: Frame
    name: str = "field"

    @staticmethod
    def of_place(
        law: Callable[[Any], Any], frame: Frame, name: str = "field"
    ) -> ForceField:
        """A steady field, a function of the place alone."""
        return ForceField(lambda x, v, t: law(x), frame, name)

    @staticmethod
    def of_energy(
        energy: Callable[[Any], Any], frame: Frame, name: str = "field"
    ) -> ForceField:
        """The steady field of a potential energy.   F = -grad V"""
        import jax

        slope = jax.grad(energy)
        return ForceField(lambda x, v, t: -slope(x), frame, name)

    def force(self, x: Array, v: Array, t: Scalar) -> Any:
        """The law as one array, for use inside a trace."""
        import jax

        return jax.numpy.asarray(self.law(x, v, t))

    def value(self, x: Array, v: Any = (0.0, 0.0, 0.0), t: float = 0.0) -> Any:
        """The force at x on what moves there with v at time t."""
        return _finite(self, "force", self._value(*_admit(self, x, v, t)), x)

    def gradient(self, x: Any, v: Any = (0.0, 0.0, 0.0), t: float = 0.0) -> Any:
        """How the force changes from place to place.   G_ij = d F_i / d x_j"""
        slopes = self._jacobian(*_admit(self, x, v, t))
        return _finite(self, "gradient", slopes, x)

    def curl(self, x: Any, v: Any = (0.0, 0.0, 0.0), t: float = 0.0) -> Any:
        """curl F = (dF3/dx2 - dF2/dx3, ...): twice the axial vector of the gradient."""
        return 2.0 * vee(self.gradient(x, v, t))

    def divergence(self, x: Any, v: Any = (0.0, 0.0, 0.0), t: float = 0.0) -> Any:
        """div F = dF1/dx1 + dF2/dx2 + dF3/dx3"""
        G = self.gradient(x, v, t)
        return G[0, 0] + G[1, 1] + G[2, 2]

    def on_body(
        self, rule: Quadrature, density: Scalar = 1.0, t: float = 0.0
    ) -> tuple[Any, Any]:
        """The moment about the frame's origin and the force on a body at rest.

            M = sum_k w_k rho_k x_k x F(x_k),        R = sum_k w_k rho_k F(x_k)

        The rule's points are where the body is now, along the field's axes.
        """
        amount = rule.weights * density
        forces = amount[:, None] * self._values(rule.points, t)
        return cross(rule.points, forces).sum(0), forces.sum(0)

    @cached_property
    def _value(self) -> Callable[..., Any]:
        return doubled(self.force)

    @cached_property
    def _values(self) -> Callable[..., Any]:
        import jax

        def still(x: Array, t: Scalar) -> Any:
            return jax.vmap(lambda place: self.force(place, 0.0 * place, t))(x)

        return doubled(still)

    @cached_property
    def _jacobian(self) -> Callable[..., Any]:
        return jacobian(self.force)

    def __repr__(self) -> str:
        return f"ForceField({self.name!r}, in {self.frame.name!r})"


def _admit(field: ForceField, x: Array, v: Array, t: Scalar) -> tuple[Any, Any, Any]:
    place = admit(x, (3,), f"a place in {field.name!r}")
    return place, admit(v, (3,), f"a velocity in {field.name!r}"), t


def _finite(field: ForceField, what: str, numbers: Array, x: Array) -> Any:
    if is_traced(numbers) or np.all(np.isfinite(numbers)):
        return numbers
    raise ForceError(
        f"{field.name!r} has no {what} at {shown(np.asarray(x, float))}.",
        "Its law, or a derivative of it, is not finite there.",
        "Ask at another place, or give the law its limit where it has one.",
    )


def laplacian(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The Laplacian of a scalar function of place, by derivatives of JAX.

    lap f = d2f/dx1^2 + d2f/dx2^2 + d2f/dx3^2
    """
    import jax

    hessian = jax.hessian(function)

    def trace(x: Array) -> Any:
        H = hessian(x)
        return H[0, 0] + H[1, 1] + H[2, 2]

    return doubled(trace)


def matches(field: ForceField, energy: Callable[[Any], Any], places: Array) -> float:
    """How far a field is from -grad V at the places (n, 3), relative to the field.

    0 if V is the potential energy of the field there.
    """
    slope = gradient(energy)
    worst, scale = 0.0, 0.0
    for x in np.asarray(places, float):
        force = field.value(x)
        worst = max(worst, float(np.max(np.abs(force + slope(x)))))
        scale = max(scale, float(np.max(np.abs(force))))
    return worst / scale if scale else worst
