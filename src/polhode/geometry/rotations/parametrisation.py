"""What a parametrisation of rotations is, and the questions all of them answer.

Parameters γ of a rotation R(γ) have a basis and a dual basis,

    g_i = -1/2 ε[∂R/∂γⁱ Rᵀ],     gʲ · g_i = 1 if i = j, else 0
    ω = γ̇ⁱ g_i,                  γ̇ʲ = gʲ · ω

with ω in the observer's axes. Every set of three is singular somewhere; of the four
here only the unit quaternion is regular everywhere, and it is double. The restriction
on four parameters (|q| = 1, |n| = 1) binds the parameters and not the motion: each
set has three freedoms, and no reaction belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np

from polhode.arrays import Array, namespace
from polhode.errors import SingularParametrisation
from polhode.geometry.admission import is_traced
from polhode.geometry.rotations import (
    axis_angle,
    euler_angles,
    modified_rodrigues,
    quaternion,
    rodrigues,
    so3,
)
from polhode.geometry.rotations.angle_ratios import sine_ratio
from polhode.geometry.rotations.rotation_admission import SINGULAR
from polhode.geometry.vector import dot, outer, shown, skew

FREEDOMS = 3


@final
@dataclass(frozen=True, eq=False)
class Parametrisation:
    """One way to write rotations as `size` numbers, by its kernels.

    to_matrix    γ (..., n) -> R (..., 3, 3)
    from_matrix  R -> γ, at its chosen branch
    basis        γ -> (..., 3, n), columns g_i
    dual_basis   γ -> (..., n, 3), rows gʲ; least squares where singular
    regularity   γ -> 1 at best, 0 where singular
    """

    name: str
    size: int
    singular: str
    to_matrix: Callable[[Any], Any]
    from_matrix: Callable[[Any], Any]
    basis: Callable[[Any], Any]
    dual_basis: Callable[[Any], Any]
    regularity: Callable[[Any], Any]

    def __repr__(self) -> str:
        return f"Parametrisation({self.name!r}, singular {self.singular})"


def angular_velocity(chart: Parametrisation, parameters: Array, rates: Array) -> Any:
    """ω = γ̇ⁱ g_i in the observer's axes (..., 3)."""
    return (chart.basis(parameters) @ rates[..., None])[..., 0]


def body_angular_velocity(
    chart: Parametrisation, parameters: Array, rates: Array
) -> Any:
    """ω in the body's axes: Rᵀ (γ̇ⁱ g_i)."""
    R = chart.to_matrix(parameters)
    spatial = angular_velocity(chart, parameters, rates)
    return (namespace(R).swapaxes(R, -1, -2) @ spatial[..., None])[..., 0]


def rates(chart: Parametrisation, parameters: Array, angular_velocity: Array) -> Any:
    """γ̇ʲ = gʲ · ω, with ω in the observer's axes; refused where singular."""
    require_regular(chart, parameters)
    return (chart.dual_basis(parameters) @ angular_velocity[..., None])[..., 0]


def rates_of_body(
    chart: Parametrisation, parameters: Array, angular_velocity: Array
) -> Any:
    """γ̇ʲ = gʲ · R ω, with ω in the body's axes; refused where singular."""
    spatial = (chart.to_matrix(parameters) @ angular_velocity[..., None])[..., 0]
    return rates(chart, parameters, spatial)


def dual_basis(chart: Parametrisation, parameters: Array) -> Any:
    """The rows gʲ with gʲ · g_i = 1 if i = j, else 0; refused where singular.

    Of four bound parameters: γ̇ʲ = gʲ · ω for every ω, and g_j gʲ = 1.
    """
    require_regular(chart, parameters)
    return chart.dual_basis(parameters)


def condition(chart: Parametrisation, parameters: Array) -> float:
    """The largest over the smallest stretch from rates to ω; infinite at lock."""
    sizes = np.linalg.svd(np.asarray(chart.basis(parameters)), compute_uv=False)
    return float("inf") if sizes[2] == 0 else float(sizes[0] / sizes[2])


def convert(parameters: Array, source: Parametrisation, target: Parametrisation) -> Any:
    """The same rotation in other parameters; refused where they are not finite."""
    result = target.from_matrix(source.to_matrix(parameters))
    if target is RODRIGUES:
        require_regular(target, result)
    return result


def safest(matrix: Array, among: Sequence[Parametrisation]) -> Parametrisation:
    """The parametrisation that is furthest from its singularity at this rotation."""
    return max(among, key=lambda chart: chart.regularity(chart.from_matrix(matrix)))


def require_regular(chart: Parametrisation, parameters: Array) -> None:
    """Refuse rates or a dual basis where the parametrisation is singular."""
    margin = chart.regularity(parameters)
    if is_traced(margin) or np.all(margin >= SINGULAR):
        return
    raise SingularParametrisation(
        f"{chart.name} {shown(np.asarray(parameters))} have no unique rates here.",
        f"The set is singular {chart.singular}: some turning moves no parameter.",
        "Change the parameters before coming so near: quaternions are regular at"
        " every rotation, and safest(matrix, among) picks the best of several.",
        f"Regularity (1 best, 0 singular): {float(np.min(margin)):.3g}",
    )


def euler(sequence: str) -> Parametrisation:
    """The Euler angles of one of the twelve sequences."""
    proper = euler_angles.axes_of(sequence).proper
    return Parametrisation(
        name=f"the {sequence} angles",
        size=3,
        singular="at a middle angle of 0 or π" if proper else "at a middle angle ±π/2",
        to_matrix=partial(euler_angles.to_matrix, sequence),
        from_matrix=partial(euler_angles.from_matrix, sequence),
        basis=partial(euler_angles.spatial_rate_matrix, sequence),
        dual_basis=partial(euler_angles.spatial_rate_inverse, sequence),
        regularity=partial(euler_angles.regularity, sequence),
    )


def _turns_left(vector: Array) -> Any:
    """|sin(θ/2)| / (θ/2): 1 at zero, 2/π at π, 0 at a whole turn."""
    return namespace(vector).abs(sine_ratio(dot(vector, vector) / 4))


def _axis_angle_matrix(parameters: Array) -> Any:
    return axis_angle.to_matrix(parameters[..., :3], parameters[..., 3])


def _axis_angle_parameters(matrix: Array) -> Any:
    axis, angle = axis_angle.from_matrix(matrix)
    return namespace(matrix).concatenate([axis, angle[..., None]], axis=-1)


def _axis_angle_basis(parameters: Array) -> Any:
    """Columns sin θ 1 + (1 - cos θ) [n] for ṅ, and n for θ̇."""
    xp = namespace(parameters)
    n, angle = parameters[..., :3], parameters[..., 3][..., None, None]
    swing = xp.sin(angle) * xp.eye(3) + 2 * xp.sin(angle / 2) ** 2 * skew(n)
    return xp.concatenate([swing, n[..., None]], axis=-1)


def _axis_angle_dual_basis(parameters: Array) -> Any:
    """Rows (cot(θ/2) (1 - n n) - [n]) / 2 for ṅ, and n for θ̇."""
    xp = namespace(parameters)
    n = parameters[..., :3]
    half_sine = xp.sin(parameters[..., 3] / 2)[..., None, None]
    none = half_sine == 0
    cotangent = xp.cos(parameters[..., 3] / 2)[..., None, None]
    cotangent = cotangent / xp.where(none, 1.0, half_sine)
    swing = cotangent * (xp.eye(3) - outer(n, n)) - skew(n)
    rows = xp.where(none, 0.0, swing / 2)
    return xp.concatenate([rows, n[..., None, :]], axis=-2)


def _half_sine(parameters: Array) -> Any:
    xp = namespace(parameters)
    return xp.abs(xp.sin(parameters[..., 3] / 2))


ROTATION_VECTOR = Parametrisation(
    name="the components of the rotation vector",
    size=3,
    singular="at whole turns but zero, |φ| = 2π",
    to_matrix=so3.exp,
    from_matrix=so3.log,
    basis=so3.left_jacobian,
    dual_basis=so3.left_jacobian_inverse,
    regularity=_turns_left,
)
AXIS_ANGLE = Parametrisation(
    name="the axis and angle",
    size=4,
    singular="at the angle zero",
    to_matrix=_axis_angle_matrix,
    from_matrix=_axis_angle_parameters,
    basis=_axis_angle_basis,
    dual_basis=_axis_angle_dual_basis,
    regularity=_half_sine,
)
QUATERNION = Parametrisation(
    name="the quaternion components (w, x, y, z)",
    size=4,
    singular="nowhere",
    to_matrix=quaternion.to_matrix,
    from_matrix=quaternion.from_matrix,
    basis=quaternion.spatial_rate_matrix,
    dual_basis=quaternion.spatial_rate_inverse,
    regularity=quaternion.regularity,
)
RODRIGUES = Parametrisation(
    name="the components of Rodrigues' vector",
    size=3,
    singular="at half turns, where they are infinite",
    to_matrix=rodrigues.to_matrix,
    from_matrix=rodrigues.from_matrix,
    basis=rodrigues.spatial_rate_matrix,
    dual_basis=rodrigues.spatial_rate_inverse,
    regularity=rodrigues.regularity,
)
MODIFIED_RODRIGUES = Parametrisation(
    name="the modified Rodrigues parameters",
    size=3,
    singular="at whole turns but zero, where they are infinite",
    to_matrix=modified_rodrigues.to_matrix,
    from_matrix=modified_rodrigues.from_matrix,
    basis=modified_rodrigues.spatial_rate_matrix,
    dual_basis=modified_rodrigues.spatial_rate_inverse,
    regularity=modified_rodrigues.regularity,
)
EULER = tuple(euler(sequence) for sequence in euler_angles.SEQUENCES)
THREE_PARAMETERS = (ROTATION_VECTOR, RODRIGUES, MODIFIED_RODRIGUES, *EULER)
PARAMETRISATIONS = (*THREE_PARAMETERS, AXIS_ANGLE, QUATERNION)
